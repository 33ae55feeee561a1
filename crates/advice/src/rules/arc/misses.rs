//! Much of what is asked for comes from the disks.
//!
//! Other rules say why reads miss: metadata does not fit, the ghost lists remember what was missed, memory is
//! short. Each needs rows that a pasted text may not have; the columns of `arcstat` alone tell no more than
//! how much is missed and of what kind. That much is said here, with what would tell the rest. It is a note,
//! and said whatever other rules say: who reads a file once must miss it.

use arcwright_units::Bytes;

use crate::accesses::{Class, SUMS};
use crate::changes;
use crate::finding::{Area, Finding, Gain, Over, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::arc::{metadata, over};
use crate::verdict::{Judged, Verdict};
use crate::view::{ACCESSES_MIN, View};

pub(crate) const RULE: Rule = Rule { about: "whether much is read from the disks", judge };

/// Demand accesses that miss, above which it is worth a sentence: one in twenty.
const MISSED: f64 = 0.05;
/// Metadata among the misses above which it is what people wait for: the greater half.
const MOSTLY: f64 = 0.5;
/// Reads of file contents that miss, above which that is said of them alone: nine in ten.
const NEARLY: f64 = 0.9;
/// The same where metadata that is always found hides them in the sum: one in five.
const HIDDEN: f64 = 0.2;
/// Misses of metadata per second that hurt, as in the rule on metadata.
const PER_S_MUCH: f64 = 40.0;
/// Blocks that left the ARC for each that missed, below which it is still taking in what is read first.
const LEFT: f64 = 0.05;
/// Misses that a ghost list remembers: below this more room saves hardly a read, above it one in seven.
const GHOSTS: (f64, f64) = (0.02, 0.15);

fn judge(view: &View<'_>) -> Judged {
    let contents = of_contents(view);
    let together = together(view);
    let Some((contents, words)) = contents else { return together };
    // What is said of contents is said whether metadata was counted or not, but only once.
    let mut findings = match together {
        Ok(Verdict::Found(findings)) => findings,
        _ => Vec::new(),
    };
    match findings.iter_mut().find(|finding| finding.id == contents.id) {
        Some(finding) => finding.title.push_str(&words),
        None => findings.push(contents),
    }
    Ok(Verdict::Found(findings))
}

/// Judges contents and metadata together.
fn together(view: &View<'_>) -> Judged {
    let waited = view.waited()?;
    view.enough(waited.all, ACCESSES_MIN, "demand accesses")?;
    let share = format::fraction(waited.missed, waited.all);
    if share < MISSED && view.demand().is_err() && !view.hides_contents() {
        let found = waited.all.saturating_sub(waited.missed);
        let what =
            format!("The ARC served {} of the demand accesses", format::share(found, waited.all));
        return Ok(Verdict::fine(what, view.rows_of(SUMS, ["dread", "dmis"])));
    }
    if share < MISSED || waited.missed < ACCESSES_MIN / 10 {
        return Ok(Verdict::Silent);
    }
    // Where classes are known, the rule on metadata says what is to be said of it.
    let is_known = view.demand().is_ok();
    // A sum has the reads ahead too, and is held against all misses.
    let all = if is_known { Ok(waited.missed) } else { view.misses() };
    let lookups = view.lookups_missed().ok().zip(all.ok());
    let mostly = |(missed, all): &(u64, u64)| format::fraction(*missed, *all) >= MOSTLY;
    // Two notes on the same misses would be one too many.
    if lookups.as_ref().is_some_and(mostly) && metadata::only_counts(view) {
        return Ok(Verdict::Silent);
    }
    Ok(Verdict::one(match lookups.filter(mostly) {
        Some((missed, _)) if !is_known => of_metadata(view, waited, missed),
        _ => of_all(view, waited, lookups),
    }))
}

/// Returns what is to be said of file contents alone, where nearly all reads of them miss, and the same as words
/// behind a title on all reads.
fn of_contents(view: &View<'_>) -> Option<(Finding, String)> {
    let data = view.class("demand_data").ok()?;
    view.enough(data.all, ACCESSES_MIN, "demand accesses").ok()?;
    let share = format::share(data.missed, data.all);
    let missed = format::fraction(data.missed, data.all);
    let is_hidden = missed >= HIDDEN && view.hides_contents();
    let is_much = missed >= NEARLY || is_hidden;
    let often = often(view, data.missed);
    let words = format!("; of those of file contents {share} miss, {often}");
    let title = format!("{share} of the demand reads of file contents miss the ARC: {often}");
    let mut finding = Finding::new("demand-misses", Severity::Note, Area::Arc, title);
    let (cause, remedy) = ghosts(view);
    let unread = match view.class("demand_metadata") {
        Ok(_) => "",
        Err(_) => "How often metadata misses was not read. ",
    };
    let hidden = match view.waited().ok().filter(|_| is_hidden) {
        Some(waited) => format!(
            "Of all demand accesses {} are served, since nearly all of them are of metadata. ",
            format::share(waited.all.saturating_sub(waited.missed), waited.all)
        ),
        None => String::new(),
    };
    finding.cause = format!("{hidden}{unread}{cause}");
    finding.remedy = remedy;
    finding.confidence = view.confidence(data.all, "demand accesses");
    is_much.then(|| (filled(view, finding), words))
}

/// Returns how many there are of `missed`, per second where a window tells.
fn often(view: &View<'_>, missed: u64) -> String {
    match view.per_s(missed).filter(|_| view.over() == Over::Window) {
        Some(rate) => format!("{} per second", format::per_s(rate)),
        None => format!("{} {}", format::count(missed), view.when()),
    }
}

fn of_all(view: &View<'_>, waited: Class, lookups: Option<(u64, u64)>) -> Finding {
    let share = format::share(waited.missed, waited.all);
    let often = often(view, waited.missed);
    let metadata = lookups.filter(|(missed, all)| format::fraction(*missed, *all) >= MOSTLY);
    let kind = metadata.map_or_else(String::new, |(missed, all)| {
        format!(", {} of them metadata", format::share(missed, all))
    });
    let title = format!("{share} of the demand reads miss the ARC: {often}{kind}");
    let mut finding = Finding::new("demand-misses", Severity::Note, Area::Arc, title);
    let kinds = lookups.map_or_else(String::new, |(missed, all)| {
        format!("{} of what misses is metadata. ", format::share(missed, all))
    });
    let (why, remedy) = ghosts(view);
    finding.cause = kinds + &why;
    finding.remedy = remedy;
    finding.confidence = view.confidence(waited.all, "demand accesses");
    filled(view, finding)
}

/// Returns what the ghost lists tell, and what to do next.
fn ghosts(view: &View<'_>) -> (String, Option<crate::finding::Remedy>) {
    let (few, many) = GHOSTS;
    let Ok((ghosts, misses)) = view.ghosts().and_then(|ghosts| Ok((ghosts, view.misses()?))) else {
        let why = "Whether a larger ARC would have had them, the hits of the ghost lists tell; they were not \
                   read.";
        let what = "while it is slow, watch the ghost hits (mrug, mfug): where they are a good part of miss, a \
                    larger ARC helps";
        let columns = "arcstat -f time,read,miss,dmis,mmis,mrug,mfug,arcsz,c INTERVAL";
        return (why.to_owned(), Some(changes::by_hand(what, &lines([columns]))));
    };
    let share = format::share(ghosts, misses);
    let found = format::fraction(ghosts, misses);
    if found < few && over::is_over(view) == Some(true) {
        let why = "What the ARC holds beyond its maximum leaves neither file data nor the ghost lists any room, so that \
                   their few hits do not tell whether a larger ARC would help: bring it below its maximum first.";
        return (why.to_owned(), None);
    }
    let far = view.arc_now("c").ok().zip(view.arc_now("c_max").ok());
    if found < few
        && let Some((target, most)) = far.filter(|(target, most)| *target < most / 2)
    {
        let why = format!(
            "The ghost lists remember about as much as the ARC's target, {}, and it may have {}: their few hits do not tell whether a \
             larger ARC would help. First see what keeps the target there.",
            Bytes(target),
            Bytes(most)
        );
        return (why, None);
    }
    if found < few && view.arc("deleted").is_ok_and(|gone| format::fraction(gone, misses) < LEFT) {
        let why = "Hardly any block has left the ARC so far: what misses is read for the first time, and stays. \
                   Whether the ARC is large enough shows when the same work has run again.";
        return (why.to_owned(), None);
    }
    if found < few {
        let why = format!(
            "Only {share} of all misses had been in it lately: this is read once, or again after more than twice \
             what the ARC holds. A larger ARC would hardly help; what helps is faster disks, or more of them."
        );
        return (why, None);
    }
    if found < many {
        let why = format!(
            "{share} of all misses had been in it lately: a larger ARC would have saved about that many."
        );
        return (why, None);
    }
    let room = match (view.arc_now("size"), view.arc_now("c_max")) {
        (Ok(size), Ok(most)) => format!(" It holds {} and may take {}.", Bytes(size), Bytes(most)),
        (Ok(size), Err(_)) => {
            format!(" It holds {}; how much it may take was not read.", Bytes(size))
        }
        _ => String::new(),
    };
    let why = format!(
        "{share} of all misses had been in it lately (ghost hits): a larger ARC would save them.{room}"
    );
    let what = format!(
        "see whether memory is left for a larger ARC ({}), and what keeps it from growing",
        view.shown("zfs_arc_max")
    );
    (why, Some(changes::by_hand(what, &lines(["sudo arcwright doctor   # on the machine itself"]))))
}

fn of_metadata(view: &View<'_>, waited: Class, missed: u64) -> Finding {
    let title = format!("Most of what misses the ARC is metadata: {}", often(view, missed));
    let rate = view.per_s(missed).filter(|_| view.over() == Over::Window);
    let severity = match rate.is_some_and(|rate| rate >= PER_S_MUCH) {
        true => Severity::WorthALook,
        false => Severity::Note,
    };
    let mut finding = Finding::new("metadata-misses", severity, Area::Metadata, title);
    finding.cause = "Each is a small random read (directories, dnodes, indirect blocks), of which a disk serves \
                     about a hundred per second. Either metadata does not fit, or has reached a limit of its own \
                     (arc_meta_limit, up to 2.1), or it is read for the first time and stays from then on: what \
                     tells them apart was not read."
        .to_owned();
    let what = "run the same work again: what is missed a second time does not stay. Then see whether the ARC or \
                its metadata is at a limit";
    let commands = match view.is_freebsd() {
        true => lines([
            "sysctl kstat.zfs.misc.arcstats | grep -E '\\.(size|c|c_max|arc_meta_used|arc_meta_limit|mru_ghost_hits|mfu_ghost_hits):'",
        ]),
        false => lines([
            "grep -E '^(size|c|c_max|arc_meta_used|arc_meta_limit|m[rf]u_ghost_hits) ' /proc/spl/kstat/zfs/arcstats",
        ]),
    };
    finding.remedy = Some(changes::by_hand(what, &commands));
    finding.confidence = view.confidence(waited.all, "demand accesses");
    filled(view, finding)
}

/// Returns the finding with what all of them rest on.
fn filled(view: &View<'_>, mut finding: Finding) -> Finding {
    finding.evidence = view.rows([
        "demand_data_hits",
        "demand_data_misses",
        "demand_metadata_hits",
        "demand_metadata_misses",
        "misses",
        "mru_ghost_hits",
        "mfu_ghost_hits",
    ]);
    if view.demand().is_err() {
        finding.evidence.extend(view.rows_of(SUMS, ["dread", "dmis", "mread", "mmis", "pmis"]));
    }
    finding.evidence.extend(view.rows_now(["size", "c", "c_max"]));
    finding.gain = Gain::NotEstimated("depends on why they miss".to_owned());
    finding.cost = "None.".to_owned();
    finding.risk = "None to data.".to_owned();
    finding.sources = lines(["cmd/arcstat.in", "module/zfs/arc.c"]);
    finding
}
