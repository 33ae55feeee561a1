//! Pasted results of programs that time reading and writing: fio, dd, pv, rsync, diskinfo.

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text};
use crate::read::timings::{Kind, kind_of};

const PROGRAMS: [&str; 5] = ["dd", "pv", "fio", "rsync", "diskinfo"];

/// Takes the lines of a result, below the command that gave it.
pub(super) fn timings(lines: &[Line], prompt: &Prompt) -> Option<Taken> {
    let first = kind_of(&lines.first()?.text)?;
    let words = prompt.arguments();
    let timed = words.first().is_some_and(|word| PROGRAMS.contains(&word.as_str()));
    // Of several that run at once nobody can say whose result is whose.
    let alone = words.last().is_none_or(|word| !word.ends_with('&'));
    let command = if timed && alone { words.join(" ") } else { "?".to_owned() };
    let mut text = format!("$ {command}\n");
    let mut count = 0;
    for (index, line) in lines.iter().enumerate() {
        // fio leaves a blank line before what all jobs did together.
        if line.text.trim().is_empty() && first == Kind::Fio && count == index {
            continue;
        }
        let more = kind_of(&line.text) == Some(first);
        if !more || index > 0 && Prompt::of(&line.text).is_some() {
            break;
        }
        count = index + 1;
    }
    for line in lines.iter().take(count) {
        text.push_str(&line.text);
        text.push('\n');
    }
    let name = "commands/timings".to_owned();
    Some(Taken { lines: count, texts: vec![Text { name, text, again: Again::More }] })
}
