//! The report of `arc_summary` (0.8 and later, `zarcsummary` from 2.4), of its forerunner
//! `arc_summary.py` and of `zfs-stats` on `FreeBSD`, as rows of kstats.
//!
//! ```text
//! ARC size (current):                                    98.2 %   15.4 GiB      a label and, last, a value
//! Cache hits by data type:                                                      a section
//!         Demand data:                                   12.0 %     4.1M
//! ARCSTATS:                                                                     with -r: exact rows
//!         hits                                                       41234567
//! ```
//!
//! Values are rounded to a few digits, which is enough for ratios and not for differences; labels are
//! compared without case and punctuation, because the three tools differ in little else.

mod labels;

use std::collections::BTreeMap;

use arcwright_kstat::{NamedKstat, Value};
use arcwright_tunables::Kernel;
use arcwright_tunables::{Version, lookup};

use crate::machine::{Machine, Parameter};
use crate::nice;
use crate::sample::Sample;

/// What a line that is not indented opens.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Section {
    /// Labels and rounded values, under this heading.
    Report(String),
    /// Exact rows of the kstat of that path.
    Raw(String),
    /// Names and values of parameters.
    Tunables,
}

type Rows = BTreeMap<String, Vec<(String, Value)>>;

/// Adds what a report says to a sample and, where it tells of the machine, to that.
pub(super) fn add(name: &str, text: &str, sample: &mut Sample, machine: &mut Machine) {
    let (mut rows, mut rounded) = (Rows::new(), false);
    let mut section = Section::Report(String::new());
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if let Some(opened) = opened_section(line) {
            section = opened;
        }
        match &section {
            Section::Raw(path) => add_raw(&mut rows, path, line),
            Section::Tunables => add_parameter(machine, line),
            Section::Report(heading) => {
                add_machine(machine, line);
                rounded |= add_labelled(&mut rows, heading, line);
            }
        }
    }
    if rows.is_empty() {
        machine.garbled(name, "no line of it is one of arc_summary's");
    }
    if rounded {
        machine.rounded = Some("arc_summary".to_owned());
    }
    for (path, rows) in rows {
        sample
            .kstats
            .kstats
            .entry(path.clone())
            .or_insert_with(|| NamedKstat::of_rows(&path, rows));
    }
}

/// Returns whether a line is of such a report at all.
pub(crate) fn is_line(heading: &str, line: &str) -> bool {
    opened_section(line).is_some() || labelled(heading, line).is_some()
}

/// Returns the heading that a line opens, when it does.
pub(crate) fn heading(line: &str) -> Option<String> {
    match opened_section(line)? {
        Section::Report(heading) => Some(heading),
        Section::Raw(_) | Section::Tunables => Some(String::new()),
    }
}

fn opened_section(line: &str) -> Option<Section> {
    let text = line.trim();
    let (label, rest) = text.split_once(':')?;
    let plain = labels::plain(label);
    if rest.is_empty() && label.chars().all(|c| c.is_ascii_uppercase() || "_0123456789".contains(c))
    {
        return Some(Section::Raw(format!("zfs/{}", label.to_ascii_lowercase())));
    }
    match plain.as_str() {
        "tunables" | "zfs tunables" | "zfs tunable" | "zfs tunables sysctl" => {
            Some(Section::Tunables)
        }
        "solaris porting layer spl" => Some(Section::Tunables),
        _ if labels::is_section(&plain) => Some(Section::Report(plain)),
        _ => None,
    }
}

fn add_raw(rows: &mut Rows, path: &str, line: &str) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [name, value] = words.as_slice() else { return };
    let number = value.parse::<u64>().map(Value::U64).or_else(|_| value.parse().map(Value::I64));
    let value = number.unwrap_or_else(|_| Value::Text((*value).to_owned()));
    rows.entry(path.to_owned()).or_default().push(((*name).to_owned(), value));
}

fn add_parameter(machine: &mut Machine, line: &str) {
    let text = line.trim();
    let Some((name, value)) = text.split_once([' ', '\t', '=']) else { return };
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || "_.".contains(c));
    if !is_name || !name.contains(['_', '.']) {
        return;
    }
    let key = lookup(name).map_or(name, |entry| entry.name.as_str()).to_owned();
    let (name, value) = (name.to_owned(), value.trim().to_owned());
    machine.parameters.entry(key).or_insert(Parameter { name, value, writable: None });
}

/// Takes the kernel and the version from the lines at the top: `Linux 6.1.0-28-amd64    2.1.11-1`.
fn add_machine(machine: &mut Machine, line: &str) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return };
    let os = match *first {
        "Linux" => Some(Kernel::Linux),
        "FreeBSD" => Some(Kernel::Freebsd),
        _ => None,
    };
    if let Some(os) = os.filter(|_| words.len() >= 2) {
        machine.os = machine.os.or(Some(os));
        machine.kernel = machine.kernel.take().or_else(|| words.get(1).map(|w| (*w).to_owned()));
    }
    let opens = os.is_some() || *first == "Machine:";
    if let Some(version) = Version::parse(last).filter(|_| opens && machine.zfs.is_none()) {
        machine.zfs = Some(version);
        machine.zfs_text = Some((*last).to_owned());
    }
}

/// Adds a labelled value; whether the line was one.
fn add_labelled(rows: &mut Rows, heading: &str, line: &str) -> bool {
    let Some((path, row, value)) = labelled(heading, line) else { return false };
    let rows = rows.entry(path.to_owned()).or_default();
    if !rows.iter().any(|(name, _)| name == row) {
        rows.push((row.to_owned(), Value::U64(value)));
    }
    true
}

fn labelled(heading: &str, line: &str) -> Option<(&'static str, &'static str, u64)> {
    let (label, rest) = split_label(line)?;
    let (path, row) = labels::row(heading, &labels::plain(label))?;
    Some((path, row, last_value(rest)?))
}

/// Splits `Target size (adaptive):   50.0 %  1.0 GiB`, or with the colon before the bracket.
fn split_label(line: &str) -> Option<(&str, &str)> {
    // One label of 2.2 and later has no colon: “Prefetches issued      1.2M”.
    let (label, rest) = line.split_once(':').or_else(|| line.trim().split_once("  "))?;
    let trimmed = rest.trim_start();
    if let Some((bracket, after)) = trimmed.strip_prefix('(').and_then(|rest| rest.split_once(')'))
    {
        // “L2 ARC Size: (Adaptive)  1.2 GiB”: the bracket belongs to the label.
        let _part_of_the_label = bracket;
        return Some((label, after));
    }
    Some((label, rest))
}

/// Returns the last value of a line: `15.4 GiB`, `4.1M`; none when the last is a percentage.
fn last_value(rest: &str) -> Option<u64> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let (last, before) = words.split_last()?;
    let unit = last.ends_with("iB") || *last == "Bytes" || *last == "bytes";
    let number = match before.last() {
        Some(number) if unit && last.chars().next()?.is_alphabetic() => {
            let unit = if last.ends_with("iB") { *last } else { "" };
            nice::binary(&format!("{number}{unit}"))
        }
        _ if unit => nice::binary(last),
        _ => nice::decimal(last),
    };
    number.and_then(nice::whole)
}

#[cfg(test)]
mod tests;
