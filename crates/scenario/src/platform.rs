//! Platforms by name: which OpenZFS a release of a system has, and what that system sets.
//!
//! Only what a source says is here; docs/reference/platforms.md names the source of each row. What a platform
//! sets beside this table is not known, and not claimed.

use arcwright_tunables::Kernel;
use arcwright_units::Bytes;

use crate::system::Setting;

/// A release of a system that people install.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Platform {
    /// Its name in scenario files: `proxmox-9`.
    pub name: &'static str,
    /// What it is called.
    pub title: &'static str,
    /// Its version of OpenZFS.
    pub zfs: &'static str,
    /// Its operating system.
    pub os: Kernel,
    /// What it sets of the ARC.
    pub(crate) arc: ArcRule,
}

/// How a platform limits the ARC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArcRule {
    /// Not at all: OpenZFS's own default holds.
    Default,
    /// A tenth of the memory, in whole MiB, from 64 MiB to 16 GiB, written when it is installed.
    Tenth,
}

const fn platform(
    name: &'static str,
    title: &'static str,
    zfs: &'static str,
    os: Kernel,
) -> Platform {
    Platform { name, title, zfs, os, arc: ArcRule::Default }
}

const fn proxmox(name: &'static str, title: &'static str, zfs: &'static str) -> Platform {
    Platform { name, title, zfs, os: Kernel::Linux, arc: ArcRule::Tenth }
}

/// All that are known. A name without a minor version is the first release of that series, of Debian what its archive has.
pub const PLATFORMS: [Platform; 14] = [
    platform("debian-11", "Debian 11", "2.0.3", Kernel::Linux),
    platform("debian-12", "Debian 12", "2.1.11", Kernel::Linux),
    platform("debian-13", "Debian 13", "2.3.9", Kernel::Linux),
    platform("ubuntu-22.04", "Ubuntu 22.04 LTS", "2.1.5", Kernel::Linux),
    platform("ubuntu-24.04", "Ubuntu 24.04 LTS", "2.2.2", Kernel::Linux),
    proxmox("proxmox-9", "Proxmox VE 9.0", "2.3.3"),
    proxmox("proxmox-9.0", "Proxmox VE 9.0", "2.3.3"),
    proxmox("proxmox-9.2", "Proxmox VE 9.2", "2.4"),
    platform("truenas-25.04", "TrueNAS 25.04", "2.3.0", Kernel::Linux),
    platform("truenas-25.10", "TrueNAS 25.10", "2.3.4", Kernel::Linux),
    platform("freebsd-13.3", "FreeBSD 13.3", "2.1.14", Kernel::Freebsd),
    platform("freebsd-14", "FreeBSD 14.1", "2.2.4", Kernel::Freebsd),
    platform("freebsd-14.1", "FreeBSD 14.1", "2.2.4", Kernel::Freebsd),
    platform("freebsd-14.3", "FreeBSD 14.3", "2.2.7", Kernel::Freebsd),
];

impl Platform {
    /// Returns the platform called `name`.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        PLATFORMS.into_iter().find(|platform| platform.name == name)
    }

    /// Returns what it sets on a machine with `memory`.
    pub(crate) fn settings(self, memory: Bytes) -> Vec<Setting> {
        match self.arc {
            ArcRule::Default => Vec::new(),
            ArcRule::Tenth => {
                let mib = (memory.0 / 10).saturating_add(1 << 19) >> 20;
                let value = Bytes::mib(mib.clamp(64, 16 << 10)).0;
                vec![Setting { name: "zfs_arc_max".to_owned(), value }]
            }
        }
    }

    /// Returns what its name stands for, in words.
    pub(crate) fn meaning(self, settings: &[Setting]) -> String {
        let Self { name, title, zfs, .. } = self;
        let listed: Vec<String> = settings.iter().map(in_words).collect();
        match listed.is_empty() {
            true => format!("{name} stands for {title}: OpenZFS {zfs} with its own defaults"),
            false => format!(
                "{name} stands for {title}: OpenZFS {zfs}, and its installer sets {}",
                listed.join(", ")
            ),
        }
    }
}

fn in_words(setting: &Setting) -> String {
    match setting.name.as_str() {
        "zfs_arc_max" => {
            let size = Bytes(setting.value);
            format!("zfs_arc_max={} ({size}: a tenth of the memory, at most 16 GiB)", setting.value)
        }
        name => format!("{name}={}", setting.value),
    }
}

#[cfg(test)]
mod tests {
    use arcwright_tunables::Version;
    use arcwright_units::Bytes;

    use super::{PLATFORMS, Platform};

    #[test]
    fn every_platform_has_a_known_version_and_a_name_of_its_own() {
        for (at, platform) in PLATFORMS.iter().enumerate() {
            assert!(Version::parse(platform.zfs).is_some(), "{platform:?}");
            assert!(Version::parse(platform.name).is_none(), "{platform:?}");
            assert!(PLATFORMS.iter().skip(at + 1).all(|other| other.name != platform.name));
        }
    }

    #[test]
    fn proxmox_gives_the_arc_a_tenth() {
        let check = |memory: Bytes, expected: Bytes| {
            let settings = Platform::find("proxmox-9").unwrap().settings(memory);
            assert_eq!(settings.first().map(|setting| Bytes(setting.value)), Some(expected));
        };
        check(Bytes::gib(32), Bytes::mib(3277));
        check(Bytes::gib(256), Bytes::gib(16));
        check(Bytes::mib(512), Bytes::mib(64));
    }
}
