//! The page of curves.

use std::fmt::Write as _;

use super::Found;
use super::cases::ARCS_MIB;

/// A curve is right when it is off by no more than so many points anywhere.
const POINTS: f64 = 1.5;

impl Found {
    /// Returns by how many points the curve of all blocks, and that of a sample, are off at most.
    fn most(&self) -> (f64, f64) {
        let most = |curve: &[f64]| {
            let apart = self.lab.iter().zip(curve).map(|(lab, curve)| (lab - curve).abs());
            apart.fold(0.0, f64::max) * 100.0
        };
        (most(&self.whole), most(&self.thinned))
    }
}

pub(super) fn page(found: &[Found]) -> String {
    let mut page = String::from(
        "# Curves\n\nMade by `cargo xtask curves`. Each case is one client whose accesses are known, run in the lab on an ARC of six \
         sizes; the curve is that of `arcwright trace curve` for the trace of the same accesses, from an empty cache on. The figures \
         are hits of all blocks that were asked for: in the lab, by simulation of all blocks, of a sample of them. The curve knows data \
         blocks alone, with headers as large as the library's; the lab's ARC holds metadata as well. Nothing was fitted on these cases.\n\n",
    );
    page.push_str(&sums(found));
    let sizes = ARCS_MIB.map(|mib| format!(" {mib} MiB |")).concat();
    let rule = "---|".repeat(ARCS_MIB.len());
    // Writing into a string cannot fail.
    let _ = writeln!(page, "\n| case |{sizes} off at most |\n|---|{rule}---|");
    for one in found {
        let _ = write!(page, "| {} |", one.name);
        for ((lab, whole), thinned) in one.lab.iter().zip(&one.whole).zip(&one.thinned) {
            let [lab, whole, thinned] = [lab, whole, thinned].map(|share| share * 100.0);
            let _ = write!(page, " {lab:.1} \\| {whole:.1} \\| {thinned:.1} |");
        }
        let (whole, thinned) = one.most();
        let _ = writeln!(page, " {whole:.2} \\| {thinned:.2} (one block in {}) |", one.one_in);
    }
    page
}

/// Returns how many curves are right, and how far they are off.
pub(super) fn sums(found: &[Found]) -> String {
    let all: Vec<(f64, f64)> = found.iter().map(Found::most).collect();
    let right = |of: fn(&(f64, f64)) -> f64| all.iter().filter(|one| of(one) <= POINTS).count();
    let points = found.iter().flat_map(|one| {
        one.lab.iter().zip(&one.whole).map(|(lab, whole)| (lab - whole).abs() * 100.0)
    });
    let points: Vec<f64> = points.collect();
    let mean = points.iter().sum::<f64>() / points.len().max(1) as f64;
    let worst = all.iter().map(|one| one.0).fold(0.0, f64::max);
    format!(
        "Of {} curves through {} sizes {} are within {POINTS} points of the lab everywhere, of those by a sample {}. Off by {mean:.2} points in \
         the mean of all points, {worst:.2} at most.\n",
        found.len(),
        ARCS_MIB.len(),
        right(|one| one.0),
        right(|one| one.1),
    )
}
