//! GEOM's lists: `geom disk list`, `gpart list`, `glabel list`, `geli list`.
//!
//! ```text
//! Geom name: da6p1
//! Providers:
//! 1. Name: gptid/a3d641e5-…          what it offers
//!    Mediasize: 21474836480 (20G)
//! Consumers:
//! 1. Name: da6p1                     what it stands on; a disk stands on nothing
//!    Mediasize: 21474836480 (20G)
//! ```

use arcwright_units::Bytes;

use super::{Found, disk_of, sector};
use crate::drive::DriveKind;

/// A provider or consumer with its fields.
#[derive(Default)]
struct Part<'a> {
    name: &'a str,
    is_consumer: bool,
    fields: Vec<(&'a str, &'a str)>,
}

impl Part<'_> {
    fn field(&self, key: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(name, _)| *name == key);
        found.map(|(_, value)| *value).filter(|value| !value.is_empty() && *value != "(null)")
    }

    fn size(&self) -> Option<Bytes> {
        self.field("Mediasize")?.split(' ').next()?.parse().ok().map(Bytes)
    }
}

pub(super) fn read(text: &str, found: &mut Found) {
    for block in text.split("Geom name: ").skip(1) {
        let name = block.lines().next().unwrap_or_default().trim();
        let has_scheme = block.lines().any(|line| line.trim().starts_with("scheme: "));
        let parts = parts(block);
        let consumer = parts.iter().find(|part| part.is_consumer);
        for part in parts.iter().filter(|part| !part.is_consumer) {
            if part.field("descr").is_some() || part.field("rotationrate").is_some() {
                disk(part, found);
            } else if has_scheme {
                partition(part, name, found);
            } else if let Some(consumer) = consumer {
                found.link(part.name, consumer.name);
            }
        }
        let whole = consumer.filter(|consumer| disk_of(consumer.name) == consumer.name);
        if let Some((drive, whole)) =
            whole.and_then(|whole| Some((found.drive(whole.name)?, whole)))
        {
            drive.size = drive.size.or_else(|| whole.size());
        }
    }
}

fn parts(block: &str) -> Vec<Part<'_>> {
    let (mut parts, mut is_consumer): (Vec<Part<'_>>, bool) = (Vec::new(), false);
    for line in block.lines().skip(1).map(str::trim) {
        let Some((key, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        match key.strip_suffix(" Name").or_else(|| key.strip_suffix("Name")) {
            _ if value.is_empty() && matches!(key, "Providers" | "Consumers") => {
                is_consumer = key == "Consumers";
            }
            Some(number) if number.trim_end_matches('.').parse::<u32>().is_ok() => {
                parts.push(Part { name: value, is_consumer, ..Part::default() });
            }
            _ => {
                if let Some(part) = parts.last_mut() {
                    part.fields.push((key, value));
                }
            }
        }
    }
    parts
}

fn disk(part: &Part<'_>, found: &mut Found) {
    let Some(drive) = found.drive(part.name) else { return };
    let own = |key: &str| part.field(key).map(str::to_owned);
    drive.model = own("descr").or_else(|| drive.model.take());
    drive.serial = own("ident").or_else(|| drive.serial.take());
    drive.size = part.size().or(drive.size);
    drive.kind = drive.kind.or(match part.field("rotationrate") {
        Some("0") => Some(DriveKind::Ssd),
        Some("unknown") | None => None,
        Some(_) => Some(DriveKind::Hdd),
    });
    drive.sector_logical = part.field("Sectorsize").and_then(sector).or(drive.sector_logical);
    drive.sector_physical = part.field("Stripesize").and_then(sector).or(drive.sector_physical);
}

fn partition(part: &Part<'_>, disk: &str, found: &mut Found) {
    found.link(part.name, disk);
    let labels = [("rawuuid", "gptid"), ("label", "gpt")];
    for (key, folder) in labels {
        if let Some(label) = part.field(key) {
            found.link(&format!("{folder}/{label}"), part.name);
        }
    }
}
