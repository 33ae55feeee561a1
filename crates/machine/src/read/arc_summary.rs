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
//! compared without case and punctuation, because the three tools differ in little else. A row that
//! means bytes has a value in bytes, another one a count; a percentage alone is neither.

mod labels;
mod lines;
mod quantity;

use std::collections::{BTreeMap, BTreeSet};

use arcwright_kstat::{KstatValue, NamedKstat, is_gauge};
use arcwright_tunables::Kernel;
use arcwright_tunables::{Version, lookup};
use arcwright_units::Bytes;

use crate::machine::{Machine, Memory, Parameter};
use crate::sample::Sample;
use lines::{Kind, Section};
pub(crate) use lines::{Row, SectionState, is_title};

type Rows = BTreeMap<String, Vec<(String, KstatValue)>>;

const ARCSTATS: &str = "zfs/arcstats";
/// What a report says where there is no L2ARC.
const NO_L2ARC: &str = "L2ARC not detected, skipping section";
const NONE_OF_L2ARC: [&str; 4] = ["l2_size", "l2_asize", "l2_hdr_size", "l2_writes_sent"];
/// What [`rows_of`] calls the machine's memory.
pub(crate) const MEMORY: &str = "memory";

/// 2.2 was released in October 2023.
const LAST_YEAR_BEFORE_IOHITS: u16 = 2022;

/// Which rows of a report are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Take {
    /// All that the sample does not have.
    All,
    /// Levels alone: the sample's counters are of a window, the report's of all the time before.
    Levels,
}

/// Adds what a report says to a sample and, where it tells of the machine, to that. Rows that the
/// sample has already are exact and stay.
pub(super) fn add(name: &str, text: &str, take: Take, sample: &mut Sample, machine: &mut Machine) {
    let (mut rows, mut rounded, mut known) = (Rows::new(), false, false);
    let mut section = Section::default();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if let Some(opened) = Section::opened_by(line) {
            section = opened;
            known = true;
        }
        match &section.kind {
            Kind::Raw(path) => add_raw(&mut rows, path, line),
            Kind::Tunables => {
                add_level(&mut rows, line);
                add_parameter(machine, line);
            }
            // What there is none of holds nothing.
            Kind::Report if line.trim() == NO_L2ARC => {
                let zero = |row: &&str| ((*row).to_owned(), KstatValue::U64(0));
                let known = rows.entry(ARCSTATS.to_owned()).or_default();
                known.extend(NONE_OF_L2ARC.iter().map(zero));
            }
            Kind::Report => {
                add_machine(machine, line);
                rounded |= add_labelled(&mut rows, &section, line);
            }
        }
    }
    if rows.is_empty() && !known && machine.kernel.is_none() {
        machine.garbled(name, "no line of it is one of arc_summary's");
    }
    if let Some(memory) = rows.remove(labels::MEMORY) {
        add_memory(machine, &memory);
    }
    settle_l2_size(&mut rows);
    settle_classes(&mut rows);
    if rounded && adds_to(sample, &rows) {
        machine.rounded = Some("arc_summary".to_owned());
    }
    for (path, rows) in rows {
        add_rows(sample, &path, rows, take);
    }
}

/// Returns the rows of a report by kstat and row, parameters by their name, as texts.
pub(crate) fn rows_of(text: &str) -> BTreeMap<String, String> {
    let (mut machine, mut sample) = (Machine::default(), Sample::default());
    add("", text, Take::All, &mut sample, &mut machine);
    let kstats = sample.kstats.kstats.iter().flat_map(|(path, kstat)| {
        kstat.rows.iter().map(move |(row, value)| (format!("{path} {row}"), value.to_string()))
    });
    let parameters =
        machine.parameters.into_iter().map(|(name, parameter)| (name, parameter.value));
    let memory = machine.memory.map(|memory| (MEMORY.to_owned(), memory.total.0.to_string()));
    let kernel = machine.kernel.map(|kernel| ("kernel".to_owned(), kernel));
    let version = machine.zfs_text.map(|version| ("version".to_owned(), version));
    kstats.chain(parameters).chain(memory).chain(kernel).chain(version).collect()
}

/// Returns the heading of the section that a report ends in, when it ends in one.
pub(crate) fn last_heading(text: &str) -> Option<String> {
    text.lines().filter_map(Section::opened_by).next_back().map(|section| section.label)
}

/// Returns whether the rows hold anything that the sample does not know.
fn adds_to(sample: &Sample, rows: &Rows) -> bool {
    let fresh = |path: &String, row: &String| {
        sample.kstats.kstats.get(path).is_none_or(|kstat| kstat.value(row).is_none())
    };
    rows.iter().any(|(path, rows)| rows.iter().any(|(row, _)| fresh(path, row)))
}

/// Adds rows that the sample does not have.
pub(super) fn add_rows(
    sample: &mut Sample,
    path: &str,
    rows: Vec<(String, KstatValue)>,
    take: Take,
) {
    let known: BTreeSet<String> = sample
        .kstats
        .kstats
        .get(path)
        .map(|kstat| kstat.rows.iter().map(|(row, _)| row.clone()).collect())
        .unwrap_or_default();
    let entry = sample.kstats.kstats.entry(path.to_owned());
    let kstat = entry.or_insert_with(|| NamedKstat::of_rows(path, Vec::new()));
    for (row, value) in rows {
        let is_left_out = take == Take::Levels && !is_gauge(&row);
        if !known.contains(&row) && !is_left_out {
            kstat.rows.push((row, value));
        }
    }
    if kstat.rows.is_empty() {
        sample.kstats.kstats.remove(path);
    }
}

fn add_raw(rows: &mut Rows, path: &str, line: &str) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [name, value] = words.as_slice() else { return };
    let number =
        value.parse::<u64>().map(KstatValue::U64).or_else(|_| value.parse().map(KstatValue::I64));
    let value = number.unwrap_or_else(|_| KstatValue::Text((*value).to_owned()));
    rows.entry(path.to_owned()).or_default().push(((*name).to_owned(), value));
}

/// Takes what stands among the tunables of FreeBSD and is none: levels of the ARC, and the memory.
fn add_level(rows: &mut Rows, line: &str) {
    const LEVELS: [(&str, &str, &str); 3] = [
        ("vfs.zfs.arc_meta_used", ARCSTATS, "arc_meta_used"),
        ("vfs.zfs.arc_meta_limit", ARCSTATS, "arc_meta_limit"),
        ("hw.physmem", labels::MEMORY, "physical"),
    ];
    let Some((name, value)) = lines::parameter(line) else { return };
    let known = LEVELS.iter().find(|(level, ..)| *level == name);
    if let (Some((_, path, row)), Ok(value)) = (known, value.parse().map(KstatValue::U64)) {
        let rows = rows.entry((*path).to_owned()).or_default();
        if !rows.iter().any(|(known, _)| known == row) {
            rows.push(((*row).to_owned(), value));
        }
    }
}

fn add_parameter(machine: &mut Machine, line: &str) {
    let Some((name, value)) = lines::parameter(line) else { return };
    if name == "vfs.zfs.version.module" && machine.zfs.is_none() {
        machine.zfs = Version::parse(value.trim_start_matches('v'));
        machine.zfs_text = Some(value.to_owned());
        return;
    }
    let key = lookup(name).map_or(name, |entry| entry.name.as_str()).to_owned();
    let (name, value) = (name.to_owned(), value.to_owned());
    machine.parameters.entry(key).or_insert(Parameter { name, value, writable: None });
}

/// Takes the kernel and the version from the lines at the top: `Linux 6.1.0-28-amd64    2.1.11-1`.
fn add_machine(machine: &mut Machine, line: &str) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return };
    if words.starts_with(&["ZFS", "Subsystem", "Report"]) {
        machine.report_year = last.parse().ok().filter(|year| (2005..2100).contains(year));
    }
    // Reports of 2.2 and later count what was found on its way too, and head it otherwise; the oldest,
    // of Solaris and FreeBSD, had a head of their own.
    const HEADS_BEFORE: [&str; 2] = ["ARC total accesses (hits + misses)", "Cache Access Total:"];
    let is_before = || HEADS_BEFORE.iter().any(|head| line.contains(head));
    if machine.report_year.is_none() && is_before() {
        machine.report_year = Some(LAST_YEAR_BEFORE_IOHITS);
    }
    let os = match *first {
        "Linux" => Some(Kernel::Linux),
        "FreeBSD" => Some(Kernel::Freebsd),
        _ => None,
    };
    let release = words.get(1).filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    if let (Some(os), Some(release)) = (os, release) {
        machine.os = machine.os.or(Some(os));
        machine.kernel = machine.kernel.take().or_else(|| Some((*release).to_owned()));
    }
    let opens = os.is_some() && words.len() > 2 || *first == "Machine:";
    if let Some(version) = Version::parse(last).filter(|_| opens && machine.zfs.is_none()) {
        machine.zfs = Some(version);
        machine.zfs_text = Some((*last).to_owned());
    }
}

/// Adds a labelled value; whether the line was one.
fn add_labelled(rows: &mut Rows, section: &Section, line: &str) -> bool {
    let meanings = lines::labelled(section, line);
    let any = !meanings.is_empty();
    for (path, row, value) in meanings {
        let rows = rows.entry(path.to_owned()).or_default();
        if !rows.iter().any(|(name, _)| name == row) {
            rows.push((row.to_owned(), value));
        }
    }
    any
}

/// `zfs-stats` that knows compression calls the compressed size that of the L2ARC, and gives the
/// other below it.
fn settle_l2_size(rows: &mut Rows) {
    let Some(rows) = rows.get_mut(ARCSTATS) else { return };
    let Some(at) = rows.iter().position(|(row, _)| row == labels::L2_DECOMPRESSED) else { return };
    let (_, whole) = rows.remove(at);
    if let Some((row, _)) = rows.iter_mut().find(|(row, _)| row == "l2_size") {
        "l2_asize".clone_into(row);
    }
    rows.push(("l2_size".to_owned(), whole));
}

/// Takes what a share tells of a class where it was not counted.
fn settle_classes(rows: &mut Rows) {
    let Some(told) = rows.remove(labels::CLASSES) else { return };
    let arc = rows.entry(ARCSTATS.to_owned()).or_default();
    for (row, value) in told {
        if !arc.iter().any(|(name, _)| *name == row) {
            arc.push((row, value));
        }
    }
}

/// Takes what a report says of memory, where nothing else did.
fn add_memory(machine: &mut Machine, rows: &[(String, KstatValue)]) {
    let row = |name: &str| {
        let found = rows.iter().find(|(row, _)| row == name);
        found.and_then(|(_, value)| value.as_u64()).map(Bytes)
    };
    // What the kernel manages is nearer to the truth than what chips were guessed from it.
    let Some(total) = row("physical").or_else(|| row("installed")) else { return };
    let available = row("available");
    let memory = Memory { total, available, ..Memory::default() };
    machine.memory = machine.memory.or(Some(memory));
}

#[cfg(test)]
mod tests;
