//! See `arcwright_fuzz::texts::other`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::commands(bytes));
