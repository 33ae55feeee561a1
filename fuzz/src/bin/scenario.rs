//! See `arcwright_fuzz::experiments::scenario`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::scenario(bytes));
