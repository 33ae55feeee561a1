//! What the model of an experiment does with a parameter that the experiment sets.

use serde::Deserialize;

/// Whether the model follows a parameter, and if not, where that matters.
///
/// What it does not follow is refused by name where it matters, so that nobody takes a figure for the
/// effect of a setting that was ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Modelled {
    /// It is followed.
    Simulated,
    /// Nothing that a scenario can say depends on it: scrub, resilver, trim, import, statistics.
    NoEffect,
    /// It is not followed, which matters where something is written.
    RefusedForWrites,
    /// It is not followed, which matters where the intent log is used.
    RefusedForSyncs,
    /// It is not followed, which matters where there is a cache device.
    RefusedForCacheDevices,
    /// It is not followed, which matters where directories are listed.
    RefusedForTrees,
    /// It is not followed, which always matters.
    #[default]
    Refused,
}

impl Modelled {
    /// Returns what the reference says of it.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Simulated => "simulated",
            Self::NoEffect => "no effect",
            Self::RefusedForWrites => "refused where something is written",
            Self::RefusedForSyncs => "refused where the intent log is used",
            Self::RefusedForCacheDevices => "refused with a cache device",
            Self::RefusedForTrees => "refused where directories are listed",
            Self::Refused => "refused",
        }
    }
}
