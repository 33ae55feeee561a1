//! See `arcwright_fuzz::tuning::wish`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    arcwright_fuzz::tuning::wish(bytes);
});
