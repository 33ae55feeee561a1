//! JSON of `zpool` and `zfs` (2.3 and later): keys that are names, and values by their key.

use serde_json::{Map, Value, json};

use super::names::Names;
use super::properties::Owner;
use super::tables::damaged;
use super::vocabulary::{is_cell, is_number, is_plain, sentence};

/// Deeper than this no answer is.
const DEPTH_MAX: usize = 24;
/// Keys whose members are called by names.
const NAMED: [&str; 7] = ["vdevs", "logs", "l2cache", "spares", "special", "dedup", "root"];

/// Replaces the names; none when it is not JSON.
pub(super) fn pools(names: &mut Names, owner: Owner, text: &str) -> Option<String> {
    if text.trim().is_empty() {
        return Some(String::new());
    }
    let Value::Object(all) = serde_json::from_str(text).ok()? else { return None };
    let mut kept = Map::new();
    for (key, value) in &all {
        let new = match (key.as_str(), value) {
            ("output_version", value) => fields(names, owner, value, 0),
            ("pools" | "datasets", Value::Object(entries)) => {
                let entry = |(name, entry): (&String, &Value)| {
                    let new = fields(names, owner, entry, 0);
                    (owner.name(names, name), new)
                };
                entries.iter().map(entry).collect()
            }
            _ => continue,
        };
        kept.insert(key.clone(), new);
    }
    Some(Value::Object(kept).to_string())
}

fn fields(names: &mut Names, owner: Owner, value: &Value, depth: usize) -> Value {
    let Some(all) = value.as_object().filter(|_| depth < DEPTH_MAX) else { return Value::Null };
    let mut kept = Map::new();
    for (key, value) in all {
        let new = match value {
            Value::Object(members) if NAMED.contains(&key.as_str()) => members
                .iter()
                .map(|(name, vdev)| {
                    let new = fields(names, owner, vdev, depth + 1);
                    (names.row(name), new)
                })
                .collect(),
            Value::Object(all) if key == "properties" => properties(names, owner, all),
            Value::Object(_) if is_key(key) => fields(names, owner, value, depth + 1),
            Value::Array(all) if key == "errlist" => all
                .iter()
                .filter_map(Value::as_str)
                .map(|line| json!(damaged(names, line)))
                .collect(),
            Value::String(text) if is_key(key) => match string(names, owner, key, text) {
                Some(text) => json!(text),
                None => continue,
            },
            Value::Number(_) if is_key(key) && !is_identity(key) => value.clone(),
            Value::Bool(_) if is_key(key) => value.clone(),
            _ => continue,
        };
        kept.insert(key.clone(), new);
    }
    Value::Object(kept)
}

fn string(names: &mut Names, owner: Owner, key: &str, text: &str) -> Option<String> {
    Some(match key {
        _ if is_identity(key) => return None,
        "name" | "pool" | "dataset" if owner == Owner::Dataset => names.dataset(text),
        "name" | "path" | "was" | "pool" => names.row(text),
        _ if is_number(text) || text.split_whitespace().all(is_cell) => text.to_owned(),
        _ => sentence(names, text),
    })
}

fn properties(names: &mut Names, owner: Owner, all: &Map<String, Value>) -> Value {
    let mut kept = Map::new();
    for (property, what) in all {
        let text = |key: &str| what.get(key).and_then(Value::as_str);
        let Some(value) = text("value").and_then(|value| owner.value(names, property, value))
        else {
            continue;
        };
        let source = what.get("source");
        let told = |key: &str| source.and_then(|source| source.get(key)).and_then(Value::as_str);
        let kind = told("type").filter(|kind| is_plain(kind)).unwrap_or("-");
        let from = match told("data") {
            Some(from) if kind == "INHERITED" => names.dataset(from),
            _ => "-".to_owned(),
        };
        kept.insert(
            property.clone(),
            json!({ "value": value, "source": { "type": kind, "data": from } }),
        );
    }
    Value::Object(kept)
}

/// What names one thing in the world.
fn is_identity(key: &str) -> bool {
    key.contains("guid")
        || ["devid", "phys_path", "comment", "hostname", "hostid", "altroot", "cachefile"]
            .contains(&key)
}

/// A key as the tools have them.
fn is_key(key: &str) -> bool {
    key.len() <= 40
        && key.split('_').all(|part| part.is_empty() || is_plain(part) || KEY_PARTS.contains(&part))
}

/// Parts of keys that no message has as a word.
const KEY_PARTS: [&str; 30] = [
    "alloc",
    "ashift",
    "aux",
    "bytes",
    "cksum",
    "configured",
    "def",
    "dev",
    "elapsed",
    "end",
    "err",
    "ios",
    "msgid",
    "moreinfo",
    "physical",
    "phys",
    "psize",
    "rate",
    "rep",
    "spa",
    "stats",
    "to",
    "txg",
    "type",
    "vers",
    "major",
    "minor",
    "zpl",
    "examined",
    "skipped",
];
