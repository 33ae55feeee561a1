//! What a machine that was diagnosed is, and over which time its counters were counted, in a sentence each.

use arcwright_advice::{Basis, Reading};

use super::spoken;

/// Returns what was looked at, and the time that was counted over: two sentences, the heading of findings.
#[must_use]
pub fn doctor_heading(reading: &Reading) -> (String, String) {
    (machine(reading), counted(reading))
}

/// Returns what was looked at.
pub(crate) fn machine(reading: &Reading) -> String {
    let zfs = reading.zfs.as_ref().map(|zfs| format!("ZFS {zfs}"));
    let memory = reading.memory.map(|memory| format!("{memory} of memory"));
    let pools = match reading.pools.len() {
        0 => None,
        1 => Some(format!("pool {}", reading.pools.join(""))),
        _ => Some(format!("pools {}", reading.pools.join(", "))),
    };
    let parts: Vec<String> =
        [reading.platform.clone(), zfs, memory, pools].into_iter().flatten().collect();
    if parts.is_empty() { "a machine of unknown system".to_owned() } else { parts.join(", ") }
}

/// Returns over which time was counted.
pub(crate) fn counted(reading: &Reading) -> String {
    let basis = match reading.basis {
        Basis::Window(span) => format!("Counted over a window of {}.", spoken(span)),
        Basis::SinceLoad(Some(span)) => format!(
            "Counted since the counters began, {} ago: a mix of idle and busy hours. A window \
             says more.",
            spoken(span)
        ),
        Basis::SinceLoad(None) => {
            "Counted since the counters began: a mix of idle and busy hours. A window says \
             more."
                .to_owned()
        }
        Basis::Nothing => "No counters were read: only settings and layout are judged.".to_owned(),
    };
    let beside = match reading.beside {
        Some(_) => " What it does not show is judged by the counters since they began.",
        None => "",
    };
    let rates = match (reading.basis, reading.rates_since_import) {
        (Basis::Nothing, true) => {
            " Rates of zpool iostat without an interval are means since the import, not of now."
        }
        _ => "",
    };
    basis + beside + rates
}
