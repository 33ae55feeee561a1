//! The page of cases: what is furthest off and what is ranked wrongly, block by block; the board sums it up.

use std::fmt::Write as _;

use super::Boards;
use super::board::{Board, Line, percentile};
use super::page::noise;
use super::reasons::reason;
use super::record::mean;
use super::unseen::{self, Kind};

/// The heads of tables that [`Board::part`] fills.
const PART_HEADS: &str = "| of | cases | throughput, % | 95 % below | worst | ARC hits, points | 95 % below | \
     L2ARC hits, points | 95 % below | from disk, % | written, % | ranked wrongly |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n";

/// How many cases the page shows, the worst first.
const WORST: usize = 15;

/// Returns the cases as a page.
pub(super) fn page(boards: &Boards) -> String {
    let Boards { new, held_out, unseen, seen, old } = boards;
    let mut page = String::from(
        "# Cases of the fidelity board\n\nWhat of the [board](BOARD.md) is furthest off, and which arms are ranked wrongly, block by block. \
         Errors are model less lab. Made by `cargo xtask fidelity`.\n\n## Built with: OpenZFS 2.1.11 and 2.3.2\n",
    );
    new.worst(&mut page);
    page.push_str("\n### Arms ranked wrongly\n\n");
    new.every_wrong(&mut page);
    new.every_refused(&mut page);
    unseen.never_seen(&mut page);
    seen.seen_since(&mut page);
    held_out.by_version(&mut page);
    page.push_str(
        "\n## The code of about 2010: zfs-fuse 0.7.0\n\nThe readers of the report of 2011 on the OpenSolaris code of about 2010 \
         ([decision 0006](../docs/decisions/0006-zfs-fuse.md)), held against the model's rules of FreeBSD 9. Summed up \
         apart: the last column of the board's sums, `summary-old.json`, and the group `old` of [board.csv](board.csv). Ranked wrongly:\n\n",
    );
    old.every_wrong(&mut page);
    page
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
}
