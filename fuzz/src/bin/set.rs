//! See `arcwright_fuzz::experiments::setting`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::set(bytes));
