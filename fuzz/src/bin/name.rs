//! See `arcwright_fuzz::words::name`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    arcwright_fuzz::words::name(&String::from_utf8_lossy(bytes));
});
