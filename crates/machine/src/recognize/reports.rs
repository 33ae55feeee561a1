//! Pasted reports of `arc_summary` and `zfs-stats`, whole or some sections of them.
//!
//! What a row means its section's heading tells; one that stood above an unknown line still counts.

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text};
use crate::read::arc_summary::{MEMORY, Row, SectionState, is_title};

/// Says whether a value is another one. Memory appears twice in one report, rounded and exact.
pub(super) fn differs(row: &str, known: &str, value: &str) -> bool {
    /// `1009.91 MiB` and `hw.physmem`; what the kernel keeps for itself is more.
    const ALIKE: f64 = 0.02;
    let numbers = known.parse::<f64>().ok().zip(value.parse::<f64>().ok());
    match numbers.filter(|_| row == MEMORY) {
        Some((known, value)) => (known - value).abs() > ALIKE * known.max(value),
        None => known != value,
    }
}

/// Takes a report from its title, or from any line that is one of it, to the first that is not.
pub(super) fn summary(lines: &[Line], prompt: &Prompt) -> Option<Taken> {
    let lost = lost_heading(lines).filter(|_| prompt.open.heading.is_none());
    let mut state = SectionState::below(prompt.open.heading.as_deref().or(lost));
    let (mut count, mut known) = (0, 0);
    for (index, line) in lines.iter().enumerate() {
        let text = &line.text;
        match state.next(text) {
            Row::Known if known > 0 && (is_title(text) || Prompt::of(text).is_some()) => break,
            Row::Known => {}
            // Rules and blank lines are of the report when more of it follows.
            Row::Filling if index > 0 => continue,
            Row::Filling | Row::Strange => break,
        }
        known += 1;
        count = index + 1;
    }
    (known > 0).then_some(())?;
    // The rows below an unknown line keep the heading above it.
    let below = prompt
        .open
        .heading
        .as_deref()
        .or(lost)
        .filter(|_| !lines.first().is_some_and(|line| is_title(&line.text)));
    let mut text = below.map(|open| format!("{open}\n")).unwrap_or_default();
    for line in lines.iter().take(count) {
        text.push_str(&line.text);
        text.push('\n');
    }
    let name = "commands/arc-summary".to_owned();
    Some(Taken { lines: count, texts: vec![Text { name, text, again: Again::Sample }] })
}

/// Returns the heading that stood above the first line, where the rows tell which: of those that have a hit ratio
/// only the L2ARC's counts feeds.
fn lost_heading(lines: &[Line]) -> Option<&'static str> {
    let label = |line: &Line| {
        let (label, value) = line.text.split_once(':')?;
        let value = value.contains(|c: char| c.is_ascii_digit());
        value.then(|| label.trim().to_ascii_lowercase())
    };
    let is_ratio = |label: &String| matches!(label.as_str(), "hit ratio" | "miss ratio");
    label(lines.first()?).filter(is_ratio)?;
    let below = lines.iter().take(3).map_while(label).find(|label| !is_ratio(label))?;
    (below == "feeds").then_some("L2ARC breakdown:")
}
