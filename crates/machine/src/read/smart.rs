//! What a drive says of itself: `smartctl -j -a` (smartmontools 7.0 and later).
//!
//! `NVMe` has one meaning for wear and writes. ATA has none: a number's meaning is in the name that
//! smartmontools' drive database gives it (drivedb.h), so names decide, and an attribute without a
//! telling name is left alone. Wear attributes count down from 100, so wear is 100 less their value.

use arcwright_units::Bytes;
use serde_json::Value;

use crate::drive::{Drive, DriveKind};
use crate::machine::Machine;
use crate::sources::Sources;

const PREFIX: &str = "commands/smartctl-";
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
        match serde_json::from_str::<Value>(&text) {
            Ok(json) => add(machine, &name, &json),
            Err(error) => machine.garbled(&format!("{PREFIX}{name}"), error),
        }
    }
}

fn add(machine: &mut Machine, name: &str, json: &Value) {
    let Some(model) = json.get("model_name").or_else(|| json.get("scsi_model_name")) else {
        let message = json.pointer("/smartctl/messages/0/string").and_then(Value::as_str);
        let why = message.unwrap_or("the drive does not say what it is").to_owned();
        let source = format!("{PREFIX}{name}");
        let reason = crate::machine::Reason::Failed(why);
        machine.problems.push(crate::machine::Problem { source, reason });
        return;
    };
    let index = machine.drives.iter().position(|drive| drive.name == name);
    let index = index.unwrap_or_else(|| {
        machine.drives.push(Drive { name: name.to_owned(), ..Drive::default() });
        machine.drives.len() - 1
    });
    let Some(drive) = machine.drives.get_mut(index) else { return };
    let text = |value: &Value| value.as_str().map(|text| text.trim().to_owned());
    drive.model = text(model).or_else(|| drive.model.take());
    drive.serial = json.get("serial_number").and_then(text).or_else(|| drive.serial.take());
    drive.size = number(json, "/user_capacity/bytes").map(Bytes).or(drive.size);
    drive.kind = kind(json).or(drive.kind);
    drive.power_on_hours = number(json, "/power_on_time/hours");
    let flash = drive.kind != Some(DriveKind::Hdd);
    drive.wear_pct = wear(json).filter(|_| flash);
    drive.written = written(json);
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
}

fn attributes(json: &Value) -> impl Iterator<Item = Attribute> {
    let table = json.pointer("/ata_smart_attributes/table").and_then(Value::as_array);
    table.into_iter().flatten().filter_map(|row| {
        Some(Attribute {
            id: row.get("id")?.as_u64()?,
            name: row.get("name")?.as_str()?.to_ascii_lowercase(),
            value: row.get("value")?.as_u64()?,
            raw: row.pointer("/raw/value")?.as_u64()?,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{Machine, collect};
    use crate::sources::{Source, Sources};

    fn drive(json: &str) -> crate::Drive {
        let mut sources = Sources::default();
        sources.texts.insert("commands/smartctl-sda".to_owned(), Source::Text(json.to_owned()));
        let mut machine = Machine::default();
        collect(&sources, &mut machine);
        assert_eq!(machine.problems, []);
        machine.drives.remove(0)
    }

    #[test]
    fn nvme_counts_in_units_of_half_a_million_bytes() {
        let nvme = drive(
            r#"{"device":{"protocol":"NVMe"},"model_name":"Samsung SSD 970 EVO 500GB","serial_number":"S1",
            "nvme_smart_health_information_log":{"percentage_used":7,"data_units_written":1000},
            "power_on_time":{"hours":12}}"#,
        );
        assert_eq!((nvme.wear_pct, nvme.power_on_hours), (Some(7), Some(12)));
        assert_eq!(nvme.written.map(|bytes| bytes.0), Some(512_000_000));
    }

    fn ata(rotation: u64, id: u64, name: &str, value: u64, raw: u64) -> crate::Drive {
        drive(&format!(
            r#"{{"device":{{"protocol":"ATA"}},"model_name":"X","rotation_rate":{rotation},
            "ata_smart_attributes":{{"table":[{{"id":{id},"name":"{name}","value":{value},
            "raw":{{"value":{raw}}}}}]}}}}"#
        ))
    }

    #[test]
    fn ata_wear_is_what_is_missing_to_a_hundred() {
        assert_eq!(ata(0, 177, "Wear_Leveling_Count", 93, 60).wear_pct, Some(7));
        assert_eq!(ata(0, 233, "Media_Wearout_Indicator", 100, 0).wear_pct, Some(0));
        assert_eq!(ata(0, 202, "Percent_Lifetime_Remain", 60, 40).wear_pct, Some(40));
        assert_eq!(ata(0, 231, "Temperature_Celsius", 60, 40).wear_pct, None);
        assert_eq!(ata(7200, 202, "Data_Address_Mark_Errs", 100, 0).wear_pct, None);
    }

    #[test]
    fn ata_writes_are_counted_in_what_the_name_says() {
        let written = |name, raw| ata(0, 241, name, 100, raw).written.map(|bytes| bytes.0);
        assert_eq!(written("Total_LBAs_Written", 2), Some(1024));
        assert_eq!(written("Host_Writes_32MiB", 2), Some(64 << 20));
        assert_eq!(written("Lifetime_Writes_GiB", 2), Some(2 << 30));
        assert_eq!(written("Unknown_Attribute", 2), None);
    }

    #[test]
    fn a_drive_that_cannot_be_opened_is_a_problem_not_a_drive() {
        let text = r#"{"smartctl":{"messages":[{"string":"Smartctl open device: /dev/sda failed: Permission denied"}]}}"#;
        let mut sources = Sources::default();
        sources.texts.insert("commands/smartctl-sda".to_owned(), Source::Text(text.to_owned()));
        let mut machine = Machine::default();
        collect(&sources, &mut machine);
        assert!(machine.drives.is_empty());
        assert_eq!(machine.problems.len(), 1);
    }
}
