//! See `arcwright_fuzz::doctor::machine`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::machine(bytes));
