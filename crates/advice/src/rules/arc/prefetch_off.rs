//! Prefetch is switched off.
//!
//! Old guides switch it off for little memory; FreeBSD 8 to 12 did so by itself below 4 GiB. It takes
//! from every reader of a large file the reading ahead.

use arcwright_machine::{Kernel, Memory};
use arcwright_units::Bytes;

use crate::changes;
use crate::config::Set;
use crate::finding::{Area, Confidence, Finding, Over, Severity, lines};
use crate::format;
use crate::model;
use crate::rule::Rule;
use crate::rules::dataset_state::{self, ClientCounts};
use crate::verdict::{Judged, Verdict};
use crate::view::{ACCESSES_MIN, ParameterValue, View};

pub(crate) const RULE: Rule = Rule { about: "whether prefetch is on", judge };

/// Bytes per demand miss above which readers read in large pieces: half of the usual record.
const LARGE: u64 = 64 << 10;

fn judge(view: &View<'_>) -> Judged {
    let held = view.parameter("zfs_prefetch_disable");
    let by_file = set_in_file(view, held);
    let unread = || view.not_read("zfs_prefetch_disable", "parameters");
    if by_file.is_none() {
        let held = held.ok_or_else(unread)?;
        if held.value == 0 || !held.is_read {
            return Ok(Verdict::Silent);
        }
    }
    let missed = view.arc("demand_data_misses").ok();
    // All requests of all datasets: whether their readers read in large pieces.
    let counted = dataset_state::counted(view);
    let sum =
        |of: fn(&ClientCounts) -> Option<u64>| -> Option<u64> { counted.values().map(of).sum() };
    let mean = sum(|asked| asked.read_bytes)
        .zip(sum(|asked| asked.reads))
        .and_then(|(bytes, reads)| bytes.checked_div(reads));
    let large = dataset_state::asked(view).is_ok() && mean.is_some_and(|mean| mean >= LARGE);
    let often = missed.is_some_and(|missed| missed >= ACCESSES_MIN);
    let severity = match by_file.is_none() && is_by_itself(view) {
        true => Severity::Note,
        false if often && large => Severity::HurtsNow,
        false => Severity::WorthALook,
    };
    let title = match by_file {
        Some(_) => "A configuration file switches prefetch off; whether it is off now was not read",
        None => "Prefetch is off: nothing is read ahead of a sequential reader",
    };
    let beside = if by_file.is_none() { ahead_all_the_same(view) } else { String::new() };
    let title = title.to_owned() + &beside;
    let mut finding = Finding::new("prefetch-off", severity, Area::Prefetch, title);
    finding.evidence = match &by_file {
        Some(set) => {
            vec![set.evidence()]
        }
        None => view.settings(["zfs_prefetch_disable"]),
    };
    finding.evidence.extend(view.rows([
        "demand_data_misses",
        "demand_data_hits",
        "prefetch_data_misses",
    ]));
    let when = view.when();
    let waited = missed.map_or_else(String::new, |missed| {
        format!("{} reads of file data waited for a disk {when}. ", format::count(missed))
    });
    let file = by_file.as_ref().map_or_else(String::new, |set| {
        format!("{} switches it off; the value in force was not read. ", set.path)
    });
    finding.cause = waited + &file + why(view);
    finding.remedy =
        changes::set(view, &[changes::setting("zfs_prefetch_disable", 0)]).map(|mut remedy| {
            if let Some(set) = &by_file {
                remedy.what = format!("{}, and take {} out of {}", remedy.what, set.name, set.path);
            }
            remedy
        });
    finding.gain = model::stream(view);
    finding.cost = "None.".to_owned();
    finding.risk = "Random I/O (virtual machines, databases) may read a little more; the rule on \
    prefetch shows it."
        .to_owned();
    finding.confidence = match missed {
        Some(missed) => view.confidence(missed, "demand misses of file data"),
        None => Confidence::read("the module's parameters"),
    };
    finding.sources = lines(["zfs(4) zfs_prefetch_disable", "openzfs issues 2160, 17686"]);
    Ok(Verdict::one(finding))
}

/// Returns the file that switches it off, where the module's own value was not read.
fn set_in_file<'a>(view: &'a View<'_>, held: Option<ParameterValue>) -> Option<&'a Set> {
    if held.is_some_and(|held| held.is_read) {
        return None;
    }
    let set = view.files.set_of("zfs_prefetch_disable")?;
    set.number().is_some_and(|value| value > 0).then_some(set)
}

/// Says whether it is off because `FreeBSD` 8 to 12 found less than 4 GiB of memory, and nobody's choice.
///
/// Where the version or the memory was not read it may be so.
fn is_by_itself(view: &View<'_>) -> bool {
    let memory = view.machine.memory;
    let may_be = match view.machine.zfs {
        Some(version) => version.is_legacy_freebsd(),
        None => view.machine.os != Some(Kernel::Linux),
    };
    may_be && memory.is_none_or(is_small)
}

fn is_small(memory: Memory) -> bool {
    memory.total < Bytes::gib(4)
}

/// Says that blocks were read ahead in the window: what asks by itself is not switched off.
fn ahead_all_the_same(view: &View<'_>) -> String {
    let in_window = view.over() == Over::Window;
    match view.arc("prefetch_data_misses").ok().filter(|count| in_window && *count > 0) {
        Some(count) => format!(
            "; {} blocks were read ahead all the same, for what asks by itself (readahead, zfs send, from 2.4.1 on writes of \
             parts of records)",
            format::count(count)
        ),
        None => String::new(),
    }
}

fn why(view: &View<'_>) -> &'static str {
    match is_by_itself(view) && view.machine.memory.is_some_and(is_small) {
        true => {
            "FreeBSD of that time switches it off by itself below 4 GiB of memory, where blocks that \
             are read ahead push out others. Turn it on if large files are read in a row."
        }
        false => {
            "Prefetch nearly always helps on current versions, which stop a stream that does not \
             continue."
        }
    }
}
