//! See `arcwright_fuzz::tuning::requested`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::requested(bytes));
