//! Sizes as a scenario file has them.

use arcwright_units::Bytes;

/// Returns a size, exactly.
pub(crate) fn size(bytes: Bytes) -> String {
    match bytes.0 {
        whole if whole.is_multiple_of(1 << 20) => format!("\"{}MiB\"", whole >> 20),
        whole if whole.is_multiple_of(1 << 10) => format!("\"{}KiB\"", whole >> 10),
        bytes => format!("\"{bytes}B\""),
    }
}
