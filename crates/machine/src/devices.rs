//! What devices did, as the tools of the operating system tell beside ZFS: `iostat -x`, `gstat`.
//!
//! Not what `zpool iostat` says of the same disks: that stands in [`crate::Sample::vdevs`], and neither
//! replaces the other.

/// What the devices of a machine did over one time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeviceTable {
    /// The program that told: `iostat`, `gstat`.
    pub program: String,
    /// Whether it counts since the machine was started, rather than over an interval; none where the text
    /// does not tell.
    pub since_boot: Option<bool>,
    /// Every device that all reports of that time have, by name.
    pub devices: Vec<DeviceIo>,
}

/// What one device did; what its table does not have is none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeviceIo {
    /// As the table names it: `sda`, `ada0p3`, `c0t0d0`.
    pub name: String,
    /// Reads completed per second.
    pub read_ops_per_s: Option<f64>,
    /// Writes completed per second.
    pub write_ops_per_s: Option<f64>,
    /// Bytes read per second.
    pub read_bytes_per_s: Option<f64>,
    /// Bytes written per second.
    pub write_bytes_per_s: Option<f64>,
    /// Mean time of a read; none where there was none.
    pub read_wait_ns: Option<u64>,
    /// Mean time of a write; none where there was none.
    pub write_wait_ns: Option<u64>,
    /// Mean time of any request, where the table has one column for both.
    pub wait_ns: Option<u64>,
    /// Requests at the device; on Linux with those that wait in front of it.
    pub queue: Option<f64>,
    /// Percent of the time in which it had a request; of flash, which serves many at once, that says little.
    pub busy_pct: Option<f64>,
}

impl DeviceIo {
    /// Returns its reads and writes per second; none when either is not known.
    #[must_use]
    pub fn ops_per_s(&self) -> Option<f64> {
        Some(self.read_ops_per_s? + self.write_ops_per_s?)
    }
}
