//! See `arcwright_fuzz::counters::delta`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::delta(bytes));
