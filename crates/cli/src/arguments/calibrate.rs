//! What may stand on the command line of `arcwright calibrate`.

use std::path::PathBuf;
use std::time::Duration;

use arcwright_device::DeviceClass;
use clap::{Args, Subcommand, ValueEnum};

use super::capture::window;

#[derive(Debug, Subcommand)]
pub(crate) enum CalibrateVerb {
    /// Measure what this processor takes for the work of OpenZFS; a few seconds, no ZFS needed.
    Processor(ProcessorArguments),
    /// Measure a disk or a file by reading it, or take latencies from a capture; nothing is written to it.
    Device(DeviceArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ProcessorArguments {
    /// Title of the file, instead of what the system calls the processor.
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// Write to a file, which must not be there yet, instead of to standard output.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct DeviceArguments {
    /// The disk (/dev/sda, /dev/disk/by-id/…), or a large file on it. Measure while nothing else uses it.
    #[arg(value_name = "DEVICE", required_unless_present = "from")]
    pub(crate) path: Option<PathBuf>,

    /// Name of the device again, such as sda: without it nothing is read.
    #[arg(long, value_name = "NAME", conflicts_with = "from")]
    pub(crate) confirm: Option<String>,

    /// Time to spend; ends without a result after twice that.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = time, conflicts_with = "from")]
    pub(crate) time: Duration,

    /// What it is, where the system does not say or is wrong (virtual disks).
    #[arg(long, value_name = "CLASS", value_enum, conflicts_with = "from")]
    pub(crate) class: Option<ClassChoice>,

    /// Profile for what reads do not tell (writes, flushes, caches), instead of the nearest one; with --from, one to
    /// compare with.
    #[arg(long, value_name = "PROFILE")]
    pub(crate) like: Option<String>,

    /// Title of the file, instead of what the drive calls itself.
    #[arg(long, value_name = "NAME", conflicts_with = "from")]
    pub(crate) name: Option<String>,

    /// Write to a file, which must not be there yet, instead of to standard output.
    #[arg(long, short = 'o', value_name = "FILE", conflicts_with = "from")]
    pub(crate) output: Option<PathBuf>,

    /// Take read latencies from a capture (zpool iostat -w) instead of touching a disk.
    #[arg(long, value_name = "CAPTURE", conflicts_with = "path", requires = "device")]
    pub(crate) from: Option<PathBuf>,

    /// The device in the capture, such as sda, as zpool iostat calls it.
    #[arg(long, value_name = "NAME", requires = "from")]
    pub(crate) device: Option<String>,
}

/// A class of devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClassChoice {
    /// A disk that turns.
    Hdd,
    /// Flash behind SATA, SAS or USB.
    Ssd,
    /// Flash behind NVMe.
    Nvme,
}

impl From<ClassChoice> for DeviceClass {
    fn from(choice: ClassChoice) -> Self {
        match choice {
            ClassChoice::Hdd => Self::Hdd,
            ClassChoice::Ssd => Self::SataSsd,
            ClassChoice::Nvme => Self::Nvme,
        }
    }
}

/// Reads the time to spend: from 10 seconds to an hour.
fn time(text: &str) -> Result<Duration, String> {
    const LEAST: Duration = Duration::from_secs(10);
    const MOST: Duration = Duration::from_secs(3600);
    match window(text)? {
        time if time < LEAST || time > MOST => Err("expected from 10s to 1h".to_owned()),
        time => Ok(time),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::time;

    #[test]
    fn a_probe_takes_from_seconds_to_an_hour() {
        assert_eq!(time("60s"), Ok(Duration::from_secs(60)));
        for wrong in ["0s", "9s", "61m", "soon", "-1s"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }
}
