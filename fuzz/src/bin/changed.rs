//! See `arcwright_fuzz::results::changed`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::changed(bytes));
