//! What to do where metadata does not fit: which limits to raise, by what was read; not a rule itself.

use arcwright_scenario::Setting;
use arcwright_units::Bytes;

use crate::changes::{self, setting};
use crate::finding::{Remedy, lines};
use crate::rules::arc::metadata::PressureCause;
use crate::rules::arc::room::Room;
use crate::rules::l2arc_state;
use crate::view::View;

/// What a proposal is rounded down to.
const STEP: u64 = 64 << 20;

/// Returns the parameters to set on this version; none when no setting helps.
pub(crate) fn settings(view: &View<'_>, pressed: PressureCause, room: &Room) -> Vec<Setting> {
    let mut settings = Vec::new();
    let has = |name: &str| view.has_parameter(name) == Some(true);
    if let (Room::Larger(most), true) = (room, view.has_parameter("zfs_arc_max") != Some(false)) {
        settings.push(setting("zfs_arc_max", most.0));
    }
    if pressed == PressureCause::Limit {
        settings.extend(meta_limit(view, room));
    }
    let balance = view.parameter("zfs_arc_meta_balance");
    if let (Some(held), Room::Taken, true) = (balance, room, has("zfs_arc_meta_balance")) {
        settings.push(setting("zfs_arc_meta_balance", held.value.saturating_mul(4).min(10_000)));
    }
    settings
}

/// Returns how the limit of metadata is raised; none where that takes what was not read.
fn meta_limit(view: &View<'_>, room: &Room) -> Option<Setting> {
    let has = |name: &str| view.has_parameter(name);
    let limit = view.parameter("zfs_arc_meta_limit");
    // A limit in bytes that is set goes before the one in percent (arc_tuning_update, module/zfs/arc.c).
    let unlimited = limit.is_some_and(|held| held.value == 0);
    if has("zfs_arc_meta_limit_percent") == Some(true) && unlimited {
        return Some(setting("zfs_arc_meta_limit_percent", 95));
    }
    let none_in_percent = has("zfs_arc_meta_limit_percent") == Some(false);
    let in_bytes = limit.is_some_and(|held| held.value > 0) || none_in_percent;
    let most = match room {
        Room::Larger(most) => most.0,
        Room::Taken => view.arc_now("c_max").ok()?,
        // Within what the ARC may take already, no other memory is needed.
        Room::Unknown(_) if has_grown_less_than_it_may(view) => view.arc_now("c_max").ok()?,
        // Metadata that is not given back is what takes an ARC over its maximum.
        Room::Over | Room::Unknown(_) => return None,
    };
    // More than the ARC aims for would bind nothing.
    let most = match room {
        Room::Larger(_) => most,
        Room::Taken | Room::Over | Room::Unknown(_) => most.min(view.arc_now("c").ok()?),
    };
    let is_there = in_bytes && has("zfs_arc_meta_limit") == Some(true);
    let raised = most / 4 * 3 / STEP * STEP;
    let is_more = view.arc_now("arc_meta_limit").is_ok_and(|held| raised > held);
    (is_there && is_more).then_some(setting("zfs_arc_meta_limit", raised))
}

/// Says whether the ARC is known to be well below its maximum.
fn has_grown_less_than_it_may(view: &View<'_>) -> bool {
    const WELL_BELOW: f64 = 0.9;
    let (size, most) = (view.arc_now("size"), view.arc_now("c_max"));
    matches!((size, most), (Ok(size), Ok(most)) if (size as f64) < WELL_BELOW * most as f64)
}

/// The index of an L2ARC is metadata too: while it takes the room, more room only feeds it.
fn less_on_the_cache_first() -> Remedy {
    let mut remedy = changes::by_hand(
        "make the L2ARC smaller first: its headers take the memory that metadata lacks; raise no \
         limit before",
        &[],
    );
    remedy.verify = lines(["arcwright doctor   # l2_hdr_size against arc_meta_used"]);
    remedy
}

/// Returns the remedy: the settings, or what to do where there are none.
pub(crate) fn remedy(
    view: &View<'_>,
    settings: &[Setting],
    (pressed, room): (PressureCause, &Room),
) -> Remedy {
    if l2arc_state::is_too_much(view) {
        return less_on_the_cache_first();
    }
    let set = changes::set(view, settings).map(|mut remedy| {
        let arc = settings.iter().find(|setting| setting.name == "zfs_arc_max");
        remedy.what = match (arc, room) {
            (Some(Setting { value: most, .. }), _) => {
                format!("let the ARC grow to {}: {}", Bytes(*most), remedy.what)
            }
            (None, Room::Taken) => {
                format!("no memory is to spare, so prefer metadata: {}", remedy.what)
            }
            (None, _) => remedy.what,
        };
        remedy.verify.push(
            "arcwright doctor --window 60s   # demand_metadata_misses fall once it has grown"
                .to_owned(),
        );
        remedy
    });
    set.unwrap_or_else(|| match room {
        Room::Over => over_maximum(),
        _ if pressed == PressureCause::Limit && !view.parameters_were_read() => raise_by_hand(),
        Room::Larger(_) | Room::Unknown(_) => look_for_room(view),
        Room::Taken => more_memory(),
    })
}

/// Returns the remedy where neither a setting helps nor memory is left.
fn more_memory() -> Remedy {
    let mut remedy = changes::by_hand(
        "no setting helps: add memory, or give metadata an SSD, which can be removed again",
        &lines(["zpool add POOL cache DEVICE && zfs set secondarycache=metadata POOL"]),
    );
    remedy.undo = lines(["zpool remove POOL DEVICE && zfs inherit secondarycache POOL"]);
    remedy.verify = lines(["arcwright doctor --window 60s"]);
    remedy
}

/// Returns the remedy where it was not read how much memory the ARC could have.
fn look_for_room(view: &View<'_>) -> Remedy {
    changes::by_hand(
        format!(
            "check whether there is memory for a larger ARC ({}) before buying any: that was not \
             read here",
            view.shown("zfs_arc_max")
        ),
        &lines(["sudo arcwright doctor   # on the machine itself"]),
    )
}

/// Returns the remedy while the ARC holds more than it may.
fn over_maximum() -> Remedy {
    changes::by_hand(
        "raise no limit now: the ARC already exceeds its maximum; find what it cannot evict \
         (dnodes, bonus buffers and dbufs of files in use)",
        &lines([
            "grep -E '^(size|c_max|dnode_size|bonus_size|dbuf_size|arc_prune) ' /proc/spl/kstat/zfs/arcstats",
        ]),
    )
}

/// Returns the remedy at the limit where the parameters were not read, so that no value can be named.
fn raise_by_hand() -> Remedy {
    let mut remedy = changes::by_hand(
        "raise the metadata limit, and the ARC if there is memory to spare; the parameters were \
         not read here, so run this on the machine itself for the values",
        &lines([
            "arcwright tune show zfs_arc_meta_limit_percent zfs_arc_meta_limit zfs_arc_max",
            "arcwright doctor --window 60s",
        ]),
    );
    remedy.undo = lines(["arcwright tune undo"]);
    remedy
}

/// Returns what the settings cost.
pub(crate) fn cost(view: &View<'_>, settings: &[Setting]) -> String {
    let arc = settings.iter().find(|setting| setting.name == "zfs_arc_max");
    match (arc, view.arc_now("c_max")) {
        (Some(Setting { value: most, .. }), Ok(now)) => format!(
            "Up to {} more memory for the ARC; it shrinks under memory pressure, but not \
             instantly.",
            Bytes(most.saturating_sub(now))
        ),
        (Some(_), Err(_)) => "More memory for the ARC.".to_owned(),
        (None, _) if settings.is_empty() => "Memory, or an SSD.".to_owned(),
        (None, _) => "No memory; file data stays in the ARC for less time.".to_owned(),
    }
}
