//! Pasted `iostat -En` of illumos and Solaris: what the drivers counted of each device since the system started.

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text, joined};
use crate::read::iostat_errors::{is_line, opens};

/// Takes the devices of one call.
pub(super) fn errors(lines: &[Line], _prompt: &Prompt) -> Option<Taken> {
    opens(&lines.first()?.text).then_some(())?;
    let is_row = |line: &&Line| opens(&line.text) || is_line(&line.text);
    let count = lines.iter().take_while(is_row).count();
    let name = "commands/iostat-errors".to_owned();
    let text = joined(lines, count) + "\n";
    Some(Taken { lines: count, texts: vec![Text { name, text, again: Again::More }] })
}
