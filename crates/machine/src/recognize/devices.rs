//! Pasted tables of devices that the operating system's own tools print: `iostat -x`, `gstat`.
//!
//! ```text
//! Linux 6.1.0-28-amd64 (nas)  11/15/26  _x86_64_  (8 CPU)     the head of a run, which names the kernel
//!
//! avg-cpu:  %user   %nice %system %iowait  %steal   %idle     of no use here
//!            1.20    0.00    2.11   40.02    0.00   56.67
//!
//! Device            r/s     rkB/s  r_await  …  %util          titles begin a report
//! sda             70.10   4112.00    11.20  …  81.40
//! ```
//!
//! Reports one below the other are one text; what a head, a command or another output stands before is
//! another run. Rows whose titles were lost are a report of which only that is known: without it the next
//! one would pass for the first, which counts since the machine was started.

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text};
use crate::read::devices::columns::{
    Titles, are_torn, cells, is_cell, is_of_gstat, is_row_like, seconds,
};
use crate::read::devices::{FIRST, GSTAT, IOSTAT, IOSTAT_WINDOW, RUN, UNTITLED};

/// What stands around tables, and tells nothing of devices.
const AROUND: &str = "commands/iostat-head";
/// Rows without titles above the next report's titles: as many disks as a large machine has.
const UNTITLED_MAX: usize = 32;
/// The numbers of the shortest row.
const NUMBERS_MIN: usize = 5;

/// Returns whether a text is one of these or stands around them.
pub(super) fn is_part(name: &str) -> bool {
    name == AROUND || crate::read::devices::is_name(name)
}

/// Returns the name and the last titles of a text, for rows below an unknown line.
pub(super) fn open_after(text: &Text) -> Option<(String, String)> {
    let titles = text.text.lines().rev().find(|line| Titles::of(line).is_some())?;
    Some((text.name.clone(), titles.to_owned()))
}

/// Takes reports of devices, and what stands around them.
pub(super) fn devices(lines: &[Line], prompt: &Prompt) -> Option<Taken> {
    let open = prompt.open.devices.as_ref();
    let titles = open.and_then(|(_, line)| Titles::of(line));
    let mut reports = Reports { titles, ..Reports::default() };
    reports.read(lines);
    (reports.count > 0).then_some(())?;
    let mut texts = Vec::new();
    let has_head = reports.kernel.is_some();
    texts.extend(reports.kernel.map(|text| named("commands/uname", text)));
    let name = match (reports.is_gstat, open) {
        _ if reports.text.is_empty() => AROUND,
        // Only rows: they are of the titles above.
        (None, Some((name, _))) => name,
        (Some(true), _) => GSTAT,
        _ if without_first(prompt) => IOSTAT_WINDOW,
        _ => IOSTAT,
    };
    let is_run = open.is_none() || !texts.is_empty();
    let run = match (is_run && !reports.text.is_empty(), has_head) {
        (false, _) => String::new(),
        (true, false) => format!("{RUN}\n"),
        (true, true) => format!("{RUN}\n{FIRST}\n"),
    };
    texts.push(named(name, run + &reports.text));
    Some(Taken { lines: reports.count, texts })
}

fn named(name: &str, text: String) -> Text {
    Text { name: name.to_owned(), text, again: Again::More }
}

/// Returns whether the command left out the report since the start: `iostat -xy 5`.
fn without_first(prompt: &Prompt) -> bool {
    let has_y = |word: &String| word.starts_with('-') && word.contains('y');
    prompt.program() == Some("iostat") && prompt.arguments().iter().any(has_y)
}

/// Reports while they are read.
#[derive(Default)]
struct Reports {
    titles: Option<Titles>,
    /// Whether titles among these lines were of gstat; none where there were none.
    is_gstat: Option<bool>,
    text: String,
    /// Lines taken, without blank ones at the end.
    count: usize,
    /// `Linux 6.1.0-28-amd64 nas`, from the head.
    kernel: Option<String>,
    /// The values of the processors come next.
    is_processor: bool,
    /// Rows without titles end here.
    untitled_until: usize,
}

impl Reports {
    fn read(&mut self, lines: &[Line]) {
        for (index, line) in lines.iter().enumerate() {
            let text: &str = &line.text;
            let words = cells(text);
            if words.is_empty() {
                continue;
            }
            let is_part = index < self.untitled_until
                || self.take(text, &words, index == 0)
                || self.take_untitled(&words, lines.get(index..).unwrap_or_default(), index);
            if !is_part {
                return;
            }
            self.count = index + 1;
        }
    }

    /// Takes a line that is known by itself or by the titles above it.
    fn take(&mut self, line: &str, words: &[&str], is_first: bool) -> bool {
        if let Some(kernel) = head(words).filter(|_| is_first) {
            self.kernel = Some(kernel);
            return true;
        }
        let are_numbers = words.iter().all(|word| is_cell(word));
        let is_values = self.is_processor && are_numbers;
        self.is_processor = is_processor(words);
        // Alone, a part of such a line may be of anything.
        let is_whole = words.first() == Some(&"avg-cpu:")
            || words.len() == 3
            || words.starts_with(&["extended", "device", "statistics"]);
        if is_values || (self.is_processor || is_caption(words)) && (is_whole || !is_first) {
            return true;
        }
        let titles = Titles::of(line);
        if titles.is_some() || are_torn(words) {
            // Below one program another is another text.
            let is_gstat = is_of_gstat(words);
            if self.is_gstat.is_some_and(|known| known != is_gstat) {
                return false;
            }
            let text = if titles.is_some() { line } else { UNTITLED };
            (self.titles, self.is_gstat) = (titles, Some(is_gstat));
            return self.push(text);
        }
        let is_whole = self.titles.as_ref().is_some_and(|titles| titles.row(line).is_some());
        if is_whole || seconds(line).is_some() {
            return self.push(line);
        }
        // A row that lost a value among others is reported, and not read.
        let is_row = is_row_like(words, NUMBERS_MIN) || are_numbers && words.len() > NUMBERS_MIN;
        if is_row && self.is_gstat.is_some() && !is_first {
            return self.push(line);
        }
        !is_first && (is_time(words) || is_span(words))
    }

    /// Takes rows whose titles were lost, where those of the next report stand below.
    fn take_untitled(&mut self, words: &[&str], rest: &[Line], index: usize) -> bool {
        let is_row = self.titles.is_none() && is_row_like(words, NUMBERS_MIN);
        let Some(length) = is_row.then(|| untitled(words.len(), rest)).flatten() else {
            return false;
        };
        self.untitled_until = index + length;
        self.push(UNTITLED)
    }

    fn push(&mut self, line: &str) -> bool {
        self.text.extend([line, "\n"]);
        true
    }
}

/// Returns how many lines stand above the titles that rows of that many words have.
fn untitled(width: usize, lines: &[Line]) -> Option<usize> {
    for (index, line) in lines.iter().enumerate().take(UNTITLED_MAX) {
        let text: &str = &line.text;
        let words = cells(text);
        if let Some(titles) = Titles::of(text) {
            return (titles.width() == width).then_some(index);
        }
        let around = words.iter().all(|word| is_cell(word)) || is_processor(&words);
        let above = is_caption(&words) || is_span(&words) || is_time(&words);
        if !(around || above || is_row_like(&words, NUMBERS_MIN)) {
            return None;
        }
    }
    None
}

/// Returns what the head of sysstat tells of the kernel: `Linux 6.1.0-28-amd64 (nas) … _x86_64_ (8 CPU)`.
fn head(words: &[&str]) -> Option<String> {
    let [os @ "Linux", release, host, rest @ ..] = words else { return None };
    let host = host.strip_prefix('(')?.strip_suffix(')')?;
    let is_release = release.starts_with(|c: char| c.is_ascii_digit());
    let of_machine = |word: &&str| word.len() > 2 && word.starts_with('_') && word.ends_with('_');
    let is_head = is_release && rest.len() <= 8 && rest.iter().any(of_machine);
    is_head.then(|| format!("{os} {release} {host}\n"))
}

/// Returns whether words are the titles of the processors' values: `avg-cpu:  %user   %nice …`.
fn is_processor(words: &[&str]) -> bool {
    let of_processor = |word: &&str| word.starts_with('%') || *word == "avg-cpu:";
    words.iter().all(of_processor) && !words.is_empty()
}

/// Returns whether words are the line above the titles, or what is left of it.
fn is_caption(words: &[&str]) -> bool {
    const OWN: [&str; 3] = ["extended", "device", "statistics"];
    // illumos has captions for the columns behind it: `---- errors ---`, `tty`, `cpu`.
    const BEHIND_MAX: usize = 5;
    let is_behind =
        |word: &&str| ["errors", "cpu", "tty"].contains(word) || word.chars().all(|c| c == '-');
    let own = words.iter().take_while(|word| OWN.contains(word)).count();
    own > 0 && words.len() <= own + BEHIND_MAX && words.iter().skip(own).all(is_behind)
}

/// Returns whether words are the line above gstat's titles, or what is left of it.
fn is_span(words: &[&str]) -> bool {
    words.len() <= 6 && words.iter().any(|word| ["dT:", "w:"].contains(word))
}

/// Returns whether words are the time of a report: `11/15/26 10:00:05`, `2026-11-15T10:00:05+0100`.
fn is_time(words: &[&str]) -> bool {
    let clock =
        |word: &&str| word.split(':').count() > 2 && word.starts_with(|c: char| c.is_ascii_digit());
    words.len() <= 8 && words.iter().any(clock)
}

#[cfg(test)]
mod tests;
