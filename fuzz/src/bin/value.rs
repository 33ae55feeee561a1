//! See `arcwright_fuzz::words::value`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    arcwright_fuzz::words::value(bytes);
});
