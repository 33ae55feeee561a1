//! Which device profile stands for a drive.
//!
//! By the drive's own model where that is of a known series, else by its kind; among profiles of a kind the one
//! of the nearest capacity. What is guessed says so.

use std::fmt::Write as _;

use arcwright_device::profile;
use arcwright_machine::{Drive, DriveKind};
use arcwright_units::Bytes;

/// A profile for a drive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stand {
    /// Its name.
    pub profile: &'static str,
    /// The part of it that is as large as what the pool has; the whole where that is not smaller.
    pub size: Option<Bytes>,
    /// Why it was taken, in words.
    pub why: String,
}

/// What kind of device a series of models is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Series {
    NasSlow,
    Nas,
    Enterprise,
    Shingled,
    SataConsumer,
    SataProtected,
    NvmeConsumer,
    NvmeProtected,
    Optane,
}

/// Beginnings or parts of model names. A name is looked up in this order; sources are the makers' data sheets, which
/// say speed, recording and power-loss protection of each series.
const SERIES: [(&str, Series); 58] = [
    // WD Red and Blue of 2018 on whose recording WD made public in 2020; Seagate's list of SMR drives, Barracuda Compute and
    // Archive among them; Toshiba's P300, DT02 and L200.
    ("WD20EFAX", Series::Shingled),
    ("WD30EFAX", Series::Shingled),
    ("WD40EFAX", Series::Shingled),
    ("WD60EFAX", Series::Shingled),
    ("WD60EDAZ", Series::Shingled),
    ("ST2000DM008", Series::Shingled),
    ("ST3000DM007", Series::Shingled),
    ("ST4000DM004", Series::Shingled),
    ("ST4000DM005", Series::Shingled),
    ("ST6000DM003", Series::Shingled),
    ("ST8000DM004", Series::Shingled),
    ("ST8000AS0002", Series::Shingled),
    ("ST5000AS0011", Series::Shingled),
    ("ST6000AS0002", Series::Shingled),
    ("ST8000AS0003", Series::Shingled),
    ("ST1000LM048", Series::Shingled),
    ("ST2000LM015", Series::Shingled),
    ("ST4000LM024", Series::Shingled),
    ("ST5000LM000", Series::Shingled),
    ("WD20EZAZ", Series::Shingled),
    ("WD60EZAZ", Series::Shingled),
    ("WD10SPZX", Series::Shingled),
    ("WD20SPZX", Series::Shingled),
    ("HDWD240", Series::Shingled),
    ("HDWD260", Series::Shingled),
    ("DT02ABA", Series::Shingled),
    ("HDWL110", Series::Shingled),
    ("EFRX", Series::NasSlow),
    ("EZRX", Series::NasSlow),
    ("EZRZ", Series::NasSlow),
    ("EFZX", Series::NasSlow),
    ("EFPX", Series::NasSlow),
    ("HDWQ", Series::Nas),
    ("HDWN", Series::Nas),
    ("HDWG", Series::Nas),
    ("FFBX", Series::Nas),
    ("KFBX", Series::Nas),
    ("ST16000NE", Series::Enterprise),
    ("NM0", Series::Enterprise),
    ("HUH7", Series::Enterprise),
    ("HUS7", Series::Enterprise),
    ("WUH7", Series::Enterprise),
    ("MG0", Series::Enterprise),
    ("MG1", Series::Enterprise),
    ("INTEL SSDSC2", Series::SataProtected),
    ("SSDSC2", Series::SataProtected),
    ("MZ7", Series::SataProtected),
    ("MICRON_5", Series::SataProtected),
    ("SEDC", Series::SataProtected),
    ("SSDPE2KX", Series::NvmeProtected),
    ("SSDPE2", Series::NvmeProtected),
    ("MZQL", Series::NvmeProtected),
    ("MZWL", Series::NvmeProtected),
    ("MICRON_7", Series::NvmeProtected),
    ("MICRON_9", Series::NvmeProtected),
    ("MEMPEK", Series::Optane),
    ("SAMSUNG SSD 9", Series::NvmeConsumer),
    ("SAMSUNG SSD 8", Series::SataConsumer),
];

impl Series {
    fn of(model: &str) -> Option<Self> {
        let model = model.to_ascii_uppercase();
        let found = SERIES.iter().find(|(part, _)| model.contains(part));
        // IronWolf: ST8000VN004, ST4000VN006.
        let is_ironwolf = || model.starts_with("ST") && model.contains("VN0");
        found.map(|(_, series)| *series).or_else(|| is_ironwolf().then_some(Self::Nas))
    }

    const fn of_kind(kind: DriveKind, is_protected: bool) -> Option<Self> {
        match (kind, is_protected) {
            (DriveKind::Hdd, _) => Some(Self::Nas),
            (DriveKind::Ssd, true) => Some(Self::SataProtected),
            (DriveKind::Ssd, false) => Some(Self::SataConsumer),
            (DriveKind::Nvme, true) => Some(Self::NvmeProtected),
            (DriveKind::Nvme, false) => Some(Self::NvmeConsumer),
            (DriveKind::Virtual, _) => None,
        }
    }

    /// Returns the profiles of such devices.
    const fn profiles(self) -> &'static [&'static str] {
        match self {
            Self::NasSlow => &["hdd-nas-5400"],
            Self::Nas => &["hdd-nas-5400", "hdd-nas-7200", "hdd-nas-8tb"],
            Self::Shingled => &["hdd-smr-4tb", "hdd-smr-8tb"],
            Self::Enterprise => {
                &["hdd-enterprise-7200", "hdd-enterprise-18tb", "hdd-enterprise-24tb"]
            }
            Self::SataConsumer => &["ssd-sata-consumer"],
            Self::SataProtected => &["ssd-sata-plp"],
            Self::NvmeConsumer => &["nvme-consumer"],
            Self::NvmeProtected => &["nvme-plp", "nvme-pm9a3"],
            Self::Optane => &["nvme-optane-m10-16"],
        }
    }
}

/// Says whether a drive's tracks overlap (SMR): smartctl says so, or its model is on its maker's list.
#[must_use]
pub fn is_shingled(drive: &Drive) -> bool {
    let of_model = drive.model.as_deref().and_then(Series::of);
    drive.is_shingled || of_model == Some(Series::Shingled)
}

/// Returns what stands for a device of which the pool has `size`; `drive` is what is known of it, `fallback` the kind
/// that is assumed of one that is not known.
#[must_use]
pub fn stand(drive: Option<&Drive>, size: Option<Bytes>, fallback: DriveKind) -> Stand {
    let model = drive.and_then(|drive| drive.model.as_deref());
    let size = size.or_else(|| drive.and_then(|drive| drive.size));
    let told = drive.is_some_and(|drive| drive.is_shingled).then_some(Series::Shingled);
    let of_model = told.or_else(|| model.and_then(Series::of));
    let kind = drive.and_then(|drive| drive.kind);
    let is_protected = drive.is_some_and(|drive| drive.power_loss_protection == Some(true));
    let of_kind = kind.and_then(|kind| Series::of_kind(kind, is_protected));
    let series = of_model.or(of_kind);
    let assumed = || Series::of_kind(fallback, false).unwrap_or(Series::Nas);
    let mut why = match (of_model, of_kind, model) {
        (Some(_), _, Some(model)) => format!("for {model}"),
        (None, Some(_), Some(model)) => format!("for {model} by its kind alone"),
        (None, Some(_), None) => "by its kind alone, no model was read".to_owned(),
        _ => "assumed: its kind was not read".to_owned(),
    };
    if series == Some(Series::Shingled) {
        why.push_str("; that is a shingled drive (SMR), and how it rewrites its bands is a guess");
    }
    let profile = nearest(series.unwrap_or_else(assumed).profiles(), size);
    let whole = capacity(profile);
    if let Some(size) = size.filter(|size| size.0 > whole.0 / 100 * 101) {
        // Writing into a string cannot fail.
        let _ = write!(why, "; it has {size}, the profile {whole}");
    }
    let part = size.filter(|size| size.0 < whole.0 / 100 * 99);
    Stand { profile, size: part.map(|size| Bytes(size.0 >> 20 << 20)), why }
}

/// Returns the profile whose capacity is nearest.
fn nearest(profiles: &'static [&'static str], size: Option<Bytes>) -> &'static str {
    let Some(size) = size else {
        return profiles.first().copied().unwrap_or("hdd-nas-7200");
    };
    let far = |profile: &&&str| capacity(profile).0.abs_diff(size.0);
    profiles.iter().min_by_key(far).copied().unwrap_or("hdd-nas-7200")
}

fn capacity(name: &str) -> Bytes {
    profile(name).map_or_else(|| Bytes::ZERO, |profile| profile.capacity())
}

#[cfg(test)]
mod tests {
    use super::{SERIES, Stand, stand};
    use arcwright_machine::{Drive, DriveKind};
    use arcwright_units::Bytes;

    #[test]
    fn a_drive_has_the_profile_of_its_series_and_size() {
        let check = |model: &str, kind: DriveKind, size: u64, expected: &str, said: &str| {
            let size = Some(Bytes(size * 1_000_000_000));
            let model = Some(model.to_owned());
            let drive = Drive { model, kind: Some(kind), size, ..Drive::default() };
            let Stand { profile, why, .. } = stand(Some(&drive), None, DriveKind::Hdd);
            assert_eq!(profile, expected, "{why}");
            assert!(why.contains(said), "{why}");
        };
        check("WDC WD40EFRX-68N32N0", DriveKind::Hdd, 4_000, "hdd-nas-5400", "for WDC");
        check("WDC WD40EFAX-68JH4N0", DriveKind::Hdd, 4_000, "hdd-smr-4tb", "SMR");
        check("ST8000AS0002-1NA17Z", DriveKind::Hdd, 8_000, "hdd-smr-8tb", "SMR");
        check("ST8000VN004-2M2101", DriveKind::Hdd, 8_000, "hdd-nas-8tb", "for ST8000VN004");
        check("ST18000NM000J-2TV103", DriveKind::Hdd, 18_000, "hdd-enterprise-18tb", "for ST18000");
        check("WUH722020ALE6L4", DriveKind::Hdd, 20_000, "hdd-enterprise-18tb", "the profile 16.");
        check("Samsung SSD 870 EVO 500GB", DriveKind::Ssd, 500, "ssd-sata-consumer", "for Samsung");
        check("SAMSUNG MZ7KM480HAHP", DriveKind::Ssd, 480, "ssd-sata-plp", "for SAMSUNG MZ7");
        check("Some NVMe", DriveKind::Nvme, 1_000, "nvme-consumer", "by its kind alone");
    }

    #[test]
    fn what_is_not_known_is_assumed_and_says_so() {
        let found = stand(None, Some(Bytes::gib(10)), DriveKind::Hdd);
        assert_eq!((found.profile, found.size), ("hdd-nas-5400", Some(Bytes::gib(10))));
        assert!(found.why.starts_with("assumed"), "{}", found.why);
        let found = stand(None, None, DriveKind::Nvme);
        assert_eq!((found.profile, found.size), ("nvme-consumer", None));
    }

    #[test]
    fn every_series_is_written_as_it_is_looked_up() {
        for (part, _) in SERIES {
            assert_eq!(part, part.to_ascii_uppercase(), "{part}");
        }
    }
}
