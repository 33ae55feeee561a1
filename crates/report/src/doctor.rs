//! Findings as text for a terminal: what hurts in full, the rest in a few lines each.
//!
//! A finding says first what to do and with which command, then what that gains and costs, then why. One
//! that hurts now also says how to check and undo it; notes are one sentence. `Detail::Full` adds what
//! each rests on, how sure it is and where the rule comes from.

use arcwright_advice::{
    Advice, Area, Evidence, Finding, Gain, Over, Severity, UNJUDGED_LINES, Unread,
};
use arcwright_units::{Nanos, visible};

use unicode_width::UnicodeWidthStr as _;

use crate::hidden::Hidden;
use crate::table::{Tone, wrapped};
use prose::is_prose;
pub use reading::doctor_heading;
pub(crate) use reading::{busy, counted, machine};

/// How findings are rendered.
#[derive(Debug, Clone, Copy)]
pub struct DoctorOptions {
    /// Columns of the terminal.
    pub width: usize,
    /// Whether terminal colours are wanted.
    pub colour: bool,
    /// How much of each finding is shown.
    pub detail: Detail,
}

/// How much of each finding is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// What hurts in full, the rest short.
    Usual,
    /// Everything.
    Full,
}

/// Returns advice as text.
#[must_use]
pub fn doctor_text(advice: &Advice, hidden: &[Hidden], options: &DoctorOptions) -> String {
    let page = Page { advice, options };
    let mut parts = vec![page.heading()];
    parts.extend(
        advice.findings.iter().enumerate().map(|(index, finding)| page.finding(index, finding)),
    );
    parts.push(page.facts());
    parts.push(page.values());
    parts.push(page.fine());
    parts.push(page.unjudged());
    parts.push(page.unread());
    parts.push(page.hidden(hidden));
    parts.push(page.foot());
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

struct Page<'a> {
    advice: &'a Advice,
    options: &'a DoctorOptions,
}

/// How far the parts of a finding stand in.
const INDENT: &str = "    ";
/// Lines of what was read that are shown unless everything is.
const FACTS_USUAL: usize = 14;
/// What is fine has a line each up to this many.
const FINE_LINES: usize = 6;
/// Evidence that is shown without `--explain`; the first rows are those that matter.
const ROWS_USUAL: usize = 8;

impl Page<'_> {
    fn heading(&self) -> String {
        let reading = &self.advice.reading;
        let head = self.painted(Tone::Strong, &self.wrap("", &machine(reading)));
        let busy = busy(reading).map_or_else(String::new, |who| self.wrap("", &who));
        head + &self.painted(Tone::Faint, &(self.wrap("", &counted(reading)) + &busy))
    }

    fn finding(&self, index: usize, finding: &Finding) -> String {
        let shown = self.shown(index, finding);
        let label = format!("[{}] ", finding.severity.label());
        let mut text = self.painted(tone(finding.severity), &self.wrap(&label, &finding.title));
        if shown == Shown::Title {
            return text;
        }
        text.push_str(&self.remedy(finding, shown));
        text.push_str(&self.part("why", &finding.cause));
        // A verdict that all is well is nothing without what it rests on.
        if self.options.detail == Detail::Full || finding.severity == Severity::Fine {
            text.push_str(&self.evidence(&finding.evidence));
        }
        if shown == Shown::All {
            text.push_str(&self.way_back(finding));
        }
        if self.options.detail == Detail::Full {
            text.push_str(&self.basis(finding));
        }
        text
    }

    /// Returns how sure a finding is and where its rule comes from.
    fn basis(&self, finding: &Finding) -> String {
        let confidence = &finding.confidence;
        let sure = format!("{}: {}", confidence.level.label(), confidence.words);
        let source = format!("{} [{}]", finding.sources.join("; "), finding.id);
        self.part("how sure", &sure) + &self.painted(Tone::Faint, &self.part("source", &source))
    }

    fn shown(&self, index: usize, finding: &Finding) -> Shown {
        // What heads the page says why nothing can be said, and which command shows more.
        let is_headline = index == 0 && finding.area == Area::Reading;
        match (self.options.detail, finding.severity) {
            (Detail::Full, _) | (_, Severity::HurtsNow) => Shown::All,
            (_, Severity::WorthALook | Severity::Fine) => Shown::Short,
            (_, Severity::Note) if is_headline => Shown::Short,
            (_, Severity::Note) => Shown::Title,
        }
    }

    fn part(&self, name: &str, text: &str) -> String {
        if text.is_empty() {
            String::new()
        } else {
            self.wrap(&format!("{INDENT}{name:<9} "), text)
        }
    }

    fn evidence(&self, evidence: &[Evidence]) -> String {
        let is_full = self.options.detail == Detail::Full;
        let count = if is_full { evidence.len() } else { ROWS_USUAL };
        let rows = evidence.get(..count.min(evidence.len())).unwrap_or_default();
        let names = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
        let names = names.min(self.options.width / 2);
        let mut text = String::new();
        for (index, row) in rows.iter().enumerate() {
            let lead = if index == 0 { "seen" } else { "" };
            let over = self.over(row.over);
            let lead = format!("{INDENT}{lead:<9} {:<names$}  ", row.name);
            text.push_str(&self.wrap(&lead, &format!("{}{over}", row.value)));
        }
        if let more @ 1.. = evidence.len() - rows.len() {
            text.push_str(
                &self.painted(Tone::Faint, &format!("{INDENT}{:<9} and {more} more\n", "")),
            );
        }
        text
    }

    /// Returns the time that a row is of, where it is not the one in the heading.
    fn over(&self, over: Over) -> &'static str {
        match (over, self.advice.reading.basis) {
            (Over::Now, _) => " now",
            (Over::Setting, _) => "",
            (Over::Window, _) => " in the window",
            (Over::SinceLoad, _) => " since it began",
        }
    }

    /// Returns what to do with its commands, what that gains and what it costs.
    fn remedy(&self, finding: &Finding, shown: Shown) -> String {
        let Some(remedy) = &finding.remedy else { return self.gain(finding) };
        let mut text = self.part("do", &remedy.what);
        if shown == Shown::Short {
            let first = remedy.now.first().or(remedy.lasting.first());
            text.push_str(&self.commands("with", &first.into_iter().cloned().collect::<Vec<_>>()));
        } else {
            // A change without a lasting part of its own is shown once.
            text.push_str(&self.commands("now", &remedy.now));
            let lasting = if remedy.now.is_empty() { "with" } else { "for good" };
            text.push_str(&self.commands(lasting, &remedy.lasting));
        }
        text.push_str(&self.gain(finding));
        text.push_str(&self.part("cost", &finding.cost));
        if shown == Shown::All {
            text.push_str(&self.part("risk", &finding.risk));
        }
        text
    }

    /// Returns how to see that a remedy works, and how to take it back.
    fn way_back(&self, finding: &Finding) -> String {
        let Some(remedy) = &finding.remedy else { return String::new() };
        self.commands("check", &remedy.verify) + &self.commands("undo", &remedy.undo)
    }

    fn gain(&self, finding: &Finding) -> String {
        match &finding.gain {
            Gain::Modelled { words, .. } => self.part("gain", words),
            Gain::Counted(words) => self.part("gain", words),
            Gain::NotEstimated(why) => self.part("gain", &format!("not estimated: {why}")),
            Gain::Nothing => String::new(),
        }
    }

    /// Returns commands one a line, never wrapped: they are there to be copied.
    fn commands(&self, name: &str, lines: &[String]) -> String {
        let line = |(index, line): (usize, &String)| {
            let name = if index == 0 { name } else { "" };
            format!("{INDENT}{name:<9} {}\n", visible(line))
        };
        lines.iter().enumerate().map(line).collect()
    }

    /// Returns what was read in figures, the first lines of it unless everything is shown.
    fn facts(&self) -> String {
        let facts = &self.advice.facts;
        if facts.is_empty() {
            return String::new();
        }
        let is_full = self.options.detail == Detail::Full;
        let count = if is_full { facts.len() } else { FACTS_USUAL.min(facts.len()) };
        let shown = facts.get(..count).unwrap_or_default();
        let names = shown.iter().map(|fact| visible(&fact.about).width()).max().unwrap_or(0);
        let names = names.min(self.options.width / 4);
        let line = |fact: &arcwright_advice::Fact| {
            let about = visible(&fact.about);
            // A long name stands above what is said of it.
            match names.checked_sub(about.width()) {
                Some(space) => self.wrap(&format!("  {about}{}  ", " ".repeat(space)), &fact.says),
                None => format!("  {about}\n") + &self.wrap(&" ".repeat(names + 4), &fact.says),
            }
        };
        let mut text: String = shown.iter().map(line).collect();
        if let more @ 1.. = facts.len() - shown.len() {
            text.push_str(&self.painted(Tone::Faint, &format!("  and {more} more (-v)\n")));
        }
        self.title("What was read") + &text
    }

    /// Returns every value that was read, where everything is shown.
    fn values(&self) -> String {
        let values = &self.advice.values;
        if values.is_empty() || self.options.detail != Detail::Full {
            return String::new();
        }
        let line = |fact: &arcwright_advice::Fact| {
            self.wrap(&format!("  {}: ", visible(&fact.about)), &fact.says)
        };
        self.title("Every value that was read") + &values.iter().map(line).collect::<String>()
    }

    fn fine(&self) -> String {
        if self.advice.fine.is_empty() {
            return String::new();
        }
        // Many good signs in one paragraph: nobody has to act on any of them.
        if self.options.detail == Detail::Usual && self.advice.fine.len() > FINE_LINES {
            let all: Vec<&str> = self.advice.fine.iter().map(|fine| fine.what.as_str()).collect();
            return self.title("As it should be") + &self.wrap("  ", &(all.join("; ") + "."));
        }
        let lines = self.advice.fine.iter().map(|fine| self.wrap("  - ", &fine.what));
        self.title("As it should be") + &lines.collect::<String>()
    }

    fn unjudged(&self) -> String {
        let unjudged = &self.advice.unjudged;
        if unjudged.is_empty() {
            return String::new();
        }
        if self.options.detail == Detail::Usual {
            let all: Vec<&str> =
                unjudged.iter().flat_map(|one| one.what.iter().map(String::as_str)).collect();
            return self.painted(Tone::Faint, &one_line("Not judged: ", &all, self.options.width));
        }
        let lines = unjudged.iter().map(|unjudged| {
            self.wrap("  - ", &format!("{}: {}", unjudged.why, unjudged.what.join(", ")))
        });
        self.title("Not judged, and why") + &lines.collect::<String>()
    }

    fn unread(&self) -> String {
        /// More than this is a machine of another kind, or no privilege at all.
        const LINES_MAX: usize = 8;
        let unread = &self.advice.unread;
        if unread.is_empty() {
            return String::new();
        }
        let is_full = self.options.detail == Detail::Full;
        let is_known = |unread: &&Unread| unread.why.ends_with(UNJUDGED_LINES);
        let (known, unread): (Vec<&Unread>, Vec<&Unread>) = unread.iter().partition(is_known);
        let (prose, printed): (Vec<&Unread>, Vec<&Unread>) = unread
            .into_iter()
            .partition(|unread| !is_full && is_prose(&unread.source, &unread.why));
        let count = if is_full { printed.len() } else { LINES_MAX };
        let line =
            |unread: &&Unread| self.wrap("  - ", &format!("{}: {}", unread.source, unread.why));
        let mut text: String = printed.iter().take(count).map(line).collect();
        if printed.len() > count {
            text.push_str(&self.wrap("  - ", &format!("and {} more", printed.len() - count)));
        }
        let words = match prose.len() {
            0 => None,
            1 => Some("a piece that looks like prose (-v shows it)".to_owned()),
            pieces => Some(format!("{pieces} pieces that look like prose (-v shows them)")),
        };
        text.extend(words.map(|words| self.wrap("  - ", &words)));
        if !known.is_empty() {
            let of = |unread: &&Unread| {
                let program = unread.why.trim_start_matches("lines of ");
                let program = program.trim_end_matches(UNJUDGED_LINES).trim_end_matches(", ");
                format!("{program} ({})", unread.source)
            };
            let list: Vec<String> = known.iter().map(of).collect();
            let words = format!("known, and nothing of it is judged: {}", list.join(", "));
            text.push_str(&self.wrap("  - ", &words));
        }
        self.title("Not read") + &text
    }

    fn hidden(&self, hidden: &[Hidden]) -> String {
        if hidden.is_empty() {
            return String::new();
        }
        let names: Vec<String> = hidden.iter().map(Hidden::selector).collect();
        let text = format!("Ignored on request: {}", names.join(", "));
        self.painted(Tone::Faint, &self.wrap("", &text))
    }

    fn foot(&self) -> String {
        let short = self.advice.findings.iter().any(|finding| finding.severity != Severity::Fine);
        if self.options.detail == Detail::Full || !short {
            return String::new();
        }
        let text = "arcwright doctor --explain shows evidence, risks, confidence and how to undo \
                    each change.";
        self.painted(Tone::Faint, &self.wrap("", text))
    }

    fn title(&self, text: &str) -> String {
        self.painted(Tone::Strong, &format!("{text}\n"))
    }

    fn wrap(&self, lead: &str, text: &str) -> String {
        wrapped(lead, text, self.options.width)
    }

    /// Paints whole lines, so that a line never carries a tone into the next.
    fn painted(&self, tone: Tone, lines: &str) -> String {
        lines.lines().map(|line| tone.paint(line, self.options.colour) + "\n").collect()
    }
}

/// How much of a finding is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Title,
    Short,
    All,
}

/// Returns names in one line after `lead`: as many as fit, the rest counted.
fn one_line(lead: &str, names: &[&str], width: usize) -> String {
    const HINT: &str = " (-v shows why)";
    let line = |shown: usize| {
        let more = match names.len() - shown {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let list = names.get(..shown).unwrap_or_default().join(", ");
        visible(&format!("{lead}{list}{more}{HINT}")).into_owned() + "\n"
    };
    // One name is shown in any case.
    let fits = |shown: &usize| line(*shown).trim_end().width() <= width;
    (1..=names.len()).rev().find(fits).map_or_else(|| line(1), line)
}

pub(crate) const fn tone(severity: Severity) -> Tone {
    match severity {
        Severity::HurtsNow => Tone::Bad,
        Severity::WorthALook => Tone::Warn,
        Severity::Note => Tone::Plain,
        Severity::Fine => Tone::Good,
    }
}

/// Returns a time as people say it.
#[must_use]
pub fn spoken(span: Nanos) -> String {
    let seconds = span.as_secs_f64();
    match seconds {
        seconds if seconds < 120.0 => span.to_string(),
        seconds if seconds < 7200.0 => format!("{:.0} minutes", seconds / 60.0),
        seconds if seconds < 172_800.0 => format!("{:.0} hours", seconds / 3600.0),
        seconds => format!("{:.0} days", seconds / 86_400.0),
    }
}

mod prose;
mod reading;
#[cfg(test)]
mod tests;
