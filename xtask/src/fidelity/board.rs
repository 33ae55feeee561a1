//! Compares records: errors of every arm and phase, and their sums.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

use super::cases::{Case, Group};
use super::record::{LAB, Record, Run, mean};

/// Below this share of what was moved, bytes from disk are as good as none and not compared.
const DISK_SHARE_MIN: f64 = 0.05;
/// Nor are those of phases that read metadata alone: some MiB, of which gaps read over are a third
/// (`fidelity/OPEN.md`).
pub(super) const DISK_BYTES_MIN: f64 = 67_108_864.0;
/// Arms that differ by less than this are not ranked, nor those within the lab's own noise.
const RANK_DIFFERENCE_MIN: f64 = 0.05;

/// The errors of one arm and phase.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) case: String,
    pub(super) group: Group,
    pub(super) arm: String,
    pub(super) phase: String,
    pub(super) throughput_pct: f64,
    pub(super) noise_pct: f64,
    pub(super) hits: HitErrors,
    pub(super) disk: DiskErrors,
    pub(super) sync: SyncErrors,
    pub(super) lab: Run,
    pub(super) model: Run,
}

/// Errors of hit ratios.
#[derive(Debug, Clone, Copy)]
pub(super) struct HitErrors {
    pub(super) arc_pp: f64,
    pub(super) l2arc_pp: f64,
    pub(super) metadata_pp: Option<f64>,
}

/// Errors of what the disks did: bytes read, bytes written, and how often heads moved.
#[derive(Debug, Clone, Copy)]
pub(super) struct DiskErrors {
    pub(super) read_pct: Option<f64>,
    pub(super) written_pct: Option<f64>,
    pub(super) seeks_pct: Option<f64>,
}

/// Errors of the latency of synchronous writes.
#[derive(Debug, Clone, Copy)]
pub(super) struct SyncErrors {
    pub(super) p50_pct: Option<f64>,
    pub(super) p99_pct: Option<f64>,
}

impl Line {
    /// Says whether the lab ran more than one seed, whose spread is its noise.
    pub(super) fn is_noise_known(&self) -> bool {
        self.lab.throughput.len() > 1
    }

    /// Returns the error of the L2ARC's hit ratio where either engine hit it at all.
    pub(super) fn l2arc(&self) -> Option<f64> {
        let hits = mean(&self.lab.l2arc_hit_ratio) + mean(&self.model.l2arc_hit_ratio);
        (hits > 0.0).then_some(self.hits.l2arc_pp)
    }
}

/// All errors.
#[derive(Debug, Default)]
pub(super) struct Board {
    pub(super) lines: Vec<Line>,
    pub(super) ranked: usize,
    pub(super) ranked_right: usize,
    pub(super) wrong: Vec<String>,
    pub(super) cases: BTreeSet<String>,
    /// Those that a lab of before has recorded.
    pub(super) of_earlier_lab: BTreeSet<String>,
    pub(super) refused: Vec<String>,
}

/// The board's sums.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Summary {
    pub(super) cases: usize,
    pub(super) arc_hit_ratio_mae_pp: f64,
    pub(super) arc_hit_ratio_p95_pp: f64,
    pub(super) l2arc_hit_ratio_mae_pp: f64,
    pub(super) l2arc_hit_ratio_p95_pp: f64,
    pub(super) disk_bytes_mape_pct: f64,
    pub(super) throughput_mape_pct: f64,
    #[serde(default)]
    pub(super) throughput_p50_pct: f64,
    #[serde(default)]
    pub(super) throughput_p75_pct: f64,
    pub(super) throughput_p95_pct: f64,
    pub(super) ranking_right_pct: f64,
    #[serde(default)]
    pub(super) write_throughput_mape_pct: f64,
    #[serde(default)]
    pub(super) written_bytes_mape_pct: f64,
    #[serde(default)]
    pub(super) metadata_hit_ratio_mae_pp: f64,
    #[serde(default)]
    pub(super) sync_p50_mape_pct: f64,
    #[serde(default)]
    pub(super) sync_p50_within_10_pct: f64,
    #[serde(default)]
    pub(super) sync_p99_mape_pct: f64,
    #[serde(default)]
    pub(super) sync_p99_within_25_pct: f64,
}

impl Summary {
    /// Returns the sums in which this one is worse than `other`, beyond rounding.
    #[cfg(test)]
    pub(super) fn worse_than(&self, other: &Self) -> Vec<&'static str> {
        let pairs = [
            ("arc_hit_ratio_mae_pp", self.arc_hit_ratio_mae_pp, other.arc_hit_ratio_mae_pp),
            ("l2arc_hit_ratio_mae_pp", self.l2arc_hit_ratio_mae_pp, other.l2arc_hit_ratio_mae_pp),
            ("disk_bytes_mape_pct", self.disk_bytes_mape_pct, other.disk_bytes_mape_pct),
            ("throughput_mape_pct", self.throughput_mape_pct, other.throughput_mape_pct),
            ("ranking_right_pct", -self.ranking_right_pct, -other.ranking_right_pct),
            (
                "write_throughput_mape_pct",
                self.write_throughput_mape_pct,
                other.write_throughput_mape_pct,
            ),
            ("written_bytes_mape_pct", self.written_bytes_mape_pct, other.written_bytes_mape_pct),
            (
                "metadata_hit_ratio_mae_pp",
                self.metadata_hit_ratio_mae_pp,
                other.metadata_hit_ratio_mae_pp,
            ),
            ("sync_p50_mape_pct", self.sync_p50_mape_pct, other.sync_p50_mape_pct),
            ("sync_p99_mape_pct", self.sync_p99_mape_pct, other.sync_p99_mape_pct),
        ];
        let worse = pairs.into_iter().filter(|(_, now, then)| *now > then + 0.006);
        worse.map(|(name, _, _)| name).collect()
    }
}

impl Board {
    pub(super) fn add(&mut self, case: &Case, lab: &Record, model: &Record) {
        self.cases.insert(case.name.clone());
        if lab.lab < LAB {
            self.of_earlier_lab.insert(case.name.clone());
        }
        for real in &lab.runs {
            let same = |run: &&Run| run.arm == real.arm && run.phase == real.phase;
            if let Some(found) = model.runs.iter().find(same) {
                self.lines.push(line(case, real, found));
            }
        }
        self.rank(case, lab, model);
    }

    /// Takes note of a case that the model does not run.
    pub(super) fn refuse(&mut self, case: &str, why: &str) {
        self.refused.push(format!("{case}: {why}"));
    }

    /// Compares, for each phase, every two arms that the lab tells apart.
    fn rank(&mut self, case: &Case, lab: &Record, model: &Record) {
        for (index, one) in lab.runs.iter().enumerate() {
            for other in lab.runs.iter().skip(index + 1).filter(|run| run.phase == one.phase) {
                let (a, b) = (mean(&one.throughput), mean(&other.throughput));
                let noise = spread(&one.throughput).max(spread(&other.throughput));
                if (a - b).abs() / a.max(b) <= noise.max(RANK_DIFFERENCE_MIN) {
                    continue;
                }
                let speed = |of: &Run| {
                    let found = model.runs.iter().find(|r| r.arm == of.arm && r.phase == of.phase);
                    found.map_or(0.0, |run| mean(&run.throughput))
                };
                self.ranked += 1;
                if (speed(one) > speed(other)) == (a > b) {
                    self.ranked_right += 1;
                } else {
                    let what =
                        format!("{}, {}: {} and {}", case.name, one.phase, one.arm, other.arm);
                    self.wrong.push(what);
                }
            }
        }
    }

    pub(super) fn summary(&self) -> Summary {
        let all = |of: &dyn Fn(&Line) -> Option<f64>| -> Vec<f64> {
            self.lines.iter().filter_map(of).collect()
        };
        let arc = all(&|line| Some(line.hits.arc_pp.abs()));
        let l2arc = all(&|line| line.l2arc().map(f64::abs));
        let speed = all(&|line| Some(line.throughput_pct.abs()));
        let writes = all(&|line| line.disk.written_pct.map(|_| line.throughput_pct.abs()));
        let median = all(&|line| line.sync.p50_pct.map(f64::abs));
        let tail = all(&|line| line.sync.p99_pct.map(f64::abs));
        let right = self.ranked_right as f64 / self.ranked.max(1) as f64 * 100.0;
        Summary {
            cases: self.cases.len(),
            arc_hit_ratio_mae_pp: rounded(mean(&arc)),
            arc_hit_ratio_p95_pp: rounded(percentile(&arc, 0.95)),
            l2arc_hit_ratio_mae_pp: rounded(mean(&l2arc)),
            l2arc_hit_ratio_p95_pp: rounded(percentile(&l2arc, 0.95)),
            disk_bytes_mape_pct: rounded(mean(&all(&|line| line.disk.read_pct.map(f64::abs)))),
            throughput_mape_pct: rounded(mean(&speed)),
            throughput_p50_pct: rounded(percentile(&speed, 0.5)),
            throughput_p75_pct: rounded(percentile(&speed, 0.75)),
            throughput_p95_pct: rounded(percentile(&speed, 0.95)),
            ranking_right_pct: rounded(right),
            write_throughput_mape_pct: rounded(mean(&writes)),
            written_bytes_mape_pct: rounded(mean(&all(&|line| {
                line.disk.written_pct.map(f64::abs)
            }))),
            metadata_hit_ratio_mae_pp: rounded(mean(&all(&|line| {
                line.hits.metadata_pp.map(f64::abs)
            }))),
            sync_p50_mape_pct: rounded(mean(&median)),
            sync_p50_within_10_pct: rounded(share_within(&median, 10.0)),
            sync_p99_mape_pct: rounded(mean(&tail)),
            sync_p99_within_25_pct: rounded(share_within(&tail, 25.0)),
        }
    }
}

fn line(case: &Case, lab: &Run, model: &Run) -> Line {
    let pct = |model: f64, lab: f64| (model - lab) / lab.max(1.0) * 100.0;
    let disk = mean(&lab.disk_bytes);
    let many_seeks = mean(&lab.seeks) > 100.0;
    Line {
        case: case.name.clone(),
        group: case.group,
        arm: lab.arm.clone(),
        phase: lab.phase.clone(),
        throughput_pct: pct(mean(&model.throughput), mean(&lab.throughput)),
        noise_pct: spread(&lab.throughput) * 100.0,
        hits: HitErrors {
            arc_pp: (mean(&model.arc_hit_ratio) - mean(&lab.arc_hit_ratio)) * 100.0,
            l2arc_pp: (mean(&model.l2arc_hit_ratio) - mean(&lab.l2arc_hit_ratio)) * 100.0,
            metadata_pp: both(&lab.metadata_hit_ratio, &model.metadata_hit_ratio)
                .map(|(lab, model)| (model - lab) * 100.0),
        },
        disk: DiskErrors {
            read_pct: (disk > (lab.moved * DISK_SHARE_MIN).max(DISK_BYTES_MIN))
                .then(|| pct(mean(&model.disk_bytes), disk)),
            written_pct: both(&lab.written_bytes, &model.written_bytes)
                .map(|(lab, model)| pct(model, lab)),
            seeks_pct: many_seeks.then(|| pct(mean(&model.seeks), mean(&lab.seeks))),
        },
        sync: SyncErrors {
            p50_pct: both(&lab.sync_p50_ns, &model.sync_p50_ns).map(|(lab, model)| pct(model, lab)),
            p99_pct: both(&lab.sync_p99_ns, &model.sync_p99_ns).map(|(lab, model)| pct(model, lab)),
        },
        lab: lab.clone(),
        model: model.clone(),
    }
}

/// Returns the means of what both engines measured.
fn both(lab: &[f64], model: &[f64]) -> Option<(f64, f64)> {
    (!lab.is_empty() && !model.is_empty()).then(|| (mean(lab), mean(model)))
}

/// Returns how many of `errors` are at most `bound`, in percent.
fn share_within(errors: &[f64], bound: f64) -> f64 {
    let within = errors.iter().filter(|error| **error <= bound).count();
    within as f64 / errors.len().max(1) as f64 * 100.0
}

/// Returns the largest less the smallest value, as a part of the mean.
fn spread(values: &[f64]) -> f64 {
    let most = values.iter().copied().fold(f64::MIN, f64::max);
    let least = values.iter().copied().fold(f64::MAX, f64::min);
    if values.is_empty() { 0.0 } else { (most - least) / mean(values).max(1.0) }
}

/// Returns the smallest of `values` that at least this part of the others does not exceed.
pub(super) fn percentile(values: &[f64], part: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1) as f64;
    sorted.iter().enumerate().find(|(index, _)| *index as f64 >= last * part).map_or(0.0, |v| *v.1)
}

fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
