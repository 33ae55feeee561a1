//! Compares records and writes what came out, worst first.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::cases::Case;
use super::chart::{self, Row};
use super::record::{Record, Run, mean};

/// Below this share of what was moved, bytes from disk are as good as none and not compared.
const DISK_SHARE_MIN: f64 = 0.05;
/// Arms that differ by less than this are not ranked, nor those within the lab's own noise.
const RANK_DIFFERENCE_MIN: f64 = 0.05;

/// The errors of one arm and phase.
#[derive(Debug, Clone)]
struct Line {
    case: String,
    arm: String,
    phase: String,
    arc_pp: f64,
    l2arc_pp: f64,
    disk_pct: Option<f64>,
    seeks_pct: Option<f64>,
    throughput_pct: f64,
    noise_pct: f64,
    lab: Run,
    model: Run,
}

impl Line {
    /// Returns the error of the L2ARC's hit ratio where either engine hit it at all.
    fn l2arc(&self) -> Option<f64> {
        let hits = mean(&self.lab.l2arc_hit_ratio) + mean(&self.model.l2arc_hit_ratio);
        (hits > 0.0).then_some(self.l2arc_pp)
    }
}

/// All errors.
#[derive(Debug, Default)]
pub(super) struct Board {
    lines: Vec<Line>,
    ranked: usize,
    ranked_right: usize,
    wrong: Vec<String>,
    cases: BTreeSet<String>,
}

/// The board's sums.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Summary {
    cases: usize,
    arc_hit_ratio_mae_pp: f64,
    arc_hit_ratio_p95_pp: f64,
    l2arc_hit_ratio_mae_pp: f64,
    l2arc_hit_ratio_p95_pp: f64,
    disk_bytes_mape_pct: f64,
    throughput_mape_pct: f64,
    throughput_p95_pct: f64,
    ranking_right_pct: f64,
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
        ];
        let worse = pairs.into_iter().filter(|(_, now, then)| *now > then + 0.006);
        worse.map(|(name, _, _)| name).collect()
    }
}

impl Board {
    pub(super) fn add(&mut self, case: &Case, lab: &Record, model: &Record) {
        self.cases.insert(case.name.clone());
        for real in &lab.runs {
            let same = |run: &&Run| run.arm == real.arm && run.phase == real.phase;
            if let Some(found) = model.runs.iter().find(same) {
                self.lines.push(line(case, real, found));
            }
        }
        self.rank(case, lab, model);
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
        let arc = all(&|line| Some(line.arc_pp.abs()));
        let l2arc = all(&|line| line.l2arc().map(f64::abs));
        let speed = all(&|line| Some(line.throughput_pct.abs()));
        let right = self.ranked_right as f64 / self.ranked.max(1) as f64 * 100.0;
        Summary {
            cases: self.cases.len(),
            arc_hit_ratio_mae_pp: rounded(mean(&arc)),
            arc_hit_ratio_p95_pp: rounded(percentile(&arc, 0.95)),
            l2arc_hit_ratio_mae_pp: rounded(mean(&l2arc)),
            l2arc_hit_ratio_p95_pp: rounded(percentile(&l2arc, 0.95)),
            disk_bytes_mape_pct: rounded(mean(&all(&|line| line.disk_pct.map(f64::abs)))),
            throughput_mape_pct: rounded(mean(&speed)),
            throughput_p95_pct: rounded(percentile(&speed, 0.95)),
            ranking_right_pct: rounded(right),
        }
    }

    /// Returns the board as a page.
    pub(super) fn text(&self, summary: &Summary) -> String {
        let mut page = String::from(
            "# Fidelity board\n\nHow far the model is from the real OpenZFS in the lab, same scenario, \
             same scale, means of three seeds, of up to sixteen where three differ. Made by \
             `cargo xtask fidelity`; the lab's records are in `records/`. Errors are model less lab.\n",
        );
        page.push_str(&sums(summary));
        page.push_str("\n![Errors of every arm and phase](board.svg)\n");
        page.push_str("\n## Every arm and phase, worst throughput first\n\n");
        self.write_lines(&mut page);
        page.push_str("\n## Arms ranked wrongly\n\n");
        self.write_wrong(&mut page);
        page
    }

    /// Returns the board of the old days as a section of the page.
    pub(super) fn old_text(&self, summary: &Summary) -> String {
        let mut page = String::from(
            "\n## The old days: zfs-fuse 0.7.0\n\nThe readers of the report of 2011 on the OpenSolaris code \
             of about 2010 ([decision 0005](../docs/decisions/0005-zfs-fuse.md)), held against the \
             model's rules of FreeBSD 9. Summed up apart: `summary-old.json`.\n",
        );
        page.push_str(&sums(summary));
        page.push('\n');
        self.write_lines(&mut page);
        page.push_str("\nRanked wrongly:\n\n");
        self.write_wrong(&mut page);
        page
    }

    fn write_wrong(&self, page: &mut String) {
        for wrong in &self.wrong {
            let _ = writeln!(page, "- {wrong}");
        }
    }

    fn write_lines(&self, page: &mut String) {
        page.push_str(
            "| case | arm | phase | throughput | lab's noise | ARC hits | L2ARC hits | from disk | seeks |\n\
             |---|---|---|---|---|---|---|---|---|\n",
        );
        let mut lines: Vec<&Line> = self.lines.iter().collect();
        lines.sort_by(|a, b| b.throughput_pct.abs().total_cmp(&a.throughput_pct.abs()));
        for line in lines {
            let pct = |value: Option<f64>| value.map_or("-".to_owned(), |v| format!("{v:+.1} %"));
            let _ = writeln!(
                page,
                "| {} | {} | {} | {:+.1} % | {:.1} % | {:+.1} | {:+.1} | {} | {} |",
                line.case,
                line.arm,
                line.phase,
                line.throughput_pct,
                line.noise_pct,
                line.arc_pp,
                line.l2arc_pp,
                pct(line.disk_pct),
                pct(line.seeks_pct),
            );
        }
    }

    /// Returns the board as a picture.
    pub(super) fn chart(&self) -> String {
        let all = |of: &dyn Fn(&Line) -> Option<f64>| -> Vec<f64> {
            self.lines.iter().filter_map(of).collect()
        };
        let row = |name, unit, errors, aims, edge| Row { name, unit, errors, aims, edge };
        let rows = [
            row("ARC hit ratio", "points", all(&|line| Some(line.arc_pp)), (1.0, Some(3.0)), 6.0),
            row("L2ARC hit ratio", "points", all(&Line::l2arc), (1.0, Some(3.0)), 20.0),
            row("bytes from disk", "%", all(&|line| line.disk_pct), (3.0, None), 50.0),
            row("throughput", "%", all(&|line| Some(line.throughput_pct)), (7.0, Some(20.0)), 40.0),
        ];
        chart::svg("Model less lab, every arm and phase of the corpus", &rows)
    }

    /// Returns the numbers of the cases whose name holds `text`, lab and model side by side.
    pub(super) fn details(&self, text: &str) -> String {
        let mut out = String::new();
        for line in self.lines.iter().filter(|line| line.case.contains(text)) {
            let mib = |run: &Run| mean(&run.throughput) / 1_048_576.0;
            let gib = |values: &[f64]| mean(values) / 1_073_741_824.0;
            let _ = writeln!(
                out,
                "{} | {} | {}: MiB/s {:.0} {:.0} ({:+.1} %, noise {:.1}), ARC {:.1} {:.1}, L2 {:.1} {:.1}, \
                 disk GiB {:.2} {:.2}, seeks {:.0} {:.0}",
                line.case,
                line.arm,
                line.phase,
                mib(&line.lab),
                mib(&line.model),
                line.throughput_pct,
                line.noise_pct,
                mean(&line.lab.arc_hit_ratio) * 100.0,
                mean(&line.model.arc_hit_ratio) * 100.0,
                mean(&line.lab.l2arc_hit_ratio) * 100.0,
                mean(&line.model.l2arc_hit_ratio) * 100.0,
                gib(&line.lab.disk_bytes),
                gib(&line.model.disk_bytes),
                mean(&line.lab.seeks),
                mean(&line.model.seeks),
            );
        }
        out
    }
}

/// Returns the sums as a table.
fn sums(summary: &Summary) -> String {
    let mut page = String::from("\n| sum | value |\n|---|---|\n");
    let rows = [
        ("cases", format!("{}", summary.cases)),
        ("ARC hit ratio, mean error", format!("{} points", summary.arc_hit_ratio_mae_pp)),
        ("ARC hit ratio, 95 % below", format!("{} points", summary.arc_hit_ratio_p95_pp)),
        ("L2ARC hit ratio, mean error", format!("{} points", summary.l2arc_hit_ratio_mae_pp)),
        ("L2ARC hit ratio, 95 % below", format!("{} points", summary.l2arc_hit_ratio_p95_pp)),
        ("bytes from disk, mean error", format!("{} %", summary.disk_bytes_mape_pct)),
        ("throughput, mean error", format!("{} %", summary.throughput_mape_pct)),
        ("throughput, 95 % below", format!("{} %", summary.throughput_p95_pct)),
        ("arms ranked right", format!("{} %", summary.ranking_right_pct)),
    ];
    for (name, value) in rows {
        let _ = writeln!(page, "| {name} | {value} |");
    }
    page
}

fn line(case: &Case, lab: &Run, model: &Run) -> Line {
    let pct = |model: f64, lab: f64| (model - lab) / lab.max(1.0) * 100.0;
    let disk = mean(&lab.disk_bytes);
    let many_seeks = mean(&lab.seeks) > 100.0;
    Line {
        case: case.name.clone(),
        arm: lab.arm.clone(),
        phase: lab.phase.clone(),
        arc_pp: (mean(&model.arc_hit_ratio) - mean(&lab.arc_hit_ratio)) * 100.0,
        l2arc_pp: (mean(&model.l2arc_hit_ratio) - mean(&lab.l2arc_hit_ratio)) * 100.0,
        disk_pct: (disk > lab.moved * DISK_SHARE_MIN).then(|| pct(mean(&model.disk_bytes), disk)),
        seeks_pct: many_seeks.then(|| pct(mean(&model.seeks), mean(&lab.seeks))),
        throughput_pct: pct(mean(&model.throughput), mean(&lab.throughput)),
        noise_pct: spread(&lab.throughput) * 100.0,
        lab: lab.clone(),
        model: model.clone(),
    }
}

/// Returns the largest less the smallest value, as a part of the mean.
fn spread(values: &[f64]) -> f64 {
    let most = values.iter().copied().fold(f64::MIN, f64::max);
    let least = values.iter().copied().fold(f64::MAX, f64::min);
    if values.is_empty() { 0.0 } else { (most - least) / mean(values).max(1.0) }
}

fn percentile(values: &[f64], part: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1) as f64;
    sorted.iter().enumerate().find(|(index, _)| *index as f64 >= last * part).map_or(0.0, |v| *v.1)
}

fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
