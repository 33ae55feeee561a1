//! What of `smartctl -j` is kept: the rest is long, and holds numbers that name the drive.

use serde_json::{Map, Value};

const KEPT: [&str; 16] = [
    "device",
    "model_name",
    "scsi_model_name",
    "serial_number",
    "user_capacity",
    "logical_block_size",
    "physical_block_size",
    "rotation_rate",
    "ata_smart_attributes",
    "nvme_smart_health_information_log",
    "endurance_used",
    "scsi_percentage_used_endurance_indicator",
    "power_on_time",
    "smart_status",
    "scsi_grown_defect_list",
    "scsi_error_counter_log",
];

/// Returns what of smartctl's answer is of use; a text that is not JSON comes back as it is.
pub(crate) fn smart_essentials(text: &str) -> String {
    let Ok(Value::Object(all)) = serde_json::from_str::<Value>(text) else {
        return text.to_owned();
    };
    let mut kept: Map<String, Value> =
        KEPT.iter().filter_map(|key| Some(((*key).to_owned(), all.get(*key)?.clone()))).collect();
    let messages = all.get("smartctl").and_then(|smartctl| smartctl.get("messages"));
    if let Some(messages) = messages {
        let mut smartctl = Map::new();
        smartctl.insert("messages".to_owned(), messages.clone());
        kept.insert("smartctl".to_owned(), Value::Object(smartctl));
    }
    Value::Object(kept).to_string()
}
