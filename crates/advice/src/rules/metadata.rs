//! Metadata misses dominate: the disks look up names and attributes again and again.
//!
//! Up to 2.1 metadata has a limit of its own (75 % of the ARC on Linux, 25 % on FreeBSD 8 to 12), and
//! in 0.8 to 2.1 crossing it flushes data as well; from 2.2 a fraction of the ARC moves with the ghost
//! hits (openzfs-model.md §1.12, §1.13). The ratio of hits tells nothing here: from 0.8 every hold of a
//! cached dnode counts as a hit, so that thousands of misses a second hide behind 99 %. What counts is
//! how many misses there are per second, and what share of all that somebody waits for.

use arcwright_units::Bytes;

use crate::changes;
use crate::finding::{Area, Evidence, Finding, Gain, Over, Remedy, Severity, lines};
use crate::rules::{disks, metadata_uncached, room};
use crate::verdict::{Judged, Rule, Verdict};
use crate::view::{Accesses, View};
use crate::words;

pub(super) const RULE: Rule = Rule { about: "whether metadata fits into the ARC", judge };

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
/// What a proposal is rounded down to.
const STEP: u64 = 64 << 20;
/// Bytes that left the ARC in the window, of its size, above which it is not just filling.
const LEFT: f64 = 0.25;
/// Misses that a ghost list remembers, above which it was pushed out rather than never there.
const GHOSTS: f64 = 0.05;

fn judge(view: &View<'_>) -> Judged {
    // Metadata that may not stay would not stay in a larger ARC either: that rule speaks first.
    if metadata_uncached::speaks(view) {
        return Ok(Verdict::Silent);
    }
    let accesses = view.accesses()?;
    let (all, missed) = accesses.metadata;
    let demand = accesses.demand().1;
    let evidence = view.rows(["demand_metadata_hits", "demand_metadata_misses"]);
    let fine = Verdict::fine(words_of_fine(view, &accesses), evidence);
    let pressed = Pressed::of(view, &accesses);
    let share = words::fraction(missed, demand);
    let beside = share >= BESIDE_DATA && words::fraction(missed, all) >= LOOKUPS_MISSED;
    let at_limit = pressed == Pressed::Limit && share >= DOMINANT_AT_LIMIT;
    let is_waited_for = share >= DOMINANT || beside || at_limit;
    if missed < MISSES_MIN || !is_waited_for || !is_much(view, all, missed) {
        return Ok(fine);
    }
    if pressed == Pressed::No {
        return Ok(Verdict::one(cold(view, &accesses)));
    }
    Ok(Verdict::one(finding(view, &accesses, pressed)))
}

fn words_of_fine(view: &View<'_>, accesses: &Accesses) -> String {
    let (all, missed) = accesses.metadata;
    let rate = view.per_s(missed);
    let often = rate.is_some_and(|rate| rate >= PER_S_MIN);
    let rate = rate
        .map_or_else(|| words::count(missed), |rate| format!("{} per second", words::per_s(rate)));
    match often {
        true => format!(
            "Metadata is not what is waited for: {} of the demand misses, {rate}",
            words::share(missed, accesses.demand().1)
        ),
        false => {
            format!("Metadata is in memory: misses {rate}, accesses {} in all", words::count(all))
        }
    }
}

fn is_much(view: &View<'_>, all: u64, missed: u64) -> bool {
    let often = view.per_s(missed).is_some_and(|rate| rate >= PER_S_MIN);
    often || (view.over() != Over::Window && words::fraction(missed, all) >= SINCE_LOAD_MIN)
}

/// What keeps metadata from staying.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pressed {
    /// Its own limit (up to 2.1).
    Limit,
    /// The whole ARC is full.
    Full,
    /// The ARC is pushed down by the rest of the machine, or things were pushed out lately.
    Out,
    /// Much left the ARC while it was watched: its size goes up and down, as up to 2.1 each time that
    /// metadata crosses its limit.
    Leaving,
    /// Nothing: it is read for the first time.
    No,
}

impl Pressed {
    fn of(view: &View<'_>, accesses: &Accesses) -> Self {
        if room::metadata_is_at_limit(view) {
            return Self::Limit;
        }
        if room::is_full(view) {
            return Self::Full;
        }
        let ghosts = words::fraction(accesses.ghosts, accesses.misses);
        if ghosts >= GHOSTS {
            return Self::Out;
        }
        let much = words::fraction(left(view), view.arc_now("size").unwrap_or(0)) >= LEFT;
        if much { Self::Leaving } else { Self::No }
    }
}

/// Returns the bytes that were evicted.
fn left(view: &View<'_>) -> u64 {
    let rows = ["evict_l2_cached", "evict_l2_eligible", "evict_l2_ineligible"];
    rows.iter().filter_map(|row| view.arc(row).ok()).fold(0, u64::saturating_add)
}

fn finding(view: &View<'_>, accesses: &Accesses, pressed: Pressed) -> Finding {
    let missed = accesses.metadata.1;
    let rate = view.per_s(missed);
    let share = words::share(missed, accesses.demand().1);
    let title = match rate {
        Some(rate) if view.over() == Over::Window => format!(
            "Metadata does not fit into the ARC: {} reads per second only look up names and attributes",
            words::per_s(rate)
        ),
        _ => format!(
            "Metadata does not fit into the ARC: {share} of what people wait for is metadata"
        ),
    };
    let much = rate.is_some_and(|rate| rate >= PER_S_MUCH) && view.over() == Over::Window;
    let severity = if much { Severity::HurtsNow } else { Severity::WorthALook };
    let mut finding = Finding::new("metadata-misses", severity, Area::Metadata, title);
    finding.evidence = evidence(view);
    finding.cause = format!(
        "{share} of the reads that somebody waited for were metadata: directories, dnodes and indirect \
         blocks, small reads at random places that a disk answers some hundred times a second. {}",
        why(view, pressed)
    );
    let settings = settings(view, pressed);
    finding.remedy = Some(remedy(view, &settings, pressed));
    finding.gain = gain(accesses);
    finding.cost = cost(view, &settings);
    finding.risk =
        "With less memory left, programs may be pushed into swap: watch available memory."
            .to_owned();
    finding.confidence = view.confidence(accesses.metadata.0, "metadata accesses");
    finding.sources = lines([
        "module/zfs/arc.c",
        "zfs(4) zfs_arc_max, zfs_arc_meta_limit_percent, zfs_arc_meta_balance",
        "openzfs issues 10508, 12028, 13925",
    ]);
    finding
}

fn evidence(view: &View<'_>) -> Vec<Evidence> {
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
    rows.extend(disks::busiest(view));
    rows
}

fn why(view: &View<'_>, pressed: Pressed) -> String {
    let now = |row: &str| Bytes(view.arc_now(row).unwrap_or(0));
    let room = room::words(view);
    match pressed {
        Pressed::Limit => {
            let flushes = match (view.is_from("0.8.0"), view.is_from("2.2.0")) {
                (Some(true), Some(false)) => {
                    " In this version crossing it throws out file data too."
                }
                _ => "",
            };
            format!(
                "Metadata has a limit of its own here (arc_meta_limit): it takes {} where {} are the limit.{flushes} \
                 {room}.",
                now("arc_meta_used"),
                now("arc_meta_limit")
            )
        }
        Pressed::Full => match view.has_fractions() {
            Some(true) => format!(
                "{room} and is full; from 2.2 on there is no limit for metadata, it competes with file \
                 data for that room."
            ),
            _ => {
                format!("{room} and is full, so metadata is pushed out before it is needed again.")
            }
        },
        Pressed::Leaving => format!(
            "{room}; {} left it {}, so that what is looked up is pushed out before it is needed again.",
            Bytes(left(view)),
            view.when()
        ),
        Pressed::Out | Pressed::No => format!(
            "{room}, its target is {} now, and part of what was missed had been in it a short while ago.",
            now("c")
        ),
    }
}

/// Returns the parameters to set on this version; none when no setting helps.
fn settings(view: &View<'_>, pressed: Pressed) -> Vec<(&'static str, u64)> {
    let mut settings = Vec::new();
    let most = room::larger(view);
    if let (Some(most), true) = (most, view.has_parameter("zfs_arc_max") != Some(false)) {
        settings.push(("zfs_arc_max", most.0));
    }
    let has = |name: &str| view.has_parameter(name) == Some(true);
    let limited = view.parameter("zfs_arc_meta_limit").is_some_and(|held| held.value > 0);
    if pressed == Pressed::Limit {
        if has("zfs_arc_meta_limit_percent") && !limited {
            settings.push(("zfs_arc_meta_limit_percent", 95));
        } else if has("zfs_arc_meta_limit") {
            let most = most.map_or_else(|| view.arc_now("c_max").unwrap_or(0), |most| most.0);
            settings.push(("zfs_arc_meta_limit", most / 4 * 3 / STEP * STEP));
        }
    }
    let balance = view.parameter("zfs_arc_meta_balance");
    if let (Some(held), None, true) = (balance, most, has("zfs_arc_meta_balance")) {
        settings.push(("zfs_arc_meta_balance", held.value.saturating_mul(4).min(10_000)));
    }
    settings
}

fn remedy(view: &View<'_>, settings: &[(&str, u64)], pressed: Pressed) -> Remedy {
    let set = changes::set(view, settings).map(|mut remedy| {
        let arc = settings.iter().find(|(name, _)| *name == "zfs_arc_max");
        remedy.what = match arc {
            Some((_, most)) => format!("let the ARC grow to {}: {}", Bytes(*most), remedy.what),
            None => format!("there is no memory to spare, so prefer metadata: {}", remedy.what),
        };
        remedy.verify.push(
            "arcwright doctor --window 60s   # demand_metadata_misses fall once it has grown"
                .to_owned(),
        );
        remedy
    });
    set.unwrap_or_else(|| {
        if pressed == Pressed::Limit && !view.parameters_were_read() {
            return raise_by_hand();
        }
        let mut remedy = changes::by_hand(
            "no setting helps: add memory, or give metadata an SSD that can be taken away again",
            &lines(["zpool add POOL cache DEVICE && zfs set secondarycache=metadata POOL"]),
        );
        remedy.undo = lines(["zpool remove POOL DEVICE && zfs inherit secondarycache POOL"]);
        remedy.verify = lines(["arcwright doctor --window 60s"]);
        remedy
    })
}

/// Returns the remedy at the limit where the parameters were not read, so that no value can be named.
fn raise_by_hand() -> Remedy {
    let mut remedy = changes::by_hand(
        "raise the limit of metadata, and the ARC if there is memory to spare; the parameters were not \
         read here, so run this on the machine itself for the values",
        &lines([
            "arcwright tune show zfs_arc_meta_limit_percent zfs_arc_meta_limit zfs_arc_max",
            "arcwright doctor --window 60s",
        ]),
    );
    remedy.undo = lines(["arcwright tune undo"]);
    remedy
}

fn gain(accesses: &Accesses) -> Gain {
    if accesses.ghosts == 0 {
        return Gain::NotEstimated("no miss had been in the ARC lately, so its ghost lists cannot tell how much more would do".to_owned());
    }
    let share = words::share(accesses.ghosts, accesses.misses);
    Gain::Counted(format!(
        "{share} of all misses had been in the ARC lately (ghost hits): up to twice the room would have \
         kept them; what more room would do the counters do not say"
    ))
}

fn cost(view: &View<'_>, settings: &[(&str, u64)]) -> String {
    let arc = settings.iter().find(|(name, _)| *name == "zfs_arc_max");
    let more = arc.map(|(_, most)| Bytes(most.saturating_sub(view.arc_now("c_max").unwrap_or(0))));
    match more {
        Some(more) => format!(
            "Up to {more} more memory for the ARC; it gives back what programs ask for, not at once."
        ),
        None if settings.is_empty() => "Memory, or an SSD.".to_owned(),
        None => "No memory; file data stays less long in the ARC.".to_owned(),
    }
}

fn cold(view: &View<'_>, accesses: &Accesses) -> Finding {
    let title = "Metadata is read for the first time; the ARC still grows".to_owned();
    let mut finding = Finding::new("metadata-cold", Severity::Note, Area::Metadata, title);
    finding.evidence = evidence(view);
    finding.cause = format!(
        "{} metadata misses, but the ARC is not full and hardly any of them had been in it before: it \
         fills, and what is looked up again will be found. {}.",
        words::count(accesses.metadata.1),
        room::words(view)
    );
    finding.gain = Gain::NotEstimated("look again when the job has run a second time".to_owned());
    finding.confidence = view.confidence(accesses.metadata.0, "metadata accesses");
    finding.sources = lines(["module/zfs/arc.c"]);
    finding
}
