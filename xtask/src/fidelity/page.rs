//! The board as a page, as a picture, as values between commas, and case by case.

use std::fmt::Write as _;

use super::Boards;
use super::board::{Board, Line, percentile};
use super::cases::{Group, HELD_OUT};
use super::chart::{self, Row};
use super::reasons::reason;
use super::record::{Run, mean};
use super::unseen::{self, Kind};

/// The heads of tables that [`Board::part`] fills.
const PART_HEADS: &str = "| of | cases | throughput, % | 95 % below | worst | ARC hits, points | 95 % below | \
     L2ARC hits, points | 95 % below | from disk, % | written, % | ranked wrongly |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n";

/// How many cases the page shows, the worst first.
const WORST: usize = 15;

/// Returns the boards as a page.
pub(super) fn page(boards: &Boards, field_reports: &str) -> String {
    let Boards { new, held_out, unseen, seen, old } = boards;
    let mut page = String::from(
        "# Fidelity board\n\nHow far the model is from the real OpenZFS in the lab, same scenario, same scale. Named cases \
         are means of three seeds, of up to sixteen where three differ (three where the lab writes or works on trees); cases \
         that chance drew are many and have one seed each, so that chance counts as an error. Errors are model less lab. Every arm and phase is in [board.csv](board.csv), what the lab counted in `records/`, what is not \
         explained and what was tried in [OPEN.md](OPEN.md). Made by `cargo xtask fidelity`.\n",
    );
    page.push_str(&sums(boards));
    page.push_str("\n![Errors of every arm and phase](board.svg)\n");
    new.groups(&mut page);
    new.worst(&mut page);
    page.push_str("\n## Arms ranked wrongly\n\n");
    new.every_wrong(&mut page);
    new.every_refused(&mut page);
    unseen.never_seen(&mut page);
    seen.seen_since(&mut page);
    held_out.by_version(&mut page);
    page.push_str(
        "\n## The code of about 2010: zfs-fuse 0.7.0\n\nThe readers of the report of 2011 on the OpenSolaris code of about 2010 \
         ([decision 0006](../docs/decisions/0006-zfs-fuse.md)), held against the model's rules of FreeBSD 9. Summed up \
         apart: the last column above, `summary-old.json`, and the group `old` of [board.csv](board.csv). Ranked wrongly:\n\n",
    );
    old.every_wrong(&mut page);
    page + field_reports
}

impl Board {
    fn every_wrong(&self, page: &mut String) {
        for wrong in &self.wrong {
            let _ = writeln!(page, "- {wrong}");
        }
        if self.wrong.is_empty() {
            page.push_str("None.\n");
        }
    }

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
    fn versions(&self) -> Vec<&'static str> {
        let has =
            |version: &&str| self.cases.iter().any(|name| name.ends_with(&format!("-{version}")));
        HELD_OUT.into_iter().filter(has).collect()
    }

    /// Writes the errors on libraries that nothing was fitted on, each by itself, and what is furthest off.
    fn by_version(&self, page: &mut String) {
        page.push_str(
            "\n## Libraries that nothing was fitted on\n\nThe named cases once more, with three seeds each. They are \
             recorded when a library comes to the lab, and no constant is chosen by them; a rule that they led to is \
             learnt from the sources and named in [OPEN.md](OPEN.md).\n\n",
        );
        page.push_str(PART_HEADS);
        for version in self.versions() {
            page.push_str(&self.part(version, |name| name.ends_with(&format!("-{version}"))));
        }
        self.worst(page);
        page.push_str("\nRanked wrongly there:\n\n");
        self.every_wrong(page);
    }

    /// Writes the errors of the newest drawn cases.
    fn never_seen(&self, page: &mut String) {
        page.push_str(
            "\n## Never seen\n\nCases that chance drew over the whole language of scenarios: five libraries, single disks, mirrors \
             and raidz, disks, SSDs and NVMe, records of 8 KiB to 1 MiB, one to four clients of all kinds, trees, log, cache \
             and special devices, and one of some fifty changes as the second arm. They were recorded once, with one seed, so \
             that chance counts as an error, and nothing was changed because of any of them: this is the newest block. A few \
             are not here because the library does not let their parameter be set.\n\n",
        );
        self.by_kind(page);
    }

    /// Writes the errors of drawn cases that led to changes.
    fn seen_since(&self, page: &mut String) {
        page.push_str(
            "\n## Seen since\n\nEarlier blocks of such cases. Nothing is fitted on them, but what they showed was looked into; a rule \
             that they led to is learnt from the sources and named in [OPEN.md](OPEN.md), with the errors before it.\n\n",
        );
        self.by_kind(page);
    }

    /// Writes the errors of drawn cases, by what they are about and by version, and the worst of them.
    fn by_kind(&self, page: &mut String) {
        page.push_str(PART_HEADS);
        page.push_str(&self.part("all", |_| true));
        for kind in Kind::ALL {
            page.push_str(&self.part(kind.name(), |name| unseen::kind_of(name) == Some(kind)));
        }
        for version in unseen::VERSIONS {
            page.push_str(&self.part(version, |name| name.ends_with(&format!("-{version}"))));
        }
        self.worst(page);
        page.push_str("\nRanked wrongly there:\n\n");
        self.every_wrong(page);
        self.every_refused(page);
    }

    /// Returns the errors of some cases as a line of a table.
    fn part(&self, label: &str, is_of_it: impl Fn(&str) -> bool) -> String {
        let cases = self.cases.iter().filter(|name| is_of_it(name)).count();
        if cases == 0 {
            return format!("| {label} | none yet | | | | | | | | | | |\n");
        }
        let lines: Vec<&Line> = self.lines.iter().filter(|line| is_of_it(&line.case)).collect();
        let error = |of: &dyn Fn(&Line) -> Option<f64>| {
            let errors: Vec<f64> = lines.iter().filter_map(|line| of(line)).map(f64::abs).collect();
            let figures = [mean(&errors), percentile(&errors, 0.95), percentile(&errors, 1.0)];
            let figures = figures.map(|figure| format!("{figure:.2}"));
            if errors.is_empty() { ["-", "-", "-"].map(str::to_owned) } else { figures }
        };
        let [speed, speed_95, speed_worst] = error(&|line| Some(line.throughput_pct));
        let [arc, arc_95, _] = error(&|line| Some(line.hits.arc_pp));
        let [l2arc, l2arc_95, _] = error(&Line::l2arc);
        let [disk, ..] = error(&|line| line.disk.read_pct);
        let [written, ..] = error(&|line| line.disk.written_pct);
        let wrong = self.wrong.iter().filter_map(|text| text.split(',').next());
        let wrong = wrong.filter(|name| is_of_it(name)).count();
        format!(
            "| {label} | {cases} | {speed} | {speed_95} | {speed_worst} | {arc} | {arc_95} | {l2arc} | {l2arc_95} | \
             {disk} | {written} | {wrong} |\n"
        )
    }

    /// Writes the cases that the model rejects.
    fn every_refused(&self, page: &mut String) {
        if !self.refused.is_empty() {
            page.push_str("\n### Cases that the model rejects\n\n");
        }
        for refused in &self.refused {
            let _ = writeln!(page, "- {refused}");
        }
    }

    /// Writes the worst arm and phase of the worst cases.
    fn worst(&self, page: &mut String) {
        let _ = writeln!(
            page,
            "\n### The worst cases\n\nThe worst arm and phase of the {WORST} cases whose throughput is furthest off.\n\n\
             | case | arm | phase | throughput | lab's noise | why |\n|---|---|---|---|---|---|"
        );
        let mut shown: Vec<&str> = Vec::new();
        for line in self.sorted() {
            if shown.len() < WORST && !shown.contains(&line.case.as_str()) {
                shown.push(&line.case);
                let Line { case, arm, phase, throughput_pct, .. } = line;
                let _ = writeln!(
                    page,
                    "| {case} | {arm} | {phase} | {throughput_pct:+.1} % | {} | {} |",
                    noise(line),
                    reason(line)
                );
            }
        }
    }

    /// Returns the lines, the worst throughput first.
    fn sorted(&self) -> Vec<&Line> {
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
fn noise(line: &Line) -> String {
    if line.is_noise_known() { format!("{:.1} %", line.noise_pct) } else { "one seed".to_owned() }
}

/// Returns the sums of both boards as a table.
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
