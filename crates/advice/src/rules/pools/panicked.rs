//! ZFS stopped at something that it takes for impossible.
//!
//! An assertion or a panic ends the thread that met it: in the kernel what it held stays locked, so that the pool
//! soon stands still until a restart, and the next import may meet the same (module/os/linux/spl/spl-err.c). It
//! is a defect of that version, memory that changed by itself, or contents that were written wrong long ago.
//! Those of the space maps, the record of what is free, are met by writing alone, so that a read-only import
//! mostly works; a scrub does not look at them (module/zfs/space_map.c, range_tree.c, metaslab.c).

use arcwright_machine::Panic;

use crate::changes;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether ZFS stopped at an assertion", judge };

/// Where free space is kept, and words of those who find it wrong.
const OF_SPACE: [&str; 8] = [
    "range_tree",
    "space_map",
    "metaslab",
    "allocating allocated segment",
    "freeing free segment",
    "removing nonexistent segment",
    "adding existent segment",
    "zfs_rs_",
];

fn judge(view: &View<'_>) -> Judged {
    let findings = view.machine.panics.iter().map(|panic| finding(view, panic)).collect();
    Ok(Verdict::found_or(findings, Verdict::Silent))
}

fn is_of_space(panic: &Panic) -> bool {
    let texts = [&panic.condition, &panic.place];
    let has =
        |words: &&str| texts.iter().any(|text| text.as_ref().is_some_and(|it| it.contains(*words)));
    OF_SPACE.iter().any(has)
}

/// What is to be said of a place where ZFS stopped.
struct Stop {
    id: &'static str,
    severity: Severity,
    /// What stopped; where stands behind it.
    what: &'static str,
    /// What that means.
    meaning: &'static str,
    cause: &'static str,
    step: &'static str,
    commands: Vec<String>,
    risk: &'static str,
}

fn finding(view: &View<'_>, panic: &Panic) -> Finding {
    let pool = match view.machine.pools.as_slice() {
        [pool] => format::shell(&pool.name),
        _ => "POOL".to_owned(),
    };
    let stop = match (panic.in_program, is_of_space(panic)) {
        (true, _) => in_program(),
        (false, true) => of_free_space(&pool),
        (false, false) => of_module(&pool),
    };
    let at = panic.place.as_ref().map_or_else(String::new, |place| format!(" at {place}"));
    let title = format!("{}{at}{}", stop.what, stop.meaning);
    let mut finding = Finding::new(stop.id, stop.severity, Area::Disks, title);
    let words = panic.condition.clone().unwrap_or_else(|| "reported".to_owned());
    finding.evidence = vec![Evidence {
        exact: Some(panic.reports),
        ..Evidence::now(words, format!("{} reports", format::count(panic.reports)))
    }];
    finding.cause = stop.cause.to_owned();
    let mut remedy = changes::by_hand(stop.step, &stop.commands);
    remedy.verify = lines(["dmesg -T | grep -E 'VERIFY|PANIC|ASSERT'   # no new reports"]);
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("what is at stake is data, not speed".to_owned());
    finding.cost = "A restart; perhaps a new pool.".to_owned();
    finding.risk = stop.risk.to_owned();
    finding.confidence = Confidence::read("the given lines of the log");
    finding.sources = lines(["module/os/linux/spl/spl-err.c", "zpool-import(8) -o readonly"]);
    finding
}

/// Finds whether others have met the same.
const KNOWN: &str = "# look for the name of the function among the issues of OpenZFS, with your version: zfs version";
/// What memory without ECC may do.
const MEMORY: &str = "# test the memory for a night (memtest86+)";

const WRITING_ON: &str = "Writing on may make it worse. No disk is shown to be at fault.";

fn in_program() -> Stop {
    Stop {
        id: "program-stopped",
        severity: Severity::WorthALook,
        what: "A program of ZFS ended",
        meaning: ", not the pool: what it was to show is missing",
        cause: "zdb reads a pool that is in use without its locks, so that what it reads may change meanwhile. \
                On a pool that is not imported it may have met damage.",
        step: "run it again; if it ends at the same place, run it while the pool is exported, and see whether that \
               is a known defect of the version",
        commands: vec!["zpool status -v   # is damage known?".to_owned(), KNOWN.to_owned()],
        risk: "None.",
    }
}

fn of_free_space(pool: &str) -> Stop {
    Stop {
        id: "module-stopped",
        severity: Severity::HurtsNow,
        what: "ZFS stopped",
        meaning: ": a pool's record of free space contradicts itself",
        cause: "The space maps say which parts of a device are free. Where they contradict themselves, ZFS stops \
                rather than overwrite what is in use, each time that part is loaded for writing. Reading needs none \
                of them, and a scrub does not look at them. Memory errors and some versions of ZFS have caused it.",
        step: "restart, import the pool read-only and copy what is on it; then make the pool anew and bring it back. \
               Neither a scrub nor zpool clear repairs this",
        commands: vec![
            format!(
                "zpool import -o readonly=on {pool}   # after a restart; then copy what matters"
            ),
            MEMORY.to_owned(),
            KNOWN.to_owned(),
        ],
        risk: WRITING_ON,
    }
}

fn of_module(pool: &str) -> Stop {
    Stop {
        id: "module-stopped",
        severity: Severity::HurtsNow,
        what: "ZFS stopped",
        meaning: ": something inside it contradicts itself",
        cause: "What met it does not run on, and what it held stays locked: reads and writes of the pool wait behind \
                it, sooner or later, until the machine is restarted. It is a defect of this version, memory that \
                changed by itself, or contents that were written wrong; the lines do not say which.",
        step: "see whether it is a known defect of your version; restart; if it comes again at import, import the \
               pool read-only and copy what matters before anything else is tried",
        commands: vec![
            KNOWN.to_owned(),
            format!("zpool import -o readonly=on {pool}   # if a usual import meets it again"),
            MEMORY.to_owned(),
            "zpool status -v   # is damage known?".to_owned(),
        ],
        risk: WRITING_ON,
    }
}
