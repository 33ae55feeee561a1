//! What a line of a report is: a heading, a row, a rule, or none of the report's.

use arcwright_kstat::KstatValue;
use arcwright_tunables::lookup;

use super::labels;
use super::quantity::{Quantity, quantities, whole};
use crate::nicenum;

/// What a line that opens a section says of the lines below it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Section {
    /// The heading as it is written, to its colon.
    pub(super) label: String,
    pub(super) kind: Kind,
    /// The heading without case and marks.
    plain: String,
}

/// What stands below a heading.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// Labels and rounded values.
    #[default]
    Report,
    /// Exact rows of the kstat of that path.
    Raw(String),
    /// Names and values of parameters.
    Tunables,
}

/// What a line is to a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Row {
    /// A line of it.
    Known,
    /// A rule or a blank line, which may stand anywhere.
    Filling,
    /// None of it.
    Strange,
}

/// Where in a report a reader is.
#[derive(Debug, Default)]
pub(crate) struct SectionState {
    section: Section,
    is_inside: bool,
}

impl SectionState {
    /// Returns the state below the heading that was open before an interruption.
    pub(crate) fn below(heading: Option<&str>) -> Self {
        let section = heading.and_then(Section::opened_by);
        Self { is_inside: section.is_some(), section: section.unwrap_or_default() }
    }

    /// Says what the next line is.
    pub(crate) fn next(&mut self, line: &str) -> Row {
        let text = line.trim();
        if text.chars().all(|c| matches!(c, '-' | '=' | ' ' | '#')) {
            return Row::Filling;
        }
        if let Some(section) = Section::opened_by(line) {
            if !self.is_inside && labels::is_inner(&section.plain) {
                return Row::Strange;
            }
            (self.section, self.is_inside) = (section, true);
            return Row::Known;
        }
        let skipped = text.ends_with("skipping section") || text.ends_with("is disabled");
        if skipped && self.is_inside {
            return Row::Known;
        }
        let known = match &self.section.kind {
            Kind::Raw(_) => is_raw(text),
            Kind::Tunables => parameter(text).is_some() || text.starts_with("# "),
            Kind::Report => {
                !labelled(&self.section, line).is_empty()
                    || is_top(text)
                    || self.is_inside && is_unused(line)
            }
        };
        self.is_inside |= known;
        if known { Row::Known } else { Row::Strange }
    }
}

impl Section {
    /// Returns the section that a line opens, when it does.
    pub(super) fn opened_by(line: &str) -> Option<Self> {
        if is_title(line) {
            return Some(Self::default());
        }
        let (label, rest) = line.trim().split_once(':')?;
        let upper = |c: char| c.is_ascii_uppercase() || "_0123456789".contains(c);
        let of = |kind, plain| Self { label: format!("{label}:"), kind, plain };
        if rest.is_empty() && label.len() > 2 && label.chars().all(upper) {
            let path = format!("zfs/{}", label.to_ascii_lowercase());
            return Some(of(Kind::Raw(path), String::new()));
        }
        let plain = labels::plain(label)?;
        match plain.as_str() {
            "tunables"
            | "zfs tunables"
            | "zfs tunable"
            | "zfs tunables sysctl"
            | "zfs tunable sysctl"
            | "solaris porting layer spl" => Some(of(Kind::Tunables, plain)),
            _ if labels::is_section(&plain) => {
                // A sentence may begin like a heading.
                let ends = rest.trim().is_empty() || values(rest).is_some();
                ends.then(|| of(Kind::Report, plain))
            }
            _ => None,
        }
    }
}

/// Returns the kstats, rows and values that a line of labels tells.
pub(super) fn labelled(
    section: &Section,
    line: &str,
) -> Vec<(&'static str, &'static str, KstatValue)> {
    let of = || -> Option<Vec<(&'static str, &'static str, KstatValue)>> {
        let (label, rest) = split_label(line)?;
        let plain = labels::plain(label)?;
        let values = values(rest)?;
        let mut found = Vec::new();
        if let Some((path, row)) = labels::row(&section.plain, &plain) {
            let value = values.last().and_then(|last| whole(*last, labels::is_bytes(row)));
            found.extend(value.map(|value| (path, row, value)));
        }
        // Some rows count requests behind the bytes of them.
        if let (Some((path, row)), [Quantity::Bytes(_), ..]) =
            (labels::bytes_row(&section.plain, &plain), values.as_slice())
        {
            let value = values.first().and_then(|first| whole(*first, true));
            found.extend(value.map(|value| (path, row, value)));
        }
        found.extend(efficiency(&plain, rest, &values).unwrap_or_default());
        Some(found)
    };
    of().unwrap_or_default()
}

/// Returns hits and misses of a class, which older reports give as the share of hits and all of its accesses:
/// `Data Demand Efficiency:   97.69%  845.50m`.
fn efficiency(
    plain: &str,
    rest: &str,
    values: &[Quantity],
) -> Option<Vec<(&'static str, &'static str, KstatValue)>> {
    let [hits, misses] = labels::efficiency(plain)?;
    let [Quantity::Percent, Quantity::Count { value: all, .. }] = values else { return None };
    let percent: f64 = rest.split('%').next()?.trim().parse().ok()?;
    let found = all * (percent / 100.0).clamp(0.0, 1.0);
    let row =
        |row, count: f64| Some((labels::CLASSES, row, KstatValue::U64(nicenum::whole(count)?)));
    Some(vec![row(hits, found)?, row(misses, (all - found).max(0.0))?])
}

/// Returns the values behind a label; the state of health may stand in brackets before them.
fn values(rest: &str) -> Option<Vec<Quantity>> {
    let rest = rest.trim();
    let rest = match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((_, after)) => after,
        None => rest,
    };
    quantities(rest)
}

/// Splits `Target size (adaptive):   50.0 %  1.0 GiB`, or with the colon before the bracket.
fn split_label(line: &str) -> Option<(&str, &str)> {
    // One label of 2.2 and later has no colon: “Prefetches issued      1.2M”.
    line.split_once(':').or_else(|| line.trim().split_once("  "))
}

/// Returns the name and the value of a parameter's line.
pub(super) fn parameter(line: &str) -> Option<(&str, &str)> {
    const STARTS: [&str; 22] = [
        "zfs_",
        "l2arc_",
        "spl_",
        "metaslab_",
        "zvol_",
        "dbuf_",
        "dmu_",
        "ddt_",
        "zil_",
        "vdev_",
        "send_",
        "brt_",
        "icp_",
        "zstd_",
        "zap_",
        "spa_",
        "zio_",
        "zfetch_",
        "vfs.zfs",
        "kern.",
        "vm.",
        "dsl_",
    ];
    let (name, value) = line.trim().split_once([' ', '\t', '='])?;
    let value = value.trim();
    let is_name = name.contains(['_', '.'])
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "_.".contains(c));
    is_name.then_some(())?;
    let number = |word: &str| word.parse::<i128>().is_ok();
    let known = number(value) || STARTS.iter().any(|start| name.starts_with(start));
    // A row of a kstat has its type before its value.
    let mut words = value.split_whitespace();
    let row = words.next().is_some_and(number) && words.next().is_some();
    (!row && (known || lookup(name).is_some())).then_some((name, value))
}

fn is_raw(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let (Some(name), Some(value), None) = (words.next(), words.next(), words.next()) else {
        return false;
    };
    let plain = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    plain && value.parse::<i128>().is_ok()
}

/// Returns whether a line is one of those at the top: the title, the kernel, the machine.
fn is_top(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().take(4).collect();
    let release = words.get(1).is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let kernel = match words.as_slice() {
        ["Linux", _, _] => release,
        ["FreeBSD", release_of, ..] => release && release_of.contains('-'),
        _ => false,
    };
    let machine = matches!(words.as_slice(), ["Machine:", _, kind, ..] if kind.starts_with('('));
    kernel || machine
}

/// Returns whether a line opens a whole report.
pub(crate) fn is_title(line: &str) -> bool {
    line.trim_start().starts_with("ZFS Subsystem Report")
}

/// Returns whether a line within a report says nothing that is read here.
fn is_unused(line: &str) -> bool {
    /// At the left edge of the first reports (`arc_summary.pl` of 2010).
    const LABELS: [&str; 4] = ["Hardware Platform:", "Processor Architecture:", "DATA:", "TEXT:"];
    let text = line.trim();
    if LABELS.iter().any(|label| text.starts_with(label)) {
        return true;
    }
    let uptime = text.contains("load average");
    let memory = [" Active,", " Wired,", " Free,"].iter().any(|part| text.contains(part));
    uptime || memory || is_remark(text) || is_plain_row(line)
}

/// Returns whether a line is a remark in brackets that stood behind a row, or the end of one: `[ Return Customer ]`.
fn is_remark(text: &str) -> bool {
    const LENGTH_MAX: usize = 48;
    let word = |c: char| c.is_ascii_alphabetic() || c == ' ' || c == ',' || c == '/';
    let inner = text.strip_suffix(']').map(|inner| inner.strip_prefix('[').unwrap_or(inner));
    text.len() <= LENGTH_MAX
        && inner.is_some_and(|inner| !inner.is_empty() && inner.chars().all(word))
}

/// Returns whether a line is an indented label with one or two values behind it; where a page took the indentation, a
/// label with a share and an amount.
fn is_plain_row(line: &str) -> bool {
    const LABEL_LENGTH_MAX: usize = 48;
    let Some((label, rest)) = line.split_once(':') else { return false };
    let labelled = label.len() <= LABEL_LENGTH_MAX && !label.contains('.');
    let apart = rest.starts_with(['\t', ' ']) || rest.is_empty();
    let unused = labels::is_unused(&labels::plain(label).unwrap_or_default());
    let values = values(rest);
    let is_row = match line.starts_with([' ', '\t']) {
        true => values.is_some_and(|values| values.len() <= 2) || unused,
        false => {
            let shared = matches!(values.as_deref(), Some([Quantity::Percent, _]));
            shared || unused && rest.contains(|c: char| c.is_ascii_digit())
        }
    };
    labelled && apart && is_row
}
