//! Drives: what lists them, their models, and what SMART says.

use serde_json::{Map, Value, json};

use super::names::{Names, kernels_own};
use super::tables::lines;
use super::vocabulary::{
    each_word, is_cell, is_identifier, is_number, is_plain, is_word, sentence,
};

/// What makers' part numbers begin with; a digit follows, or anything behind five letters and more.
const FAMILIES: [&str; 63] = [
    "WD", "WDS", "ST", "HUS", "HUH", "HUA", "HUC", "HDN", "HDS", "HDT", "HTS", "HTE", "HDWD",
    "HDWE", "HDWG", "WUH", "WUS", "MG", "MQ", "DT", "SSDSC", "SSDPE", "SSDPF", "SSDSA", "SSDPA",
    "MZ", "MZQLB", "MZQLW", "MZQL", "MZWLL", "MZPLL", "MZWEI", "MZILS", "MZIES", "MZVLB", "MZVLW",
    "MZVL", "MZNLN", "CT", "MTFDD", "MTFDK", "SA", "SV", "SUV", "SEDC", "SKC", "SNV", "SHFS", "SH",
    "SDSSD", "SDLF", "THNSN", "PX", "KHK", "KPM", "KXG", "KCD", "KBG", "XP", "XA", "ZA", "ZP",
    "HFS",
];

/// Returns a model as its maker prints it; whatever is no word of a known maker is replaced.
pub(super) fn model(names: &mut Names, text: &str) -> String {
    let words: Vec<&str> = text.split([' ', '_']).filter(|word| !word.is_empty()).collect();
    let Some(first) =
        words.first().filter(|first| is_of_maker(first) && !names.holds_serial(first))
    else {
        return if text.trim().is_empty() { String::new() } else { names.model(text.trim()) };
    };
    let rest = words.iter().skip(1);
    let kept = rest.map(|word| match is_of_maker(word) && !names.holds_serial(word) {
        true => (*word).to_owned(),
        false => "x".to_owned(),
    });
    let separator = if text.trim().contains(' ') { " " } else { "_" };
    std::iter::once((*first).to_owned()).chain(kept).collect::<Vec<_>>().join(separator)
}

/// A maker, a series, a size, or a part number of a known family.
fn is_of_maker(word: &str) -> bool {
    const PART_CHARS_MAX: usize = 24;
    let part = |word: &str| {
        let shape = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || "-./+".contains(c);
        let body = word.trim_end_matches(|c: char| c.is_ascii_lowercase());
        let is_family = FAMILIES.iter().any(|family| {
            body.strip_prefix(family).is_some_and(|rest| {
                family.len() > 4 || rest.starts_with(|c: char| c.is_ascii_digit())
            })
        });
        // `SN850X`; what is longer and begins so is a serial number.
        let is_sn = body.len() <= 6 && body.strip_prefix("SN").is_some_and(|rest| !rest.is_empty());
        let is_family = is_family || is_sn;
        word.len() <= PART_CHARS_MAX
            && word.len() - body.len() <= 1
            && body.chars().all(shape)
            && is_family
    };
    let number = |word: &str| {
        word.len() <= 8
            && word.chars().any(|c| c.is_ascii_digit())
            && word.chars().filter(|c| !c.is_ascii_digit() && *c != '.').count() <= 2
            && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '.')
    };
    is_word(word) || word.split('-').all(|word| is_word(word) || number(word)) || part(word)
}

/// Replaces the names in `lsblk -J`; keys other than the known are left out.
pub(super) fn lsblk(names: &mut Names, text: &str) -> Option<String> {
    let json: Value = serde_json::from_str(text).ok()?;
    let devices = json.get("blockdevices")?.as_array()?;
    let kept: Vec<Value> =
        devices.iter().filter_map(|device| block_device(names, device, 0)).collect();
    Some(json!({ "blockdevices": kept }).to_string())
}

fn block_device(names: &mut Names, device: &Value, depth: usize) -> Option<Value> {
    const DEPTH_MAX: usize = 16;
    let fields = device.as_object().filter(|_| depth < DEPTH_MAX)?;
    let mut kept = Map::new();
    for (key, value) in fields {
        let text = value.as_str().map(str::trim);
        let new = match (key.as_str(), text) {
            (_, None) if value.is_null() => value.clone(),
            ("name" | "kname" | "path", Some(text)) => json!(names.device(text)),
            ("model", Some(text)) => json!(model(names, text)),
            ("serial", Some(text)) => json!(names.serial(text)),
            ("type" | "tran", Some(text)) if is_word(text) => json!(text),
            ("size" | "rota" | "phy-sec" | "log-sec", Some(text)) if is_number(text) => json!(text),
            ("size" | "rota" | "phy-sec" | "log-sec", None)
                if value.is_u64() || value.is_boolean() =>
            {
                value.clone()
            }
            ("children", None) => {
                let children = value.as_array().into_iter().flatten();
                children.filter_map(|child| block_device(names, child, depth + 1)).collect()
            }
            _ => continue,
        };
        kept.insert(key.clone(), new);
    }
    Some(Value::Object(kept))
}

/// Replaces the names in `smartctl -j`: its numbers stay, and the words that it has for all drives.
pub(super) fn smart(names: &mut Names, text: &str) -> Option<String> {
    const NUMBERS: [&str; 12] = [
        "user_capacity",
        "logical_block_size",
        "physical_block_size",
        "rotation_rate",
        "nvme_smart_health_information_log",
        "endurance_used",
        "scsi_percentage_used_endurance_indicator",
        "power_on_time",
        "smart_status",
        "scsi_grown_defect_list",
        "scsi_error_counter_log",
        "temperature",
    ];
    let Value::Object(all) = serde_json::from_str(text).ok()? else { return None };
    let mut kept = Map::new();
    for (key, value) in &all {
        let new = match (key.as_str(), value) {
            ("model_name" | "scsi_model_name", Value::String(text)) => json!(model(names, text)),
            ("serial_number", Value::String(text)) => json!(names.serial(text)),
            ("device", Value::Object(device)) => smart_device(names, device),
            ("ata_smart_attributes", table) => smart_attributes(table),
            ("smartctl", smartctl) => smart_messages(names, smartctl),
            (key, value) if NUMBERS.contains(&key) => numbers(value, 0),
            _ => continue,
        };
        kept.insert(key.clone(), new);
    }
    Some(Value::Object(kept).to_string())
}

fn smart_device(names: &mut Names, device: &Map<String, Value>) -> Value {
    let mut kept = Map::new();
    for (key, value) in device {
        match (key.as_str(), value.as_str()) {
            ("name", Some(text)) => kept.insert(key.clone(), json!(names.device(text))),
            ("type" | "protocol", Some(text)) if is_plain(text) => {
                kept.insert(key.clone(), json!(text))
            }
            _ => None,
        };
    }
    Value::Object(kept)
}

/// The table of attributes: numbers, and the names that smartctl's own list has for them.
fn smart_attributes(value: &Value) -> Value {
    let rows = value.get("table").and_then(Value::as_array).into_iter().flatten();
    let row = |row: &Value| {
        let mut kept = match numbers(row, 0) {
            Value::Object(kept) => kept,
            _ => Map::new(),
        };
        if let Some(name) =
            row.get("name").and_then(Value::as_str).filter(|name| is_identifier(name))
        {
            kept.insert("name".to_owned(), json!(name));
        }
        Value::Object(kept)
    };
    json!({ "table": rows.map(row).collect::<Vec<_>>() })
}

fn smart_messages(names: &mut Names, value: &Value) -> Value {
    let all = value.get("messages").and_then(Value::as_array).into_iter().flatten();
    let texts = all.filter_map(|message| message.get("string")?.as_str());
    let kept: Vec<Value> = texts.map(|text| json!({ "string": sentence(names, text) })).collect();
    json!({ "messages": kept })
}

/// Returns the numbers and switches of a value, and the keys that lead to them.
fn numbers(value: &Value, depth: usize) -> Value {
    const DEPTH_MAX: usize = 8;
    const KEY_CHARS_MAX: usize = 48;
    let own = |key: &str| {
        key.len() <= KEY_CHARS_MAX
            && key.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    match value {
        Value::Number(_) | Value::Bool(_) => value.clone(),
        Value::Object(fields) if depth < DEPTH_MAX => fields
            .iter()
            .filter(|(key, value)| own(key) && !value.is_string())
            .map(|(key, value)| (key.clone(), numbers(value, depth + 1)))
            .collect(),
        Value::Array(all) if depth < DEPTH_MAX => {
            all.iter().map(|value| numbers(value, depth + 1)).collect()
        }
        _ => Value::Null,
    }
}

/// Replaces the names in `geom disk list`; fields other than the known are left out.
pub(super) fn geom(names: &mut Names, text: &str) -> String {
    let mut done = Vec::new();
    for line in text.lines() {
        let indent = line.get(..line.len() - line.trim_start().len()).unwrap_or_default();
        let Some((key, value)) =
            line.trim().split_once(':').map(|(key, value)| (key, value.trim()))
        else {
            continue;
        };
        let numbered = key
            .split_once(". Name")
            .is_some_and(|(number, rest)| rest.is_empty() && is_number(number));
        let new = match key {
            "Geom name" => names.device(value),
            _ if numbered => names.device(value),
            "descr" => model(names, value),
            "ident" if value == "(null)" => value.to_owned(),
            "ident" => names.serial(value),
            "Providers" | "Consumers" => String::new(),
            "Mediasize" | "Sectorsize" | "Stripesize" | "Stripeoffset" | "rotationrate"
            | "fwsectors" | "fwheads"
                if value.split_whitespace().all(|word| is_cell(word) || is_plain(word)) =>
            {
                value.to_owned()
            }
            _ => continue,
        };
        done.push(format!("{indent}{key}: {new}\n"));
    }
    done.concat()
}

/// Replaces the names in a list of links, `/dev/disk/by-id/ata-X -> ../../sda`.
pub(super) fn links(names: &mut Names, text: &str) -> String {
    lines(text, |line| match line.split_once(" -> ") {
        Some((link, target)) => {
            let target = target.trim();
            let name = target.rsplit('/').next().unwrap_or(target);
            let above = "../".repeat(target.matches("../").count().min(4));
            format!("{} -> {above}{}", names.device(link.trim()), names.device(name))
        }
        None => String::new(),
    })
}

/// Replaces the names in `glabel status -s`: label, status, device.
pub(super) fn labels(names: &mut Names, text: &str) -> String {
    lines(text, |line| {
        each_word(line, |word| if word == "N/A" { word.to_owned() } else { names.device(word) })
    })
}

/// Replaces a value that the kernel has for a drive: `queue/rotational`, `device/model`.
pub(super) fn kernels_value(names: &mut Names, file: &str, text: &str) -> String {
    let value = text.trim();
    match file {
        "device/model" => model(names, value) + "\n",
        "serial" | "device/serial" if !value.is_empty() => names.serial(value) + "\n",
        _ if value.split_whitespace().all(is_cell) => text.to_owned(),
        _ => "\n".to_owned(),
    }
}

/// Returns a drive's name in the name of a source.
pub(super) fn in_path(names: &mut Names, name: &str) -> String {
    if kernels_own(name) { name.to_owned() } else { names.device(name).replace('/', "-") }
}

#[cfg(test)]
mod tests {
    use super::{Names, model};

    fn check(text: &str, expected: &str) {
        assert_eq!(model(&mut Names::default(), text), expected);
    }

    #[test]
    fn models_that_are_sold_stay() {
        for text in [
            "WDC WD40EFRX-68N32N0",
            "ST4000DM004-2CV104",
            "Samsung SSD 870 EVO 1TB",
            "INTEL SSDSC2BA400G3",
            "SAMSUNG MZ7LM480HCHP-00005",
            "Micron_5300_MTFDDAK480TDS",
            "KINGSTON SEDC500M480G",
            "CT1000MX500SSD1",
            "HUS726T4TALA6L4",
            "QEMU HARDDISK",
            "VBOX HARDDISK",
            "TOSHIBA MG08ACA16TE",
            "WD_BLACK SN850X 1TB",
            "INTEL SSDPE21D280GA",
            "Virtual disk",
        ] {
            let kept = text.replace("WD_BLACK", "WD BLACK");
            check(text, &kept);
        }
    }

    #[test]
    fn what_nobody_sells_goes() {
        check("Annas backup stick", "model-1");
        check("WDC WD40EFRX-68N32N0 anna", "WDC WD40EFRX-68N32N0 x");
        check("QEMU WD-WCC7K1234567", "QEMU x");
        check("SN12345678ZQ", "model-1");
        check("Samsung SN9911223Q", "Samsung x");
        check("", "");
    }
}
