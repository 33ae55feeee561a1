//! Which drives keep their cache when the power goes: a list of models with its sources.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::drive::{Drive, DriveKind};

const TEXT: &str = include_str!("../../knowledge/power-loss.toml");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    drive: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "what people read in the list is checked to be there")]
struct Entry {
    starts: Vec<String>,
    #[serde(default)]
    holds: Vec<String>,
    maker: String,
    keeps: bool,
    about: String,
    source: String,
}

/// A test reads the file, so that it is never left out here for being malformed.
static ENTRIES: LazyLock<Vec<Entry>> =
    LazyLock::new(|| toml::from_str::<File>(TEXT).map(|file| file.drive).unwrap_or_default());

/// Says of SSDs whether they keep their cache; a disk never does, what is virtual is unknown.
pub(super) fn judge(drives: &mut [Drive]) {
    for drive in drives {
        let flash = matches!(drive.kind, Some(DriveKind::Ssd | DriveKind::Nvme) | None);
        let model = drive.model.as_deref().filter(|_| flash);
        // A cache that is not volatile needs no keeping, which the kernel knows of NVMe drives.
        let lasting = drive.kind == Some(DriveKind::Nvme) && drive.volatile_cache == Some(false);
        let known = model.and_then(keeps_cache).or(lasting.then_some(true));
        drive.power_loss_protection = drive.power_loss_protection.or(known);
    }
}

/// Returns whether drives of this model keep their cache; none when the list does not have it.
fn keeps_cache(model: &str) -> Option<bool> {
    let model = model.to_ascii_lowercase();
    let scored = ENTRIES.iter().flat_map(|entry| {
        entry.starts.iter().map(move |start| (start.to_ascii_lowercase(), entry))
    });
    let matching = scored.filter(|(start, entry)| {
        // Some drives put their maker's name first, some do not.
        let maker = entry.maker.as_str();
        let bare = model
            .strip_prefix(maker)
            .map_or(model.as_str(), |rest| rest.trim_start_matches([' ', '_']));
        let holds = entry.holds.iter().all(|part| model.contains(&part.to_ascii_lowercase()));
        (bare.starts_with(start) || model.starts_with(start)) && holds
    });
    matching.max_by_key(|(start, _)| start.len()).map(|(_, entry)| entry.keeps)
}

#[cfg(test)]
mod tests {
    use super::{File, TEXT, keeps_cache};

    #[test]
    fn every_entry_has_a_beginning_and_a_source() {
        let file: File = toml::from_str(TEXT).unwrap();
        assert!(file.drive.len() > 10);
        for entry in &file.drive {
            assert!(!entry.starts.is_empty() && entry.source.len() > 10, "{entry:?}");
            assert_eq!(entry.maker, entry.maker.to_ascii_lowercase());
        }
    }

    fn check(model: &str, expected: Option<bool>) {
        assert_eq!(keeps_cache(model), expected, "{model}");
    }

    #[test]
    fn models_are_known_as_drives_tell_them() {
        check("INTEL SSDSC2BA400G3", Some(true));
        check("SAMSUNG MZ7LM480HCHP-00005", Some(true));
        check("Micron_5300_MTFDDAK480TDS", Some(true));
        check("KINGSTON SEDC500M480G", Some(true));
        check("Samsung SSD 870 EVO 1TB", Some(false));
        check("CT1000MX500SSD1", Some(false));
        check("INTEL SSDSA2M080G2GC", Some(false));
        check("KINGSTON SA400S37240G", Some(false));
        check("WDC WDS500G2B0A-00SM50", Some(false));
        check("Crucial_CT256MX100SSD1", None);
        check("NoName 3000", None);
        check("", None);
    }
}
