//! What a machine that was diagnosed is, and over which time its counters were counted, in a sentence each.

use arcwright_advice::{Basis, Reading};
use arcwright_machine::DatasetRow;
use arcwright_units::{Bytes, Nanos, visible};

use super::spoken;
use crate::figures::Precision;

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

/// Says who was busy, where several datasets were counted over a window and one of them moved something.
pub(crate) fn busy(reading: &Reading) -> Option<String> {
    /// Those who did so little are not named.
    const SHARE_MIN: f64 = 0.01;
    let busy = reading.busy.as_ref().filter(|busy| busy.counted > 1)?;
    let least = busy.rows.iter().filter_map(DatasetRow::moved).sum::<f64>() * SHARE_MIN;
    let is_much = |row: &&DatasetRow| row.moved().is_some_and(|moved| moved >= least);
    let per_s = |verb: &str, bytes: Option<f64>| {
        let bytes = bytes.filter(|bytes| *bytes >= 1.0)?;
        Some(format!("{verb} {}/s", Precision::Rounded.bytes(Bytes::of_f64(bytes))))
    };
    let named = busy.rows.iter().filter(is_much).filter_map(|row| {
        let both = [per_s("read", row.read), per_s("written", row.written)];
        let both: Vec<String> = both.into_iter().flatten().collect();
        (!both.is_empty()).then(|| format!("{} ({})", visible(&row.name), both.join(", ")))
    });
    let named: Vec<String> = named.collect();
    let others = busy.counted - named.len().min(busy.counted);
    let rest = match (named.len(), others) {
        (0, _) => return None,
        (_, 0) => String::new(),
        (_, 1) => "; 1 more dataset".to_owned(),
        (_, others) => format!("; {others} more datasets"),
    };
    Some(format!("Busy: {}{rest}. arcwright who tells more.", named.join(", ")))
}

/// Returns over which time was counted.
pub(crate) fn counted(reading: &Reading) -> String {
    /// In less there are no idle and busy hours.
    const RECENT: Nanos = Nanos::secs(3600);
    let basis = match reading.basis {
        Basis::Window(span) => format!("Counted over a window of {}.", spoken(span)),
        Basis::SinceLoad(Some(span)) if span < RECENT => format!(
            "Counted since the counters began, {} ago, the start included. A window says more.",
            spoken(span)
        ),
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
        Basis::Nothing if reading.has_sizes => {
            "Of the caches sizes as they are now were read, and nothing that counts over a time."
                .to_owned()
        }
        Basis::Nothing => "No counters of the caches were read.".to_owned(),
    };
    let beside = match reading.beside {
        Some(_) => " What it does not show is judged by the counters since they began.",
        None => "",
    };
    let rates = match (reading.basis, reading.rates_since_import) {
        (Basis::Nothing, true) => {
            " The first table of zpool iostat tells means since the import, not rates of now."
        }
        _ => "",
    };
    basis + beside + rates
}
