//! The page of curves.

use std::fmt::Write as _;

use super::Found;
use super::cases::ARCS_MIB;

/// A curve is right when it is off by no more than so many points anywhere.
const POINTS: f64 = 1.5;

impl Found {
    /// Returns by how many points the curve of all blocks, that of a sample, and that of the whole model are off at most.
    fn most(&self) -> [f64; 3] {
        let most = |curve: &[f64]| {
            let apart = self.lab.iter().zip(curve).map(|(lab, curve)| (lab - curve).abs());
            apart.fold(0.0, f64::max) * 100.0
        };
        [&self.whole, &self.thinned, &self.model].map(|curve| most(curve))
    }
}

pub(super) fn page(found: &[Found]) -> String {
    let mut page = String::from(
        "# Curves\n\nMade by `cargo xtask curves`. Each case is one client whose accesses are known, run in the lab on an ARC of six \
         sizes; the curve is that of `arcwright trace curve` for the trace of the same accesses, from an empty cache on. The figures \
         are hits of all blocks that were asked for: in the lab, by simulation of all blocks, of a sample of them, and by the whole model of the \
         machine, which `arcwright advise --trace` and `whatif --trace` ask. The curve knows data blocks alone, with headers as large as the library's; the lab's ARC and \
         the model's hold metadata as well. Nothing was fitted on these cases.\n\n",
    );
    page.push_str(&sums(found));
    let sizes = ARCS_MIB.map(|mib| format!(" {mib} MiB |")).concat();
    let rule = "---|".repeat(ARCS_MIB.len());
    // Writing into a string cannot fail.
    let _ = writeln!(page, "\n| case |{sizes} off at most |\n|---|{rule}---|");
    for one in found {
        let _ = write!(page, "| {} |", one.name);
        let curves = one.lab.iter().zip(&one.whole).zip(&one.thinned).zip(&one.model);
        for (((lab, whole), thinned), model) in curves {
            let [lab, whole, thinned, model] =
                [lab, whole, thinned, model].map(|share| share * 100.0);
            let _ = write!(page, " {lab:.1} \\| {whole:.1} \\| {thinned:.1} \\| {model:.1} |");
        }
        let [whole, thinned, model] = one.most();
        let _ = writeln!(
            page,
            " {whole:.2} \\| {thinned:.2} (one block in {}) \\| {model:.2} |",
            one.one_in
        );
    }
    page
}

/// Returns how many curves are right, and how far they are off.
pub(super) fn sums(found: &[Found]) -> String {
    let all: Vec<[f64; 3]> = found.iter().map(Found::most).collect();
    let right = |of: fn(&[f64; 3]) -> f64| all.iter().filter(|one| of(one) <= POINTS).count();
    let off = |of: fn(&Found) -> &Vec<f64>| {
        let points = found.iter().flat_map(|one| one.lab.iter().zip(of(one)));
        let points: Vec<f64> = points.map(|(lab, curve)| (lab - curve).abs() * 100.0).collect();
        let mean = points.iter().sum::<f64>() / points.len().max(1) as f64;
        (mean, points.into_iter().fold(0.0, f64::max))
    };
    let ((mean, worst), (model_mean, model_worst)) = (off(|one| &one.whole), off(|one| &one.model));
    format!(
        "Of {} curves through {} sizes {} are within {POINTS} points of the lab everywhere, of those by a sample {}. Off by {mean:.2} points in \
         the mean of all points, {worst:.2} at most. Of those by the whole model {} are; off by {model_mean:.2} in the mean, {model_worst:.2} at most.\n",
        found.len(),
        ARCS_MIB.len(),
        right(|[whole, ..]| *whole),
        right(|[_, thinned, _]| *thinned),
        right(|[.., model]| *model),
    )
}
