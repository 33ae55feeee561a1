//! Crashes: what is left of acknowledged writes when the power goes, on the real OpenZFS.

use std::path::Path;

use anyhow::Context as _;
use arcwright_scenario::Scenario;

/// Lets the first writing client of the scenario at `path` write until the power goes, for every arm
/// and each of `seeds` seeds, and prints what is left.
pub(crate) fn run(openzfs: &str, path: &Path, seeds: u64) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("failed to read {}", path.display()))?;
    let lab = crate::lab(openzfs)?;
    let mut broken = 0;
    for seed in 1..=seeds {
        let scenario = Scenario { seed, ..Scenario::parse(&text, &path.to_string_lossy())? };
        for report in lab.crash(&scenario)? {
            let lost = report.lost_since.map_or_else(
                || "nothing is lost".to_owned(),
                |span| format!("{} are lost, of the last {span}", report.lost()),
            );
            println!(
                "OpenZFS {}, seed {seed}, “{}”: power lost after {}; {} writes acknowledged, {} found, \
                 {lost}, {} torn",
                report.openzfs,
                report.arm,
                report.after,
                report.acknowledged,
                report.kept,
                report.torn
            );
            broken += report.torn;
        }
    }
    anyhow::ensure!(broken == 0, "{broken} places hold parts of several writes");
    Ok(())
}
