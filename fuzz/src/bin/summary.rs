//! See `arcwright_fuzz::texts::summary`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::summary(bytes));
