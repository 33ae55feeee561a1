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

fn finding(view: &View<'_>, panic: &Panic) -> Finding {
    let of_space = is_of_space(panic);
    let at = panic.place.as_ref().map_or_else(String::new, |place| format!(" at {place}"));
    let (id, severity, title) = match (panic.in_program, of_space) {
        (true, _) => {
            let title =
                format!("A program of ZFS ended{at}, not the pool: what it was to show is missing");
            ("program-stopped", Severity::WorthALook, title)
        }
        (false, true) => {
            let title =
                format!("ZFS stopped{at}: a pool's record of free space contradicts itself");
            ("module-stopped", Severity::HurtsNow, title)
        }
        (false, false) => {
            let title = format!("ZFS stopped{at}: something inside it contradicts itself");
            ("module-stopped", Severity::HurtsNow, title)
        }
    };
    let mut finding = Finding::new(id, severity, Area::Disks, title);
    let words = panic.condition.clone().unwrap_or_else(|| "reported".to_owned());
    finding.evidence = vec![Evidence {
        exact: Some(panic.reports),
        ..Evidence::now(words, format!("{} reports", format::count(panic.reports)))
    }];
    let pool = match view.machine.pools.as_slice() {
        [pool] => format::shell(&pool.name),
        _ => "POOL".to_owned(),
    };
    let (cause, what, commands) = match (panic.in_program, of_space) {
        (true, _) => in_program(),
        (false, true) => of_free_space(&pool),
        (false, false) => of_module(&pool),
    };
    finding.cause = cause.to_owned();
    let mut remedy = changes::by_hand(what, &commands);
    remedy.verify = lines(["dmesg -T | grep -E 'VERIFY|PANIC|ASSERT'   # no new reports"]);
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("what is at stake is data, not speed".to_owned());
    finding.cost = "A restart; perhaps a new pool.".to_owned();
    finding.risk = match panic.in_program {
        true => "None.",
        false => "Writing on may make it worse. No disk is shown to be at fault.",
    }
    .to_owned();
    finding.confidence = Confidence::read("the given lines of the log");
    finding.sources = lines(["module/os/linux/spl/spl-err.c", "zpool-import(8) -o readonly"]);
    finding
}

/// Finds whether others have met the same.
const KNOWN: &str = "# look for the name of the function among the issues of OpenZFS, with your version: zfs version";
/// What memory without ECC may do.
const MEMORY: &str = "# test the memory for a night (memtest86+)";

fn in_program() -> (&'static str, &'static str, Vec<String>) {
    (
        "zdb reads a pool that is in use without its locks, so that what it reads may change meanwhile. \
         On a pool that is not imported it may have met damage.",
        "run it again; if it ends at the same place, run it while the pool is exported, and see whether that \
         is a known defect of the version",
        vec!["zpool status -v   # is damage known?".to_owned(), KNOWN.to_owned()],
    )
}

fn of_free_space(pool: &str) -> (&'static str, &'static str, Vec<String>) {
    (
        "The space maps say which parts of a device are free. Where they contradict themselves, ZFS stops rather \
         than overwrite what is in use, each time that part is loaded for writing. Reading needs none of them, \
         and a scrub does not look at them. Memory errors and some versions of ZFS have caused it.",
        "restart, import the pool read-only and copy what is on it; then make the pool anew and bring it back. \
         Neither a scrub nor zpool clear repairs this",
        vec![
            format!(
                "zpool import -o readonly=on {pool}   # after a restart; then copy what matters"
            ),
            MEMORY.to_owned(),
            KNOWN.to_owned(),
        ],
    )
}

fn of_module(pool: &str) -> (&'static str, &'static str, Vec<String>) {
    (
        "What met it does not run on, and what it held stays locked: reads and writes of the pool wait behind it, \
         sooner or later, until the machine is restarted. It is a defect of this version, memory that changed by \
         itself, or contents that were written wrong; the lines do not say which.",
        "see whether it is a known defect of your version; restart; if it comes again at import, import the pool \
         read-only and copy what matters before anything else is tried",
        vec![
            KNOWN.to_owned(),
            format!("zpool import -o readonly=on {pool}   # if a usual import meets it again"),
            MEMORY.to_owned(),
            "zpool status -v   # is damage known?".to_owned(),
        ],
    )
}
