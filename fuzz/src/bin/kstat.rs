//! See `arcwright_fuzz::counters::kstat`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::kstat(bytes));
