//! See `arcwright_fuzz::format::value`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::value(bytes));
