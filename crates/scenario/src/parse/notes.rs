//! What a reader of the results should know of how the scenario was read, in sentences.

use super::system;
use super::tree::{Kind, Node};

/// Returns the notes on `[system]`.
pub(crate) fn of_system(node: &Node, system: &system::Placed) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some((platform, settings)) = &system.platform {
        add(&mut notes, Some(platform.meaning(settings)));
    }
    let Kind::Table(entries) = &node.kind else { return notes };
    for memory in entries.iter().filter(|entry| entry.name == "memory") {
        add(&mut notes, decimal_memory(memory));
    }
    notes
}

/// Adds a note that is not there yet.
pub(crate) fn add(notes: &mut Vec<String>, note: Option<String>) {
    notes.extend(note.filter(|note| !notes.contains(note)));
}

/// Returns what memory in decimal units comes to: its makers say GB and mean GiB.
pub(crate) fn decimal_memory(node: &Node) -> Option<String> {
    let meant = node.binary_text()?;
    let (text, size) = (node.text().ok()?.trim(), node.size().ok()?);
    Some(format!("memory = \"{text}\" is {size}; modules sold as {text} hold {meant}"))
}
