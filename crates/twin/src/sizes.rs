//! Sizes as a scenario file has them, and between them.

use arcwright_units::Bytes;

/// Returns a size, exactly.
pub(crate) fn size(bytes: Bytes) -> String {
    match bytes.0 {
        whole if whole.is_multiple_of(1 << 20) => format!("\"{}MiB\"", whole >> 20),
        whole if whole.is_multiple_of(1 << 10) => format!("\"{}KiB\"", whole >> 10),
        bytes => format!("\"{bytes}B\""),
    }
}

/// Returns the number in the middle by factors.
pub(crate) fn between(low: u64, high: u64) -> u64 {
    Bytes::of_f64((low as f64 * high as f64).sqrt()).0
}
