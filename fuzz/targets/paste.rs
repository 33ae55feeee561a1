//! See `arcwright_fuzz::paste`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    arcwright_fuzz::paste(&String::from_utf8_lossy(bytes));
});
