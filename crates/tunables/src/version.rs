//! The version of ZFS whose behaviour is meant, in the order in which behaviour developed.
//!
//! FreeBSD 8 to 12 carried a ZFS of their own; it is counted as older than all of OpenZFS. The
//! steps that matter are listed in docs/model/README.md#what-changed-when.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, de};
use thiserror::Error;

/// Release series of OpenZFS (ZFS on Linux before 2.0) that are known, oldest first.
const SERIES: [(u16, u16); 8] = [(0, 6), (0, 7), (0, 8), (2, 0), (2, 1), (2, 2), (2, 3), (2, 4)];
/// FreeBSD releases with a ZFS of their own.
const LEGACY_FIRST: u16 = 8;
const LEGACY_LAST: u16 = 12;
/// What the development branch after 2.4 calls itself.
const MASTER: Version = Version::openzfs(2, 4, 99);
/// The end of 2.4 itself, below what the development branch calls itself.
const LAST_2_4: Version = Version::openzfs(2, 4, 98);

/// A version of ZFS; later versions are greater, FreeBSD's own are below all of OpenZFS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    family: Family,
    major: u16,
    minor: u16,
    patch: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Family {
    Legacy,
    Openzfs,
}

/// Why a text is not a version of ZFS.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum VersionError {
    /// It is not written like one, or there is no such release.
    #[error(
        "“{text}” is not a known version of ZFS; known are freebsd-8 to freebsd-12, 0.6 to 0.8, \
         2.0 to 2.4 and master"
    )]
    Unknown {
        /// What was found.
        text: String,
    },
    /// A FreeBSD release that runs OpenZFS.
    #[error("FreeBSD {release} runs OpenZFS; write its version, for example “2.1”")]
    RunsOpenzfs {
        /// The release.
        release: u16,
    },
}

impl Version {
    /// Parses `2.1.5`, `2.3`, `0.7`, `freebsd-8`, `freebsd-9.2` or `master`.
    ///
    /// Parts left out are zero: `2.1` is 2.1.0. What a distribution adds (`2.1.5-1ubuntu6`) is
    /// dropped, a leading `zfs-` too. None when there is no such release; `str::parse` says why.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::parse_with(text, 0).ok()
    }

    /// Returns whether it is FreeBSD's own ZFS, before OpenZFS.
    #[must_use]
    pub const fn is_legacy_freebsd(self) -> bool {
        matches!(self.family, Family::Legacy)
    }

    /// Returns a version of OpenZFS by its numbers.
    pub(crate) const fn openzfs(major: u16, minor: u16, patch: u16) -> Self {
        Self { family: Family::Openzfs, major, minor, patch }
    }

    /// Parses the end of a range: parts left out stand for the last there is, `2.1` for all of 2.1.
    pub(crate) fn parse_last(text: &str) -> Result<Self, VersionError> {
        Self::parse_with(text, u16::MAX)
    }

    fn parse_with(text: &str, absent: u16) -> Result<Self, VersionError> {
        let unknown = || VersionError::Unknown { text: text.to_owned() };
        let trimmed = text.trim();
        if trimmed == "master" {
            return Ok(MASTER);
        }
        if let Some(release) = trimmed.strip_prefix("freebsd-") {
            let [major, minor, patch] = parts(release, absent).ok_or_else(unknown)?;
            return match major {
                LEGACY_FIRST..=LEGACY_LAST => {
                    Ok(Self { family: Family::Legacy, major, minor, patch })
                }
                release if release > LEGACY_LAST => Err(VersionError::RunsOpenzfs { release }),
                _ => Err(unknown()),
            };
        }
        let trimmed = trimmed.strip_prefix("zfs-").unwrap_or(trimmed);
        let number = trimmed.split_once(['-', '+', '~']).map_or(trimmed, |(number, _)| number);
        if !number.contains('.') {
            return Err(unknown());
        }
        let [major, minor, patch] = parts(number, absent).ok_or_else(unknown)?;
        let version = Self::openzfs(major, minor, patch);
        // What stands for the end of 2.4 is no release that somebody has.
        let is_end = absent == 0 && version == LAST_2_4;
        let known = SERIES.contains(&(major, minor)) && !is_end;
        known.then_some(version).ok_or_else(unknown)
    }
}

/// Returns the first three numbers of a dotted text, `absent` for those left out.
fn parts(text: &str, absent: u16) -> Option<[u16; 3]> {
    // The greatest number stands for the end of a series.
    let number = |part: &str| part.parse::<u16>().ok().filter(|number| *number < u16::MAX);
    let mut all = text.split('.').map(number);
    let first = all.next()??;
    let mut next = || all.next().unwrap_or(Some(absent));
    let (second, third) = (next()?, next()?);
    // A fourth part (0.6.5.11) is checked and dropped: no behaviour depends on it.
    next()?;
    all.next().is_none().then_some([first, second, third])
}

impl FromStr for Version {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, VersionError> {
        Self::parse_with(text, 0)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { family, major, minor, patch } = *self;
        let text = match family {
            _ if *self == MASTER => "master".to_owned(),
            _ if *self == LAST_2_4 => "2.4".to_owned(),
            Family::Legacy if minor == 0 || minor == u16::MAX => format!("freebsd-{major}"),
            Family::Legacy => format!("freebsd-{major}.{minor}"),
            Family::Openzfs if patch == u16::MAX => format!("{major}.{minor}"),
            Family::Openzfs => format!("{major}.{minor}.{patch}"),
        };
        f.pad(&text)
    }
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

/// Reads the last version of a series of versions: `2.1` stands for the last 2.1.
pub(crate) fn last_version<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Version>, D::Error> {
    let text = String::deserialize(deserializer)?;
    Version::parse_last(&text).map(Some).map_err(de::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::Version;

    fn check(text: &str, expected: Result<&str, &str>) {
        let got = text.parse::<Version>().map(|v| v.to_string()).map_err(|e| e.to_string());
        match expected {
            Ok(version) => assert_eq!(got.as_deref(), Ok(version), "{text}"),
            Err(part) => assert!(got.as_ref().is_err_and(|e| e.contains(part)), "{text}: {got:?}"),
        }
    }

    #[test]
    fn versions_are_read_as_people_write_them() {
        check("2.1.5", Ok("2.1.5"));
        check(" 2.3 ", Ok("2.3.0"));
        check("0.7", Ok("0.7.0"));
        check("0.6.5.11", Ok("0.6.5"));
        check("2.1.5-1ubuntu6~22.04.4", Ok("2.1.5"));
        check("zfs-2.2.7+ds", Ok("2.2.7"));
        check("freebsd-8", Ok("freebsd-8"));
        check("freebsd-9.2", Ok("freebsd-9.2"));
        check("master", Ok("master"));
    }

    #[test]
    fn what_is_no_release_is_refused() {
        let bad =
            ["", "2", "1.0", "2.5", "2.x", "two", "freebsd-7", "freebsd-", "2.1.5.1.1", "2..1"];
        bad.iter().for_each(|text| check(text, Err("not a known version of ZFS")));
        check("-2.1", Err("not a known version"));
        check("2.99999999", Err("not a known version"));
        check("2.0.65535", Err("not a known version"));
        check("2.4.98", Err("not a known version"));
        check("freebsd-11.65535", Err("not a known version"));
        check("freebsd-14", Err("runs OpenZFS"));
    }

    #[test]
    fn later_is_greater() {
        let order =
            ["freebsd-8", "freebsd-9.2", "freebsd-12", "0.6", "0.8.6", "2.1.5", "2.1.11", "master"];
        let versions: Vec<Version> = order.iter().map(|text| text.parse().unwrap()).collect();
        assert!(versions.windows(2).all(|pair| pair[0] < pair[1]), "{versions:?}");
    }

    #[test]
    fn the_end_of_a_range_holds_the_whole_series() {
        let end = Version::parse_last("2.1").unwrap();
        assert!(Version::parse("2.1.16").unwrap() < end && end < Version::parse("2.2").unwrap());
        assert_eq!(end.to_string(), "2.1");
    }
}
