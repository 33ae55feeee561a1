//! See `arcwright_fuzz::texts::iostat`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::iostat(bytes));
