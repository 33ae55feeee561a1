//! Pasted tools of `FreeBSD` that tell which label stands on which partition of which drive.

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text, joined};

/// Returns how many lines are of one tool, and its name.
type Kind = fn(&[Line]) -> Option<(usize, &'static str)>;

/// Takes any of them.
pub(super) fn geom(lines: &[Line], _prompt: &Prompt) -> Option<Taken> {
    let kinds: [Kind; 6] = [list, show, labels, devices, informed, answer];
    let (count, name) = kinds.iter().find_map(|kind| kind(lines))?;
    let text = joined(lines, count) + "\n";
    let texts = vec![Text { name: format!("commands/{name}"), text, again: Again::More }];
    Some(Taken { lines: count, texts })
}

/// Returns how many lines fit from the first on, without blank ones at the end.
fn extent(lines: &[Line], fits: impl Fn(&str) -> bool) -> usize {
    let mut count = 0;
    for (index, line) in lines.iter().enumerate() {
        let text = line.text.trim();
        if text.is_empty() {
            // One blank line stands between two parts, not more.
            if count + 1 < index {
                break;
            }
        } else if fits(text) && Prompt::of(&line.text).is_none() {
            count = index + 1;
        } else {
            break;
        }
    }
    count
}

/// `geom disk list`, `gpart list`, `glabel list`.
fn list(lines: &[Line]) -> Option<(usize, &'static str)> {
    lines.first()?.text.trim().strip_prefix("Geom name: ")?;
    let fits = |text: &str| {
        let Some((key, value)) = text.split_once(':') else { return false };
        let numbered = key.ends_with(". Name");
        // Keys are one word; `pool: tank` begins something else.
        let word = key.chars().all(|c| c.is_ascii_alphanumeric()) && key != "pool";
        numbered || key == "Geom name" || word && (value.is_empty() || value.starts_with(' '))
    };
    Some((extent(lines, fits), "geom-list"))
}

/// `gpart show`.
fn show(lines: &[Line]) -> Option<(usize, &'static str)> {
    let first = lines.first()?.text.trim();
    (first.starts_with("=>") && first.ends_with(')')).then_some(())?;
    let fits = |text: &str| {
        let mut words = text.trim_start_matches("=>").split_whitespace();
        let number = |word: Option<&str>| word.is_some_and(|word| word.parse::<u64>().is_ok());
        number(words.next()) && number(words.next()) && words.count() >= 2
    };
    Some((extent(lines, fits), "gpart-show"))
}

/// `glabel status`, with or without titles.
fn labels(lines: &[Line]) -> Option<(usize, &'static str)> {
    let fits = |text: &str| {
        let words: Vec<&str> = text.split_whitespace().collect();
        words == ["Name", "Status", "Components"]
            || matches!(words.as_slice(), [label, "N/A", _] if label.contains('/'))
    };
    let count = extent(lines, fits);
    (count > 0).then_some((count, "glabel-status"))
}

/// `camcontrol devlist`.
fn devices(lines: &[Line]) -> Option<(usize, &'static str)> {
    let fits =
        |text: &str| text.contains("> ") && text.contains(" at scbus") && text.ends_with(')');
    let count = extent(lines, fits);
    (count > 0).then_some((count, "camcontrol-devlist"))
}

/// `diskinfo -v`.
fn informed(lines: &[Line]) -> Option<(usize, &'static str)> {
    let opens = lines.first()?.text.split_whitespace().count() == 1
        && lines.get(1)?.text.trim().ends_with("# sectorsize");
    let name = lines.first()?.text.trim().to_owned();
    let fits = |text: &str| text == name || text.contains('#') || text == "Not_Zoned";
    opens.then(|| (extent(lines, fits), "diskinfo"))
}

/// What `gpart` says when it has done something: `da6p1 added`.
fn answer(lines: &[Line]) -> Option<(usize, &'static str)> {
    const DONE: [&str; 5] = ["added", "created", "destroyed", "deleted", "modified"];
    let words: Vec<&str> = lines.first()?.text.split_whitespace().collect();
    let [device, done] = words.as_slice() else { return None };
    let is_device = device.ends_with(|c: char| c.is_ascii_digit())
        && device.starts_with(|c: char| c.is_ascii_lowercase());
    (is_device && DONE.contains(done)).then_some((1, "gpart-answer"))
}
