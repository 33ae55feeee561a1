//! The ARC is far below its maximum while memory is free and reads miss.
//!
//! Its target falls when the kernel asks for memory or the ARC sees too little of it, and grows again
//! with misses unless `arc_no_grow` is set (arc.c, `arc_reap_cb_check`, `arc_adapt`). An ARC that
//! evicted what is missed now, has memory beside it, and still stays small was pushed down by
//! something that has gone or never was: single calls of the kernel's shrinker that took too much
//! (openzfs issues 9548, 10298, 14054), `drop_caches`, `arc_no_grow` that does not end (3637, 4869).
//! An ARC that is small because it began a while ago has evicted nothing yet and is not meant.

use arcwright_units::Bytes;

use crate::accesses::Class;
use crate::changes;
use crate::finding::{Area, Evidence, Finding, Gain, Remedy, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::arc::{memory_signs, minimum};
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::{ACCESSES_MIN, View};

pub(crate) const RULE: Rule = Rule { about: "whether the ARC shrank while memory is free", judge };

/// A target at most this share of the maximum is far below it.
const LOW: f64 = 0.5;
/// From here on it is not far below, whatever keeps it there.
const NEAR: f64 = 0.9;
/// A target that the ARC fills to this share is what keeps it small.
const FILLED: f64 = 0.7;
/// Demand misses above which its smallness is felt.
const MISSED: f64 = 0.02;
/// Misses that a ghost list remembers, above which the ARC gave up what is asked for again.
const GHOSTS: f64 = 0.05;

fn judge(view: &View<'_>) -> Judged {
    let (size, target, most) = (view.arc_now("size")?, view.arc_now("c")?, view.arc_now("c_max")?);
    let is_low = target as f64 <= LOW * most as f64 && size as f64 >= FILLED * target as f64;
    if !is_low {
        let at_minimum = view.arc_now("c_min").map(|_| minimum::stands(view).is_some())?;
        if at_minimum || (target as f64) < NEAR * most as f64 {
            return Ok(Verdict::Silent);
        }
        return Ok(Verdict::fine(
            "The ARC's target is not far below its maximum",
            view.rows_now(["size", "c", "c_max"]),
        ));
    }
    let lacking = most.saturating_sub(target);
    let free = free(view)?;
    if free < lacking / 2 {
        // Memory is short: that is the matter of another rule.
        return Ok(Verdict::Silent);
    }
    let accesses = view.enough_accesses()?;
    let Class { all, missed } = view.demand()?.sum();
    let (ghosts, misses) = (view.ghosts()?, view.misses()?);
    let felt = format::fraction(missed, all) >= MISSED && missed >= ACCESSES_MIN / 10;
    let stuck = view.arc_now("arc_no_grow") == Ok(1);
    let gave_up = format::fraction(ghosts, misses) >= GHOSTS;
    if !felt || !(stuck || gave_up) {
        return Ok(Verdict::Silent);
    }
    let title = format!(
        "The ARC has shrunk to {} of {} though {} of memory are free",
        Bytes(target),
        Bytes(most),
        Bytes(free)
    );
    let mut finding = Finding::new("arc-collapsed", Severity::HurtsNow, Area::Arc, title);
    finding.evidence =
        view.rows_now(["size", "c", "c_min", "c_max", "arc_no_grow", "arc_need_free"]);
    finding.evidence.push(Evidence {
        exact: Some(free),
        ..Evidence::now("memory that is free", Bytes(free).to_string())
    });
    finding.evidence.extend(view.rows([
        "memory_direct_count",
        "memory_indirect_count",
        "mru_ghost_hits",
        "mfu_ghost_hits",
        "demand_data_misses",
        "demand_metadata_misses",
    ]));
    finding.evidence.extend(view.settings([
        "zfs_arc_grow_retry",
        "zfs_arc_sys_free",
        "zfs_arc_shrinker_limit",
    ]));
    finding.cause = cause(view, stuck, missed, all);
    finding.remedy = Some(remedy(view));
    finding.gain = Gain::Counted(format!(
        "{} of all misses had recently been in the ARC (ghost hits)",
        format::share(ghosts, misses)
    ));
    finding.cost = "None: the memory is free now.".to_owned();
    finding.risk =
        "Raising zfs_arc_min would hide the cause and withhold memory from programs when they need \
         it."
            .to_owned();
    finding.confidence = view.confidence(accesses, "ARC accesses");
    finding.sources = lines([
        "module/zfs/arc.c, arc_reap_cb_check",
        "module/os/linux/zfs/arc_os.c, arc_shrinker_scan",
        "openzfs issues 3637, 4869, 9548, 10298, 14054",
    ]);
    Ok(Verdict::one(finding))
}

/// Returns the memory that the ARC could take now.
fn free(view: &View<'_>) -> Result<u64, NotJudged> {
    if let Some(available) = memory_signs::available(view) {
        let beyond = || NotJudged::NotRead(format!("memory_available_bytes is {available}"));
        return u64::try_from(available.max(0)).map_err(|_| beyond());
    }
    let memory = view.machine.memory.and_then(|memory| memory.available.or(memory.free));
    memory
        .map(|bytes| bytes.0)
        .ok_or_else(|| NotJudged::NotRead("how much memory is free was not read".to_owned()))
}

fn cause(view: &View<'_>, stuck: bool, missed: u64, all: u64) -> String {
    let why = if stuck {
        "It may not grow (arc_no_grow) although the machine has memory to give"
    } else {
        "It was made to give up memory and has not grown back"
    };
    let early = view.is_from("2.3.0") == Some(false) && !view.is_freebsd();
    let known = match early {
        true => " Before 2.3 one call of the kernel's shrinker could evict most of the ARC.",
        false => "",
    };
    format!("{why}: {} of the demand accesses miss it.{known}", format::share(missed, all))
}

fn remedy(view: &View<'_>) -> Remedy {
    /// Seconds of `zfs_arc_grow_retry` beyond which it is that which keeps the ARC small (default 5).
    const LONG: u64 = 60;
    let retry =
        view.parameter("zfs_arc_grow_retry").filter(|held| held.is_read && held.value > LONG);
    if retry.is_some()
        && let Some(mut remedy) = changes::set(view, &[changes::setting("zfs_arc_grow_retry", 0)])
    {
        remedy.what.push_str(": it keeps the ARC from growing for so many seconds each time");
        return remedy;
    }
    let mut commands = Vec::new();
    if !view.is_freebsd() {
        commands.push(
            "grep -rn drop_caches /etc/cron* /etc/systemd /usr/local   # jobs that empty caches"
                .to_owned(),
        );
        commands.push(
            "cat /proc/pressure/memory; cat /proc/buddyinfo; numactl -H   # one node short of \
             memory, or fragmented"
                .to_owned(),
        );
    }
    let mut remedy = changes::by_hand(
        "find what empties it: jobs that write to drop_caches, virtual machines starting and \
         stopping, a NUMA node without memory, huge page allocation; then update to the latest \
         release of your series",
        &commands,
    );
    remedy.verify = lines(["arcwright doctor --window 5m   # c grows towards c_max"]);
    remedy
}
