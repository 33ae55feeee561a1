//! See `arcwright_fuzz::archives::recording`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::recording(bytes));
