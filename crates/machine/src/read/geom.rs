//! Drives as `FreeBSD` describes them: `geom disk list`, with the labels of `glabel status`.

use arcwright_units::Bytes;

use crate::drive::{Drive, DriveKind};
use crate::machine::Machine;
use crate::sources::Sources;

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    let Some(text) = sources.text("commands/geom-disk-list") else { return };
    let labels = sources.text("commands/glabel-status").unwrap_or_default();
    if !text.contains("Geom name: ") && !text.trim().is_empty() {
        machine.garbled("commands/geom-disk-list", "there is no line “Geom name: NAME”");
    }
    for block in text.split("Geom name: ").skip(1) {
        let drive = of_block(block, labels);
        machine.drives.extend(drive.filter(|drive| !drive.name.starts_with("cd")));
    }
}

fn of_block(block: &str, labels: &str) -> Option<Drive> {
    let name = block.lines().next()?.trim().to_owned();
    let field = |key: &str| {
        let line =
            block.lines().find_map(|line| line.trim().strip_prefix(key)?.strip_prefix(": "))?;
        let text = line.trim();
        (!text.is_empty() && text != "(null)").then(|| text.to_owned())
    };
    let size = field("Mediasize").and_then(|text| text.split(' ').next()?.parse().ok());
    let rate = field("rotationrate");
    let kind = match rate.as_deref() {
        _ if name.starts_with("nvd") || name.starts_with("nda") => Some(DriveKind::Nvme),
        _ if name.starts_with("vtbd") => Some(DriveKind::Virtual),
        Some("0") => Some(DriveKind::Ssd),
        Some("unknown") | None => None,
        Some(_) => Some(DriveKind::Hdd),
    };
    Some(Drive {
        links: links(&name, labels),
        model: field("descr"),
        serial: field("ident"),
        size: size.map(Bytes),
        kind,
        name,
        ..Drive::default()
    })
}

/// Returns the device and the labels of it and its partitions: `gptid/…  N/A  ada0p2`.
fn links(name: &str, labels: &str) -> Vec<String> {
    let mut links = vec![format!("/dev/{name}")];
    for line in labels.lines() {
        let mut words = line.split_whitespace();
        let (Some(label), _, Some(component)) = (words.next(), words.next(), words.next()) else {
            continue;
        };
        let part = component.strip_prefix(name);
        let own = part.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()));
        if own {
            links.push(format!("/dev/{label}"));
            links.push(format!("/dev/{component}"));
        }
    }
    links.dedup();
    links
}
