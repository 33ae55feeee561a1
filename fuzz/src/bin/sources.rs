//! See `arcwright_fuzz::doctor::sources`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::sources(bytes));
