//! See `arcwright_fuzz::experiments::trace`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::trace(bytes));
