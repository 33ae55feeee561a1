//! What a drive says of itself: `smartctl -j -a` (smartmontools 7.0 and later), or the text for people.
//!
//! `NVMe` has one meaning for wear and writes. ATA has none: a number's meaning is in the name that
//! smartmontools' drive database gives it (drivedb.h), so names decide, and an attribute without a
//! telling name is left alone. Wear attributes count down from 100, so wear is 100 less their value.

mod text;

use arcwright_units::Bytes;
use serde_json::Value;

use crate::drive::{Drive, DriveKind};
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

/// Returns what a drive with that serial number is called: links by id end with it.
fn of_serial(machine: &Machine, serial: &str) -> String {
    const SERIAL_CHARS_MIN: usize = 6;
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
    let Some(drive) = drive_named(machine, name) else { return };
    let text = |key: &str| json.get(key).and_then(Value::as_str).map(|text| text.trim().to_owned());
    let model = text("model_name").or_else(|| text("scsi_model_name"));
    drive.model = model.or_else(|| drive.model.take());
    drive.serial = text("serial_number").or_else(|| drive.serial.take());
    drive.size = number(json, "/user_capacity/bytes").map(Bytes).or(drive.size);
    drive.kind = kind(json).or(drive.kind);
    drive.power_on_hours = number(json, "/power_on_time/hours").or(drive.power_on_hours);
    let flash = drive.kind != Some(DriveKind::Hdd);
    drive.wear_pct = wear(json).filter(|_| flash).or(drive.wear_pct);
    drive.written = written(json).or(drive.written);
    drive.smart_passed =
        json.pointer("/smart_status/passed").and_then(Value::as_bool).or(drive.smart_passed);
    if attributes(json).any(|attribute| attribute.fails) {
        drive.smart_passed = Some(false);
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

/// Adds what counts failing sectors and cables; names decide where numbers have several meanings.
fn add_faults(drive: &mut Drive, json: &Value) {
    let raw = |id: u64, parts: &[&str]| {
        let mut all = attributes(json).filter(|attribute| attribute.id == id);
        all.find(|row| parts.iter().any(|part| row.name.contains(part))).map(|row| row.raw)
    };
    let grown = || number(json, "/scsi_grown_defect_list");
    let medium = || number(json, "/nvme_smart_health_information_log/media_errors");
    let lost = || {
        let log = json.get("scsi_error_counter_log")?.as_object()?;
        let counts = log.values().filter_map(|row| row.get("total_uncorrected_errors")?.as_u64());
        counts.reduce(u64::saturating_add)
    };
    let found = raw(5, &["realloc", "retired"]).or_else(grown);
    drive.reallocated = found.or(drive.reallocated);
    drive.pending = raw(197, &["pending"]).or(drive.pending);
    let found = raw(198, &["uncorrect"]).or_else(medium).or_else(lost);
    drive.uncorrectable = found.or(drive.uncorrectable);
    drive.reported = raw(187, &["reported_uncorrect", "uncorrectable_error"]).or(drive.reported);
    let messages =
        json.pointer("/smartctl/messages").and_then(Value::as_array).into_iter().flatten();
    let mut words = messages.filter_map(|message| message.get("string")?.as_str());
    drive.is_silent |= words.any(|words| words.starts_with(text::SHORT_INQUIRY));
    drive.logged_unreadable = logged_unreadable(json).or(drive.logged_unreadable);
    drive.link_errors = raw(199, &["crc"]).or(drive.link_errors);
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
    raw: u64,
    /// Whether it is below its threshold now, and that is the drive's failure; others tell of its age.
    fails: bool,
}

fn attributes(json: &Value) -> impl Iterator<Item = Attribute> {
    let table = json.pointer("/ata_smart_attributes/table").and_then(Value::as_array);
    table.into_iter().flatten().filter_map(|row| {
        Some(Attribute {
            id: row.get("id")?.as_u64()?,
            name: row.get("name")?.as_str()?.to_ascii_lowercase(),
            value: row.get("value")?.as_u64()?,
            raw: row.pointer("/raw/value")?.as_u64()?,
            fails: row.get("when_failed").and_then(Value::as_str) == Some("now")
                && row.pointer("/flags/prefailure").and_then(Value::as_bool) == Some(true),
        })
    })
}

#[cfg(test)]
mod tests;
