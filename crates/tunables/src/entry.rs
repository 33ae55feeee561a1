//! One parameter: what it is called where, what it means, and its default by version.

use serde::{Deserialize, Deserializer, Serialize, de};

use crate::version::last_version;
use crate::{Hazard, Modelled, Version};

/// A parameter of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Linux module parameter, as in zfs(4).
    pub name: String,
    /// What it belongs to, such as `l2arc`; the data file says it once.
    #[serde(default, skip_deserializing)]
    pub family: String,
    /// The only platform that has it; absent when both have.
    pub on: Option<Kernel>,
    /// The Linux module whose parameter it is.
    #[serde(default)]
    pub module: Module,
    /// sysctl on FreeBSD 13 and later (OpenZFS); absent when there is none or it is not known.
    pub freebsd: Option<String>,
    /// sysctl or loader tunable on FreeBSD 8 to 12; absent when there is none.
    pub freebsd_legacy: Option<String>,
    /// The last version of OpenZFS on FreeBSD that also answers to the legacy name.
    #[serde(default, deserialize_with = "last_version")]
    pub alias_to: Option<Version>,
    /// What its number counts.
    pub unit: Unit,
    /// How large a number the kernel keeps for it.
    #[serde(default)]
    pub width: Width,
    /// When it may be set, in the newest version.
    pub set: SetWhen,
    /// What uniform scaling does to it.
    pub scales: Scales,
    /// What the model does with it.
    #[serde(default)]
    pub model: Modelled,
    /// The smallest value that has an effect, in the parameter's unit; zero may still mean the default.
    pub min: Option<u64>,
    /// The largest value that makes sense, in the parameter's unit; absent when any does.
    pub max: Option<u64>,
    /// The kernel file that defines it, the versions it was read in, the section of our notes.
    pub source: String,
    /// One sentence: what it does and where it bites.
    pub about: String,
    /// What took its place, when it is gone.
    pub successor: Option<String>,
    /// One sentence for who looks for it in a version that no longer has it.
    pub gone: Option<String>,
    /// Where it bites.
    #[serde(default)]
    pub hazards: Vec<Hazard>,
    /// Versions it exists in, oldest first, with their defaults.
    pub defaults: Vec<VersionSpan>,
}

/// Versions that share one default of a parameter.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionSpan {
    /// The first version.
    pub from: Version,
    /// The last version; absent while it is still so.
    #[serde(default, deserialize_with = "last_version")]
    pub to: Option<Version>,
    /// When it may be set in these versions, where that differs from later ones.
    pub set: Option<SetWhen>,
    /// The default in the parameter's unit, when it is a constant.
    pub value: Option<u64>,
    /// The default on FreeBSD, where that differs.
    pub freebsd: Option<u64>,
    /// The default, when it is a word.
    pub word: Option<String>,
    /// How the default is derived, when it depends on the machine.
    pub rule: Option<String>,
    /// What the module shows while the default holds, where that is not `value`: mostly 0.
    #[serde(default, deserialize_with = "whole")]
    pub raw: Option<u64>,
}

/// A parameter's default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefaultValue<'a> {
    /// The same on every machine, in the parameter's unit.
    Fixed(u64),
    /// A word that is the same on every machine.
    Word(&'a str),
    /// Derived from the machine as the sentence says.
    Derived(&'a str),
}

/// The operating system of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
#[schemars(rename = "Os")]
#[serde(rename_all = "kebab-case")]
pub enum Kernel {
    /// Linux.
    Linux,
    /// FreeBSD.
    Freebsd,
}

/// A module of the Linux kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Module {
    /// `zfs`.
    #[default]
    Zfs,
    /// `spl`, the layer below.
    Spl,
}

impl Module {
    /// Returns its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Zfs => "zfs",
            Self::Spl => "spl",
        }
    }
}

/// How large a number the kernel keeps for a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Width {
    /// 32 bits with a sign.
    Int,
    /// 32 bits.
    #[default]
    Uint,
    /// 64 bits with a sign.
    Long,
    /// 64 bits.
    Ulong,
    /// Not a number.
    Word,
}

impl Width {
    /// Returns the largest number that fits.
    #[must_use]
    pub const fn most(self) -> u64 {
        match self {
            Self::Int => i32::MAX.unsigned_abs() as u64,
            Self::Uint => u32::MAX as u64,
            Self::Long => i64::MAX.unsigned_abs(),
            Self::Ulong | Self::Word => u64::MAX,
        }
    }
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
    /// Not a number: a word or several.
    Word,
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
    /// Returns its names: that of Linux, and those of FreeBSD.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let Self { name, freebsd, freebsd_legacy, .. } = self;
        let all = [Some(name), freebsd.as_ref(), freebsd_legacy.as_ref()];
        all.into_iter().flatten().map(String::as_str)
    }

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

    /// Returns the default in `version` on `kernel`; none when that version lacks the parameter.
    #[must_use]
    pub fn default_on(&self, kernel: Kernel, version: Version) -> Option<DefaultValue<'_>> {
        let own = self.span_of(version).and_then(|span| span.freebsd).map(DefaultValue::Fixed);
        own.filter(|_| kernel == Kernel::Freebsd).or_else(|| self.default_for(version))
    }

    /// Returns the default in `version`, of Linux where FreeBSD's differs; none when that version does
    /// not have the parameter.
    #[must_use]
    pub fn default_for(&self, version: Version) -> Option<DefaultValue<'_>> {
        let span = self.span_of(version)?;
        let word = span.word.as_deref().map(DefaultValue::Word);
        span.value
            .map(DefaultValue::Fixed)
            .or(word)
            .or(span.rule.as_deref().map(DefaultValue::Derived))
    }

    /// Returns what the module of `version` on `kernel` shows while the default holds; none when that depends on
    /// the machine, or the version does not have the parameter.
    #[must_use]
    pub fn shown_by_default(&self, kernel: Kernel, version: Version) -> Option<u64> {
        let span = self.span_of(version)?;
        let own = span.freebsd.filter(|_| kernel == Kernel::Freebsd);
        own.or(span.raw).or(span.value)
    }

    /// Returns when `version` lets it be set.
    #[must_use]
    pub fn set_in(&self, version: Version) -> SetWhen {
        self.span_of(version).and_then(|span| span.set).unwrap_or(self.set)
    }

    /// Returns the hazards of `value` in `version`; of every version when it is not known.
    pub fn hazards_of(
        &self,
        value: u64,
        version: Option<Version>,
    ) -> impl Iterator<Item = &Hazard> {
        self.hazards.iter().filter(move |hazard| hazard.holds(value, version))
    }

    /// Returns the last version that had it; none when it is there still.
    #[must_use]
    pub fn last(&self) -> Option<Version> {
        self.defaults.last()?.to
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

    fn span_of(&self, version: Version) -> Option<&VersionSpan> {
        self.defaults.iter().find(|span| span.contains(version))
    }
}

impl VersionSpan {
    fn contains(&self, version: Version) -> bool {
        self.from <= version && self.to.is_none_or(|to| version <= to)
    }
}

/// Reads a whole number, also one too large for TOML, which is written as text.
fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    struct Whole;
    impl de::Visitor<'_> for Whole {
        type Value = u64;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a whole number, as text if it is above 2^63")
        }
        fn visit_i64<E: de::Error>(self, value: i64) -> Result<u64, E> {
            u64::try_from(value).map_err(E::custom)
        }
        fn visit_u64<E: de::Error>(self, value: u64) -> Result<u64, E> {
            Ok(value)
        }
        fn visit_str<E: de::Error>(self, value: &str) -> Result<u64, E> {
            value.parse().map_err(E::custom)
        }
    }
    deserializer.deserialize_any(Whole).map(Some)
}
