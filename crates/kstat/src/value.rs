//! One value of a named kstat, with the type number the kernel gives it.
//!
//! The numbers are `KSTAT_DATA_*` of Linux's `include/os/linux/spl/sys/kstat.h`, the same from
//! OpenZFS 0.6 to 2.4.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A value in a named kstat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KstatValue {
    /// Up to 15 characters (`KSTAT_DATA_CHAR`, 0).
    Char(String),
    /// `KSTAT_DATA_INT32`, 1.
    I32(i32),
    /// `KSTAT_DATA_UINT32`, 2.
    U32(u32),
    /// `KSTAT_DATA_INT64`, 3.
    I64(i64),
    /// `KSTAT_DATA_UINT64`, 4.
    U64(u64),
    /// `KSTAT_DATA_LONG`, 5.
    Long(i64),
    /// `KSTAT_DATA_ULONG`, 6.
    ULong(u64),
    /// A string of any length (`KSTAT_DATA_STRING`, 7).
    Text(String),
}

impl KstatValue {
    /// Returns the `KSTAT_DATA_*` number.
    #[must_use]
    pub const fn type_number(&self) -> u8 {
        match self {
            Self::Char(_) => 0,
            Self::I32(_) => 1,
            Self::U32(_) => 2,
            Self::I64(_) => 3,
            Self::U64(_) => 4,
            Self::Long(_) => 5,
            Self::ULong(_) => 6,
            Self::Text(_) => 7,
        }
    }

    /// Reads a value of the given type; none when the number is unknown or the text does not fit.
    pub(crate) fn read(type_number: u8, text: &str) -> Option<Self> {
        match type_number {
            0 => Some(Self::Char(text.trim_end_matches([' ', '\r']).to_owned())),
            1 => text.trim().parse().ok().map(Self::I32),
            2 => text.trim().parse().ok().map(Self::U32),
            3 => text.trim().parse().ok().map(Self::I64),
            4 => text.trim().parse().ok().map(Self::U64),
            5 => text.trim().parse().ok().map(Self::Long),
            6 => text.trim().parse().ok().map(Self::ULong),
            7 => Some(Self::Text(text.to_owned())),
            _ => None,
        }
    }

    /// Returns the value as a counter; none for texts and negative numbers.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        self.as_i128().and_then(|number| u64::try_from(number).ok())
    }

    /// Returns the value as a number wide enough for every integer type; none for texts.
    #[must_use]
    pub fn as_i128(&self) -> Option<i128> {
        match self {
            Self::I32(number) => Some((*number).into()),
            Self::U32(number) => Some((*number).into()),
            Self::I64(number) | Self::Long(number) => Some((*number).into()),
            Self::U64(number) | Self::ULong(number) => Some((*number).into()),
            Self::Char(_) | Self::Text(_) => None,
        }
    }
}

impl fmt::Display for KstatValue {
    /// Prints as the kernel does: characters padded to 16, all else plain.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Char(text) => write!(f, "{text:<16}"),
            Self::I32(number) => write!(f, "{number}"),
            Self::U32(number) => write!(f, "{number}"),
            Self::I64(number) | Self::Long(number) => write!(f, "{number}"),
            Self::U64(number) | Self::ULong(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}
