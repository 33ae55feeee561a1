//! An SSD that is looked for a use: what stands for it in the model, how large it is, how much may be written to it.

use arcwright_device::{DeviceProfile, profile, profile_names};
use arcwright_machine::{Drive, DriveKind};
use arcwright_scenario::{DeviceText, Disk};
use arcwright_twin::stand;
use arcwright_units::{Bytes, nearest, visible};
use schemars::JsonSchema;
use serde::Serialize;

use crate::SsdError;

/// Below this wear, in percent, what a drive tells of its life is too coarse to be divided by.
const WEAR_MIN: u64 = 5;
/// A smaller one has no room for a log beside what is left free.
const SIZE_MIN: Bytes = Bytes::gib(2);

/// An SSD.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Ssd {
    /// As it is called: the drive as it was named, or the profile.
    pub name: String,
    /// How commands name it; absent where only a profile is known.
    pub path: Option<String>,
    /// The device profile that stands for it.
    pub profile: String,
    /// Why that one; absent where it was named itself.
    pub stands_for: Option<String>,
    /// Its size.
    pub size: Bytes,
    /// Whether it keeps its cache at power loss; absent where nothing tells.
    pub is_protected: Option<bool>,
    /// Bytes that may still be written to it; absent where nobody says.
    pub endurance: Option<Bytes>,
    /// What that rests on.
    pub endurance_from: String,
    /// The profile itself.
    #[serde(skip)]
    known: DeviceProfile,
    /// Its text, where it is a file of somebody's own.
    #[serde(skip)]
    definition: Option<DeviceText>,
}

impl Ssd {
    /// Returns what a profile describes, of which `size` may be less.
    ///
    /// # Errors
    /// [`SsdError`] for an unknown profile, one that turns, a size that is not there.
    pub fn of_profile(name: &str, size: Option<Bytes>) -> Result<Self, SsdError> {
        let known = profile(name).ok_or_else(|| SsdError::UnknownProfile {
            name: visible(name).into_owned(),
            nearest: nearest(name, profile_names()).map(str::to_owned),
            known: flash_names().join(", "),
        })?;
        Self::new(known, None, size)
    }

    /// Returns what a profile file of somebody's own describes, of which `size` may be less.
    ///
    /// # Errors
    /// [`SsdError`] for a text that is no profile, one that turns, a size that is not there.
    pub fn of_file(name: &str, text: &str, size: Option<Bytes>) -> Result<Self, SsdError> {
        let known = DeviceProfile::parse(name, text).map_err(|error| SsdError::NoProfile {
            name: visible(name).into_owned(),
            why: error.reason,
        })?;
        Self::new(known, Some(DeviceText::from(text.to_owned())), size)
    }

    fn new(
        known: DeviceProfile,
        definition: Option<DeviceText>,
        size: Option<Bytes>,
    ) -> Result<Self, SsdError> {
        let name = visible(known.name()).into_owned();
        if !known.is_flash() {
            return Err(SsdError::NoSsd { name, known: flash_names().join(", ") });
        }
        let whole = known.capacity();
        if let Some(size) = size.filter(|size| *size > whole) {
            return Err(SsdError::TooLarge { name, size, whole });
        }
        let size = large_enough(&name, size.or(Some(whole)))?;
        Ok(Self {
            path: None,
            profile: name.clone(),
            stands_for: None,
            size,
            is_protected: Some(known.is_power_loss_protected()),
            endurance: rated(&known, size),
            endurance_from: "the profile's rated endurance".to_owned(),
            definition,
            known,
            name,
        })
    }

    /// Returns what is known of a drive; `named` is what the user called it, `path` how commands name it.
    ///
    /// # Errors
    /// [`SsdError`] for a drive that turns, and for one whose size was not read.
    pub fn of_drive(drive: &Drive, named: &str, path: String) -> Result<Self, SsdError> {
        let name = visible(named).into_owned();
        if drive.kind == Some(DriveKind::Hdd) {
            return Err(SsdError::Turns { name });
        }
        let fallback = match drive.name.starts_with("nvme") || drive.name.starts_with("nda") {
            true => DriveKind::Nvme,
            false => DriveKind::Ssd,
        };
        let found = stand(Some(drive), None, fallback);
        let known = profile(found.profile).filter(DeviceProfile::is_flash);
        let known = known.ok_or_else(|| SsdError::Turns { name: name.clone() })?;
        let size = large_enough(&name, drive.size)?;
        let (endurance, endurance_from) = left(drive, &known, size);
        Ok(Self {
            path: Some(path),
            profile: found.profile.to_owned(),
            stands_for: Some(found.why),
            size,
            is_protected: drive.power_loss_protection,
            endurance,
            endurance_from,
            definition: None,
            known,
            name,
        })
    }

    /// Returns what stands in the model for a part of it, which shares the device of this name with the others.
    ///
    /// A part is no larger than the same share of the profile's own device.
    #[must_use]
    pub fn part(&self, called: String, size: Bytes) -> Disk {
        let whole = self.known.capacity();
        let share = size.0 as f64 / self.size.0.max(1) as f64;
        let most = if whole < self.size { Bytes::of_f64(whole.0 as f64 * share) } else { size };
        let size = Bytes(most.0 >> 20 << 20);
        let part_of = Some(called);
        let definition = self.definition.clone();
        Disk { part_of, definition, ..Disk::of(self.known.name(), Some(size)) }
    }

    /// Returns how many years it lasts with so many bytes a day; none where its endurance is not known.
    #[must_use]
    pub fn years(&self, written_per_day: f64) -> Option<f64> {
        let worn = self.known.worn(Bytes::of_f64(written_per_day)).0 as f64;
        Some(self.endurance?.0 as f64 / worn.max(1.0) / 365.25)
    }

    /// Returns the bytes per second that it takes at best.
    pub(crate) fn write_rate(&self) -> f64 {
        self.known.write_rate_max().0 as f64
    }
}

fn flash_names() -> Vec<&'static str> {
    let names = profile_names().into_iter();
    names.filter(|name| profile(name).as_ref().is_some_and(DeviceProfile::is_flash)).collect()
}

fn large_enough(name: &str, size: Option<Bytes>) -> Result<Bytes, SsdError> {
    let name = || name.to_owned();
    let size = size.ok_or_else(|| SsdError::UnknownSize { name: name() })?;
    match size >= SIZE_MIN {
        true => Ok(size),
        false => Err(SsdError::TooSmall { name: name(), size, least: SIZE_MIN }),
    }
}

/// Returns what may be written to a new device of this size: the profile's endurance in proportion.
fn rated(profile: &DeviceProfile, size: Bytes) -> Option<Bytes> {
    let share = size.0 as f64 / profile.capacity().0.max(1) as f64;
    profile.endurance().map(|whole| Bytes::of_f64(whole.0 as f64 * share))
}

/// Returns what may still be written to a drive, and what that rests on.
fn left(drive: &Drive, profile: &DeviceProfile, size: Bytes) -> (Option<Bytes>, String) {
    let used = drive.wear_pct.map(|wear| wear.min(100));
    let own = match (used, drive.written) {
        (Some(wear), Some(written)) if wear >= WEAR_MIN && written > Bytes::ZERO => {
            Some(Bytes::of_f64(written.0 as f64 / wear as f64 * 100.0))
        }
        _ => None,
    };
    let whole = own.or_else(|| rated(profile, size));
    let from = match (own, used) {
        (Some(_), Some(wear)) => {
            format!("its own counters: {wear} % of its life used by what was written to it so far")
        }
        (_, Some(wear)) => {
            format!("the rated endurance of {}, {wear} % of which is used", profile.name())
        }
        (_, None) => {
            format!(
                "the rated endurance of {} for this size; its wear was not read",
                profile.name()
            )
        }
    };
    let unused = 100 - used.unwrap_or(0);
    (whole.map(|whole| Bytes(whole.0 / 100 * unused)), from)
}
