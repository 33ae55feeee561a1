//! See `arcwright_fuzz::format::name`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::name(bytes));
