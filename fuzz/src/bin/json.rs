//! See `arcwright_fuzz::texts::json`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::json(bytes));
