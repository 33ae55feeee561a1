//! Pasted JSON of tools that speak it: `zpool` and `zfs` with `-j` (2.3+), `smartctl -j`, `lsblk -J`.

use serde_json::Value;

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text, joined};

/// Nothing of these is deeper.
const DEPTH_MAX: usize = 24;

/// Takes an object from its first brace to its last.
pub(super) fn json(lines: &[Line], _prompt: &Prompt) -> Option<Taken> {
    lines.first()?.text.starts_with('{').then_some(())?;
    let count = extent(lines)?;
    let text = joined(lines, count);
    let value: Value = crate::read::json(&text).ok()?;
    let name = name_of(&value)?;
    Some(Taken { lines: count, texts: vec![Text { name, text, again: Again::More }] })
}

/// Returns how many lines the object has; none where it does not end.
fn extent(lines: &[Line]) -> Option<usize> {
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    for (index, line) in lines.iter().enumerate() {
        for c in line.text.chars() {
            match c {
                _ if escaped => escaped = false,
                '\\' if in_text => escaped = true,
                '"' => in_text = !in_text,
                '{' | '[' if !in_text => depth += 1,
                '}' | ']' if !in_text => depth = depth.checked_sub(1)?,
                _ => {}
            }
        }
        // No text of JSON goes on in the next line.
        if in_text || depth > DEPTH_MAX {
            return None;
        }
        if depth == 0 {
            return Some(index + 1);
        }
    }
    None
}

fn name_of(value: &Value) -> Option<String> {
    if value.get("blockdevices").is_some() {
        return Some("commands/lsblk".to_owned());
    }
    if value.get("smartctl").is_some() {
        let device = value.pointer("/device/name").and_then(Value::as_str);
        let device = device.map(|name| name.rsplit('/').next().unwrap_or(name));
        let serial = || value.get("serial_number").and_then(Value::as_str);
        return Some(format!("commands/smartctl-{}", device.or_else(serial).unwrap_or("text")));
    }
    let name = match value.pointer("/output_version/command")?.as_str()? {
        "zpool status" => "zpool-status-json",
        "zpool list" => "zpool-list-json",
        "zpool get" => "zpool-get-json",
        "zfs get" => "zfs-get-json",
        "zfs list" => "zfs-list-json",
        _ => return None,
    };
    Some(format!("commands/{name}"))
}
