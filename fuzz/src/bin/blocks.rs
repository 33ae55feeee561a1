//! See `arcwright_fuzz::texts::blocks`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::blocks(bytes));
