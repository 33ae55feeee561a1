//! See `arcwright_fuzz::counters::kstat`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    arcwright_fuzz::counters::kstat(&String::from_utf8_lossy(bytes));
});
