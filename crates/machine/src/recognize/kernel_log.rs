//! Pasted lines of the kernel's log.

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text};
use crate::read::kernel_log::{is_line, is_telling};

/// So many lines of the log may stand before the first that tells of a device.
const LEAD_LINES_MAX: usize = 20;
/// Lines of a log are no longer.
const LENGTH_MAX: usize = 2048;

/// Takes the lines of a log in which one tells of a device or pool.
pub(super) fn log(lines: &[Line], _prompt: &Prompt) -> Option<Taken> {
    let of_log = |line: &&Line| line.text.len() <= LENGTH_MAX && is_line(&line.text);
    lines.first().filter(|line| of_log(line))?;
    let lead = lines.iter().take(LEAD_LINES_MAX).take_while(of_log);
    lead.into_iter().find(|line| is_telling(&line.text))?;
    let count = lines.iter().take_while(of_log).count();
    let text = super::joined(lines, count);
    let texts = vec![Text { name: "commands/dmesg".to_owned(), text, again: Again::More }];
    Some(Taken { lines: count, texts })
}
