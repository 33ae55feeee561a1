//! See `arcwright_fuzz::format::quantity`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::quantity(bytes));
