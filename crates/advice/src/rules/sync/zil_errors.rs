//! Commits of the intent log that failed, or found no room.
//!
//! When a block of the log cannot be written, who waits for it waits for a whole transaction group
//! instead (zil.c, `zil_commit_impl`): `zil_commit_error_count`. When no block can be allocated for the
//! next one, the chain is given up likewise (`zil_commit_writer_stall`): `zil_commit_stall_count`. Both
//! are counted from 2.3.0 on, in `zil` for the machine and in each dataset's objset;
//! `zil_commit_suspend_count` counts a log that was suspended on purpose and is no fault.

use crate::changes;
use crate::finding::{Area, Evidence, Finding, Gain, Over, Severity, lines};
use crate::format;
use crate::rows::ZIL;
use crate::rule::Rule;
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether the intent log can be written", judge };

const ERRORS: &str = "zil_commit_error_count";
const STALLS: &str = "zil_commit_stall_count";

fn judge(view: &View<'_>) -> Judged {
    if view.is_from("2.3.0") == Some(false) {
        return Ok(Verdict::Silent);
    }
    let now = view.machine.now().ok_or(NotJudged::NoCounters)?;
    let total =
        |row: &str| now.get(ZIL, row).ok_or_else(|| NotJudged::NoCounter(format!("zil.{row}")));
    let (errors, stalls) = (total(ERRORS), total(STALLS));
    let found: Vec<Finding> = [
        errors.clone().ok().filter(|count| *count > 0).map(|count| failed(view, count)),
        stalls.clone().ok().filter(|count| *count > 0).map(|count| stalled(view, count)),
    ]
    .into_iter()
    .flatten()
    .collect();
    if found.is_empty() {
        let (errors, stalls) = (errors?, stalls?);
        let evidence = [(ERRORS, errors), (STALLS, stalls)];
        let evidence = evidence.map(|(row, count)| total_of(row, count)).to_vec();
        return Ok(Verdict::fine("The intent log could always be written", evidence));
    }
    Ok(Verdict::Found(found))
}

/// Returns evidence for a count since the module was loaded.
fn total_of(row: &str, count: u64) -> Evidence {
    Evidence {
        exact: Some(count),
        over: Over::SinceLoad,
        ..Evidence::now(format!("zil.{row}"), format::count(count))
    }
}

/// Returns the datasets in which a row was counted.
fn datasets(view: &View<'_>, row: &str) -> Vec<String> {
    let Some(now) = view.machine.now() else { return Vec::new() };
    let objsets = now.kstats.iter().filter(|(path, _)| path.contains("/objset-"));
    let with = objsets.filter(|(_, kstat)| kstat.get(row).is_some_and(|count| count > 0));
    with.filter_map(|(_, kstat)| kstat.text("dataset_name").map(str::to_owned)).collect()
}

fn new(view: &View<'_>, (id, row): (&'static str, &str), title: String, count: u64) -> Finding {
    // One long ago is worth a look; one in the window happens now.
    let fresh = view.over() == Over::Window && view.counted(ZIL, row).is_ok_and(|count| count > 0);
    let severity = if fresh { Severity::HurtsNow } else { Severity::WorthALook };
    let mut finding = Finding::new(id, severity, Area::Sync, title);
    finding.evidence = vec![total_of(row, count)];
    finding.evidence.extend(view.rows_of(ZIL, [ERRORS, STALLS, "zil_commit_count"]));
    let names = datasets(view, row);
    if !names.is_empty() {
        finding.evidence.push(Evidence::now("datasets", format::list(&names)));
        finding.subject = Some(format::list(&names));
    }
    finding.gain = Gain::NotEstimated(
        "each of them waited seconds for a transaction group instead of the log".to_owned(),
    );
    finding.risk = "None: acknowledged writes are on disk, by the slower way.".to_owned();
    finding.confidence = crate::finding::Confidence::read("zil, since the module was loaded");
    finding.sources = lines(["module/zfs/zil.c, zil_commit_impl, zil_commit_writer_stall"]);
    finding
}

fn failed(view: &View<'_>, count: u64) -> Finding {
    let title = format!(
        "The intent log could not be written {} since the module was loaded",
        match count {
            1 => "once".to_owned(),
            count => format!("{} times", format::count(count)),
        }
    );
    let mut finding = new(view, ("zil-errors", ERRORS), title, count);
    finding.cause =
        "A device that holds the log rejected or lost a write. The synchronous writes waited for \
         the whole transaction group instead."
            .to_owned();
    let mut remedy = changes::by_hand(
        "check the log device, or without one the disks: errors in zpool status, SMART, cable",
        &lines(["zpool status -v", "zpool events | grep -E 'io|probe'"]),
    );
    remedy.verify = lines(["arcwright doctor --window 60s   # the count stays"]);
    finding.remedy = Some(remedy);
    finding.cost = "Perhaps a log device.".to_owned();
    finding
}

fn stalled(view: &View<'_>, count: u64) -> Finding {
    let title = format!(
        "The intent log found no space {} since the module was loaded",
        match count {
            1 => "once".to_owned(),
            count => format!("{} times", format::count(count)),
        }
    );
    let mut finding = new(view, ("zil-stalls", STALLS), title, count);
    finding.cause =
        "The next log block could not be allocated: the log device is full for the moment, or \
         without one the pool is nearly full or fragmented."
            .to_owned();
    let mut remedy = changes::by_hand(
        "free space in the pool, or use a larger log device; it must hold some seconds of \
         synchronous writes",
        &lines(["zpool list -v   # log device: ALLOC and FREE; pool: CAP and FRAG"]),
    );
    remedy.verify = lines(["arcwright doctor --window 60s   # the count stays"]);
    finding.remedy = Some(remedy);
    finding.cost = "Space, or a larger log device.".to_owned();
    finding
}
