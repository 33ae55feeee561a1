//! See `arcwright_fuzz::tuning::entries_of`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::entries(bytes));
