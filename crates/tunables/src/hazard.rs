//! Where a value of a parameter bites: how badly, for which values, in which versions.

use serde::{Deserialize, Deserializer, de};

use crate::Version;
use crate::version::last_version;

/// One way in which a value can do harm or fail to do what was meant.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hazard {
    /// What happens.
    pub kind: HazardKind,
    /// The values for which it does.
    pub when: Condition,
    /// The first version; absent when every one.
    pub from: Option<Version>,
    /// The last version; absent while it is still so.
    #[serde(default, deserialize_with = "last_version")]
    pub to: Option<Version>,
    /// One sentence for the owner of the machine.
    pub text: String,
}

/// What a hazard does, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HazardKind {
    /// Data is lost, perhaps only when the power fails.
    DataLoss,
    /// The kernel panics or touches memory that is not its own.
    Crash,
    /// Something waits for ever.
    Hang,
    /// It cannot be taken back.
    ForGood,
    /// Memory runs short.
    Memory,
    /// A flash device wears.
    Wear,
    /// Something gets slower.
    Slow,
    /// The value is accepted and cannot be undone while the module runs.
    Sticky,
    /// The value is accepted and has no effect.
    Ignored,
}

impl HazardKind {
    /// Says whether a plan stops at it until it is confirmed by name.
    #[must_use]
    pub const fn stops(self) -> bool {
        matches!(self, Self::DataLoss | Self::Crash | Self::Hang | Self::ForGood)
    }

    /// Returns it in words.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::DataLoss => "data loss",
            Self::Crash => "crash",
            Self::Hang => "hang",
            Self::ForGood => "cannot be undone",
            Self::Memory => "memory",
            Self::Wear => "wear",
            Self::Slow => "slow",
            Self::Sticky => "sticks",
            Self::Ignored => "ignored",
        }
    }
}

/// Values of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// All of them.
    Any,
    /// All but one.
    Not(u64),
    /// The first to the last, both included.
    Within(u64, u64),
}

impl Condition {
    /// Parses `any`, `=N`, `!=N`, `<N`, `>N` or `A..B`.
    fn parse(text: &str) -> Option<Self> {
        let number = |text: &str| text.parse::<u64>().ok();
        if text == "any" {
            return Some(Self::Any);
        }
        if let Some((first, last)) = text.split_once("..") {
            return Some(Self::Within(number(first)?, number(last)?));
        }
        if let Some(rest) = text.strip_prefix("!=") {
            return number(rest).map(Self::Not);
        }
        let (sign, rest) = text.split_at_checked(1)?;
        let bound = number(rest)?;
        match sign {
            "=" => Some(Self::Within(bound, bound)),
            "<" => Some(Self::Within(0, bound.checked_sub(1)?)),
            ">" => Some(Self::Within(bound.checked_add(1)?, u64::MAX)),
            _ => None,
        }
    }

    /// Says whether `value` is one of them.
    #[must_use]
    pub const fn holds(self, value: u64) -> bool {
        match self {
            Self::Any => true,
            Self::Not(other) => value != other,
            Self::Within(first, last) => first <= value && value <= last,
        }
    }

    /// Returns them in words, after “when set”.
    #[must_use]
    pub fn label(self) -> String {
        match self {
            Self::Any => "to anything".to_owned(),
            Self::Not(value) => format!("to anything but {value}"),
            Self::Within(first, last) if first == last => format!("to {first}"),
            Self::Within(first, u64::MAX) => format!("to {first} or more"),
            Self::Within(first, last) => format!("to {first} to {last}"),
        }
    }
}

impl<'de> Deserialize<'de> for Condition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let wrong = || de::Error::custom(format!("“{text}” is not any, =N, !=N, <N, >N or A..B"));
        Self::parse(&text).ok_or_else(wrong)
    }
}

impl Hazard {
    /// Returns its versions in words, after a comma; nothing when it is one of all versions.
    #[must_use]
    pub fn versions(&self) -> String {
        match (self.from, self.to) {
            (None, None) => String::new(),
            (Some(from), None) => format!(", from {from}"),
            (None, Some(to)) => format!(", up to {to}"),
            (Some(from), Some(to)) => format!(", {from} to {to}"),
        }
    }

    /// Says whether it is one of `value` in `version`; an unknown version may be any.
    #[must_use]
    pub fn holds(&self, value: u64, version: Option<Version>) -> bool {
        let at = |version: Version| {
            self.from.is_none_or(|from| from <= version) && self.to.is_none_or(|to| version <= to)
        };
        self.when.holds(value) && version.is_none_or(at)
    }
}

#[cfg(test)]
mod tests {
    use super::Condition;

    fn check(text: &str, yes: &[u64], no: &[u64]) {
        let when = Condition::parse(text).unwrap();
        assert!(yes.iter().all(|value| when.holds(*value)), "{text} {yes:?}");
        assert!(!no.iter().any(|value| when.holds(*value)), "{text} {no:?}");
    }

    #[test]
    fn values_are_written_with_signs() {
        check("any", &[0, 7, u64::MAX], &[]);
        check("=0", &[0], &[1]);
        check("!=0", &[1, u64::MAX], &[0]);
        check("<64", &[0, 63], &[64]);
        check(">64", &[65, u64::MAX], &[64]);
        check("1..9", &[1, 9], &[0, 10]);
    }

    #[test]
    fn what_holds_for_no_value_is_refused() {
        for text in ["", "0", "<0", ">18446744073709551615", "=x", "1..", "≥1"] {
            assert_eq!(Condition::parse(text), None, "{text}");
        }
    }
}
