//! What a metric is called, what it counts, and in which unit.

/// A metric family: series of one name that differ in their labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Family {
    /// Its name without the ending `_total` that a counter's series have.
    pub name: &'static str,
    /// Whether it only grows.
    pub kind: MetricKind,
    /// Its unit, which its name ends in; none where it counts things.
    pub unit: Option<&'static str>,
    /// What it says, in one sentence.
    pub help: &'static str,
}

/// Whether a family only grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricKind {
    /// It grows until the module is loaded again or the pool imported again.
    Counter,
    /// It goes both ways.
    Gauge,
}

impl Family {
    /// Returns a family that counts.
    pub(crate) const fn counter(name: &'static str, help: &'static str) -> Self {
        Self { name, kind: MetricKind::Counter, unit: None, help }
    }

    /// Returns a family of levels.
    pub(crate) const fn gauge(name: &'static str, help: &'static str) -> Self {
        Self { name, kind: MetricKind::Gauge, unit: None, help }
    }

    /// Returns it with a unit, which its name ends in.
    pub(crate) const fn of(self, unit: &'static str) -> Self {
        Self { unit: Some(unit), ..self }
    }
}

/// The units, as their names are spelt.
pub(crate) const BYTES: &str = "bytes";
pub(crate) const SECONDS: &str = "seconds";
pub(crate) const RATIO: &str = "ratio";

/// A value of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    /// Digits with a point before the last so many: nanoseconds as seconds have nine places.
    Decimal { digits: i128, places: u8 },
    /// A value that is inexact by itself; what is not finite is no value.
    Float(f64),
}

impl Number {
    /// A fact that holds.
    pub(crate) const ONE: Self = Self::integer(1);

    pub(crate) const fn integer(digits: i128) -> Self {
        Self::Decimal { digits, places: 0 }
    }

    pub(crate) fn count(count: u64) -> Self {
        Self::integer(count.into())
    }

    /// Returns nanoseconds as seconds.
    pub(crate) fn nanos(nanos: u64) -> Self {
        Self::Decimal { digits: nanos.into(), places: 9 }
    }

    /// Returns percents as a ratio.
    pub(crate) fn percent(percent: u64) -> Self {
        Self::Decimal { digits: percent.into(), places: 2 }
    }

    /// Returns a count of things as a number.
    pub(crate) fn size(count: usize) -> Self {
        Self::integer(i128::try_from(count).unwrap_or(i128::MAX))
    }

    /// Returns 1 for what holds and 0 for what does not.
    pub(crate) const fn of_fact(holds: bool) -> Self {
        Self::integer(holds as i128)
    }

    pub(crate) const fn is_finite(self) -> bool {
        match self {
            Self::Decimal { .. } => true,
            Self::Float(value) => value.is_finite(),
        }
    }
}
