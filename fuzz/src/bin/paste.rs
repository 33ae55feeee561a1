//! See `arcwright_fuzz::doctor::paste`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::paste(bytes));
