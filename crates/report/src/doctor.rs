//! Findings as text for a terminal: what hurts in full, the rest in a few lines each.
//!
//! A finding that hurts now is shown with everything its owner needs to act; one worth a look with what
//! it is and what to do; notes by their sentence. `Detail::Full` shows all of everything.

use arcwright_advice::{Advice, Basis, Evidence, Finding, Gain, Over, Severity};
use arcwright_units::Nanos;

use crate::table::{Tone, wrapped};

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
pub fn doctor_text(advice: &Advice, options: &DoctorOptions) -> String {
    let page = Page { advice, options };
    let mut parts = vec![page.heading()];
    parts.extend(advice.findings.iter().map(|finding| page.finding(finding)));
    parts.push(page.fine());
    parts.push(page.unjudged());
    parts.push(page.unread());
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
/// Evidence that is shown without `--explain`; the first rows are those that matter.
const ROWS_USUAL: usize = 8;

impl Page<'_> {
    fn heading(&self) -> String {
        let reading = &self.advice.reading;
        let zfs = reading.zfs.as_ref().map(|zfs| format!("ZFS {zfs}"));
        let memory = reading.memory.map(|memory| format!("{memory} of memory"));
        let pools = match reading.pools.len() {
            0 => None,
            1 => Some(format!("pool {}", reading.pools.join(""))),
            _ => Some(format!("pools {}", reading.pools.join(", "))),
        };
        let parts: Vec<String> =
            [reading.platform.clone(), zfs, memory, pools].into_iter().flatten().collect();
        let what = if parts.is_empty() {
            "a machine that does not tell".to_owned()
        } else {
            parts.join(", ")
        };
        let basis = match reading.basis {
            Basis::Window(span) => format!("Counted over a window of {}.", spoken(span)),
            Basis::SinceLoad(Some(span)) => format!(
                "Counted since the counters began, {} ago: quiet nights and busy hours in one. A window \
                 tells more.",
                spoken(span)
            ),
            Basis::SinceLoad(None) => {
                "Counted since the counters began: quiet nights and busy hours in one. A window tells more."
                    .to_owned()
            }
            Basis::Nothing => "No counters were read: settings and layout alone are judged.".to_owned(),
        };
        let head = self.painted(Tone::Strong, &self.wrap("", &what));
        head + &self.painted(Tone::Faint, &self.wrap("", &basis))
    }

    fn finding(&self, finding: &Finding) -> String {
        let shown = self.shown(finding.severity);
        let label = format!("[{}] ", finding.severity.words());
        let mut text = self.painted(tone(finding.severity), &self.wrap(&label, &finding.title));
        if shown == Shown::Title {
            return text;
        }
        text.push_str(&self.part("why", &finding.cause));
        text.push_str(&self.evidence(&finding.evidence, shown));
        text.push_str(&self.remedy(finding, shown));
        if shown == Shown::All {
            text.push_str(&self.part("cost", &finding.cost));
            text.push_str(&self.part("risk", &finding.risk));
            let confidence = &finding.confidence;
            let sure = format!("{}: {}", confidence.level.words(), confidence.words);
            text.push_str(&self.part("how sure", &sure));
            let source = finding.sources.join("; ");
            text.push_str(
                &self.painted(
                    Tone::Faint,
                    &self.part("source", &format!("{source} [{}]", finding.id)),
                ),
            );
        }
        text
    }

    fn shown(&self, severity: Severity) -> Shown {
        match (self.options.detail, severity) {
            (Detail::Full, _) | (_, Severity::HurtsNow) => Shown::All,
            (_, Severity::WorthALook | Severity::Fine) => Shown::Short,
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

    fn evidence(&self, evidence: &[Evidence], shown: Shown) -> String {
        let count = if shown == Shown::All { evidence.len() } else { ROWS_USUAL };
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

    fn remedy(&self, finding: &Finding, shown: Shown) -> String {
        let Some(remedy) = &finding.remedy else { return self.gain(finding) };
        let mut text = self.part("do", &remedy.what);
        text.push_str(&self.gain(finding));
        if shown == Shown::Short {
            let first = remedy.now.first().or(remedy.lasting.first());
            text.push_str(&self.commands("with", &first.into_iter().cloned().collect::<Vec<_>>()));
            return text;
        }
        // A change without a lasting part of its own is told once.
        text.push_str(&self.commands("now", &remedy.now));
        let lasting = if remedy.now.is_empty() { "with" } else { "for good" };
        text.push_str(&self.commands(lasting, &remedy.lasting));
        text.push_str(&self.commands("check", &remedy.verify));
        text + &self.commands("undo", &remedy.undo)
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
            format!("{INDENT}{name:<9} {}\n", crate::table::harmless(line))
        };
        lines.iter().enumerate().map(line).collect()
    }

    fn fine(&self) -> String {
        if self.advice.fine.is_empty() {
            return String::new();
        }
        let lines = self.advice.fine.iter().map(|fine| self.wrap("  - ", &fine.what));
        self.title("As it should be") + &lines.collect::<String>()
    }

    fn unjudged(&self) -> String {
        if self.advice.unjudged.is_empty() {
            return String::new();
        }
        let lines = self.advice.unjudged.iter().map(|unjudged| {
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
        let count = if self.options.detail == Detail::Full { unread.len() } else { LINES_MAX };
        let line = |unread: &arcwright_advice::Unread| {
            self.wrap("  - ", &format!("{}: {}", unread.source, unread.why))
        };
        let mut text: String = unread.iter().take(count).map(line).collect();
        if unread.len() > count {
            text.push_str(&self.wrap("  - ", &format!("and {} more", unread.len() - count)));
        }
        self.title("Not read") + &text
    }

    fn foot(&self) -> String {
        let short =
            self.advice.findings.iter().any(|finding| self.shown(finding.severity) != Shown::All);
        if self.options.detail == Detail::Full || !short {
            return String::new();
        }
        let text = "arcwright doctor --explain shows cost, risk, how sure and how to undo for all of these.";
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

const fn tone(severity: Severity) -> Tone {
    match severity {
        Severity::HurtsNow => Tone::Bad,
        Severity::WorthALook => Tone::Warn,
        Severity::Note => Tone::Plain,
        Severity::Fine => Tone::Good,
    }
}

/// Returns a time as people say it.
fn spoken(span: Nanos) -> String {
    let seconds = span.as_secs_f64();
    match seconds {
        seconds if seconds < 120.0 => span.to_string(),
        seconds if seconds < 7200.0 => format!("{:.0} minutes", seconds / 60.0),
        seconds if seconds < 172_800.0 => format!("{:.0} hours", seconds / 3600.0),
        seconds => format!("{:.0} days", seconds / 86_400.0),
    }
}

#[cfg(test)]
mod tests;
