//! See `arcwright_fuzz::counters::sysctl`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::sysctl(bytes));
