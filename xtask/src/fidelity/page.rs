//! The board as a page, as a picture, and case by case.

use std::fmt::Write as _;

use super::board::{Board, Line, Summary};
use super::chart::{self, Row};
use super::record::{Run, mean};

impl Board {
    /// Returns the board as a page.
    pub(super) fn text(&self, summary: &Summary) -> String {
        let mut page = String::from(
            "# Fidelity board\n\nHow far the model is from the real OpenZFS in the lab, same scenario, \
             same scale, means of three seeds, of up to sixteen where three differ (three where the lab writes or \
             works on trees). Made by \
             `cargo xtask fidelity`; the lab's records are in `records/`. Errors are model less lab.\n",
        );
        page.push_str(&sums(summary));
        page.push_str("\n![Errors of every arm and phase](board.svg)\n");
        page.push_str("\n## Every arm and phase, worst throughput first\n\n");
        self.every_line(&mut page);
        page.push_str("\n## Arms ranked wrongly\n\n");
        self.every_wrong(&mut page);
        if !self.refused.is_empty() {
            page.push_str("\n## Cases that the model refuses\n\n");
        }
        for refused in &self.refused {
            let _ = writeln!(page, "- {refused}");
        }
        page
    }

    /// Returns the board of the old days as a section of the page.
    pub(super) fn old_text(&self, summary: &Summary) -> String {
        let mut page = String::from(
            "\n## The old days: zfs-fuse 0.7.0\n\nThe readers of the report of 2011 on the OpenSolaris code \
             of about 2010 ([decision 0006](../docs/decisions/0006-zfs-fuse.md)), held against the \
             model's rules of FreeBSD 9. Summed up apart: `summary-old.json`.\n",
        );
        page.push_str(&sums(summary));
        page.push('\n');
        self.every_line(&mut page);
        page.push_str("\nRanked wrongly:\n\n");
        self.every_wrong(&mut page);
        page
    }

    fn every_wrong(&self, page: &mut String) {
        for wrong in &self.wrong {
            let _ = writeln!(page, "- {wrong}");
        }
    }

    fn every_line(&self, page: &mut String) {
        page.push_str(
            "| case | arm | phase | throughput | lab's noise | ARC hits | L2ARC hits | from disk | seeks | \
             written | metadata | sync p50 | sync p99 |\n\
             |---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        );
        let mut lines: Vec<&Line> = self.lines.iter().collect();
        lines.sort_by(|a, b| b.throughput_pct.abs().total_cmp(&a.throughput_pct.abs()));
        for line in lines {
            let pct = |value: Option<f64>| value.map_or("-".to_owned(), |v| format!("{v:+.1} %"));
            let _ = writeln!(
                page,
                "| {} | {} | {} | {:+.1} % | {:.1} % | {:+.1} | {:+.1} | {} | {} | {} | {} | {} | {} |",
                line.case,
                line.arm,
                line.phase,
                line.throughput_pct,
                line.noise_pct,
                line.arc_pp,
                line.l2arc_pp,
                pct(line.disk_pct),
                pct(line.seeks_pct),
                pct(line.written_pct),
                line.metadata_pp.map_or("-".to_owned(), |points| format!("{points:+.1}")),
                pct(line.sync_p50_pct),
                pct(line.sync_p99_pct),
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
                 disk GiB {:.2} {:.2}, seeks {:.0} {:.0}, written GiB {:.2} {:.2}, metadata {:.1} {:.1}, \
                 sync p50 us {:.0} {:.0}, p99 {:.0} {:.0}",
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
                gib(&line.lab.written_bytes),
                gib(&line.model.written_bytes),
                mean(&line.lab.metadata_hit_ratio) * 100.0,
                mean(&line.model.metadata_hit_ratio) * 100.0,
                mean(&line.lab.sync_p50_ns) / 1e3,
                mean(&line.model.sync_p50_ns) / 1e3,
                mean(&line.lab.sync_p99_ns) / 1e3,
                mean(&line.model.sync_p99_ns) / 1e3,
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
        (
            "throughput of phases that write, mean error",
            format!("{} %", summary.write_throughput_mape_pct),
        ),
        ("bytes written to disks, mean error", format!("{} %", summary.written_bytes_mape_pct)),
        (
            "hits of metadata in trees, mean error",
            format!("{} points", summary.metadata_hit_ratio_mae_pp),
        ),
        (
            "synchronous writes, median: mean error, and how many are within 10 %",
            format!("{} %, {} %", summary.sync_p50_mape_pct, summary.sync_p50_within_10_pct),
        ),
        (
            "synchronous writes, 99th percentile: mean error, and how many are within 25 %",
            format!("{} %, {} %", summary.sync_p99_mape_pct, summary.sync_p99_within_25_pct),
        ),
    ];
    for (name, value) in rows {
        let _ = writeln!(page, "| {name} | {value} |");
    }
    page
}
