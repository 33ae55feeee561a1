//! See `arcwright_fuzz::experiments::fio`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::fio(bytes));
