//! See `arcwright_fuzz::doctor::redaction`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arcwright_fuzz::targets::redact(bytes));
