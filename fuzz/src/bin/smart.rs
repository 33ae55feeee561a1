//! See `arcwright_fuzz::texts::smart`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::smart(bytes));
