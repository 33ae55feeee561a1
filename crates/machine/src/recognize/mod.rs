//! Pasted text: what people copy from terminals and forums, several outputs in one, told apart.
//!
//! ```text
//!   text ──clean──> lines ──a recognizer takes what it knows──> sources
//!                     └──── no recognizer does ───────────────> “lines 3 to 5 are not recognised”
//! ```
//!
//! Nothing but the content tells what a line is; a prompt with its command (`root@nas:~# zpool iostat
//! -y 5 1`) tells more, where it was copied too. A recognizer looks at the lines from here on and says
//! how many it takes; the first that takes any wins, so the more telling ones come first. An output
//! that comes twice is of two samples.

mod arcstat;
mod clean;
mod disks;
mod geom;
mod json;
mod kstats;
mod memory;
mod prompt;
mod properties;
mod reports;
mod settings;
mod smart;
mod status;
mod tables;
mod timings;

use crate::machine::Reason;
use crate::sources::{Source, Sources};
use clean::Line;
use prompt::Prompt;

/// What a recognizer took: how many lines, and what they are.
struct Taken {
    lines: usize,
    texts: Vec<Text>,
}

/// A recognised text.
struct Text {
    /// The name of the source, of a sample's without the sample.
    name: String,
    text: String,
    /// What happens when there is one of that name already.
    again: Again,
}

/// What a second text of one name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Again {
    /// Another sample.
    Sample,
    /// More of the same.
    More,
}

type Recognizer = fn(&[Line], &Prompt) -> Option<Taken>;

const RECOGNIZERS: [Recognizer; 19] = [
    json::json,
    smart::smartctl,
    timings::timings,
    kstats::table,
    kstats::txgs,
    status::status,
    geom::geom,
    disks::disks,
    memory::memory,
    tables::flattened,
    tables::iostat,
    tables::list,
    properties::datasets,
    properties::properties,
    properties::zdb,
    arcstat::arcstat,
    settings::sysctls,
    settings::settings,
    reports::summary,
];
/// Stretches of lines that nobody knew, named one by one; beyond this they are named together.
const STRANGE_MAX: usize = 20;

impl Sources {
    /// Returns what pasted text is made of; what is not recognised is named with its lines.
    #[must_use]
    pub fn recognize(text: &str) -> Self {
        let lines = clean::lines(text);
        let mut sources = Self::default();
        let (mut prompt, mut strange) = (Prompt::default(), Vec::new());
        let mut rest = lines.as_slice();
        while let Some((line, after)) = rest.split_first() {
            rest = after;
            // A rule or an empty line between two outputs belongs to neither.
            if line.text.chars().all(|c| matches!(c, '-' | '=' | '*' | '_' | ' ' | '\t')) {
                continue;
            }
            if let Some(found) = Prompt::of(&line.text) {
                prompt = found;
                continue;
            }
            let here = lines.get(lines.len() - after.len() - 1..).unwrap_or_default();
            match RECOGNIZERS.iter().find_map(|take| take(here, &prompt)) {
                Some(taken) => {
                    taken.texts.into_iter().for_each(|text| add(&mut sources, text));
                    rest = here.get(taken.lines.max(1)..).unwrap_or_default();
                }
                None => strange.push(line.clone()),
            }
        }
        name_strange(&mut sources, &strange);
        sources
    }
}

fn add(sources: &mut Sources, text: Text) {
    let Text { name, text, again } = text;
    if again == Again::More {
        let known = sources.texts.entry(name).or_insert_with(|| Source::Text(String::new()));
        if let Source::Text(known) = known {
            known.push_str(&text);
        }
        return;
    }
    let of_sample = |number: usize| format!("sample-{number}/{name}");
    let free = (0..).find(|number| !sources.texts.contains_key(&of_sample(*number)));
    sources.texts.insert(of_sample(free.unwrap_or(0)), Source::Text(text));
}

/// Names lines that nobody knew, a stretch at a time.
fn name_strange(sources: &mut Sources, strange: &[Line]) {
    let mut stretches: Vec<(usize, usize, &str)> = Vec::new();
    for line in strange {
        match stretches.last_mut() {
            Some((_, last, _)) if *last + 1 == line.number => *last = line.number,
            _ => stretches.push((line.number, line.number, line.text.trim())),
        }
    }
    let left = stretches.len().saturating_sub(STRANGE_MAX);
    for (first, last, text) in stretches.into_iter().take(STRANGE_MAX) {
        const SHOWN_CHARS_MAX: usize = 60;
        let shown: String = text.chars().take(SHOWN_CHARS_MAX).collect();
        let name = match first == last {
            true => format!("pasted line {first}"),
            false => format!("pasted lines {first} to {last}"),
        };
        let reason = Reason::Garbled(format!("not recognised: “{shown}”"));
        sources.texts.insert(name, Source::Unreadable(reason));
    }
    if left > 0 {
        let reason = Reason::Garbled(format!("{left} more stretches of text are not recognised"));
        sources.texts.insert("pasted text".to_owned(), Source::Unreadable(reason));
    }
}

/// Returns the first lines joined, as a text.
fn joined(lines: &[Line], count: usize) -> String {
    lines.iter().take(count).map(|line| format!("{}\n", line.text)).collect()
}

#[cfg(test)]
mod outputs;
#[cfg(test)]
mod tests;
