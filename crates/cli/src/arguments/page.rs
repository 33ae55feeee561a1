//! What may stand on the command line for pages and charts of a result.

use std::path::PathBuf;

use arcwright_report::ChartKind;
use clap::{Args, ValueEnum};

/// Files that are written beside what is printed.
#[derive(Debug, Args)]
pub(crate) struct Pages {
    /// Write the result with charts to one HTML file as well; it needs no network.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// Write one chart to an SVG file as well; --chart says which.
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,

    /// The chart that --svg writes.
    #[arg(long, value_name = "NAME", value_enum, default_value = "speed", requires = "svg")]
    pub(crate) chart: ChartName,
}

/// A chart of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChartName {
    /// How fast each arm was, with ranges and what was reported.
    Speed,
    /// Where each byte came from.
    Sources,
    /// How fast each arm was over time, and how its L2ARC filled.
    Time,
    /// How long requests took.
    Latency,
    /// How busy devices were.
    Devices,
}

impl ChartName {
    pub(crate) const fn kind(self) -> ChartKind {
        match self {
            Self::Speed => ChartKind::Speed,
            Self::Sources => ChartKind::Sources,
            Self::Time => ChartKind::Time,
            Self::Latency => ChartKind::Latency,
            Self::Devices => ChartKind::Devices,
        }
    }
}
