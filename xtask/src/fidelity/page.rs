//! The board as the page to read, as a picture, as values between commas, and case by case.

use std::fmt::Write as _;

use super::Boards;
use super::board::{Board, Line};
use super::cases::{Group, HELD_OUT};
use super::chart::{self, Row};
use super::record::{Run, mean};

/// Returns the board as the page to read: sums, groups, ranges, field reports.
pub(super) fn page(boards: &Boards, ranges: &str, field_reports: &str) -> String {
    let mut page = String::from(
        "# Fidelity board\n\nHow far the model is from the real OpenZFS in the lab, same scenario, same scale. Named cases \
         are means of three seeds, of up to sixteen where three differ (three where the lab writes or works on trees); cases \
         that chance drew are many and have one seed each, so that chance counts as an error. Errors are model less lab. What \
         is furthest off, case by case, is in [CASES.md](CASES.md), every arm and phase in [board.csv](board.csv), what the lab counted in `records/`, what is not \
         explained and what was tried in [OPEN.md](OPEN.md). Made by `cargo xtask fidelity`.\n",
    );
    page.push_str(&labs(boards));
    page.push_str(&sums(boards));
    page.push_str("\n![Errors of every arm and phase](board.svg)\n");
    boards.new.groups(&mut page);
    page + ranges + field_reports
}

impl Board {
    /// Writes the mean errors of each group.
    fn groups(&self, page: &mut String) {
        page.push_str(
            "\n## By group\n\nMean errors without their signs.\n\n| group | arms and phases | throughput | ARC hits | \
             L2ARC hits | from disk | written | metadata | sync p50 | sync p99 |\n|---|---|---|---|---|---|---|---|---|---|\n",
        );
        for group in Group::NEW {
            let lines = || self.lines.iter().filter(|line| line.group == group);
            let error = |of: &dyn Fn(&Line) -> Option<f64>, unit: &str| {
                let errors: Vec<f64> = lines().filter_map(of).map(f64::abs).collect();
                match errors.is_empty() {
                    true => "-".to_owned(),
                    false => format!("{:.2}{unit}", mean(&errors)),
                }
            };
            let cells = [
                group.name().to_owned(),
                lines().count().to_string(),
                error(&|line| Some(line.throughput_pct), " %"),
                error(&|line| Some(line.hits.arc_pp), ""),
                error(&Line::l2arc, ""),
                error(&|line| line.disk.read_pct, " %"),
                error(&|line| line.disk.written_pct, " %"),
                error(&|line| line.hits.metadata_pp, ""),
                error(&|line| line.sync.p50_pct, " %"),
                error(&|line| line.sync.p99_pct, " %"),
            ];
            let _ = writeln!(page, "| {} |", cells.join(" | "));
        }
    }

    /// Returns the libraries that nothing was fitted on and that there are cases of.
    pub(super) fn versions(&self) -> Vec<&'static str> {
        let has =
            |version: &&str| self.cases.iter().any(|name| name.ends_with(&format!("-{version}")));
        HELD_OUT.into_iter().filter(has).collect()
    }

    /// Returns the lines, the worst throughput first.
    pub(super) fn sorted(&self) -> Vec<&Line> {
        let mut lines: Vec<&Line> = self.lines.iter().collect();
        lines.sort_by(|a, b| b.throughput_pct.abs().total_cmp(&a.throughput_pct.abs()));
        lines
    }

    /// Returns every arm and phase as a line of values between commas, without the heads.
    pub(super) fn rows(&self) -> String {
        let figure =
            |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:+.1}"));
        let row = |line: &Line| {
            let names = [&line.case, line.group.name(), &line.arm, &line.phase].map(quoted);
            let figures = [
                Some(line.throughput_pct),
                Some(line.hits.arc_pp),
                Some(line.hits.l2arc_pp),
                line.disk.read_pct,
                line.disk.seeks_pct,
                line.disk.written_pct,
                line.hits.metadata_pp,
                line.sync.p50_pct,
                line.sync.p99_pct,
            ];
            let noise = match line.is_noise_known() {
                true => format!("{:.1}", line.noise_pct),
                false => String::new(),
            };
            format!("{},{noise},{}\n", names.join(","), figures.map(figure).join(","))
        };
        self.sorted().into_iter().map(row).collect()
    }

    /// Returns the board as a picture.
    pub(super) fn chart(&self) -> String {
        let all = |of: &dyn Fn(&Line) -> Option<f64>| -> Vec<f64> {
            self.lines.iter().filter_map(of).collect()
        };
        let row = |name, unit, errors, aims, edge| Row { name, unit, errors, aims, edge };
        let arc = |line: &Line| Some(line.hits.arc_pp);
        let rows = [
            row("ARC hit ratio", "points", all(&arc), (1.0, Some(3.0)), 6.0),
            row("L2ARC hit ratio", "points", all(&Line::l2arc), (1.0, Some(3.0)), 20.0),
            row("bytes from disk", "%", all(&|line| line.disk.read_pct), (3.0, None), 50.0),
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
                "{} | {} | {}: MiB/s {:.0} {:.0} ({:+.1} %, noise {}), ARC {:.1} {:.1}, L2 {:.1} {:.1}, \
                 disk GiB {:.2} {:.2}, seeks {:.0} {:.0}, written GiB {:.2} {:.2}, metadata {:.1} {:.1}, \
                 sync p50 us {:.0} {:.0}, p99 {:.0} {:.0}",
                line.case,
                line.arm,
                line.phase,
                mib(&line.lab),
                mib(&line.model),
                line.throughput_pct,
                noise(line),
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

/// The heads of `board.csv`: errors in percent (`pct`) and in points (`pp`), of what was measured.
pub(super) const HEADS: &str = "case,group,arm,phase,noise_pct,throughput_pct,arc_hits_pp,l2arc_hits_pp,\
    from_disk_pct,seeks_pct,written_pct,metadata_hits_pp,sync_p50_pct,sync_p99_pct\n";

/// Returns a value for a file of values between commas.
fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

/// Returns the spread between the lab's seeds; one seed tells nothing of it.
pub(super) fn noise(line: &Line) -> String {
    if line.is_noise_known() { format!("{:.1} %", line.noise_pct) } else { "one seed".to_owned() }
}

/// Returns the sums of both boards as a table.
/// Says how many records a lab of before has made, as long as there are any.
fn labs(boards: &Boards) -> String {
    let earlier = |board: &&Board| board.of_earlier_lab.len();
    let all = boards.all();
    let count: usize = all.iter().map(earlier).sum();
    if count == 0 {
        return String::new();
    }
    let cases: usize = all.iter().map(|board| board.cases.len()).sum();
    let mut rows = String::new();
    for (name, board) in
        ["2.1.11 and 2.3.2", "nothing fitted", "never seen", "seen since", "zfs-fuse"]
            .iter()
            .zip(all)
    {
        let is_earlier = |line: &&Line| board.of_earlier_lab.contains(&line.case);
        let (before, today): (Vec<&Line>, Vec<&Line>) = board.lines.iter().partition(is_earlier);
        let [before, today] = [before, today].map(|lines| {
            let errors: Vec<f64> = lines.iter().map(|line| line.throughput_pct.abs()).collect();
            match errors.is_empty() {
                true => "-".to_owned(),
                false => format!("{:.2} % ({})", mean(&errors), errors.len()),
            }
        });
        let _ = writeln!(rows, "| {name} | {today} | {before} |");
    }
    format!(
        "\nOf the {cases} cases {count} were recorded by the lab of before 2026-11-29, in which threads that share a lock ran nearly one \
         after the other ([decision 0003](../docs/decisions/0003-time-by-events.md)); they are being recorded anew (`cargo xtask fidelity \
         --record \"\" --missing`). Mean error of throughput, with the number of arms and phases:\n\n\
         | board | lab of today | lab of before |\n|---|---|---|\n{rows}"
    )
}

fn sums(boards: &Boards) -> String {
    let held_out = boards.held_out.versions().join(", ");
    let mut page = format!(
        "\n| sum | never seen, 2.0 to 2.4 | drawn like these, seen since | OpenZFS 2.1.11 and 2.3.2 | {held_out}: \
         nothing fitted | zfs-fuse 0.7.0 |\n|---|---|---|---|---|---|\n"
    );
    let [new, held_out, unseen, seen, old] = boards.all().map(values);
    for (index, (name, new)) in new.into_iter().enumerate() {
        let of = |board: &[(&str, String)]| {
            board.get(index).map_or("-".to_owned(), |(_, value)| value.clone())
        };
        let [unseen, seen, held_out, old] =
            [&unseen, &seen, &held_out, &old].map(|board| of(board));
        let _ = writeln!(page, "| {name} | {unseen} | {seen} | {new} | {held_out} | {old} |");
    }
    page
}

/// Returns the sums of a board by name; of what was nowhere measured nothing is said.
fn values(board: &Board) -> Vec<(&'static str, String)> {
    let sum = board.summary();
    let is_measured =
        |of: &dyn Fn(&Line) -> Option<f64>| board.lines.iter().any(|line| of(line).is_some());
    let if_any = |of: &dyn Fn(&Line) -> Option<f64>, text: String| match is_measured(of) {
        true => text,
        false => "-".to_owned(),
    };
    let l2arc = |text: String| if_any(&Line::l2arc, text);
    let written = |text: String| if_any(&|line| line.disk.written_pct, text);
    let metadata = |text: String| if_any(&|line| line.hits.metadata_pp, text);
    let sync = |text: String| if_any(&|line| line.sync.p50_pct, text);
    vec![
        ("cases", sum.cases.to_string()),
        ("ARC hit ratio, mean error", format!("{} points", sum.arc_hit_ratio_mae_pp)),
        ("ARC hit ratio, 95 % below", format!("{} points", sum.arc_hit_ratio_p95_pp)),
        ("L2ARC hit ratio, mean error", l2arc(format!("{} points", sum.l2arc_hit_ratio_mae_pp))),
        ("L2ARC hit ratio, 95 % below", l2arc(format!("{} points", sum.l2arc_hit_ratio_p95_pp))),
        ("bytes from disk, mean error", format!("{} %", sum.disk_bytes_mape_pct)),
        ("throughput, mean error", format!("{} %", sum.throughput_mape_pct)),
        ("throughput, half below", format!("{} %", sum.throughput_p50_pct)),
        ("throughput, three quarters below", format!("{} %", sum.throughput_p75_pct)),
        ("throughput, 95 % below", format!("{} %", sum.throughput_p95_pct)),
        ("arms ranked right", format!("{} %", sum.ranking_right_pct)),
        (
            "throughput of phases that write, mean error",
            written(format!("{} %", sum.write_throughput_mape_pct)),
        ),
        (
            "bytes written to disks, mean error",
            written(format!("{} %", sum.written_bytes_mape_pct)),
        ),
        (
            "hits of metadata in trees, mean error",
            metadata(format!("{} points", sum.metadata_hit_ratio_mae_pp)),
        ),
        (
            "synchronous writes, median: mean error, and how many are within 10 %",
            sync(format!("{} %, {} %", sum.sync_p50_mape_pct, sum.sync_p50_within_10_pct)),
        ),
        (
            "synchronous writes, 99th percentile: mean error, and how many are within 25 %",
            sync(format!("{} %, {} %", sum.sync_p99_mape_pct, sum.sync_p99_within_25_pct)),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn values_with_commas_are_quoted() {
        assert_eq!(quoted("one reader"), "one reader");
        assert_eq!(quoted("one reader, \"1 MiB\""), "\"one reader, \"\"1 MiB\"\"\"");
    }
}
