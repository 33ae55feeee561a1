//! See `arcwright_fuzz::archives::archive`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::archive(bytes));
