//! See `arcwright_fuzz::archives::packed`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::packed(bytes));
