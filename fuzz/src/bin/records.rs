//! See `arcwright_fuzz::tuning::records`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::records(bytes));
