//! Metadata misses dominate: the disks look up names and attributes again and again.
//!
//! Up to 2.1 metadata has a limit of its own (75 % of the ARC on Linux, 25 % on FreeBSD 8 to 12), and
//! in 0.8 to 2.1 crossing it flushes data as well; from 2.2 a fraction of the ARC moves with the ghost
//! hits (docs/model/arc.md#metadata-limit). The ratio of hits tells nothing here: from 0.8 every hold of a
//! cached dnode counts as a hit, so that thousands of misses a second hide behind 99 %. What counts is
//! how many misses there are per second, and what share of all that somebody waits for.

use arcwright_kstat::EVICTED_ROWS;
use arcwright_units::Bytes;

use crate::accesses::Class;
use crate::finding::{Area, Evidence, Finding, Gain, Over, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::arc::{metadata_open, metadata_remedy, room};
use crate::rules::{disk_state, metadata_uncached};
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether metadata fits into the ARC", judge };

/// Metadata's share of demand misses above which it is what people wait for: the greater half.
const DOMINANT: f64 = 0.5;
/// Who reads small files waits for their contents too, once for each that is not in memory; then a
/// quarter of the misses is as much as there can be, if it comes with
const BESIDE_DATA: f64 = 0.25;
/// this share of the look-ups that is not in memory. Files that fit have hardly any.
const LOOKUPS_MISSED: f64 = 0.05;
/// Over its own limit metadata throws out file data too and so makes misses of it: there a fifth is enough.
const DOMINANT_AT_LIMIT: f64 = 0.2;
/// Misses per second that matter: a disk answers each in some 10 ms, so a single reader waits for five a
/// twentieth of its time.
const PER_S_MIN: f64 = 5.0;
/// Misses per second that hurt: two fifths of what a disk answers.
const PER_S_MUCH: f64 = 40.0;
/// Counted since the module was loaded, rates say nothing; one metadata access in twenty that misses does.
const SINCE_LOAD_MIN: f64 = 0.05;
/// Fewer misses than this make no rate.
const MISSES_MIN: u64 = 100;
/// Bytes that left the ARC in the window, of its size, above which it is not just filling.
const LEFT: f64 = 0.25;
/// Misses that a ghost list remembers, above which it was pushed out rather than never there.
const GHOSTS: f64 = 0.05;
/// And above which that is plain without knowing how full the ARC is.
const GHOSTS_PLAIN: f64 = 0.25;

/// What a verdict on metadata rests on.
#[derive(Debug, Clone, Copy)]
struct Facts {
    /// Metadata accesses that somebody waited for, and how many missed.
    metadata: Class,
    /// All misses that somebody waited for.
    missed: u64,
}

fn judge(view: &View<'_>) -> Judged {
    // Metadata that may not stay would not stay in a larger ARC either: that rule speaks first.
    if metadata_uncached::speaks(view) {
        return Ok(Verdict::Silent);
    }
    view.enough_accesses()?;
    let demand = view.demand()?;
    let facts = Facts { metadata: demand.metadata, missed: demand.sum().missed };
    if !is_waited_for(view, &facts)? || !is_much(view, facts.metadata)? {
        let evidence = view.rows(["demand_metadata_hits", "demand_metadata_misses"]);
        return Ok(Verdict::fine(words_of_fine(view, &facts), evidence));
    }
    let found = match PressureCause::of(view) {
        Ok(PressureCause::No) => cold(view, &facts),
        Ok(pressed) => finding(view, &facts, pressed),
        Err(why) => metadata_open::finding(view, facts.metadata, why)?,
    };
    Ok(Verdict::one(found))
}

/// Says whether this rule says no more than that metadata misses, since the reason was not read.
pub(crate) fn only_counts(view: &View<'_>) -> bool {
    let says =
        |finding: &Finding| finding.id == "metadata-misses" && finding.severity == Severity::Note;
    matches!(judge(view), Ok(Verdict::Found(found)) if found.iter().any(says))
}

fn words_of_fine(view: &View<'_>, facts: &Facts) -> String {
    let Class { all, missed } = facts.metadata;
    let rate = view.per_s(missed);
    let often = rate.is_some_and(|rate| rate >= PER_S_MIN);
    let rate = rate.map_or_else(
        || format::count(missed),
        |rate| format!("{} per second", format::per_s(rate)),
    );
    match often {
        true => format!(
            "Metadata is not the bottleneck: {} of the demand misses, {rate}",
            format::share(missed, facts.missed)
        ),
        // What is seldom asked for may miss, and is no matter of the ARC's size.
        false if format::fraction(missed, all) >= LOOKUPS_MISSED => {
            format!(
                "Hardly anything waits for metadata: misses {rate}, accesses {} in all",
                format::count(all)
            )
        }
        false => {
            format!("Metadata is in memory: misses {rate}, accesses {} in all", format::count(all))
        }
    }
}

/// Says whether metadata is a good part of what is waited for.
fn is_waited_for(view: &View<'_>, facts: &Facts) -> Result<bool, NotJudged> {
    let Class { all, missed } = facts.metadata;
    let share = format::fraction(missed, facts.missed);
    let beside = share >= BESIDE_DATA && format::fraction(missed, all) >= LOOKUPS_MISSED;
    if missed < MISSES_MIN || share >= DOMINANT || beside || share < DOMINANT_AT_LIMIT {
        return Ok(missed >= MISSES_MIN && (share >= DOMINANT || beside));
    }
    room::metadata_is_at_limit(view)
}

/// Says whether it is waited for often.
fn is_much(view: &View<'_>, metadata: Class) -> Result<bool, NotJudged> {
    let share = format::fraction(metadata.missed, metadata.all);
    if view.over() != Over::Window && share >= SINCE_LOAD_MIN {
        return Ok(true);
    }
    match view.per_s(metadata.missed) {
        Some(rate) => Ok(rate >= PER_S_MIN),
        None => Err(NotJudged::NotRead("the period of the counters was not read".to_owned())),
    }
}

/// What keeps metadata from staying.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PressureCause {
    /// Its own limit (up to 2.1).
    Limit,
    /// The whole ARC is full.
    Full,
    /// The ARC is pushed down by the rest of the machine, or things were pushed out lately.
    Out,
    /// Much left the ARC while it was watched: its size goes up and down, as up to 2.1 each time that
    /// metadata crosses its limit. So many bytes did.
    Leaving(Bytes),
    /// Things were pushed out lately; by what was not read.
    Untold,
    /// Nothing: it is read for the first time.
    No,
}

impl PressureCause {
    /// Returns the first of them that holds; each is asked only when those before it are known not to.
    ///
    /// A full ARC presses whether metadata is at a limit of its own or not.
    fn of(view: &View<'_>) -> Result<Self, NotJudged> {
        let limit = room::metadata_is_at_limit(view);
        if limit == Ok(true) {
            return Ok(Self::Limit);
        }
        let full = room::is_full(view);
        if full == Ok(true) {
            return Ok(Self::Full);
        }
        let back = format::fraction(view.ghosts()?, view.misses()?);
        // Whatever the rest would tell, it was there and had to go.
        let is_untold = full.is_err() || limit.is_err();
        if is_untold && back >= GHOSTS_PLAIN {
            return Ok(Self::Untold);
        }
        full?;
        limit?;
        if back >= GHOSTS {
            return Ok(Self::Out);
        }
        let left = left(view)?;
        let much = format::fraction(left, view.arc_now("size")?) >= LEFT;
        Ok(if much { Self::Leaving(Bytes(left)) } else { Self::No })
    }
}

/// Returns the bytes that were evicted.
fn left(view: &View<'_>) -> Result<u64, NotJudged> {
    EVICTED_ROWS.iter().try_fold(0u64, |sum, row| Ok(sum.saturating_add(view.arc(row)?)))
}

fn finding(view: &View<'_>, facts: &Facts, pressed: PressureCause) -> Finding {
    let missed = facts.metadata.missed;
    let rate = view.per_s(missed);
    let share = format::share(missed, facts.missed);
    let title = match rate {
        Some(rate) if view.over() == Over::Window => format!(
            "Metadata does not fit into the ARC: {} demand reads per second are metadata",
            format::per_s(rate)
        ),
        _ => {
            format!("Metadata does not fit into the ARC: {share} of the demand misses are metadata")
        }
    };
    let much = rate.is_some_and(|rate| rate >= PER_S_MUCH) && view.over() == Over::Window;
    let severity = if much { Severity::HurtsNow } else { Severity::WorthALook };
    let mut finding = Finding::new("metadata-misses", severity, Area::Metadata, title);
    finding.evidence = evidence(view);
    finding.cause = format!(
        "{share} of the demand misses were metadata (directories, dnodes, indirect blocks): small \
         random reads, of which a disk serves about a hundred per second. {}",
        why(view, pressed)
    );
    let room = room::of(view);
    let settings = metadata_remedy::settings(view, pressed, &room);
    finding.remedy = Some(metadata_remedy::remedy(view, &settings, (pressed, &room)));
    // Ghost hits tell of more memory, which another limit within it is not.
    let is_larger = settings.iter().any(|setting| setting.name == "zfs_arc_max");
    finding.gain = match room::metadata_is_at_limit(view) {
        Ok(at_limit) if !at_limit || is_larger => gain(view),
        _ => Gain::NotEstimated("which misses a limit of metadata made was not counted".to_owned()),
    };
    finding.cost = metadata_remedy::cost(view, &settings);
    finding.risk =
        "With less memory left, programs may be swapped out: watch the available memory."
            .to_owned();
    finding.confidence = view.confidence(facts.metadata.all, "metadata accesses");
    finding.sources = lines([
        "module/zfs/arc.c",
        "zfs(4) zfs_arc_max, zfs_arc_meta_limit_percent, zfs_arc_meta_balance",
        "openzfs issues 10508, 12028, 13925",
    ]);
    finding
}

pub(super) fn evidence(view: &View<'_>) -> Vec<Evidence> {
    let mut rows = view.rows([
        "demand_metadata_misses",
        "demand_metadata_hits",
        "demand_data_misses",
        "mru_ghost_hits",
        "mfu_ghost_hits",
    ]);
    rows.extend(view.rows_now([
        "arc_meta_used",
        "arc_meta_limit",
        "metadata_size",
        "dnode_size",
        "dbuf_size",
        "size",
        "c",
        "c_max",
    ]));
    rows.extend(view.settings([
        "zfs_arc_max",
        "zfs_arc_meta_limit",
        "zfs_arc_meta_limit_percent",
        "zfs_arc_meta_balance",
    ]));
    rows.extend(disk_state::busiest(view));
    rows
}

fn why(view: &View<'_>, pressed: PressureCause) -> String {
    let room = room::label(view);
    let now = |row: &str| view.arc_now(row).map(Bytes);
    match pressed {
        PressureCause::Limit => {
            let flushes = match (view.is_from("0.8.0"), view.is_from("2.2.0")) {
                (Some(true), Some(false)) => " In this version exceeding it evicts file data too.",
                _ => "",
            };
            let Ok((used, limit)) =
                now("arc_meta_used").and_then(|used| Ok((used, now("arc_meta_limit")?)))
            else {
                return format!("{room}.");
            };
            format!(
                "Metadata has its own limit here (arc_meta_limit): it takes {used} of \
                 {limit}.{flushes} {room}."
            )
        }
        PressureCause::Full => match view.has_fractions() {
            Some(true) => format!(
                "{room} and is full; this version has no metadata limit, so metadata competes with \
                 file data."
            ),
            _ => {
                format!("{room} and is full, so metadata is evicted before it is needed again.")
            }
        },
        PressureCause::Leaving(left) => format!(
            "{room}; it evicted {left} {}, and metadata before it was needed again.",
            view.when()
        ),
        PressureCause::Untold => {
            format!(
                "{room}; part of the misses had recently been in it, and what pushed them out was not read."
            )
        }
        PressureCause::Out | PressureCause::No => {
            let target = now("c")
                .map_or_else(|_| String::new(), |target| format!(", its target is {target} now"));
            format!("{room}{target}; part of the misses had recently been in it.")
        }
    }
}

pub(super) fn gain(view: &View<'_>) -> Gain {
    let (Ok(ghosts), Ok(misses)) = (view.ghosts(), view.misses()) else {
        return Gain::NotEstimated("hits of the ghost lists were not read".to_owned());
    };
    if ghosts == 0 {
        return Gain::NotEstimated(
            "no miss hit a ghost list, so the counters do not show how much more memory would \
             suffice"
                .to_owned(),
        );
    }
    let share = format::share(ghosts, misses);
    Gain::Counted(format!(
        "{share} of all misses had recently been in the ARC (ghost hits): one of up to twice the \
         size would have kept them; the counters do not show what more would do"
    ))
}

fn cold(view: &View<'_>, facts: &Facts) -> Finding {
    let missed = format::count(facts.metadata.missed);
    let room = room::label(view);
    let (title, cause, next) = match evicted_before(view) {
        None => (
            "Metadata is read for the first time; the ARC is still growing",
            format!(
                "{missed} metadata misses, but the ARC is not full and hardly any of them had been \
                 in it before: it is warming up, and repeated lookups will hit. {room}."
            ),
            "look again after the job has run a second time",
        ),
        Some(evicted) => (
            "Metadata misses while the ARC grows; whether it fits was not seen",
            format!(
                "{missed} metadata misses; hardly any of them had been in the ARC before, and it is \
                 not full. It was before: it evicted {evicted} since the module was loaded. Either \
                 this metadata is read for the first time, or the ARC is about to be full again. \
                 {room}."
            ),
            "watch for longer, until the ARC stops growing: arcwright doctor --window 60s",
        ),
    };
    let mut finding =
        Finding::new("metadata-cold", Severity::Note, Area::Metadata, title.to_owned());
    finding.evidence = evidence(view);
    finding.cause = cause;
    finding.gain = Gain::NotEstimated(next.to_owned());
    finding.confidence = view.confidence(facts.metadata.all, "metadata accesses");
    finding.sources = lines(["module/zfs/arc.c"]);
    finding
}

/// Returns what the ARC evicted since the module was loaded if that is more than it holds: then a window
/// without evictions does not show that it was never full. What is counted since then shows it itself.
fn evicted_before(view: &View<'_>) -> Option<Bytes> {
    if view.over() != Over::Window {
        return None;
    }
    let rows = EVICTED_ROWS.iter().filter_map(|row| view.arc_now(row).ok());
    let evicted = rows.fold(0, u64::saturating_add);
    (evicted >= view.arc_now("size").ok()?).then_some(Bytes(evicted))
}
