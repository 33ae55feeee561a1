//! See `arcwright_fuzz::counters::txgs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::txgs(bytes));
