//! `zfs get -Hp all` and its JSON form (2.3+): file systems and volumes with their properties.

use std::collections::BTreeMap;

use serde_json::Value;

use super::properties::{fields, plain};
use crate::machine::{Dataset, Machine};
use crate::sources::Sources;

const TEXT: &str = "commands/zfs-get";
const JSON: &str = "commands/zfs-get-json";

type Properties = BTreeMap<String, (String, String)>;

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    let mut all: BTreeMap<String, Properties> = BTreeMap::new();
    if let Some(text) = sources.text(TEXT) {
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match fields(line) {
                Some(["NAME", "PROPERTY", ..]) => {}
                Some([name, property, value, source]) => {
                    let pair = (value.to_owned(), source.trim_end().to_owned());
                    all.entry(name.to_owned()).or_default().insert(property.to_owned(), pair);
                }
                None => machine.garbled(
                    TEXT,
                    format!(
                        "line {}: expected “dataset property value source”, found “{line}”",
                        index + 1
                    ),
                ),
            }
        }
    }
    if let Some(text) = sources.text(JSON) {
        match serde_json::from_str::<Value>(text) {
            Ok(json) => add_json(&mut all, &json),
            Err(error) => machine.garbled(JSON, error),
        }
    }
    // Snapshots and bookmarks have little that caches depend on.
    let live = all.into_iter().filter(|(name, _)| !name.contains(['@', '#']));
    machine.datasets = live.map(|(name, properties)| Dataset { name, properties }).collect();
}

fn add_json(all: &mut BTreeMap<String, Properties>, json: &Value) {
    let datasets = json.get("datasets").and_then(Value::as_object);
    for (name, entry) in datasets.into_iter().flatten() {
        let known = all.entry(name.clone()).or_default();
        let properties = entry.get("properties").and_then(Value::as_object);
        for (property, what) in properties.into_iter().flatten() {
            let Some(value) = what.get("value").map(plain) else { continue };
            known.entry(property.clone()).or_insert((value, source(what)));
        }
    }
}

/// Returns where a value is from in the words of the text form.
fn source(what: &Value) -> String {
    let field = |name: &str| what.get("source")?.get(name)?.as_str();
    match (field("type"), field("data")) {
        (Some("INHERITED"), Some(from)) => format!("inherited from {from}"),
        (Some("NONE") | None, _) => "-".to_owned(),
        (Some(kind), _) => kind.to_ascii_lowercase(),
    }
}
