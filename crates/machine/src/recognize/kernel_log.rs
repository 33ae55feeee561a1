//! Pasted lines of the kernel's log: from one that can be nothing else to the first that is none.

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text};
use crate::read::kernel_log::{is_line, is_of_kernel};

/// Lines of a log are no longer.
const LENGTH_MAX: usize = 2048;

/// Takes the lines of a log in which one tells of a device or pool.
pub(super) fn log(lines: &[Line], _prompt: &Prompt) -> Option<Taken> {
    let fits = |line: &&Line| line.text.len() <= LENGTH_MAX;
    lines.first().filter(fits).filter(|line| is_of_kernel(&line.text))?;
    let count = lines.iter().take_while(|line| fits(line) && is_line(&line.text)).count();
    let text = super::joined(lines, count);
    let texts = vec![Text { name: "commands/dmesg".to_owned(), text, again: Again::More }];
    Some(Taken { lines: count, texts })
}
