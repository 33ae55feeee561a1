//! Pasted lines of the kernel's log: from one that can be nothing else to the first that is none.
//!
//! Mails and narrow windows break its lines: one without a time, between two that have one, goes on with
//! the line above it.

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text};
use crate::read::kernel_log::{is_line, is_of_kernel, is_stamped};

/// Lines of a log are no longer.
const LENGTH_MAX: usize = 2048;
/// A line is broken into no more parts than this.
const PARTS_MAX: usize = 4;

/// Takes the lines of a log in which one tells of a device or pool.
pub(super) fn log(lines: &[Line], _prompt: &Prompt) -> Option<Taken> {
    let fits = |line: &&Line| line.text.len() <= LENGTH_MAX;
    lines.first().filter(fits).filter(|line| is_of_kernel(&line.text))?;
    let mut text = String::new();
    let (mut count, mut has_time) = (0, false);
    while let Some(line) = lines.get(count).filter(fits) {
        let is_blank = line.text.trim().is_empty();
        let goes_on = if is_blank && lines.get(count + 1).is_some_and(|next| is_line(&next.text)) {
            true
        } else if is_line(&line.text) {
            text.push('\n');
            has_time = is_stamped(&line.text);
            true
        } else {
            text.push(' ');
            has_time && is_part(lines.get(count..).unwrap_or_default())
        };
        if !goes_on {
            break;
        }
        text.push_str(line.text.trim());
        count += 1;
    }
    let text = text.trim().to_owned() + "\n";
    let texts = vec![Text { name: "commands/dmesg".to_owned(), text, again: Again::More }];
    Some(Taken { lines: count, texts })
}

/// Returns whether lines are the rest of a broken one: another with a time follows soon, or the text ends.
fn is_part(lines: &[Line]) -> bool {
    let is_bare = |line: &&Line| {
        let text = line.text.trim();
        !text.is_empty() && !is_stamped(text) && Prompt::of(text).is_none()
    };
    let below = lines.iter().take(PARTS_MAX + 1).find(|line| !is_bare(line));
    let ends = lines.len() < PARTS_MAX;
    let goes_on = below.map_or(ends, |line| is_stamped(&line.text));
    lines.first().as_ref().is_some_and(is_bare) && goes_on
}
