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
    /// Whether the kernel says that its write cache is volatile (`write back`).
    pub volatile_cache: Option<bool>,
    /// Whether it is known to keep its cache at power loss; none when nothing tells.
    pub power_loss_protection: Option<bool>,
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
