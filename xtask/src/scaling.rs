//! `cargo xtask scaling`: how far figures of an experiment in small are from those at full scale.
//!
//! Every scenario of the gallery runs in the model at full scale and at parts of it; nothing else differs. The page is
//! `fidelity/SCALING.md`.

use std::fmt::Write as _;
use std::fs;

use anyhow::Context as _;
use arcwright_model::Model;
use arcwright_scenario::{ArmOutcome, Engine as _, PhaseRun, RunRequest, Scenario, Unwatched};

use crate::{gallery, parallel};

/// The parts of full scale, as divisors.
const SCALES: [u64; 3] = [4, 8, 16];
const PAGE: &str = "fidelity/SCALING.md";
const HEAD: &str = "\
# What scaling changes

<!-- Made by `cargo xtask scaling`; do not edit. -->

`--scale 8` divides sizes and rates of an experiment by 8 and keeps durations
([decision 0002](../docs/decisions/0002-scaling-and-motion.md)). So much do figures of the model differ then from those at full scale, in
every arm and phase of the gallery's scenarios (`arcwright scenarios`):

| scale | lines | throughput: median | 90th percentile | within 5 % | ARC hits: median, points | 90th percentile | synchronous writes, median: median | 90th percentile |
|---|---|---|---|---|---|---|---|---|
";

/// How a line in small differs from the one at full scale.
#[derive(Debug, Clone)]
struct Difference {
    place: String,
    /// Percent.
    throughput: f64,
    /// Points.
    hits: Option<f64>,
    /// Percent.
    sync_latency: Option<f64>,
}

pub(crate) fn run() -> anyhow::Result<()> {
    let mut scenarios = Vec::new();
    for (name, text) in gallery::texts()? {
        let scenario = gallery::parse(&text, &name)?;
        scenarios.push((name, scenario));
    }
    let found = parallel::map(&scenarios, |(name, scenario)| {
        println!("{name}");
        let full = outcome(scenario, 1)?;
        // What is too small in small has no lines.
        let small = |scale: u64| outcome(scenario, scale).unwrap_or_default();
        anyhow::Ok(SCALES.map(|scale| differences(name, &full, &small(scale))))
    });
    let found = found.into_iter().collect::<anyhow::Result<Vec<_>>>()?;
    let mut page = HEAD.to_owned();
    let mut worst = String::new();
    for (place, scale) in SCALES.iter().enumerate() {
        let all = found.iter().filter_map(|of| of.get(place)).flatten();
        let mut all: Vec<Difference> = all.cloned().collect();
        page += &row(*scale, &all);
        all.sort_by(|a, b| b.throughput.abs().total_cmp(&a.throughput.abs()));
        for Difference { place, throughput, .. } in all.iter().take(3) {
            // Writing into a string cannot fail.
            let _ = writeln!(worst, "| 1/{scale} | {place} | {throughput:+.0} % |");
        }
    }
    let _ = write!(
        page,
        "\nThe largest differences of throughput:\n\n| scale | where | difference |\n|---|---|---|\n{worst}"
    );
    print!("{page}");
    fs::write(crate::root().join(PAGE), page).context("failed to write the page")
}

fn outcome(scenario: &Scenario, scale: u64) -> anyhow::Result<Vec<ArmOutcome>> {
    let mut model = Model { scale: Some(scale), ..Model::default() };
    let request = RunRequest { scenario: scenario.clone(), repeats: 1 };
    Ok(model.run(&request, &mut Unwatched)?.arms)
}

fn differences(name: &str, full: &[ArmOutcome], small: &[ArmOutcome]) -> Vec<Difference> {
    let mut all = Vec::new();
    for (full, small) in full.iter().zip(small) {
        for (one, other) in full.phases.iter().zip(&small.phases) {
            let place = format!("{name}, {}, {}", full.name, one.name);
            all.extend(difference(place, one, other));
        }
    }
    all
}

fn difference(place: String, full: &PhaseRun, small: &PhaseRun) -> Option<Difference> {
    let percent = |full: u64, small: u64| (small as f64 / full as f64 - 1.0) * 100.0;
    let rates = [full, small].map(|run| run.throughput_bytes_per_sec.0);
    let [full_rate, small_rate] = rates;
    let median = |run: &PhaseRun| Some(run.sync_latency.as_ref()?.p50_ns.0);
    let medians = median(full).zip(median(small)).filter(|(full, _)| *full > 0);
    (full_rate > 0).then(|| Difference {
        place,
        throughput: percent(full_rate, small_rate),
        hits: full.arc_hit_ratio.zip(small.arc_hit_ratio).map(|(one, other)| (other - one) * 100.0),
        sync_latency: medians.map(|(full, small)| percent(full, small)),
    })
}

fn row(scale: u64, all: &[Difference]) -> String {
    let sorted = |of: fn(&Difference) -> Option<f64>| -> Vec<f64> {
        let mut sizes: Vec<f64> = all.iter().filter_map(of).map(f64::abs).collect();
        sizes.sort_by(f64::total_cmp);
        sizes
    };
    let at = |sizes: &[f64], percent: usize| {
        sizes.get(sizes.len().saturating_sub(1) * percent / 100).copied().unwrap_or_default()
    };
    let (rates, hits, syncs) =
        (sorted(|it| Some(it.throughput)), sorted(|it| it.hits), sorted(|it| it.sync_latency));
    let alike = rates.iter().filter(|difference| **difference < 5.0).count();
    format!(
        "| 1/{scale} | {} | {:.1} % | {:.0} % | {} % | {:.2} | {:.1} | {:.0} % | {:.0} % |\n",
        rates.len(),
        at(&rates, 50),
        at(&rates, 90),
        alike * 100 / rates.len().max(1),
        at(&hits, 50),
        at(&hits, 90),
        at(&syncs, 50),
        at(&syncs, 90),
    )
}
