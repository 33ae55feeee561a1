//! The targets by their names, as functions of bytes.

use crate::{archives, counters, doctor, experiments, format, results, texts, tuning};

/// Makes a function of each target, and the table of all.
macro_rules! targets {
    ($($name:ident: $run:expr,)*) => {
        $(
            /// Runs the target of this name on one input.
            pub fn $name(bytes: &[u8]) {
                $run(bytes);
            }
        )*

        /// Every target with its name.
        const ALL: &[(&str, fn(&[u8]))] = &[$((stringify!($name), $name)),*];
    };
}

targets! {
    archive: archives::archive,
    blocks: |bytes| text(texts::blocks, bytes),
    capture: archives::bytes,
    changed: results::changed,
    commands: texts::other,
    delta: counters::delta,
    entries: tuning::entries_of,
    experiment: experiments::experiment,
    fio: |bytes| text(experiments::fio, bytes),
    iostat: texts::iostat,
    journal: |bytes| text(tuning::journal, bytes),
    json: texts::json,
    kstat: |bytes| text(counters::kstat, bytes),
    machine: doctor::machine,
    name: |bytes| text(format::name, bytes),
    packed: archives::packed,
    paste: |bytes| text(doctor::paste, bytes),
    persist: tuning::persisted,
    quantity: |bytes| text(format::quantity, bytes),
    recording: archives::recording,
    records: |bytes| text(tuning::records, bytes),
    redact: doctor::redaction,
    requested: tuning::requested,
    result: |bytes| text(results::saved, bytes),
    scenario: |bytes| text(experiments::scenario, bytes),
    set: experiments::setting,
    smart: |bytes| text(texts::smart, bytes),
    sources: |bytes| text(doctor::sources, bytes),
    status: |bytes| text(texts::status, bytes),
    summary: texts::summary,
    sysctl: |bytes| text(counters::sysctl, bytes),
    terminal: |bytes| text(format::terminal, bytes),
    trace: experiments::trace,
    txgs: |bytes| text(counters::txgs, bytes),
    usage: |bytes| text(counters::usage, bytes),
    value: format::value,
}

/// Returns the target of a name.
#[must_use]
pub fn named(name: &str) -> Option<fn(&[u8])> {
    ALL.iter().find(|(known, _)| *known == name).map(|(_, run)| *run)
}

fn text(target: fn(&str), bytes: &[u8]) {
    target(&String::from_utf8_lossy(bytes));
}
