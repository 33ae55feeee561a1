//! What the values of a profile rest on: each is measured, published, derived, or nobody has checked it.
//!
//! A file says it in a table `[basis]`, key by key. Files of one's own may do without.

use std::fmt;

use serde::Deserialize;

/// Values of a disk file; `zones` are those of the list, or how many a data sheet's rates are spread over.
pub(super) const DISK_KEYS: [&str; 21] = [
    "rpm",
    "heads",
    "sector_bytes",
    "seek_ms",
    "write_settle_ms",
    "head_switch_ms",
    "overhead_read_ms",
    "overhead_write_ms",
    "overhead_hit_ms",
    "interface_bytes_per_sec",
    "segments",
    "segment_bytes",
    "read_ahead_bytes",
    "write_buffer_bytes",
    "queue_depth",
    "zero_latency",
    "capacity_bytes",
    "outer_bytes_per_sec",
    "inner_bytes_per_sec",
    "zones",
    "cylinder_switch_ms",
];
/// Values that only shingled disks have besides.
pub(super) const SHINGLE_KEYS: [&str; 5] =
    ["band_bytes", "media_cache_bytes", "media_cache_entries", "direct_bytes", "idle_ms"];
/// Values of a file of flash.
pub(super) const FLASH_KEYS: [&str; 16] = [
    "capacity_bytes",
    "channels",
    "stripe_bytes",
    "read_latency_us",
    "read_bytes_per_sec",
    "command_us",
    "write_latency_us",
    "write_burst_bytes_per_sec",
    "write_bytes_per_sec",
    "cache_bytes",
    "cache_refill_bytes_per_sec",
    "flush_us",
    "power_loss_protection",
    "read_while_writing_percent",
    "write_amplification_permille",
    "endurance_bytes",
];

/// What a value rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ValueBasis {
    /// Measured on such a device.
    Measured,
    /// A data sheet, a standard, or a vendor's table as somebody printed it.
    Published,
    /// Follows from other values, or from the form of the model.
    Derived,
    /// Typical of the class, or from memory: no source at hand.
    Unverified,
    /// Published figures of such devices differ from it by more than a tenth.
    Disputed,
    /// A guess.
    Guess,
}

impl ValueBasis {
    /// All of them, best first.
    pub(crate) const ALL: [Self; 6] = [
        Self::Measured,
        Self::Published,
        Self::Derived,
        Self::Unverified,
        Self::Disputed,
        Self::Guess,
    ];

    /// Returns its key in `[basis]`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Published => "published",
            Self::Derived => "derived",
            Self::Unverified => "unverified",
            Self::Disputed => "disputed",
            Self::Guess => "guess",
        }
    }

    /// Says whether something stands behind the value.
    #[must_use]
    pub const fn is_verified(self) -> bool {
        matches!(self, Self::Measured | Self::Published | Self::Derived)
    }
}

/// What all values of a profile rest on, in the order of the file's form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileBasis {
    values: Vec<(&'static str, ValueBasis)>,
}

impl ProfileBasis {
    /// Returns how many values there are, and how many of them nothing stands behind.
    #[must_use]
    pub fn unverified(&self) -> Unverified {
        let count = self.values.iter().filter(|(_, basis)| !basis.is_verified()).count();
        Unverified { count, of: self.values.len() }
    }

    /// Returns the keys of all values.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &'static str> {
        self.values.iter().map(|(key, _)| *key)
    }

    /// Returns what a value rests on; none when the profile has no such value.
    #[must_use]
    pub fn of(&self, key: &str) -> Option<ValueBasis> {
        self.values.iter().find(|(known, _)| *known == key).map(|(_, basis)| *basis)
    }
}

/// How many values of a profile nothing stands behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unverified {
    /// So many.
    pub count: usize,
    /// Of so many.
    pub of: usize,
}

impl fmt::Display for Unverified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} values", self.count, self.of)
    }
}

/// The table as written: keys by what they rest on.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct BasisFile {
    measured: Vec<String>,
    published: Vec<String>,
    derived: Vec<String>,
    unverified: Vec<String>,
    disputed: Vec<String>,
    guess: Vec<String>,
}

impl BasisFile {
    /// Returns the basis of the values called `keys`, each of which is named once.
    pub(super) fn build(&self, keys: &[&'static str]) -> Result<ProfileBasis, String> {
        let lists = [
            &self.measured,
            &self.published,
            &self.derived,
            &self.unverified,
            &self.disputed,
            &self.guess,
        ];
        let mut values: Vec<(&'static str, ValueBasis)> = Vec::with_capacity(keys.len());
        for (basis, list) in ValueBasis::ALL.into_iter().zip(lists) {
            for name in list {
                let Some(key) = keys.iter().find(|key| *key == name) else {
                    return Err("[basis] names what is no value of this kind of device".to_owned());
                };
                if values.iter().any(|(known, _)| known == key) {
                    return Err(format!("[basis] names {key} twice"));
                }
                values.push((key, basis));
            }
        }
        values.sort_by_key(|(key, _)| keys.iter().position(|known| known == key));
        let missing = keys.iter().find(|key| values.iter().all(|(known, _)| known != *key));
        match missing {
            None => Ok(ProfileBasis { values }),
            Some(key) => Err(format!("[basis] says nothing of {key}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{DeviceProfile, ValueBasis, profile, profile_names};

    #[test]
    fn every_profile_says_what_its_values_rest_on() {
        for name in profile_names().into_iter().filter(|name| *name != "instant") {
            let profile = profile(name).unwrap();
            let basis = profile.basis().unwrap_or_else(|| panic!("{name} has no basis"));
            let unverified = basis.unverified();
            assert!(unverified.count < unverified.of, "{name}: {unverified}");
        }
    }

    #[test]
    fn a_basis_names_each_value_once() {
        let text = include_str!("../../profiles/nvme-plp.toml");
        let read = |from: &str, to: &str| {
            assert!(text.contains(from), "{from}");
            DeviceProfile::parse("own", &text.replace(from, to))
        };
        let whole = read("title", "title").unwrap();
        assert_eq!(whole.basis().unwrap().of("flush_us"), Some(ValueBasis::Disputed));
        let check = |from: &str, to: &str, expected: &str| {
            let error = read(from, to).unwrap_err();
            assert!(error.reason.contains(expected), "{}", error.reason);
        };
        check("\"command_us\", ", "", "[basis] says nothing of command_us");
        check("\"command_us\", ", "\"command_us\", \"channels\", ", "names channels twice");
        check("\"command_us\", ", "\"rpm\", ", "no value of this kind of device");
        check("\ndisputed = ", "\ndoubted = ", "unknown field `doubted`");
        let without = text.split("[basis]").next().unwrap();
        assert_eq!(DeviceProfile::parse("own", without).unwrap().basis(), None);
    }
}
