//! What is said of devices that make errors; not a rule itself.

use arcwright_machine::{Drive, Pool, Vdev};

use crate::format;
use crate::rules::pool_state;
use crate::rules::weak::has_counted;

/// Names devices that make errors, or that were found to be failing and count none since.
pub(super) fn title(pool: &Pool, bad: &[&Vdev]) -> String {
    let names: Vec<String> = bad.iter().map(|leaf| leaf.name.clone()).collect();
    let noun = format::plural(bad.len(), "A device of", "Devices of");
    let name = &pool.name;
    let names = format::list(&names);
    if bad.iter().any(|leaf| has_counted(leaf)) {
        let verb = format::plural(bad.len(), "makes", "make");
        return format!("{noun} {name} {verb} errors: {names}");
    }
    let verb = format::plural(bad.len(), "was", "were");
    format!(
        "{noun} {name} {verb} marked as failing for earlier errors, and none is counted since: {names}"
    )
}

/// Returns whether the link of a drive that may be faster has fallen back to the slowest rate; half of the fastest one is that of
/// older controllers.
pub(super) fn is_slowed(drive: &Drive) -> bool {
    const SLOWEST: u64 = 15;
    drive.link_rates.is_some_and(|[now, most]| now <= SLOWEST && most > SLOWEST)
}

/// Says what errors tell of a device whose group counts them too.
pub(super) fn of_no_copy(pool: &Pool) -> &'static str {
    let fills = pool_state::told(pool).iter().any(|(_, leaf)| pool_state::is_filled(leaf));
    // A resilver that ended with errors read what no other device had.
    let had_errors = pool
        .scan
        .as_deref()
        .is_some_and(|scan| scan.starts_with("resilvered") && !scan.contains(" with 0 errors"));
    match fills || had_errors || lacks_device(pool) {
        true => {
            "While it held the only whole copy they may well be its own: look at its SMART values and cable too."
        }
        false => "That says nothing against it.",
    }
}

/// Says which devices fail while they are filled in another's place.
pub(super) fn while_filled(bad: &[&Vdev]) -> String {
    let failing = |leaf: &&&Vdev| {
        pool_state::is_filled(leaf) && leaf.errors.is_some_and(|[read, write, _]| read + write > 0)
    };
    let failing: Vec<String> = bad.iter().filter(failing).map(|leaf| leaf.name.clone()).collect();
    if failing.is_empty() {
        return String::new();
    }
    format!(
        " {} is filled in another's place and {} at that, whatever its state: it is no replacement. Detach it when \
         another device has what it was to have.",
        format::list(&failing),
        format::plural(failing.len(), "fails", "fail")
    )
}

/// Returns whether a device of a pool is not there, or not used any more.
pub(super) fn lacks_device(pool: &Pool) -> bool {
    pool_state::told(pool).iter().any(|(_, leaf)| pool_state::is_out(leaf))
}
