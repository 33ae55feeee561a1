//! When all of this was read, how long that took, and by which program.

use arcwright_units::Nanos;

use crate::families::Families;
use crate::family::{Family, Number, SECONDS};
use crate::text::TextFormat;

const BUILD: Family =
    Family::gauge("arcwright_build_info", "The program that made this text; always 1.");
const READ_AT: Family = Family::gauge(
    "arcwright_collection_timestamp_seconds",
    "When the counters were read, in seconds since 1970.",
)
.of(SECONDS);
const READ_IN: Family =
    Family::gauge("arcwright_collection_duration_seconds", "How long reading them took.")
        .of(SECONDS);
const JUDGED_AT: Family = Family::gauge(
    "arcwright_findings_timestamp_seconds",
    "When pools were asked and findings judged, in seconds since 1970.",
)
.of(SECONDS);
const JUDGED_IN: Family = Family::gauge(
    "arcwright_findings_duration_seconds",
    "How long that took, the window of zpool iostat included.",
)
.of(SECONDS);
const AGE: Family = Family::gauge(
    "arcwright_collection_age_seconds",
    "How old the counters were when this text was asked for.",
)
.of(SECONDS);

/// When something was read and how long that took; none where nothing tells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Collection {
    /// When the counters were read, since 1970.
    pub read_at: Option<Nanos>,
    /// How long that took.
    pub read_in: Option<Nanos>,
    /// When findings were judged, since 1970.
    pub judged_at: Option<Nanos>,
    /// How long that took.
    pub judged_in: Option<Nanos>,
}

impl Families {
    /// Adds when all of this was read, and the program's version.
    pub fn add_collection(&mut self, collection: &Collection, version: &str) {
        self.add(&BUILD, &[("version", version)], Number::ONE);
        let times = [
            (READ_AT, collection.read_at),
            (READ_IN, collection.read_in),
            (JUDGED_AT, collection.judged_at),
            (JUDGED_IN, collection.judged_in),
        ];
        for (family, time) in times {
            self.add_some(&family, &[], time.map(|time| Number::nanos(time.0)));
        }
    }
}

/// Returns the lines that say how old the counters are, for the end of a text that was made before.
#[must_use]
pub fn age(age: Nanos, format: TextFormat) -> String {
    let mut families = Families::default();
    families.add(&AGE, &[], Number::nanos(age.0));
    families.body(format)
}
