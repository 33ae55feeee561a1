//! The field reports that give figures: does each difference that the author saw come out?

use std::fmt::Write as _;

use anyhow::Context as _;
use arcwright_model::Model;
use arcwright_scenario::{Engine as _, PhaseRun, RunRequest, Scenario, Unwatched};

use crate::effect::Effect;

/// The scenarios, and what stands behind a difference that does not come out.
const REPORTS: [(&str, &str); 3] = [
    (
        "steam-library",
        "As installed the report's second read is slower than its first (218 against 310 MiB/s); here it \
         is about as fast. Only an ARC so small that prefetched blocks leave it before they are read gives \
         such a dip, which `scenarios/steam-library-squeezed.toml` shows; the report does not say what else \
         used its memory.",
    ),
    (
        "prefetch-matrix",
        "With three files the report has prefetch behind, the model has it ahead. The code of 2010 on emulated \
         disks (zfs-fuse) has it behind where the ARC gives too little to what is read ahead, so that it is read \
         twice, and ahead elsewhere; the report's times point to the former, and do not say how it came \
         there. `docs/guide/field/prefetch-matrix.md` has the figures.",
    ),
    (
        "spare-ssd",
        "Ratios are up to 22 % below the report's; with the log alone on the SSD its writes would be right. They depend \
         on what it does not say: how scattered the file was, how Windows wrote, what the SSD was. `docs/guide/field/spare-ssd.md` says what each of them changes.",
    ),
];

/// Returns a section of the board.
pub(super) fn section() -> anyhow::Result<String> {
    let mut page = String::from(
        "\n## Field reports\n\nDifferences between arms that the authors report, and the model's, at full scale \
         on the report's version. Faster, slower, or no effect: less than 5 % is no effect, of either.\n\n\
         | scenario | phase | arms | reported | model | effect |\n|---|---|---|---|---|---|\n",
    );
    let mut score = Score::default();
    for (name, _) in REPORTS {
        let path = crate::root().join(format!("scenarios/{name}.toml"));
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("failed to read {}", path.display()))?;
        let scenario = Scenario::parse_with(&text, name, &job_file)?;
        rows(name, &scenario, &mut page, &mut score)?;
    }
    let Score { right, all } = score;
    let _ = writeln!(page, "\n{right} of {all} effects are the report's.\n");
    for (name, why) in REPORTS {
        let _ = writeln!(page, "- {name}: {why}");
    }
    Ok(page)
}

/// Returns the text of a job file that a scenario names.
fn job_file(path: &str) -> Result<String, String> {
    std::fs::read_to_string(crate::root().join("scenarios").join(path))
        .map_err(|error| error.to_string())
}

/// How many effects come out.
#[derive(Debug, Default, Clone, Copy)]
struct Score {
    right: usize,
    all: usize,
}

fn rows(
    name: &str,
    scenario: &Scenario,
    page: &mut String,
    score: &mut Score,
) -> anyhow::Result<()> {
    let Some(reported) = &scenario.reported else { return Ok(()) };
    let request = RunRequest { scenario: scenario.clone(), repeats: 1 };
    let outcome = Model::default().run(&request, &mut Unwatched)?;
    let speed = |arm: &str, phase: &str| {
        let arm = outcome.arms.iter().find(|other| other.name == arm)?;
        let run: &PhaseRun = arm.phases.iter().find(|other| other.name == phase)?;
        Some(run.throughput_bytes_per_sec.0 as f64)
    };
    for phase in &scenario.phases {
        let of_phase: Vec<_> =
            reported.figures.iter().filter(|figure| figure.phase == phase.name).collect();
        let Some((first, others)) = of_phase.split_first() else { continue };
        for other in others {
            let said = (other.value / first.value - 1.0) * 100.0;
            let (Some(a), Some(b)) =
                (speed(&first.arm, &phase.name), speed(&other.arm, &phase.name))
            else {
                continue;
            };
            let found = (b / a - 1.0) * 100.0;
            let is_right = Effect::of(said) == Effect::of(found);
            score.all += 1;
            score.right += usize::from(is_right);
            let verdict = if is_right { "right" } else { "**wrong**" };
            let _ = writeln!(
                page,
                "| {name} | {} | {} to {} | {said:+.0} % | {found:+.0} % | {verdict} |",
                phase.name, first.arm, other.arm
            );
        }
    }
    Ok(())
}
