//! See `arcwright_fuzz::words::quantity`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    arcwright_fuzz::words::quantity(&String::from_utf8_lossy(bytes));
});
