//! See `arcwright_fuzz::tuning::persisted`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::persist(bytes));
