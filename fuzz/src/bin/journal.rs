//! See `arcwright_fuzz::tuning::journal`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::journal(bytes));
