//! See `arcwright_fuzz::texts::status`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::status(bytes));
