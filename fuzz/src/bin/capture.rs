//! See `arcwright_fuzz::archives::bytes`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::capture(bytes));
