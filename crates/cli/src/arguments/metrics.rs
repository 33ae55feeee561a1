//! The arguments of `arcwright metrics`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::capture::window;

#[derive(Debug, Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct MetricsArguments {
    /// Print the metrics of a capture, a folder of files copied from a machine, or pasted text (`-` for standard
    /// input).
    #[arg(long, value_name = "CAPTURE|DIR|TEXT|-", conflicts_with_all = ["root", "window", "smart"])]
    pub(crate) from: Option<PathBuf>,

    /// Root of the machine's files, for a container that sees its host's below a folder.
    #[arg(long, value_name = "DIR", default_value = "/", hide_default_value = true)]
    pub(crate) root: PathBuf,

    /// Time to watch this machine for findings and disks, 10s by default, 30s with --listen; 0s uses the
    /// counters since the module was loaded.
    #[arg(long, value_name = "TIME", value_parser = window)]
    pub(crate) window: Option<Duration>,

    /// Print series of every dataset, up to 2000.
    #[arg(long)]
    pub(crate) datasets: bool,

    /// Query drives for their wear, for findings about drives; may wake disks that sleep.
    #[arg(long)]
    pub(crate) smart: bool,

    /// Form of the printed text.
    #[arg(long, value_enum, default_value = "openmetrics", conflicts_with_all = ["textfile", "listen"])]
    pub(crate) format: MetricsFormat,

    /// Write the metrics to FILE (.prom) for node_exporter's textfile collector; the file is replaced as a
    /// whole.
    #[arg(long, value_name = "FILE", conflicts_with = "listen")]
    pub(crate) textfile: Option<PathBuf>,

    /// Answer scrapes of http://ADDRESS/metrics until Ctrl-C.
    #[arg(long, value_name = "ADDRESS:PORT", conflicts_with = "from")]
    pub(crate) listen: Option<SocketAddr>,

    #[command(flatten)]
    pub(crate) serving: ServingArguments,
}

/// How scrapes are answered.
#[derive(Debug, Args)]
pub(crate) struct ServingArguments {
    /// Time between two readings of the counters, from 1s to 1h.
    #[arg(long, value_name = "TIME", default_value = "15s", value_parser = interval, requires = "listen")]
    pub(crate) interval: Duration,

    /// Allow an address that other machines can reach; anyone there can read names of pools and disks.
    #[arg(long, requires = "listen")]
    pub(crate) public: bool,

    /// Answer requests for this host name, too; addresses and localhost are answered as they are.
    #[arg(long = "host", value_name = "NAME", requires = "listen")]
    pub(crate) hosts: Vec<String>,
}

/// A form of the printed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MetricsFormat {
    /// OpenMetrics 1.0.
    #[value(name = "openmetrics")]
    OpenMetrics,
    /// The text format 0.0.4, as in text files for `node_exporter`.
    #[value(name = "text")]
    Text,
}

const AFTER: &str = "\
Examples:
  arcwright metrics --from nas.tar.gz
  arcwright metrics --textfile /var/lib/prometheus/node-exporter/arcwright.prom
  arcwright metrics --listen 127.0.0.1:9134

A counter that was not read has no series; it is never shown as zero.";

fn interval(text: &str) -> Result<Duration, String> {
    let interval = window(text)?;
    let bounds = Duration::from_secs(1)..=Duration::from_secs(3600);
    if bounds.contains(&interval) { Ok(interval) } else { Err("expected 1s to 1h".to_owned()) }
}
