//! What `smartctl -a` and `-x` print for people, brought into the form of `smartctl -j`.
//!
//! ```text
//! Device Model:     WDC WD40EFRX-68N32N0                                    what it is (ATA)
//! Sector Sizes:     512 bytes logical, 4096 bytes physical
//! ID# ATTRIBUTE_NAME          FLAG     VALUE WORST THRESH TYPE … RAW_VALUE
//! 197 Current_Pending_Sector  0x0032   200   200   000    Old_age … 0       -x leaves TYPE out
//! Percentage Used:                    7%                                    NVMe
//! Elements in grown defect list: 0                                          SCSI
//! ```

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// The bit of the critical warning of NVMe that the temperature sets.
const CRITICAL_TEMPERATURE: u64 = 2;
/// What a drive says of its zones.
pub(super) const ZONED: &str = "zoned_device";
const INFORMATION: &str = "=== START OF INFORMATION SECTION ===";
/// What smartctl says of a drive that does not even tell what it is.
pub(super) const SHORT_INQUIRY: &str = "Short INQUIRY response";
/// Lines with which a text may begin.
const OPENINGS: [&str; 11] = [
    INFORMATION,
    "=== START OF READ SMART DATA SECTION ===",
    "=== START OF SMART DATA SECTION ===",
    "Model Family:",
    "Device Model:",
    "Model Number:",
    "SMART/Health Information (NVMe",
    "SMART overall-health self-assessment",
    "SMART Health Status:",
    "SMART Attributes Data Structure revision",
    "Vendor Specific SMART Attributes with",
];
/// How sentences and titles begin that smartctl prints besides labels and tables.
const SENTENCES: [&str; 51] = [
    SHORT_INQUIRY,
    "A mandatory SMART command failed",
    "Copyright (C)",
    "General ",
    "SMART ",
    "Self-test",
    "Selective",
    "After scanning",
    "If Selective",
    "Vendor Specific",
    "No ",
    "Warning",
    "Error",
    "Device ",
    "Conveyance",
    "Offline",
    "Read ",
    "Supported",
    "Page ",
    "Pending ",
    "Num ",
    "Commands ",
    "SCT ",
    "Index",
    "Address",
    "Log ",
    "Id ",
    "St ",
    "Background",
    "Using",
    "Please",
    "Invalid",
    "Probable",
    "was ",
    "without ",
    "Extended",
    "Drive failure expected",
    "See vendor-specific",
    // Labels that go over two lines, of which the first has no colon.
    "Total time to complete ",
    "data collection:",
    "capabilities:",
    "Short self-test routine",
    "recommended polling time:",
    // Around each entry of the log of errors.
    "Powered_Up_Time is ",
    "DDd+hh:mm:SS.sss ",
    "SS=sec",
    "When the command ",
    "After command completion",
    "ER ST SC SN",
    "-- -- -- ",
    "CR FR SC SN",
];

/// What the remark of smartctl is called here that an attribute was below its threshold once.
pub(super) const MARGINAL: &str = "marginal";

/// Returns whether a text of smartctl may begin with this line.
pub(crate) fn opens(line: &str) -> bool {
    let version = line.strip_prefix("smartctl ").is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_digit()) || rest.starts_with("pre-")
    });
    version
        || OPENINGS.iter().any(|start| line.starts_with(start))
        || line.starts_with("ID# ATTRIBUTE_NAME")
        || attribute(line).is_some()
}

/// Returns whether smartctl may print such a line below its first.
pub(crate) fn is_line(line: &str) -> bool {
    let label = line.split_once(':').is_some_and(|(label, _)| {
        label.len() < 60 && label.starts_with(|c: char| c.is_ascii_uppercase() || c == '#')
    });
    let marked =
        line.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '#' | '|' | '=' | '_'));
    let columns = line.contains("  ");
    let counters = ["read:", "write:", "verify:", "number of "].iter().any(|s| line.starts_with(s));
    let sentence = SENTENCES.iter().any(|start| line.starts_with(start));
    !line.ends_with('?') && (label || marked || columns || counters || sentence || opens(line))
}

/// Returns the parts of a text, each about one drive.
pub(super) fn parts(text: &str) -> Vec<Value> {
    let mut parts: Vec<Vec<&str>> = vec![Vec::new()];
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for line in text.lines().map(str::trim) {
        let opens = line == INFORMATION || line.starts_with("smartctl ");
        let is_again = once_in_a_reading(line).is_some_and(|key| !seen.insert(key));
        if opens || is_again {
            parts.push(Vec::new());
            seen.clear();
            seen.extend(once_in_a_reading(line));
        }
        if let Some(part) = parts.last_mut() {
            part.push(line);
        }
    }
    // What stands between the version and the information is of neither.
    let read = parts.iter().map(|lines| read(lines));
    read.filter(|value| value.as_object().is_some_and(|object| !object.is_empty())).collect()
}

/// Returns what stands once in a reading of one drive: a second one opens another reading, of another time or drive.
fn once_in_a_reading(line: &str) -> Option<String> {
    let sections = OPENINGS.iter().find(|start| line == **start && line.starts_with("==="));
    let label = || VERDICTS.iter().find(|label| line.starts_with(**label));
    let row = || attribute(line)?.get("id")?.as_u64();
    sections.or_else(label).map(|key| (*key).to_owned()).or_else(|| Some(row()?.to_string()))
}

/// How the lines begin in which a drive judges itself.
const VERDICTS: [&str; 2] = ["SMART overall-health self-assessment", "SMART Health Status:"];

fn read(lines: &[&str]) -> Value {
    let mut all = Map::new();
    let mut nvme = Map::new();
    let (mut attributes, mut counters) = (Vec::new(), Map::new());
    let logged: Vec<Value> = lines
        .iter()
        .filter_map(|line| {
            let words = line.split_once("  Error: ").map(|(_, words)| words);
            words.or_else(|| line.strip_prefix("Error: "))
        })
        .map(|words| json!({ "error_description": format!("Error: {words}") }))
        .collect();
    for line in lines {
        if let Some(found) = attribute(line) {
            attributes.push(found);
        } else if let Some((label, value)) = line.split_once(':') {
            labelled(&mut all, &mut nvme, label.trim(), value.trim());
            error_counter(&mut counters, label.trim(), value);
        }
    }
    if lines.iter().any(|line| line.contains("for marginal Attributes")) {
        all.insert(MARGINAL.to_owned(), json!(true));
    }
    let hours = attributes.iter().find(|row| row.get("id") == Some(&json!(9)));
    if let Some(hours) = hours.and_then(|row| row.pointer("/raw/value")) {
        all.entry("power_on_time").or_insert(json!({ "hours": hours }));
    }
    if lines.iter().any(|line| line.starts_with(SHORT_INQUIRY)) {
        all.insert("smartctl".to_owned(), json!({ "messages": [{ "string": SHORT_INQUIRY }] }));
    }
    let groups = [
        ("ata_smart_attributes", json!({ "table": attributes }), attributes.is_empty()),
        ("ata_smart_error_log", json!({ "extended": { "table": logged } }), logged.is_empty()),
        ("scsi_error_counter_log", json!(counters), counters.is_empty()),
        ("nvme_smart_health_information_log", json!(nvme), nvme.is_empty()),
    ];
    all.extend(groups.into_iter().filter(|group| !group.2).map(|(k, v, _)| (k.to_owned(), v)));
    Value::Object(all)
}

/// Reads a number with commas between the thousands, up to what follows it.
fn number(text: &str) -> Option<u64> {
    let digits: String =
        text.chars().filter(|c| *c != ',').take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

fn labelled(all: &mut Map<String, Value>, nvme: &mut Map<String, Value>, label: &str, value: &str) {
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            all.entry(key.to_owned()).or_insert(value);
        }
    };
    let text = || Some(json!(value)).filter(|_| !value.is_empty());
    let count = || number(value).map(Value::from);
    match label {
        "Device Model" | "Model Number" => put("model_name", text()),
        "Model Family" => put("model_family", text()),
        "Zoned Device" => put(ZONED, text()),
        "Product" => put("scsi_model_name", text()),
        "Serial Number" | "Serial number" => put("serial_number", text()),
        "User Capacity" | "Total NVM Capacity" | "Namespace 1 Size/Capacity" => {
            put("user_capacity", number(value).map(|bytes| json!({ "bytes": bytes })));
        }
        "Sector Size" | "Sector Sizes" => {
            let physical = value.split_once("logical, ").map_or(value, |(_, rest)| rest);
            put("logical_block_size", count());
            put("physical_block_size", number(physical).map(Value::from));
        }
        "Logical block size" | "Namespace 1 Formatted LBA Size" => {
            put("logical_block_size", count());
        }
        "Physical block size" => put("physical_block_size", count()),
        // `SATA 3.2, 6.0 Gb/s (current: 1.5 Gb/s)`.
        "SATA Version is" => put("interface_speed", link_rates(value)),
        "Rotation Rate" if value.starts_with("Solid State") => put("rotation_rate", Some(json!(0))),
        "Rotation Rate" => put("rotation_rate", count()),
        "SMART overall-health self-assessment test result" | "SMART Health Status" => {
            let passed = matches!(value.split(' ').next(), Some("PASSED" | "OK"));
            put("smart_status", Some(json!({ "passed": passed })));
        }
        "SMART support is" => match value.split([' ', '.']).next() {
            Some("Unavailable") => support(all, "available", false),
            Some("Disabled") => support(all, "enabled", false),
            Some("Enabled") => support(all, "enabled", true),
            _ => {}
        },
        // What smartctl makes its verdict from, where that was not pasted; the bit of the temperature is no failure.
        "Critical Warning" => {
            let text = value.trim_start_matches("0x");
            let bits = u64::from_str_radix(text, 16).ok().filter(|_| text != value);
            let passed = bits.map(|bits| bits & !CRITICAL_TEMPERATURE == 0);
            put("device", Some(json!({ "protocol": "NVMe" })));
            put("smart_status", passed.map(|passed| json!({ "passed": passed })));
        }
        "Percentage used endurance indicator" => {
            put("scsi_percentage_used_endurance_indicator", count());
        }
        "Elements in grown defect list" => put("scsi_grown_defect_list", count()),
        "Accumulated power on time, hours" => {
            let hours = value.strip_prefix("minutes").map_or(value, str::trim);
            put("power_on_time", number(hours).map(|hours| json!({ "hours": hours })));
        }
        "Power On Hours" => {
            put("power_on_time", number(value).map(|hours| json!({ "hours": hours })));
        }
        "Percentage Used" | "Data Units Written" | "Media and Data Integrity Errors" => {
            let key = match label {
                "Percentage Used" => "percentage_used",
                "Data Units Written" => "data_units_written",
                _ => "media_errors",
            };
            put("device", Some(json!({ "protocol": "NVMe" })));
            nvme.extend(number(value).map(|number| (key.to_owned(), json!(number))));
        }
        _ => {}
    }
}

/// Keeps what smartctl says on two lines of one label.
fn support(all: &mut Map<String, Value>, key: &str, is_so: bool) {
    let entry = all.entry("smart_support").or_insert_with(|| json!({}));
    if let Some(object) = entry.as_object_mut() {
        object.insert(key.to_owned(), json!(is_so));
    }
}

/// `read:   1234   0   0   1234   1234   5678.9   0`: the last column counts what was lost.
fn error_counter(counters: &mut Map<String, Value>, label: &str, value: &str) {
    if matches!(label, "read" | "write" | "verify") {
        let words: Vec<&str> = value.split_whitespace().collect();
        let lost = words.get(6).and_then(|word| number(word)).filter(|_| words.len() == 7);
        let entry =
            lost.map(|lost| (label.to_owned(), json!({ "total_uncorrected_errors": lost })));
        counters.extend(entry);
    }
}

/// Reads a row of the table of attributes, with or without the columns TYPE and UPDATED.
fn attribute(line: &str) -> Option<Value> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [id, name, flags, value, worst, threshold, rest @ ..] = words.as_slice() else {
        return None;
    };
    let id: u64 = id.parse().ok().filter(|id| (1..=255).contains(id))?;
    let marked = flags.starts_with("0x")
        || flags.len() == 6 && flags.chars().all(|c| c == '-' || c.is_ascii_uppercase());
    let value: u64 = value.parse().ok()?;
    let numbers =
        [worst, threshold].iter().all(|word| word.parse::<u64>().is_ok() || **word == "---");
    let named = name.starts_with(|c: char| c.is_ascii_alphabetic());
    (marked && numbers && named).then_some(())?;
    // TYPE UPDATED WHEN_FAILED RAW_VALUE, or FAIL RAW_VALUE.
    let kinds = ["Pre-fail", "Old_age"];
    let (failed, raw) =
        if kinds.contains(rest.first()?) { (2, rest.get(3)) } else { (0, rest.get(1)) };
    // -x writes NOW, and P among the flags of those whose failure is the drive's.
    let is_of_failure = match flags.strip_prefix("0x") {
        Some(bits) => u16::from_str_radix(bits, 16).is_ok_and(|bits| bits & 1 == 1),
        None => flags.starts_with('P'),
    };
    let has_failed = is_of_failure && matches!(rest.get(failed), Some(&("FAILING_NOW" | "NOW")));
    let when_failed = if has_failed { "now" } else { "" };
    Some(json!({
        "id": id, "name": name, "value": value, "thresh": threshold.parse::<u64>().ok(),
        "raw": { "value": number(raw?)? },
        "flags": { "prefailure": is_of_failure }, "when_failed": when_failed,
    }))
}
/// Returns how fast a SATA link is and may be, as smartctl has it in JSON: in tenths of Gb/s.
fn link_rates(value: &str) -> Option<Value> {
    let tenths = |text: &str| {
        let (whole, part) = text.trim().split_once(' ')?.0.split_once('.')?;
        Some(
            whole.parse::<u64>().ok()?.checked_mul(10)?
                + part.parse::<u64>().ok().filter(|part| *part < 10)?,
        )
    };
    let (most, now) = value.split_once("(current:")?;
    let (most, now) = (tenths(most.rsplit(',').next()?)?, tenths(now)?);
    let rate = |tenths: u64| json!({ "units_per_second": tenths });
    Some(json!({ "max": rate(most), "current": rate(now) }))
}
