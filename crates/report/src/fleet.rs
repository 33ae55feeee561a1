//! Several machines in one table: the worst of each, the worst machine first.

use arcwright_advice::Severity;
use arcwright_units::visible;
use schemars::JsonSchema;
use serde::Serialize;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::figures::ABSENT;
use crate::table::{Tone, at_left, left_widths};
use crate::version::FormVersion;

/// What is said of one machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FleetRow {
    /// What it calls itself, else its file's name without the ending.
    pub machine: String,
    /// Where its capture is.
    pub file: String,
    /// The most important finding; absent when nothing could be opened, or all was left out.
    pub worst: Option<Worst>,
    /// Of when its counters are, in words; absent when that is not known.
    pub since: Option<String>,
    /// How many findings more call for a change.
    pub more: usize,
    /// Whether the caches could be judged.
    pub is_judged: bool,
    /// Why its capture could not be opened.
    pub error: Option<String>,
}

/// The most important finding of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Worst {
    /// How much it matters.
    pub severity: Severity,
    /// Its name.
    pub id: String,
    /// The pool, dataset or drive that it is about.
    pub subject: Option<String>,
    /// The claim in one sentence.
    pub title: String,
}

impl FleetRow {
    /// Orders machines: the worst first, those about which nothing is known before those that are fine.
    #[must_use]
    pub fn order(&self) -> (u8, std::cmp::Reverse<usize>, &str) {
        let place = match self.worst.as_ref().map(|worst| worst.severity) {
            Some(Severity::HurtsNow) => 0,
            Some(Severity::WorthALook) => 1,
            _ if self.error.is_some() || !self.is_judged => 2,
            Some(Severity::Note) => 3,
            Some(Severity::Fine) | None => 4,
        };
        (place, std::cmp::Reverse(self.more), &self.machine)
    }

    /// Returns what is said of it in one sentence.
    #[must_use]
    pub fn said(&self) -> &str {
        match (&self.error, &self.worst) {
            (Some(error), _) => error,
            (None, Some(worst)) => &worst.title,
            (None, None) => "only ignored findings",
        }
    }

    fn severity(&self) -> &'static str {
        match (&self.error, &self.worst) {
            (Some(_), _) => "unreadable",
            (None, _) if !self.is_judged => "not judged",
            (None, Some(worst)) => worst.severity.label(),
            (None, None) => Severity::Fine.label(),
        }
    }

    const fn tone(&self) -> Tone {
        match (&self.error, &self.worst) {
            (Some(_), _) => Tone::Warn,
            (None, Some(worst)) => crate::doctor::tone(worst.severity),
            (None, None) => Tone::Good,
        }
    }
}

/// The columns of [`fleet_tabs`], never changed; new ones are added at the end.
pub const FLEET_COLUMNS: [(&str, &str); 8] = [
    ("machine", "host name, or file name"),
    ("severity", "hurts-now, worth-a-look, note, fine, not-judged or unreadable"),
    ("id", "name of the worst finding"),
    ("subject", "pool, dataset or drive of that finding"),
    ("title", "the finding in one sentence, or why the capture is unreadable"),
    ("since", "period of the counters"),
    ("more", "number of further findings that call for a change"),
    ("file", "path of the capture"),
];

/// Returns one line per machine with the columns of [`FLEET_COLUMNS`]; what is absent is `-`.
#[must_use]
pub fn fleet_tabs(rows: &[FleetRow]) -> String {
    let line = |row: &FleetRow| {
        let absent = || ABSENT.to_owned();
        let worst = row.worst.as_ref();
        let cells = [
            row.machine.clone(),
            row.severity().replace(' ', "-"),
            worst.map_or_else(absent, |worst| worst.id.clone()),
            worst.and_then(|worst| worst.subject.clone()).unwrap_or_else(absent),
            row.said().to_owned(),
            row.since.clone().unwrap_or_else(absent),
            row.more.to_string(),
            row.file.clone(),
        ];
        cells.map(|cell| visible(&cell).into_owned()).join("\t") + "\n"
    };
    rows.iter().map(line).collect()
}

/// `arcwright doctor --json` of several machines.
#[derive(Serialize, JsonSchema)]
pub(crate) struct FleetAnswer<'a> {
    /// Version of this shape.
    output_version: FormVersion,
    /// The machines, the worst first.
    machines: &'a [FleetRow],
}

/// Returns the machines as indented JSON with a final newline.
///
/// # Errors
/// The serializer's.
pub fn fleet_json(rows: &[FleetRow]) -> Result<String, serde_json::Error> {
    let output_version = FormVersion::new("arcwright doctor fleet", 0);
    serde_json::to_string_pretty(&FleetAnswer { output_version, machines: rows })
        .map(|text| text + "\n")
}

/// A name longer than this is cut, so that there is room for what is said.
pub(crate) const NAME_MAX: usize = 28;
const HEADS: [&str; 5] = ["MACHINE", "SEVERITY", "SINCE", "MORE", "WORST FINDING"];

/// Returns the machines as a table of at most `width` columns.
#[must_use]
pub fn fleet_text(rows: &[FleetRow], width: usize, colour: bool) -> String {
    let [machine, severity, since, more, worst] = HEADS;
    let heads = [machine, severity, since, more].map(str::to_owned);
    let lines: Vec<[String; 4]> =
        std::iter::once(heads).chain(rows.iter().map(short_cells)).collect();
    let widths = left_widths(&lines);
    let line = |cells: &[String; 4], said: &str| {
        let start = at_left(cells, &widths);
        let room = width.saturating_sub(start.width());
        format!("{start}{}", cut(said, room)).trim_end().to_owned()
    };
    let (tones, said) =
        (rows.iter().map(FleetRow::tone), rows.iter().map(|row| visible(row.said())));
    let tones = std::iter::once(Tone::Strong).chain(tones);
    let said = std::iter::once(worst.into()).chain(said);
    let painted = lines.iter().zip(tones).zip(said);
    let text: String = painted
        .map(|((cells, tone), said)| tone.paint(&line(cells, &said), colour) + "\n")
        .collect();
    text + &foot(rows, colour)
}

fn short_cells(row: &FleetRow) -> [String; 4] {
    let more = if row.more == 0 { String::new() } else { format!("+{}", row.more) };
    let since = row.since.as_deref().unwrap_or(ABSENT);
    [
        cut(&visible(&row.machine), NAME_MAX),
        row.severity().to_owned(),
        visible(since).into_owned(),
        more,
    ]
}

fn foot(rows: &[FleetRow], colour: bool) -> String {
    let unread = rows.iter().filter(|row| row.error.is_some()).count();
    let worst = rows.iter().find(|row| row.worst.is_some() && row.error.is_none());
    let mut text = String::new();
    if unread > 0 {
        text.push_str(&format_unread(unread, rows.len()));
    }
    if let Some(row) = worst {
        text.push_str("details of one machine: arcwright doctor --from ");
        text.push_str(&visible(&arcwright_units::shell(&row.file)));
        text.push('\n');
    }
    text.lines().map(|line| Tone::Faint.paint(line, colour) + "\n").collect()
}

fn format_unread(unread: usize, all: usize) -> String {
    format!("{unread} of {all} could not be opened\n")
}

/// Returns the beginning of a text that is too long.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut shown = String::new();
    for letter in text.chars() {
        let taken = shown.width() + letter.width().unwrap_or(0);
        if taken + 1 > width {
            break;
        }
        shown.push(letter);
    }
    shown + "…"
}

#[cfg(test)]
mod tests {
    use arcwright_advice::Severity;

    use super::{FleetRow, Worst, fleet_tabs, fleet_text};

    fn row(machine: &str, severity: Option<Severity>, more: usize) -> FleetRow {
        let worst = severity.map(|severity| Worst {
            severity,
            id: "pool-full".to_owned(),
            subject: Some("tank".to_owned()),
            title: "tank is 93 % full: writing gets slower from here on, and slower again"
                .to_owned(),
        });
        let (machine, file) = (machine.to_owned(), format!("{machine}.tar.gz"));
        let error = worst.is_none().then(|| "failed to read it".to_owned());
        FleetRow { machine, file, worst, more, is_judged: true, error, since: None }
    }

    #[test]
    fn the_worst_machine_is_first_and_an_unreadable_one_is_above_those_that_are_fine() {
        let mut rows = [
            row("fine", Some(Severity::Fine), 0),
            row("broken", None, 0),
            row("look", Some(Severity::WorthALook), 0),
            row("hurt", Some(Severity::HurtsNow), 0),
            row("worse", Some(Severity::HurtsNow), 3),
        ];
        rows.sort_by(|one, other| one.order().cmp(&other.order()));
        let names: Vec<&str> = rows.iter().map(|row| row.machine.as_str()).collect();
        assert_eq!(names, ["worse", "hurt", "look", "broken", "fine"]);
    }

    #[test]
    fn the_command_to_copy_holds_one_word_for_a_file() {
        for (file, word) in [
            ("nas.tgz", "nas.tgz"),
            ("$(touch x) b.tgz", "'$(touch x) b.tgz'"),
            ("it's.tgz", r"'it'\''s.tgz'"),
            ("`x`;y", "'`x`;y'"),
        ] {
            let row = FleetRow { file: file.to_owned(), ..row("nas", Some(Severity::HurtsNow), 0) };
            let text = fleet_text(&[row], 80, false);
            let command = format!("details of one machine: arcwright doctor --from {word}\n");
            assert!(text.ends_with(&command), "{file}: {text}");
        }
    }

    #[test]
    fn a_table_fits_its_width_and_names_cannot_steer_the_terminal() {
        let rows = [row("na\u{1b}[2Js\n\u{202e}", Some(Severity::HurtsNow), 2), row("b", None, 0)];
        for width in [60, 80, 120] {
            for line in
                fleet_text(&rows, width, false).lines().filter(|line| !line.contains("--from"))
            {
                assert!(line.chars().count() <= width, "{width}: {line}");
                assert!(!line.contains(arcwright_units::is_hidden), "{line}");
            }
        }
        assert_eq!(fleet_tabs(&rows).lines().count(), 2);
    }
}
