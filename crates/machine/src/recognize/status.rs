//! Pasted `zpool status`.

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text, joined};

const LABELS: [&str; 8] = ["pool", "id", "state", "status", "action", "scan", "config", "see"];

/// Takes the output about one pool, to its last line, which begins with `errors:`.
pub(super) fn status(lines: &[Line], _prompt: &Prompt) -> Option<Taken> {
    let label = |line: &Line| line.text.split_once(':').map(|(label, _)| label.trim().to_owned());
    (label(lines.first()?)?.as_str() == "pool").then_some(())?;
    let mut seen_state = false;
    let mut count = 0;
    for (index, line) in lines.iter().enumerate() {
        let found = label(line);
        let found = found.as_deref();
        let next = index > 0 && (found == Some("pool") || Prompt::of(&line.text).is_some());
        if next {
            break;
        }
        seen_state |= found == Some("state");
        if !line.text.trim().is_empty() {
            count = index + 1;
        }
        if found == Some("errors") {
            // A list of damaged files may follow, each below its own indentation.
            let more = lines.iter().skip(count).take_while(|line| {
                line.text.starts_with([' ', '\t'])
                    && !label(line).is_some_and(|l| LABELS.contains(&l.as_str()))
            });
            count += more.count();
            break;
        }
    }
    let text = joined(lines, count) + "\n";
    let name = "commands/zpool-status".to_owned();
    seen_state.then(|| Taken { lines: count, texts: vec![Text { name, text, again: Again::More }] })
}
