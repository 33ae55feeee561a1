//! What a drive says of itself: `smartctl -j -a` (smartmontools 7.0 and later), or the text for people.
//!
//! `NVMe` has one meaning for wear and writes. ATA has none: a number's meaning is in the name that
//! smartmontools' drive database gives it (drivedb.h), so names decide, and an attribute without a
//! telling name is left alone. Wear attributes count down from 100, so wear is 100 less their value.

mod counts;
mod text;

use arcwright_units::Bytes;
use serde_json::Value;

use crate::drive::{Drive, DriveKind, FailingAttribute, SmartClosed};
use crate::machine::{Machine, Problem, Reason};
use crate::pool::Vdev;
use crate::sources::Sources;
pub(crate) use text::{is_line, opens};

const PREFIX: &str = "commands/smartctl-";
/// What stands for the device where the text does not name it.
const UNNAMED: &str = "text";
/// What a drive is called of which rows were picked out without its name, as in commands.
const UNKNOWN: &str = "DISK";
/// Attributes whose value counts down from 100 as the flash wears, by number and part of the name.
const WEAR: [(u64, &str); 9] = [
    (231, "life"),
    (233, "wearout"),
    (177, "wear"),
    (173, "wear"),
    (202, "life"),
    (169, "life"),
    (232, "life"),
    (230, "life"),
    (245, "life"),
];
/// Attributes that count what the host wrote, by part of the name, and the bytes of one count.
const WRITTEN: [(&str, u64); 8] = [
    ("writes_32mib", 32 << 20),
    ("writes_gib", 1 << 30),
    ("written_gib", 1 << 30),
    ("total_host_sector_write", 512),
    ("host_sector_write", 512),
    ("total_lbas_written", 512),
    ("total_writes_gib", 1 << 30),
    ("lifetime_writes_gib", 1 << 30),
];
/// What an `NVMe` drive counts as one unit of data: a thousand blocks of 512 bytes.
const NVME_UNIT_BYTES: u64 = 1000 * 512;

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    let answers: Vec<(String, String)> =
        sources.below(PREFIX).map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
    for (name, text) in answers {
        if !text.trim_start().starts_with('{') && text.lines().any(|line| opens(line.trim())) {
            add_text(machine, &name, &text);
            continue;
        }
        match super::json(&text) {
            Ok(json) if is_of_drive(&json) => add(machine, &name, &json),
            Ok(json) => {
                let message = json.pointer("/smartctl/messages/0/string").and_then(Value::as_str);
                let why = message.unwrap_or("the drive does not identify itself").to_owned();
                let source = format!("{PREFIX}{name}");
                machine.problems.push(Problem { source, reason: Reason::Failed(why) });
            }
            Err(error) => machine.garbled(&format!("{PREFIX}{name}"), error),
        }
    }
}

fn is_of_drive(json: &Value) -> bool {
    json.get("model_name").is_some() || json.get("scsi_model_name").is_some()
}

/// Adds what a text says, which may be of several drives: another serial number is another drive.
fn add_text(machine: &mut Machine, name: &str, text: &str) {
    let told = Some(name).filter(|name| *name != UNNAMED);
    let mut first_serial: Option<String> = None;
    let mut last: Option<String> = None;
    for part in text::parts(text) {
        let serial = part.get("serial_number").and_then(Value::as_str).map(str::to_owned);
        let same = serial.is_none() || first_serial.is_none() || first_serial == serial;
        first_serial = first_serial.or_else(|| serial.clone());
        let own = match (&serial, told.filter(|_| same)) {
            (_, Some(told)) => Some(told.to_owned()),
            (Some(serial), None) => Some(of_serial(machine, serial)),
            // What follows without saying of whom is of the drive before it.
            (None, None) => last.clone().or_else(|| unknown(machine)),
        };
        match &own {
            Some(own) => add(machine, own, &part),
            None => machine.garbled(
                &format!("{PREFIX}{name}"),
                "neither a device nor a serial number identifies the drive",
            ),
        }
        last = own;
    }
}

/// Returns what a drive is called that nothing names, unless there is one already: whether it is the same one nobody
/// can tell.
fn unknown(machine: &Machine) -> Option<String> {
    let is_new = !machine.drives.iter().any(|drive| drive.name == UNKNOWN);
    is_new.then(|| UNKNOWN.to_owned())
}

/// Most devices of pools that one drive is.
const LINKS_MAX: usize = 64;
/// A serial number is at least so long; a shorter text may stand in any name.
const SERIAL_CHARS_MIN: usize = 6;

/// Returns the devices of pools whose links by id hold a serial number.
fn leaves_of(machine: &Machine, serial: &str) -> Vec<String> {
    let leaves = machine.pools.iter().flat_map(|pool| &pool.vdevs).flat_map(Vdev::leaves);
    let is_of = |leaf: &&Vdev| {
        let end = leaf.name.rsplit('/').next().unwrap_or(&leaf.name);
        let disk = end.rsplit_once("-part").map_or(end, |(disk, _)| disk);
        serial.len() >= SERIAL_CHARS_MIN && disk.contains(serial)
    };
    leaves.filter(is_of).map(|leaf| leaf.name.clone()).take(LINKS_MAX).collect()
}

/// Returns what a drive with that serial number is called: links by id end with it.
fn of_serial(machine: &Machine, serial: &str) -> String {
    let known = machine.drives.iter().find(|drive| drive.serial.as_deref() == Some(serial));
    if let Some(drive) = known {
        return drive.name.clone();
    }
    let leaves = machine.pools.iter().flat_map(|pool| &pool.vdevs).flat_map(Vdev::leaves);
    let mut names = leaves.map(|leaf| leaf.name.rsplit('/').next().unwrap_or(&leaf.name));
    let leaf = names.find(|name| serial.len() >= SERIAL_CHARS_MIN && name.contains(serial));
    let whole = leaf.map(|name| name.rsplit_once("-part").map_or(name, |(disk, _)| disk));
    whole.unwrap_or(serial).to_owned()
}

/// Most drives of a machine: each text is compared with all of them.
pub(super) const DRIVES_MAX: usize = 4096;

/// Returns the drive of that name, a new one where there was none; none where it would be one too many.
pub(super) fn drive_named<'a>(machine: &'a mut Machine, name: &str) -> Option<&'a mut Drive> {
    let index = machine.drives.iter().position(|drive| drive.name == name);
    let index = index.unwrap_or(machine.drives.len());
    if index == machine.drives.len() && index < DRIVES_MAX {
        machine.drives.push(Drive { name: name.to_owned(), ..Drive::default() });
    }
    machine.drives.get_mut(index)
}

fn add(machine: &mut Machine, name: &str, json: &Value) {
    let serial = json.get("serial_number").and_then(Value::as_str).unwrap_or_default();
    let links = leaves_of(machine, serial.trim());
    let Some(drive) = drive_named(machine, name) else { return };
    let text = |key: &str| json.get(key).and_then(Value::as_str).map(|text| text.trim().to_owned());
    let model = text("model_name").or_else(|| text("scsi_model_name"));
    drive.model = model.or_else(|| drive.model.take());
    drive.serial = text("serial_number").or_else(|| drive.serial.take());
    for leaf in links {
        if !drive.links.contains(&leaf) {
            drive.links.push(leaf);
        }
    }
    drive.size = number(json, "/user_capacity/bytes").map(Bytes).or(drive.size);
    drive.kind = kind(json).or(drive.kind);
    let is_older = counts::add(drive, json);
    let flash = drive.kind != Some(DriveKind::Hdd);
    drive.wear_pct = wear(json).filter(|_| flash).or(drive.wear_pct);
    drive.written = written(json).or(drive.written);
    if !is_older || drive.smart_passed.is_none() {
        add_verdict(drive, json);
    }
    drive.is_marginal |= json.get(text::MARGINAL).is_some();
    // smartctl 7.1 and later: its list of models, and what the drive itself says.
    drive.is_shingled |= text("model_family").is_some_and(|family| family.contains("(SMR)"))
        || json.pointer("/zoned/capabilities/device_managed").and_then(Value::as_bool)
            == Some(true)
        || text(text::ZONED).is_some_and(|zoned| zoned.starts_with("Device managed"));
    let sector = |pointer: &str| number(json, pointer).filter(|bytes| *bytes > 0).map(Bytes);
    drive.sector_logical = sector("/logical_block_size").or(drive.sector_logical);
    drive.sector_physical = sector("/physical_block_size").or(drive.sector_physical);
    add_faults(drive, json);
}

/// Adds what the drive says of its health as a whole: by its own verdict, or by an attribute below its threshold.
fn add_verdict(drive: &mut Drive, json: &Value) {
    let passed = json.pointer("/smart_status/passed").and_then(Value::as_bool);
    drive.smart_passed = passed.or(drive.smart_passed);
    let failing: Vec<FailingAttribute> =
        attributes(json).filter(|attribute| attribute.fails).map(Attribute::failing).collect();
    if !failing.is_empty() {
        drive.smart_passed = Some(false);
    }
    if passed.is_some() || !failing.is_empty() {
        drive.failing = failing;
    }
    let support = |key| json.pointer(key).and_then(Value::as_bool);
    let closed = match (support("/smart_support/available"), support("/smart_support/enabled")) {
        (Some(false), _) => Some(SmartClosed::Unavailable),
        (_, Some(false)) => Some(SmartClosed::Disabled),
        _ => None,
    };
    drive.smart_closed = closed.or(drive.smart_closed);
}

/// Adds what tells of failing sectors beside the counts.
fn add_faults(drive: &mut Drive, json: &Value) {
    let messages =
        json.pointer("/smartctl/messages").and_then(Value::as_array).into_iter().flatten();
    let mut words = messages.filter_map(|message| message.get("string")?.as_str());
    drive.is_silent |= words.any(|words| words.starts_with(text::SHORT_INQUIRY));
    drive.logged_unreadable = logged_unreadable(json).or(drive.logged_unreadable);
    let rate = |which: &str| number(json, &format!("/interface_speed/{which}/units_per_second"));
    let rates = rate("current").zip(rate("max"));
    drive.link_rates = rates.map(|(now, most)| [now, most]).or(drive.link_rates);
}

/// Returns how many requests of the drive's own log of errors were for a sector that it could not read or find
/// (ACS-3, error register: UNC, IDNF): `Error: UNC at LBA = 0x0fffffff = 268435455`.
fn logged_unreadable(json: &Value) -> Option<u64> {
    let log = json.get("ata_smart_error_log")?;
    let table =
        log.pointer("/extended/table").or_else(|| log.pointer("/summary/table"))?.as_array()?;
    let is_unreadable = |entry: &&Value| {
        let text = entry.get("error_description").and_then(Value::as_str);
        let told = text.and_then(|text| text.strip_prefix("Error: "));
        told.is_some_and(|told| told.split([',', ' ']).any(|word| matches!(word, "UNC" | "IDNF")))
    };
    u64::try_from(table.iter().filter(is_unreadable).count()).ok()
}

fn number(json: &Value, pointer: &str) -> Option<u64> {
    json.pointer(pointer)?.as_u64()
}

fn kind(json: &Value) -> Option<DriveKind> {
    let protocol = json.pointer("/device/protocol").and_then(Value::as_str);
    match (protocol, number(json, "/rotation_rate")) {
        (Some("NVMe"), _) => Some(DriveKind::Nvme),
        (_, Some(0)) => Some(DriveKind::Ssd),
        (_, Some(_)) => Some(DriveKind::Hdd),
        _ => None,
    }
}

fn wear(json: &Value) -> Option<u64> {
    let direct = [
        "/nvme_smart_health_information_log/percentage_used",
        "/endurance_used/current_percent",
        "/scsi_percentage_used_endurance_indicator",
    ];
    let direct = direct.iter().find_map(|pointer| number(json, pointer));
    direct.or_else(|| {
        WEAR.iter().find_map(|(id, part)| {
            let found = attributes(json)
                .find(|attribute| attribute.id == *id && attribute.name.contains(part))?;
            100_u64.checked_sub(found.value)
        })
    })
}

fn written(json: &Value) -> Option<Bytes> {
    let nvme = number(json, "/nvme_smart_health_information_log/data_units_written");
    if let Some(units) = nvme {
        return units.checked_mul(NVME_UNIT_BYTES).map(Bytes);
    }
    let sector = number(json, "/logical_block_size").unwrap_or(512);
    WRITTEN.iter().find_map(|(part, unit)| {
        let found = attributes(json).find(|attribute| attribute.name.contains(part))?;
        let unit = if *unit == 512 { sector } else { *unit };
        found.raw.checked_mul(unit).map(Bytes)
    })
}

struct Attribute {
    id: u64,
    name: String,
    value: u64,
    threshold: Option<u64>,
    raw: u64,
    /// How smartmontools writes its name.
    written: String,
    /// Whether it is below its threshold now, and that is the drive's failure; others tell of its age.
    fails: bool,
}

impl Attribute {
    fn failing(self) -> FailingAttribute {
        let Self { id, value, threshold, raw, written, .. } = self;
        FailingAttribute { id, name: written, value, threshold, raw }
    }
}

fn attributes(json: &Value) -> impl Iterator<Item = Attribute> {
    let table = json.pointer("/ata_smart_attributes/table").and_then(Value::as_array);
    table.into_iter().flatten().filter_map(|row| {
        Some(Attribute {
            id: row.get("id")?.as_u64()?,
            name: row.get("name")?.as_str()?.to_ascii_lowercase(),
            written: row.get("name")?.as_str()?.to_owned(),
            value: row.get("value")?.as_u64()?,
            threshold: row.get("thresh").and_then(Value::as_u64),
            raw: row.pointer("/raw/value")?.as_u64()?,
            fails: row.get("when_failed").and_then(Value::as_str) == Some("now")
                && row.pointer("/flags/prefailure").and_then(Value::as_bool) == Some(true),
        })
    })
}

#[cfg(test)]
mod tests;
