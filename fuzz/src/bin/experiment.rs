//! See `arcwright_fuzz::experiments::experiment`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::experiment(bytes));
