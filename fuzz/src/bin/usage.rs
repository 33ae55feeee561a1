//! See `arcwright_fuzz::counters::usage`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::usage(bytes));
