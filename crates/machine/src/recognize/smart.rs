//! Pasted `smartctl -a` or `-x` as people read it.

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text, joined};
use crate::cut::is_bracketed_cut;
use crate::read::smart;

/// Takes what one call says of one drive.
pub(super) fn smartctl(lines: &[Line], prompt: &Prompt) -> Option<Taken> {
    let first = lines.first()?.text.trim();
    // What the drive can do stands far below the beginning; somebody may have picked it out.
    let can = first.split_once(':').is_some_and(|(_, value)| value.trim_start().starts_with("(0x"));
    let asked = prompt.arguments().iter().any(|word| word.ends_with("smartctl"));
    (smart::opens(first) || can && asked).then_some(())?;
    let mut count = 0;
    for (index, line) in lines.iter().enumerate() {
        let text = line.text.trim();
        // Another call says who it is again.
        let another = index > 0 && text.starts_with("smartctl ");
        if another || Prompt::of(&line.text).is_some() || is_other(text) {
            break;
        }
        if text.is_empty() {
            continue;
        }
        if index > 0 && is_bracketed_cut(text) && goes_on(lines, index) {
            continue;
        }
        let indented = line.text.starts_with([' ', '\t']);
        if !(indented && index > 0 || smart::is_line(text)) {
            break;
        }
        count = index + 1;
    }
    let device = prompt.arguments().iter().rev().find_map(|word| word.strip_prefix("/dev/"));
    let told = || prompt.mention.drive_at(lines.first()?.number);
    let device = device.or_else(told);
    let device = device.filter(|device| device.chars().all(|c| c.is_ascii_alphanumeric()));
    let name = format!("commands/smartctl-{}", device.unwrap_or("text"));
    let texts = vec![Text { name, text: joined(lines, count) + "\n", again: Again::More }];
    (count > 0).then_some(Taken { lines: count, texts })
}

/// Returns whether the text goes on below lines that were left out.
fn goes_on(lines: &[Line], index: usize) -> bool {
    let below = lines.iter().skip(index + 1).map(|line| line.text.trim());
    below.take(3).find(|text| !text.is_empty()).is_some_and(smart::is_line)
}

/// Returns whether a line opens another output.
fn is_other(text: &str) -> bool {
    text.starts_with("pool: ")
        || text.starts_with("capacity ")
        || text.starts_with("Geom name: ")
        || text.starts_with("NAME ")
        || text.starts_with("ARC size")
}
