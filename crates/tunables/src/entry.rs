//! One parameter: what it is called where, what it means, and its default by version.

use serde::{Deserialize, Deserializer, de};

use crate::Version;

/// A parameter of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Linux module parameter, as in zfs(4).
    pub name: String,
    /// sysctl on FreeBSD 13 and later (OpenZFS); absent when there is none or it is not known.
    pub freebsd: Option<String>,
    /// sysctl or loader tunable on FreeBSD 8 to 12; absent when there is none.
    pub freebsd_legacy: Option<String>,
    /// What its number counts.
    pub unit: Unit,
    /// When it may be set.
    pub set: SetWhen,
    /// What uniform scaling does to it.
    pub scales: Scales,
    /// The largest value that makes sense, in the parameter's unit; absent when any does.
    pub max: Option<u64>,
    /// The kernel file that defines it, the versions it was read in, the section of our notes.
    pub source: String,
    /// One sentence: what it does and where it bites.
    pub about: String,
    /// Versions it exists in, oldest first, with their defaults.
    pub defaults: Vec<Span>,
}

/// Versions that share one default of a parameter.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Span {
    /// The first version.
    pub from: Version,
    /// The last version; absent while it is still so.
    #[serde(default, deserialize_with = "last_version")]
    pub to: Option<Version>,
    /// The default in the parameter's unit, when it is a constant.
    pub value: Option<u64>,
    /// How the default is derived, when it depends on the machine.
    pub rule: Option<String>,
}

/// A parameter's default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Default<'a> {
    /// The same on every machine, in the parameter's unit.
    Fixed(u64),
    /// Derived from the machine as the sentence says.
    Derived(&'a str),
}

/// What a parameter's number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Bytes per pass of the feed thread, which is a second unless it is hurried.
    BytesPerPass,
    /// Nanoseconds.
    Ns,
    /// Milliseconds.
    Ms,
    /// Seconds.
    S,
    /// Ticks of the kernel's clock.
    Ticks,
    /// Percent.
    Percent,
    /// Things: requests, streams, entries.
    Count,
    /// 0 or 1.
    Flag,
    /// Blocks of the file.
    Blocks,
    /// Memory pages.
    Pages,
    /// A power of two: 5 means a 32nd.
    Shift,
}

/// When a parameter may be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SetWhen {
    /// At any time.
    Runtime,
    /// Only when the module is loaded or the kernel boots.
    Load,
}

/// What uniform scaling does to a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scales {
    /// Divided, as an amount of bytes.
    Size,
    /// Divided, as bytes per time.
    Rate,
    /// Divided, as an amount of bytes, but never below [`DISTANCE_MIN`].
    ///
    /// A prefetch distance is a share of the ARC that it fills, which scales, and a number of blocks
    /// in flight that hides the disks' latency, which does not.
    Distance,
    /// Left alone.
    None,
}

/// The least prefetch distance of a scaled experiment: the one that a stream reaches by itself
/// (`zfetch_min_distance`, module/zfs/dmu_zfetch.c 2.1.6 to 2.4), enough to keep disks busy.
pub const DISTANCE_MIN: u64 = 4 << 20;

impl Entry {
    /// Returns `value` in an experiment of 1/`factor`.
    #[must_use]
    pub fn scaled(&self, value: u64, factor: u64) -> u64 {
        // Zero asks for the default, or for nothing; either way it stays.
        let divided = if value == 0 { 0 } else { (value / factor.max(1)).max(1) };
        match self.scales {
            Scales::Size | Scales::Rate => divided,
            Scales::Distance => divided.max(DISTANCE_MIN.min(value)),
            Scales::None => value,
        }
    }

    /// Returns whether `version` has the parameter.
    #[must_use]
    pub fn exists_in(&self, version: Version) -> bool {
        self.span_of(version).is_some()
    }

    /// Returns the default in `version`; none when that version does not have the parameter.
    #[must_use]
    pub fn default_for(&self, version: Version) -> Option<Default<'_>> {
        let span = self.span_of(version)?;
        span.value.map(Default::Fixed).or(span.rule.as_deref().map(Default::Derived))
    }

    /// Returns the versions that have it in words: `2.1.6 and later`, `0.7 to 2.1`.
    #[must_use]
    pub fn versions(&self) -> String {
        let mut ranges: Vec<(Version, Option<Version>)> = Vec::new();
        for span in &self.defaults {
            match ranges.last_mut() {
                // The spans of one family follow each other without a gap; a test holds them to it.
                Some((first, last))
                    if first.is_legacy_freebsd() == span.from.is_legacy_freebsd() =>
                {
                    *last = span.to;
                }
                _ => ranges.push((span.from, span.to)),
            }
        }
        let words = ranges.iter().map(|(from, to)| match to {
            Some(to) if from == to => from.to_string(),
            Some(to) => format!("{from} to {to}"),
            None => format!("{from} and later"),
        });
        words.collect::<Vec<_>>().join(", ")
    }

    fn span_of(&self, version: Version) -> Option<&Span> {
        self.defaults.iter().find(|span| span.contains(version))
    }
}

impl Span {
    fn contains(&self, version: Version) -> bool {
        self.from <= version && self.to.is_none_or(|to| version <= to)
    }
}

fn last_version<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Version>, D::Error> {
    let text = String::deserialize(deserializer)?;
    Version::parse_last(&text).map(Some).map_err(de::Error::custom)
}
