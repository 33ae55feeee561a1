//! What kind of system it is, and where settings live there.

use std::collections::BTreeSet;

use super::Command;
use super::scan::Syntax;
use crate::Kernel;

/// A kind of system that runs OpenZFS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    /// Debian.
    Debian,
    /// Ubuntu.
    Ubuntu,
    /// Proxmox VE.
    Proxmox,
    /// TrueNAS on Linux: SCALE, and all later ones.
    TruenasScale,
    /// TrueNAS CORE, on FreeBSD.
    TruenasCore,
    /// FreeBSD.
    Freebsd,
    /// XigmaNAS, formerly NAS4Free.
    Xigmanas,
    /// NixOS.
    Nixos,
    /// A container: the module belongs to the host.
    Container,
    /// Another Linux.
    Linux,
}

/// What is looked at to tell platforms apart; paths are those of the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlatformProbe {
    /// The kernel.
    pub kernel: Kernel,
    /// Text of `/etc/os-release`.
    pub os_release: Option<String>,
    /// Text of `/etc/prd.name`, which names XigmaNAS.
    pub product: Option<String>,
    /// Which of [`PROBES`] exist.
    pub present: BTreeSet<String>,
}

const MODPROBE: &str = "/etc/modprobe.d/zz-arcwright.conf";
const SYSCTL: &str = "/etc/sysctl.conf";
const LOADER: &str = "/boot/loader.conf";

/// The files that settings are written to, on whatever platform: no other is ever changed.
pub const HOMES: [&str; 3] = [MODPROBE, SYSCTL, LOADER];

/// Paths whose existence tells something.
pub const PROBES: [&str; 14] = [
    "/usr/bin/midclt",
    "/usr/local/bin/midclt",
    "/data/freenas-v1.db",
    "/usr/bin/pveversion",
    "/etc/pve",
    "/etc/NIXOS",
    "/etc/nixos",
    "/.dockerenv",
    "/run/.containerenv",
    "/run/systemd/container",
    "/usr/sbin/update-initramfs",
    "/usr/bin/dracut",
    "/usr/bin/mkinitcpio",
    "/usr/sbin/proxmox-boot-tool",
];

/// Where settings live.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigLocation {
    /// A file of ours that modprobe reads after all others.
    Modprobe {
        /// Its path.
        path: &'static str,
    },
    /// FreeBSD's files, in which we have a block.
    Freebsd {
        /// For what the running module takes.
        sysctl: &'static str,
        /// For what it takes only when it is loaded.
        loader: &'static str,
    },
    /// A database behind a command.
    Middleware,
    /// A configuration that only its owner writes; what belongs there is printed.
    Instructions {
        /// What to do with the lines.
        how: &'static str,
    },
    /// Nowhere.
    Nowhere {
        /// Why.
        why: &'static str,
    },
}

impl Platform {
    /// Tells which platform shows these signs.
    #[must_use]
    pub fn detect(signs: &PlatformProbe) -> Self {
        let has = |path: &str| signs.present.contains(path);
        let truenas = has("/usr/bin/midclt") || has("/usr/local/bin/midclt");
        if has("/.dockerenv") || has("/run/.containerenv") || has("/run/systemd/container") {
            return Self::Container;
        }
        match signs.kernel {
            Kernel::Freebsd if truenas || has("/data/freenas-v1.db") => Self::TruenasCore,
            Kernel::Freebsd if signs.product.is_some() => Self::Xigmanas,
            Kernel::Freebsd => Self::Freebsd,
            Kernel::Linux if truenas => Self::TruenasScale,
            Kernel::Linux if has("/etc/pve") || has("/usr/bin/pveversion") => Self::Proxmox,
            Kernel::Linux if has("/etc/NIXOS") => Self::Nixos,
            Kernel::Linux => match id_of(signs.os_release.as_deref().unwrap_or_default()) {
                Some("debian") => Self::Debian,
                Some("ubuntu") => Self::Ubuntu,
                Some("nixos") => Self::Nixos,
                _ => Self::Linux,
            },
        }
    }

    /// Returns its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Debian => "Debian",
            Self::Ubuntu => "Ubuntu",
            Self::Proxmox => "Proxmox VE",
            Self::TruenasScale => "TrueNAS SCALE",
            Self::TruenasCore => "TrueNAS CORE",
            Self::Freebsd => "FreeBSD",
            Self::Xigmanas => "XigmaNAS",
            Self::Nixos => "NixOS",
            Self::Container => "a container",
            Self::Linux => "Linux",
        }
    }

    /// Returns where its settings live.
    #[must_use]
    pub const fn home(self) -> ConfigLocation {
        match self {
            Self::Debian | Self::Ubuntu | Self::Proxmox | Self::Linux => {
                ConfigLocation::Modprobe { path: MODPROBE }
            }
            Self::Freebsd => ConfigLocation::Freebsd { sysctl: SYSCTL, loader: LOADER },
            Self::TruenasScale | Self::TruenasCore => ConfigLocation::Middleware,
            Self::Xigmanas => ConfigLocation::Instructions {
                how: "enter these lines in the web interface, System > Advanced: those under \
                      “sysctl” in sysctl.conf, those under “loader” in loader.conf; a boot \
                      discards manual edits of files",
            },
            Self::Nixos => ConfigLocation::Instructions {
                how: "put this into configuration.nix and run nixos-rebuild switch",
            },
            Self::Container => ConfigLocation::Nowhere {
                why: "this is a container; the module belongs to the host, so persist it there",
            },
        }
    }

    /// Returns the commands after which a new boot takes the files of modprobe.d: a module loaded from
    /// the initramfs sees the copy in there.
    #[must_use]
    pub fn refresh(self, signs: &PlatformProbe) -> Vec<Command> {
        if !matches!(self.home(), ConfigLocation::Modprobe { .. }) {
            return Vec::new();
        }
        let ways: [(&str, &[&str]); 3] = [
            ("/usr/sbin/update-initramfs", &["update-initramfs", "-u", "-k", "all"]),
            ("/usr/bin/dracut", &["dracut", "--force", "--regenerate-all"]),
            ("/usr/bin/mkinitcpio", &["mkinitcpio", "-P"]),
        ];
        let there = ways.iter().find(|(path, _)| signs.present.contains(*path));
        let mut commands: Vec<Command> =
            there.map(|(_, words)| Command::new(words)).into_iter().collect();
        if self == Self::Proxmox || signs.present.contains("/usr/sbin/proxmox-boot-tool") {
            commands.push(Command::new(&["proxmox-boot-tool", "refresh"]));
        }
        commands
    }
}

impl ConfigLocation {
    /// Returns the files that settings are written to, with how they spell them.
    #[must_use]
    pub const fn file(&self, live: bool) -> Option<(&'static str, Syntax)> {
        match self {
            Self::Modprobe { path } => Some((path, Syntax::Modprobe)),
            Self::Freebsd { sysctl, .. } if live => Some((sysctl, Syntax::Sysctl)),
            Self::Freebsd { loader, .. } => Some((loader, Syntax::Loader)),
            Self::Middleware | Self::Instructions { .. } | Self::Nowhere { .. } => None,
        }
    }
}

fn id_of(os_release: &str) -> Option<&str> {
    let line = os_release.lines().find_map(|line| line.strip_prefix("ID="));
    line.map(|id| id.trim().trim_matches('"'))
}
