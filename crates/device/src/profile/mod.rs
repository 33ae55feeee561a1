//! Named device profiles: data files with a source for every number.
//!
//! A profile is a TOML file in `profiles/`. It is read once, checked by tests, and scaled by
//! [`DeviceProfile::scaled`] when an experiment is.

mod basis;
mod bounds;
mod flash;
mod hdd;

use std::sync::OnceLock;

use arcwright_units::{Bytes, Rate};
use serde::Deserialize;
use thiserror::Error;

pub use basis::{ProfileBasis, Unverified, ValueBasis};
pub(crate) use flash::FlashSpec;
pub(crate) use hdd::{HddSpec, ShingleSpec};

use basis::{BasisFile, FLASH_KEYS};
use flash::FlashFile;
use hdd::HddFile;

/// What kind of device a profile describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceClass {
    /// Takes no time.
    Instant,
    /// A disk that turns.
    Hdd,
    /// Flash behind SATA.
    SataSsd,
    /// Flash behind NVMe.
    Nvme,
}

/// Why a profile text is not a profile.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("device profile “{name}”: {reason}")]
pub struct ProfileError {
    /// The profile's name.
    pub name: String,
    /// What is wrong with it.
    pub reason: String,
}

/// A device profile, possibly scaled.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceProfile {
    name: String,
    title: String,
    kind: Kind,
    class: DeviceClass,
    capacity: Bytes,
    basis: Option<ProfileBasis>,
    factor: u64,
}

/// The parameters of a model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Instant,
    Hdd(HddSpec),
    Flash(FlashSpec),
}

const TEXTS: [(&str, &str); 18] = [
    ("hdd-nas-5400", include_str!("../../profiles/hdd-nas-5400.toml")),
    ("hdd-nas-7200", include_str!("../../profiles/hdd-nas-7200.toml")),
    ("hdd-enterprise-7200", include_str!("../../profiles/hdd-enterprise-7200.toml")),
    ("hdd-nas-8tb", include_str!("../../profiles/hdd-nas-8tb.toml")),
    ("hdd-enterprise-18tb", include_str!("../../profiles/hdd-enterprise-18tb.toml")),
    ("hdd-enterprise-24tb", include_str!("../../profiles/hdd-enterprise-24tb.toml")),
    ("hdd-smr-4tb", include_str!("../../profiles/hdd-smr-4tb.toml")),
    ("hdd-smr-8tb", include_str!("../../profiles/hdd-smr-8tb.toml")),
    ("hdd-desktop-2010", include_str!("../../profiles/hdd-desktop-2010.toml")),
    ("hdd-microserver", include_str!("../../profiles/hdd-microserver.toml")),
    ("ssd-sata-x25m-80", include_str!("../../profiles/ssd-sata-x25m-80.toml")),
    ("ssd-sata-consumer", include_str!("../../profiles/ssd-sata-consumer.toml")),
    ("ssd-sata-plp", include_str!("../../profiles/ssd-sata-plp.toml")),
    ("nvme-consumer", include_str!("../../profiles/nvme-consumer.toml")),
    ("nvme-plp", include_str!("../../profiles/nvme-plp.toml")),
    ("nvme-pm9a3", include_str!("../../profiles/nvme-pm9a3.toml")),
    ("nvme-optane-m10-16", include_str!("../../profiles/nvme-optane-m10-16.toml")),
    ("instant", ""),
];

/// Returns the names of all profiles.
#[must_use]
pub fn profile_names() -> Vec<&'static str> {
    TEXTS.iter().map(|(name, _)| *name).collect()
}

/// Returns the data file of a profile that comes with the program; empty for the one that takes no time.
pub(crate) fn profile_text(name: &str) -> Option<&'static str> {
    TEXTS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Returns the profile called `name`, at full scale; none when there is no such profile.
#[must_use]
pub fn profile(name: &str) -> Option<DeviceProfile> {
    static READ: [OnceLock<Option<DeviceProfile>>; TEXTS.len()] =
        [const { OnceLock::new() }; TEXTS.len()];
    let (place, (name, text)) = TEXTS.iter().enumerate().find(|(_, (known, _))| *known == name)?;
    READ.get(place)?.get_or_init(|| read(name, text)).clone()
}

fn read(name: &str, text: &str) -> Option<DeviceProfile> {
    if name == "instant" {
        return Some(DeviceProfile {
            name: name.to_owned(),
            title: "takes no time; for building and measuring".to_owned(),
            kind: Kind::Instant,
            class: DeviceClass::Instant,
            capacity: Bytes::gib(4096),
            basis: None,
            factor: 1,
        });
    }
    // A test reads every one of them, so what is embedded is well-formed.
    DeviceProfile::parse(name, text).ok()
}

impl DeviceProfile {
    /// Reads a profile from its data file.
    ///
    /// # Errors
    /// [`ProfileError`] naming what is missing or makes no sense.
    pub fn parse(name: &str, text: &str) -> Result<Self, ProfileError> {
        let failed = |reason: String| ProfileError { name: name.to_owned(), reason };
        let file: File = toml::from_str(text).map_err(|error| {
            // The line, but not its text: a scenario from elsewhere may name a file that is none.
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            failed(format!("line {line}: {}", error.message().trim()))
        })?;
        let keys = file.hdd.as_ref().map_or_else(|| FLASH_KEYS.to_vec(), HddFile::keys);
        let (kind, class) = match (file.hdd, file.flash) {
            (Some(hdd), None) if file.class == "hdd" => {
                (Kind::Hdd(hdd.build().map_err(&failed)?), DeviceClass::Hdd)
            }
            (Some(_), None) => {
                return Err(failed(format!("“{}” is no class of a disk; write hdd", file.class)));
            }
            (None, Some(flash)) => {
                let class = match file.class.as_str() {
                    "sata-ssd" => DeviceClass::SataSsd,
                    "nvme" => DeviceClass::Nvme,
                    other => {
                        let what =
                            format!("“{other}” is no class of flash; write sata-ssd or nvme");
                        return Err(failed(what));
                    }
                };
                let size = ("capacity_bytes", file.capacity_bytes as f64, bounds::CAPACITY);
                bounds::check(&[size]).map_err(&failed)?;
                (Kind::Flash(flash.build().map_err(&failed)?), class)
            }
            _ => return Err(failed("needs exactly one of [hdd] and [flash]".to_owned())),
        };
        let capacity = match &kind {
            Kind::Hdd(hdd) => hdd.capacity(),
            Kind::Instant | Kind::Flash(_) => Bytes(file.capacity_bytes),
        };
        let basis = file.basis.map(|basis| basis.build(&keys)).transpose().map_err(&failed)?;
        let name = name.to_owned();
        Ok(Self { name, title: file.title, kind, class, capacity, basis, factor: 1 })
    }

    /// Returns the name in scenario files.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns what it stands for, one line.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns what its values rest on; none where its file does not say.
    #[must_use]
    pub const fn basis(&self) -> Option<&ProfileBasis> {
        self.basis.as_ref()
    }

    /// Returns what kind of device it is.
    #[must_use]
    pub const fn class(&self) -> DeviceClass {
        self.class
    }

    /// Returns the capacity, after scaling.
    #[must_use]
    pub const fn capacity(&self) -> Bytes {
        Bytes(self.capacity.0 / self.factor)
    }

    /// Returns the best sequential read rate, after scaling; the outer zone of a disk.
    #[must_use]
    pub fn read_rate_max(&self) -> Rate {
        let rate = match &self.kind {
            Kind::Instant => Rate(u64::MAX),
            Kind::Hdd(hdd) => hdd.outer_rate(),
            Kind::Flash(flash) => flash.read_rate,
        };
        Rate(rate.0 / self.factor)
    }

    /// Returns the best sequential write rate, after scaling; of flash the burst rate.
    #[must_use]
    pub fn write_rate_max(&self) -> Rate {
        match &self.kind {
            Kind::Instant | Kind::Hdd(_) => self.read_rate_max(),
            Kind::Flash(flash) => Rate(flash.write_rate_burst.0 / self.factor),
        }
    }

    /// Returns how much may be written to it in its life, after scaling; none when nobody says.
    ///
    /// To be compared with [`crate::Counters::worn_bytes`].
    #[must_use]
    pub fn endurance(&self) -> Option<Bytes> {
        match &self.kind {
            Kind::Flash(flash) if flash.endurance > Bytes::ZERO => {
                Some(Bytes(flash.endurance.0 / self.factor))
            }
            Kind::Flash(_) | Kind::Hdd(_) | Kind::Instant => None,
        }
    }

    /// Returns how many bytes wear it where `written` are written: of flash times the write amplification.
    #[must_use]
    pub const fn worn(&self, written: Bytes) -> Bytes {
        match &self.kind {
            Kind::Flash(flash) => {
                Bytes(written.0 / 1000 * flash.amplification_permille + written.0 % 1000)
            }
            Kind::Hdd(_) | Kind::Instant => written,
        }
    }

    /// Returns whether it is flash, behind whatever.
    #[must_use]
    pub const fn is_flash(&self) -> bool {
        matches!(self.class, DeviceClass::SataSsd | DeviceClass::Nvme)
    }

    /// Returns whether it turns.
    #[must_use]
    pub fn is_rotational(&self) -> bool {
        self.class == DeviceClass::Hdd
    }

    /// Returns whether it is a disk whose tracks overlap (SMR).
    #[must_use]
    pub const fn is_shingled(&self) -> bool {
        matches!(&self.kind, Kind::Hdd(hdd) if hdd.shingle.is_some())
    }

    /// Returns whether what it has acknowledged survives a loss of power without a flush.
    #[must_use]
    pub const fn is_power_loss_protected(&self) -> bool {
        match &self.kind {
            Kind::Flash(flash) => flash.power_loss_protection,
            Kind::Hdd(_) | Kind::Instant => false,
        }
    }

    /// Returns the profile of an experiment scaled down by `factor`.
    ///
    /// Sizes and rates are divided while blocks keep their size, so every request takes `factor`
    /// times as long: the device is the same one in a time that runs that much slower. Capacity and
    /// the fast write cache of flash shrink. A disk keeps its tracks and has fewer cylinders, and a
    /// seek over some of them takes as long as one over `factor` times as many, since that is how
    /// far it is in life; only the neighbouring cylinder stays the neighbour. The read buffer of a
    /// disk keeps its bytes: it is so many blocks, and blocks do not scale. Its write-back buffer
    /// shrinks, down to 1 MiB, or it would swallow in seconds what takes minutes to write.
    #[must_use]
    pub fn scaled(&self, factor: u64) -> Self {
        Self { factor: self.factor.saturating_mul(factor.max(1)), ..self.clone() }
    }

    pub(crate) const fn kind(&self) -> &Kind {
        &self.kind
    }

    pub(crate) const fn factor(&self) -> u64 {
        self.factor
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    title: String,
    class: String,
    #[serde(default)]
    capacity_bytes: u64,
    hdd: Option<HddFile>,
    flash: Option<FlashFile>,
    basis: Option<BasisFile>,
}
