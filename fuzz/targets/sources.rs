//! See `arcwright_fuzz::sources`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    arcwright_fuzz::sources(&String::from_utf8_lossy(bytes));
});
