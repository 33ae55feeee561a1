//! Synchronous writes: the intent log, log devices, the write throttle.

pub(super) mod disabled;
pub(super) mod hung;
pub(super) mod log_facts;
pub(super) mod shared_ssd;
pub(super) mod slog_idle;
pub(super) mod slog_safety;
pub(super) mod slog_slow;
pub(super) mod throttled;
pub(super) mod txg_sync;
pub(super) mod writes;
pub(super) mod zil_errors;
