//! See `arcwright_fuzz::results::saved`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::result(bytes));
