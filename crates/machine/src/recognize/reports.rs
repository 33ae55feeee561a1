//! Pasted reports of `arc_summary` and `zfs-stats`.

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text, joined};
use crate::read::arc_summary;

/// Takes a report from its title, or from any line that is one of it, to its end.
pub(super) fn summary(lines: &[Line], _prompt: &Prompt) -> Option<Taken> {
    let first = lines.first()?.text.trim().to_owned();
    let titled =
        first.starts_with("ZFS Subsystem Report") || first.starts_with("System Information:");
    (titled || arc_summary::is_line("", &first)).then_some(())?;
    let mut heading = String::new();
    let (mut count, mut known) = (0, 0);
    for (index, line) in lines.iter().enumerate() {
        let text = &line.text;
        if Prompt::of(text).is_some() || is_other(text) {
            break;
        }
        heading = arc_summary::heading(text).unwrap_or(heading);
        let of_report = arc_summary::is_line(&heading, text);
        known += usize::from(of_report);
        // Between lines that are known stand rules, blank lines and rows that nothing is made of.
        if of_report || is_filling(text) {
            count = if text.trim().is_empty() { count } else { index + 1 };
        } else {
            break;
        }
    }
    let name = "commands/arc-summary".to_owned();
    let text = joined(lines, count);
    (known > 0)
        .then(|| Taken { lines: count, texts: vec![Text { name, text, again: Again::Sample }] })
}

/// Returns whether a line opens another output.
fn is_other(line: &str) -> bool {
    let text = line.trim();
    let kstat = text.split_whitespace().nth(2).is_some_and(|word| word.starts_with("0x"));
    kstat
        || text.starts_with("pool:")
        || text.starts_with("capacity ")
        || text.starts_with("kstat.zfs.")
        || text.split_whitespace().eq(["name", "type", "data"])
}

/// Returns whether a line may stand inside a report: a rule, a label, what is indented or in columns.
fn is_filling(line: &str) -> bool {
    let text = line.trim();
    let rule = text.chars().all(|c| matches!(c, '-' | '=' | ' ' | '#'));
    let indented = line.starts_with([' ', '\t']);
    let columns = text.contains("  ") || text.contains('\t');
    let labelled = text.split_once(':').is_some_and(|(label, _)| label.len() < 60);
    let skipped = text.ends_with("skipping section");
    rule || indented || columns || skipped || labelled && !text.ends_with(['.', '?', '!'])
}
