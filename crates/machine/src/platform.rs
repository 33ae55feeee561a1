//! Which system it is, because that decides where settings live.

use serde::{Deserialize, Serialize};

/// The kernel's family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Os {
    /// Linux, OpenZFS as a module.
    Linux,
    /// FreeBSD, with OpenZFS (13 and later) or a ZFS of its own (8 to 12).
    FreeBsd,
}

/// The distribution, as far as it matters for where settings are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Platform {
    /// Debian.
    Debian,
    /// Ubuntu.
    Ubuntu,
    /// Proxmox VE or Backup Server.
    Proxmox,
    /// TrueNAS SCALE and the Linux TrueNAS after it.
    TruenasScale,
    /// TrueNAS CORE and `FreeNAS`.
    TruenasCore,
    /// `FreeBSD` itself.
    FreeBsd,
    /// `XigmaNAS` and `NAS4Free`.
    Xigmanas,
    /// `NixOS`.
    Nixos,
    /// A container that sees a host's kernel and may not change it.
    Container,
    /// Another Linux.
    OtherLinux,
}
