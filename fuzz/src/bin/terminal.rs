//! See `arcwright_fuzz::words::terminal`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    arcwright_fuzz::words::terminal(&String::from_utf8_lossy(bytes));
});
