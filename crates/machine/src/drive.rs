//! A drive below a pool: what kind it is and how worn.

use arcwright_units::Bytes;

/// A drive, as the kernel and SMART describe it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drive {
    /// The kernel's name: `sda`, `nvme0n1`, `ada0`.
    pub name: String,
    /// Other names that lead to it or to a partition of it: `/dev/disk/by-id/ata-…-part1`.
    pub links: Vec<String>,
    /// What it is; none when unknown.
    pub kind: Option<DriveKind>,
    /// Manufacturer's name of the model.
    pub model: Option<String>,
    /// Its serial number; leaves the machine only in captures that are not redacted.
    pub serial: Option<String>,
    /// Its size.
    pub size: Option<Bytes>,
    /// Percent of its rated endurance that is used up (NVMe "Percentage Used"; may exceed 100).
    pub wear_pct: Option<u64>,
    /// Written by the host over its life.
    pub written: Option<Bytes>,
    /// Hours powered on.
    pub power_on_hours: Option<u64>,
    /// What SMART says of its health as a whole: whether it passed.
    pub smart_passed: Option<bool>,
    /// Sectors that were replaced by spare ones (ATA attribute 5, SCSI grown defects).
    pub reallocated: Option<u64>,
    /// Sectors that could not be read and wait to be written (ATA attribute 197).
    pub pending: Option<u64>,
    /// Sectors that could not be read (ATA attribute 198), errors of the medium (`NVMe`).
    pub uncorrectable: Option<u64>,
    /// Reads that the drive gave up since it was new, and said so (ATA attribute 187).
    pub reported: Option<u64>,
    /// Of the requests in its own log of errors, which holds the last ones, those for a sector that it could not
    /// read (`UNC`) or find (`IDNF`); none where no request of the log was read.
    pub logged_unreadable: Option<u64>,
    /// Requests that its driver gave up since the system started, those to an empty slot left out (illumos).
    pub failed_requests: Option<u64>,
    /// What was counted in an output of an earlier time, as far as the output says other things than it does later.
    pub earlier: SmartCounts,
    /// Attributes below their threshold now whose failure is the drive's.
    pub failing: Vec<FailingAttribute>,
    /// Why its SMART data cannot be read; none where nothing says so.
    pub smart_closed: Option<SmartClosed>,
    /// Whether smartctl says that an attribute of it was below its threshold once (“marginal”).
    pub is_marginal: bool,
    /// Whether smartctl says that its tracks overlap (SMR) and that the drive hides it.
    pub is_shingled: bool,
    /// Whether it answered only a part of the first question that every drive answers (SCSI INQUIRY).
    pub is_silent: bool,
    /// Errors on the way between disk and controller (ATA attribute 199): a cable, mostly.
    pub link_errors: Option<u64>,
    /// How fast its SATA link is now, and how fast it may be, in tenths of Gb/s.
    pub link_rates: Option<[u64; 2]>,
    /// The sector in which it may be addressed.
    pub sector_logical: Option<Bytes>,
    /// The sector that it reads and writes inside.
    pub sector_physical: Option<Bytes>,
    /// Whether the kernel says that its write cache is volatile (`write back`).
    pub volatile_cache: Option<bool>,
    /// Whether it is known to keep its cache at power loss; none when nothing tells.
    pub power_loss_protection: Option<bool>,
}

/// Counts of SMART at one time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SmartCounts {
    /// See [`Drive::reallocated`].
    pub reallocated: Option<u64>,
    /// See [`Drive::pending`].
    pub pending: Option<u64>,
    /// See [`Drive::uncorrectable`].
    pub uncorrectable: Option<u64>,
    /// See [`Drive::reported`].
    pub reported: Option<u64>,
    /// See [`Drive::link_errors`].
    pub link_errors: Option<u64>,
}

/// An attribute of SMART whose value is not above its threshold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailingAttribute {
    /// Its number.
    pub id: u64,
    /// Its name in smartmontools' database.
    pub name: String,
    /// Its value, which falls with age.
    pub value: u64,
    /// The maker's threshold; none where it was not read.
    pub threshold: Option<u64>,
    /// What it counts.
    pub raw: u64,
}

/// Why SMART data of a drive cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmartClosed {
    /// The drive has SMART, and it is switched off.
    Disabled,
    /// The drive, or the adapter in front of it, does not offer it.
    Unavailable,
}

/// What a drive is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DriveKind {
    /// Turning disks.
    Hdd,
    /// SSD behind SATA or SAS.
    Ssd,
    /// SSD behind `NVMe`.
    Nvme,
    /// A virtual disk; what is below is not known.
    Virtual,
}
