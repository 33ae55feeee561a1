//! Pasted text: what people copy from terminals and forums, several outputs in one, told apart.
//!
//! ```text
//!   text ──clean──> lines ──a recognizer takes what it knows──gather──> sources
//!                     └──── no recognizer does ───────────────────────> “lines 3 to 5 are not recognised”
//! ```
//!
//! Nothing but the content tells what a line is; a prompt with its command (`root@nas:~# zpool iostat -y 5 1`) tells more,
//! where it was copied too. A recognizer looks at the lines from here on and says how many it takes; the first that takes
//! any wins. An output that unknown lines interrupt goes on below them; which fragments are one reading, `gather` says.

mod arcstat;
mod atop;
mod authors;
mod clean;
mod clocks;
mod dbgmsg;
mod devices;
mod disks;
mod events;
mod failed;
mod flat;
mod gather;
mod geom;
mod hanging;
mod identity;
mod influx;
mod iostat_errors;
mod json;
mod kernel_log;
mod kstat_forms;
mod kstats;
mod labels;
mod looks;
mod mail;
mod markdown;
mod marks;
mod memory;
mod mention;
mod nvme;
mod others;
mod passed_over;
mod prompt;
mod properties;
mod reports;
mod settings;
mod slabs;
mod smart;
mod status;
mod status_rows;
mod strange;
mod system;
mod tables;
mod timings;
mod vmstat;
mod wrapped;
mod zdb;
mod zfs_mon;

use thiserror::Error;

use crate::cut::is_cut;
use crate::machine::Reason;
use crate::reported::looks_reported;
use crate::sources::{Source, Sources};
use clean::Line;
use gather::{Gathered, Place};
use identity::Identity;
use looks::Looks;
use mention::Mention;
use passed_over::{PassedOver, Typed};
use prompt::{Open, Prompt};
use strange::Strange;

/// What a recognizer took: how many lines, and what they are; no text when nobody can say.
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
    /// More of the same reading, or another one.
    Sample,
    /// More of the same.
    More,
}

/// Why pasted text is not the text of one machine.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PasteError {
    /// It is of two machines.
    #[error(
        "this is text of two machines, {first} and, from line {line} on, {second}; split it there \
         and give each part separately"
    )]
    TwoMachines {
        /// How the first is known: `nas`, `the kernel 6.1.0-28-amd64`.
        first: String,
        /// How the second is known.
        second: String,
        /// The first line that is of the second.
        line: usize,
    },
}

type Recognizer = fn(&[Line], &Prompt) -> Option<Taken>;

const RECOGNIZERS: [Recognizer; 41] = [
    json::json,
    nvme::smart_log,
    smart::smartctl,
    iostat_errors::errors,
    timings::timings,
    vmstat::vmstat,
    kstats::parsable,
    kstats::table,
    kstats::txgs,
    kstat_forms::forms,
    markdown::counters,
    failed::failed,
    zdb::tables,
    zdb::blocks,
    hanging::hanging,
    status::status,
    status_rows::rows,
    influx::metrics,
    geom::geom,
    disks::disks,
    devices::devices,
    atop::atop,
    memory::memory,
    slabs::slabs,
    tables::flattened,
    arcstat::arcstat,
    zfs_mon::monitor,
    tables::iostat,
    tables::list,
    properties::datasets,
    properties::df,
    properties::properties,
    labels::labels,
    zdb::configuration,
    settings::sysctls,
    settings::settings,
    events::events,
    kernel_log::log,
    system::system,
    reports::summary,
    others::others,
];
/// So many unknown lines may interrupt an output that goes on below them.
const INTERRUPTION_LINES_MAX: usize = 12;
/// No output has a longer line; one that is longer is not taken apart.
const LINE_LENGTH_MAX: usize = 1 << 20;

impl Sources {
    /// Returns what pasted text is made of; what is not recognised is named with its lines.
    #[must_use]
    pub fn recognize(text: &str) -> Self {
        Paste::read(text).0
    }

    /// Returns what pasted text of one machine is made of.
    ///
    /// # Errors
    /// [`PasteError`] when it is of two machines, whose counters must not be put together.
    pub fn recognize_one(text: &str) -> Result<Self, PasteError> {
        let (sources, identity) = Paste::read(text);
        identity.conflict().map_or(Ok(sources), Err)
    }
}

/// Pasted text while it is read.
#[derive(Default)]
struct Paste {
    gathered: Gathered,
    strange: Strange,
    passed_over: PassedOver,
    typed: Typed,
    identity: Identity,
    prompt: Prompt,
    /// Unknown lines since the last that was understood.
    unknown: usize,
    /// Whether a prompt or an unknown line stands above, since the last output.
    is_apart: bool,
    /// The last line of the last output.
    last_taken: usize,
    /// Letters of the lines that were understood.
    understood: usize,
    /// The first line of each output, and its letters.
    outputs: Vec<(usize, usize)>,
}

impl Paste {
    /// Returns how often lines of a text are looked at.
    #[cfg(test)]
    fn work(text: &str) -> u64 {
        let looks = Looks::default();
        let lines = clean::lines(text, &looks);
        Self::of(&lines, &looks);
        looks.count()
    }

    fn read(text: &str) -> (Sources, Identity) {
        let looks = Looks::default();
        let mut lines = clean::lines(text, &looks);
        let others =
            authors::leave_others(text, &mut lines, |lines| Self::of(lines, &looks).0.outputs);
        let (mut paste, unread) = Self::of(&lines, &looks);
        // Where a mail broke lines, they are understood as well or better together.
        if let Some(whole) = wrapped::joined(&lines, &looks).filter(|_| unread.is_empty()) {
            let (other, left) = Self::of(&whole, &looks);
            if left.is_empty() && other.understood >= paste.understood {
                paste = other;
            }
        }
        paste.gathered.pause = clocks::pause(text.lines().take(clean::LINES_MAX));
        let mut sources = paste.gathered.finish();
        paste.strange.name(&mut sources);
        sources.passed_over = paste.passed_over.named();
        (sources.typed, sources.creating) = std::mem::take(&mut paste.typed).end();
        sources.texts.extend(others);
        if text.lines().nth(clean::LINES_MAX).is_some() {
            let words = format!("only the first {} lines are read", clean::LINES_MAX);
            let reason = Source::Unreadable(Reason::Garbled(words));
            sources.texts.insert("pasted text".to_owned(), reason);
        }
        if let Some(line) = unread.first() {
            let words = "not recognised; nothing is read from here on".to_owned();
            let place = format!("pasted line {}", line.number);
            sources.texts.insert(place, Source::Unreadable(Reason::Garbled(words)));
        }
        (sources, paste.identity)
    }

    /// Reads lines, and returns those that are left unread because looking at them takes too long.
    fn of<'a>(lines: &'a [Line], looks: &Looks) -> (Self, &'a [Line]) {
        let mut paste = Self::default();
        let mut rest = lines;
        while !rest.is_empty() && !looks.are_too_many(lines.len()) {
            let taken = paste.take(rest).max(1);
            rest = rest.get(taken..).unwrap_or_default();
        }
        (paste, rest)
    }

    /// Takes the first lines of `rest`; how many.
    fn take(&mut self, rest: &[Line]) -> usize {
        let Some(line) = rest.first() else { return 0 };
        // A rule or an empty line between two outputs belongs to neither; dots belong to both.
        let rule = line.text.chars().all(|c| matches!(c, '-' | '=' | '*' | '_' | ' ' | '\t'));
        if rule || is_cut(&line.text) {
            return 1;
        }
        if line.text.len() > LINE_LENGTH_MAX {
            self.unknown_line(line);
            return 1;
        }
        if let Some(found) = Prompt::of(&line.text) {
            self.identity.prompt(found.host.as_deref(), line.number);
            let refused = rest.get(1).is_some_and(|line| settings::refuses(&line.text));
            if !refused {
                self.take_command(&found, line);
            }
            self.prompt = found;
            (self.unknown, self.is_apart) = (0, true);
            return 1;
        }
        // The first lines of a kstat may be all there is above an unknown line.
        if let Some(head) = kstats::head(&line.text) {
            self.prompt.open = Open { head: Some(head), ..Open::default() };
            return 1;
        }
        if kstats::is_titles(&line.text) {
            self.prompt.open.kstat = None;
            return 1;
        }
        let found = RECOGNIZERS.iter().find_map(|take| take(rest, &self.prompt));
        match found {
            Some(taken) => self.put(rest, taken),
            None if self.is_torn(rest) => {
                self.strange.torn(line);
                rest.len()
            }
            None => {
                self.unknown_line(line);
                1
            }
        }
    }

    /// Returns whether a line is the last of the text, and looks like the beginning of one more row of the output
    /// above it.
    fn is_torn(&self, rest: &[Line]) -> bool {
        const WORDS_MAX: usize = 2;
        /// Directly below the output, or behind one blank line.
        const NEAR: usize = 2;
        let Some((line, below)) = rest.split_first() else { return false };
        let is_last = || below.iter().all(|line| line.text.trim().is_empty());
        let text = line.text.trim_end();
        let few = || {
            let low = text.starts_with(|c: char| {
                c.is_whitespace() || c.is_ascii_lowercase() || c.is_ascii_digit()
            });
            let ends = text.ends_with(|c: char| c.is_alphanumeric() || "_-.".contains(c));
            low && ends && text.split_whitespace().take(WORDS_MAX + 1).count() <= WORDS_MAX
        };
        let is_next = !self.is_apart
            && self.last_taken > 0
            && (1..=NEAR).any(|lines| self.last_taken + lines == line.number);
        is_next && is_last() && (few() || looks_reported(text))
    }

    /// Takes what a typed command itself says: a value that somebody set.
    fn take_command(&mut self, prompt: &Prompt, line: &Line) {
        self.typed.add(prompt, self.gathered.may_tell_of_trouble());
        let texts = settings::typed(prompt).into_iter().chain(status::changed(prompt));
        let texts = texts.chain(properties::changed(prompt)).chain(properties::would_set(prompt));
        for text in texts {
            let place = Place { first: line.number, last: line.number, is_apart: true };
            self.gathered.add(text, place);
        }
    }

    fn unknown_line(&mut self, line: &Line) {
        self.strange.push(line);
        self.prompt.mention = Mention::of(&line.text, line.number);
        self.is_apart = true;
        self.unknown += 1;
        if self.unknown > INTERRUPTION_LINES_MAX {
            self.prompt.open = Open::default();
        }
    }

    fn put(&mut self, rest: &[Line], taken: Taken) -> usize {
        let count = taken.lines.max(1);
        let lines = rest.get(..count).unwrap_or(rest);
        let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return count };
        if taken.texts.is_empty() {
            lines.iter().for_each(|line| self.strange.push(line));
            self.is_apart = true;
            return count;
        }
        let place = Place { first: first.number, last: last.number, is_apart: self.is_apart };
        self.passed_over.add(&taken.texts, (first.number, last.number));
        for text in taken.texts {
            let open = Open::after(&text, &self.prompt);
            // Flags of a command that is not there stay what the table's own titles said.
            let keeps = open.iostat.is_none() && self.prompt.open.iostat.is_some();
            let goes_on = keeps && text.name.contains("zpool-iostat-");
            self.prompt.open = if goes_on { self.prompt.open.clone() } else { open };
            self.identity.text(&text.name, &text.text, first.number);
            self.gathered.add(text, place);
        }
        let letters = |line: &Line| line.text.split_whitespace().map(str::len).sum::<usize>();
        let letters = lines.iter().map(letters).sum::<usize>();
        self.understood += letters;
        self.outputs.push((first.number, letters));
        (self.unknown, self.is_apart, self.last_taken) = (0, false, last.number);
        count
    }
}

/// Returns the first lines as a text.
fn joined(lines: &[Line], count: usize) -> String {
    lines.iter().take(count).map(|line| format!("{}\n", line.text)).collect()
}

#[cfg(test)]
mod damaged;
#[cfg(test)]
mod form_tests;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod outputs;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod together;
#[cfg(test)]
mod torn;
#[cfg(test)]
mod work;
