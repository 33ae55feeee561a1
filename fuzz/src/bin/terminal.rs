//! See `arcwright_fuzz::format::terminal`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::terminal(bytes));
