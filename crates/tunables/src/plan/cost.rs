//! What a value costs on this machine: flash that wears, memory that is taken.

use arcwright_units::Bytes;

use crate::{RequestedSetting, Running, lookup};

/// Seconds of a day.
const DAY_SECS: u64 = 86_400;
/// Bytes of a terabyte as makers of drives count them.
const TERABYTE: f64 = 1e12;

/// Returns the cost of `request` in words; none when there is none worth naming.
pub(super) fn of(request: &RequestedSetting, running: &Running) -> Option<String> {
    let value = request.value.number()?;
    match request.entry.name.as_str() {
        "l2arc_write_max" => Some(wear(value, running)),
        "zfetch_max_distance" => Some(distance(value, running)),
        "zfs_arc_max" => share(value, running),
        "dbuf_cache_shift" => shift(value, running),
        _ => None,
    }
}

/// The feed writes at most so much per pass, `l2arc_feed_secs` apart; hurried passes come five times
/// a second, so that the pass size bounds the rate only while `l2arc_feed_again` is off.
fn wear(bytes: u64, running: &Running) -> String {
    let pause = number("l2arc_feed_secs", running).unwrap_or(1).max(1);
    #[expect(clippy::cast_precision_loss, reason = "a figure of two digits for a person")]
    let terabytes = (bytes / pause).saturating_mul(DAY_SECS) as f64 / TERABYTE;
    format!(
        "at most {terabytes:.1} TB per day to the cache device if the ARC evicts that fast, more \
         while the feed runs at shorter intervals"
    )
}

fn distance(bytes: u64, running: &Running) -> String {
    let streams = number("zfetch_max_streams", running).unwrap_or(8);
    format!("up to {} of the ARC per sequential reader, of up to {streams} per file", Bytes(bytes))
}

fn share(bytes: u64, running: &Running) -> Option<String> {
    let memory = running.memory.filter(|_| bytes > 0)?;
    #[expect(clippy::cast_precision_loss, reason = "a percentage for a person")]
    let percent = bytes as f64 / memory.0.max(1) as f64 * 100.0;
    Some(format!("{percent:.0} % of the memory, {memory}"))
}

fn shift(shift: u64, running: &Running) -> Option<String> {
    let (_, most) = running.arc_bounds()?;
    let bytes = most.checked_shr(u32::try_from(shift).ok()?)?;
    Some(format!("up to {} of memory hold second copies that cannot be evicted", Bytes(bytes)))
}

fn number(name: &str, running: &Running) -> Option<u64> {
    running.value(lookup(name)?)?.number()
}
