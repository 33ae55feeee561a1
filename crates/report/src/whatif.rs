//! What changes would bring: ranked rows, as text for a terminal and as JSON.

use arcwright_scenario::Outcome;
use arcwright_units::{Bytes, Nanos};
use arcwright_whatif::{Row, WhatIf};
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::{ABSENT, Precision, amount, change};
use crate::other_loads::{
    OtherLoads, checked_legend, checked_range, most_by_other_loads, no_range, percent, saved_range,
    taken_as_given,
};
use crate::phases::{figure, range};
use crate::table::{Cell, Table, Tone, wrapped};
use crate::text::{Sheet, TextOptions};
use crate::version::FormVersion;

/// What was added to the JSON form since its first version.
const MINOR: u32 = 3;
/// A saving of at least this share of the wait is shown as one.
const ALIKE: f64 = arcwright_ssd::ALIKE;
/// Rows that are shown without `-v`.
const ROWS_MAX: usize = 16;
/// Years from which on an SSD outlives its machine.
const YEARS_MAX: f64 = 20.0;

/// `arcwright whatif --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WhatIfAnswer<'a> {
    /// Version of this shape.
    output_version: FormVersion,
    /// The combinations, ranked.
    answer: &'a WhatIf,
    /// What a reader must know to trust the figures, one sentence each.
    notes: &'a [String],
}

/// Returns an answer as indented JSON with a final newline.
///
/// # Errors
/// The serializer's, for numbers that JSON cannot hold.
pub fn whatif_json(answer: &WhatIf, outcome: &Outcome) -> Result<String, serde_json::Error> {
    let output_version = FormVersion::new("arcwright whatif", MINOR);
    let answer = WhatIfAnswer { output_version, answer, notes: &outcome.notes };
    serde_json::to_string_pretty(&answer).map(|text| text + "\n")
}

/// Returns an answer as text; `outcome` is the run that it rests on, `all` says whether rows that others beat are shown.
#[must_use]
pub fn whatif_text(answer: &WhatIf, outcome: &Outcome, options: &TextOptions, all: bool) -> String {
    let mut parts = vec![whatif_head(answer, outcome, options)];
    parts.extend(whatif_parts(answer, outcome, options, all));
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

/// Returns what the load is, and what ran it.
pub(crate) fn whatif_head(answer: &WhatIf, outcome: &Outcome, options: &TextOptions) -> String {
    WhatIfSheet::of(answer, outcome, options).head()
}

/// Returns the answer, its rows, how sure it is, what was not tried, notes; some may be empty.
pub(crate) fn whatif_parts(
    answer: &WhatIf,
    outcome: &Outcome,
    options: &TextOptions,
    all: bool,
) -> [String; 5] {
    let page = WhatIfSheet { all, ..WhatIfSheet::of(answer, outcome, options) };
    [
        page.answer_text(),
        page.rows(),
        page.list(&page.title_of_phases(), &page.sure()),
        page.list("Not tried to the end", &answer.not_tried),
        page.list("Notes", &outcome.notes),
    ]
}

/// An answer on its way to a page.
pub(crate) struct WhatIfSheet<'a> {
    pub(crate) answer: &'a WhatIf,
    options: &'a TextOptions,
    sheet: Sheet<'a>,
    all: bool,
}

impl<'a> WhatIfSheet<'a> {
    pub(crate) fn of(answer: &'a WhatIf, outcome: &'a Outcome, options: &'a TextOptions) -> Self {
        Self { answer, options, sheet: Sheet::of(outcome, options), all: false }
    }

    /// Returns what ran it.
    pub(crate) fn engine(&self) -> String {
        self.sheet.engine()
    }

    /// Returns what a reader must know to trust the figures.
    pub(crate) fn notes(&self) -> impl Iterator<Item = &str> {
        self.sheet.outcome.notes.iter().map(String::as_str)
    }

    fn wrapped(&self, lead: &str, text: &str) -> String {
        wrapped(lead, text, self.options.width)
    }

    fn list(&self, title: &str, items: &[String]) -> String {
        let lines: String = items.iter().map(|item| self.wrapped("- ", item)).collect();
        if lines.is_empty() { lines } else { self.sheet.title(title) + &lines }
    }

    fn head(&self) -> String {
        let phases = self.answer.phases.join(", ");
        let mut text = self.wrapped("", &format!("Load: {}: {phases}", self.answer.load));
        text.push_str(&self.sheet.painted(Tone::Faint, &self.wrapped("", &self.sheet.engine())));
        text
    }

    fn answer_text(&self) -> String {
        let mut text = self.sheet.title("Answer");
        let lines = self.said();
        let last = lines.len().saturating_sub(1);
        for (number, line) in lines.iter().enumerate() {
            // What speaks against it, before and behind.
            let is_doubt = line.starts_with("Not proved")
                || (number > 0 && number == last && self.is_in_doubt());
            let tone = if is_doubt { Tone::Warn } else { Tone::Plain };
            text += &self.sheet.painted(tone, &self.wrapped("  ", line));
        }
        text
    }

    /// Returns the answer in sentences.
    pub(crate) fn said(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.answer.doubts.apart.is_empty() {
            lines.push(format!(
                "Not proved: the model of the present machine does not count what the machine counted ({}), and what it \
                 says of a change is no better than that.",
                self.answer.doubts.apart.join("; ")
            ));
        }
        let chosen = self.answer.chosen();
        let best = self.answer.rows.iter().skip(1).max_by(|a, b| a.saved.total_cmp(&b.saved));
        let what = match (chosen.changes, best) {
            (0, _) if self.answer.prices.is_some_and(|prices| prices.budget.is_some()) => {
                "Change nothing: none of these within the budget lets clients wait a twentieth less.".to_owned()
            }
            (0, Some(best)) if best.saved >= ALIKE => format!(
                "Change nothing: {} would save {} of what clients wait, but wears its SSD out within a year.",
                best.name,
                percent(best.saved)
            ),
            (0, _) => {
                "Change nothing: none of these lets clients wait a twentieth less.".to_owned()
            }
            (_, Some(best)) if best.name != chosen.name && best.saved - chosen.saved >= 0.01 => {
                format!(
                    "{}: clients wait {} less. The most that any brings is {}, with {}.",
                    chosen.name,
                    percent(chosen.saved),
                    percent(best.saved),
                    best.name
                )
            }
            _ => format!("{}: clients wait {} less.", chosen.name, percent(chosen.saved)),
        };
        lines.push(what);
        lines.extend(self.cost());
        if let Some((row, most)) = most_by_other_loads(self.answer).filter(|_| chosen.changes == 0)
        {
            lines.push(OtherLoads::of(&self.answer.doubts).better(&row.name, most));
        }
        match (chosen.saved_checked, chosen.saved_range) {
            _ if chosen.changes == 0 => {}
            (Some(checked), _) => lines.push(checked_range(checked, &self.answer.doubts)),
            (None, Some(range)) => lines.push(OtherLoads::of(&self.answer.doubts).range(range)),
            (None, None) => {}
        }
        lines.extend(no_range(self.sheet.outcome, &self.answer.phases));
        lines.extend(self.answer.doubts.assumed.iter().map(|what| taken_as_given(what)));
        if self.is_in_doubt() {
            let doubt = "When comparable predictions were checked, some were off by more than that: it may bring nothing.";
            lines.push(doubt.to_owned());
        }
        lines
    }

    /// Says what the choice costs, and what is out of reach; nothing where nobody gave prices.
    fn cost(&self) -> Option<String> {
        let prices = self.answer.prices?;
        let chosen = self.answer.chosen();
        let price = chosen.price.filter(|_| chosen.changes > 0).map(|price| {
            let only = if price > 0.0 { "" } else { ", as it needs no hardware" };
            format!("It costs {}{only}.", amount(price))
        });
        let unknown = (chosen.changes > 0 && chosen.price.is_none())
            .then(|| "What it costs is not known: --price was not given for all of it.".to_owned());
        let beyond = prices.budget.zip(self.answer.beyond_budget()).map(|(most, row)| {
            let cost = row.price.map_or("an unknown amount".to_owned(), amount);
            let (most, saved) = (amount(most), percent(row.saved));
            format!("Beyond the budget of {most}: {} would save {saved}, for {cost}.", row.name)
        });
        let said: Vec<String> = [price, unknown, beyond].into_iter().flatten().collect();
        (!said.is_empty()).then(|| said.join(" "))
    }

    /// Says whether the change that is chosen may bring nothing.
    fn is_in_doubt(&self) -> bool {
        let chosen = self.answer.chosen();
        chosen.changes > 0 && chosen.phases.iter().all(may_be_none)
    }

    /// Returns the rows that are worth a look, with their numbers.
    pub(crate) fn shown(&self) -> Vec<(usize, &Row)> {
        let rows = self.answer.rows.iter().enumerate();
        let worth = |number: usize, row: &Row| {
            self.all || number == 0 || number == self.answer.choice || row.is_frugal
        };
        let worth: Vec<(usize, &Row)> = rows.filter(|(number, row)| worth(*number, row)).collect();
        let few = self.answer.rows.len() <= ROWS_MAX;
        match few {
            true => self.answer.rows.iter().enumerate().collect(),
            false => worth,
        }
    }

    /// Returns the rows that are shown as a table.
    pub(crate) fn table(&self) -> Table {
        let shown = self.shown();
        let mut table = Table::default();
        let heads = [
            "",
            "wait",
            "range",
            "price",
            "ARC hits",
            "L2ARC",
            "disks read",
            "headers",
            "SSD a day",
            "lasts",
            "warm after",
        ];
        table.cells(heads.map(|head| Cell::new(head, Tone::Strong)).to_vec());
        table.rule();
        for (number, row) in &shown {
            let cells = self.cells(*number, row);
            let width = cells.len();
            let tone = cells.first().map(|cell| cell.tone).unwrap_or_default();
            table.cells(cells);
            // A change a line, so that many changes are not wider than the terminal.
            for change in row.name.split(", ").skip(1) {
                let mut cells = vec![Cell::new(format!("+ {change}"), tone)];
                cells.resize(width, Cell::plain(""));
                table.cells(cells);
            }
        }
        table.drop_silent_columns(&[]);
        table
    }

    fn rows(&self) -> String {
        let shown = self.shown();
        let mut text =
            self.sheet.title("What each change brings") + &self.table().render(self.options.colour);
        let hidden = self.answer.rows.len() - shown.len();
        let more = match hidden {
            0 => String::new(),
            hidden => {
                format!(" {hidden} more save no more than a row with less hardware; -v shows them.")
            }
        };
        let daily = match self.answer.hours_a_day {
            24.0 => "all day".to_owned(),
            hours => format!("{hours} h a day"),
        };
        let is_checked = self.answer.rows.iter().any(|row| row.saved_checked.is_some());
        let range = match self.answer.other_loads {
            _ if is_checked => checked_legend("Range", &self.answer.doubts),
            0 => String::new(),
            _ => OtherLoads::of(&self.answer.doubts).legend("Range"),
        };
        let price = match self.answer.prices {
            None => "",
            Some(_) => " Price: what it adds to the pool as it is, by --price.",
        };
        let legend = format!(
            "Wait: all requests of these phases, added up, against the pool as it is.{range}{price} SSD a day, lasts: with this load {daily} \
             (--hours-a-day).{more}"
        );
        text += &self.sheet.painted(Tone::Faint, &self.wrapped("", &legend));
        text
    }

    fn cells(&self, number: usize, row: &Row) -> Vec<Cell> {
        let rounded = Precision::Rounded;
        let tone = if number == self.answer.choice { Tone::Good } else { Tone::Plain };
        let wait = match number {
            0 => Cell::plain(ABSENT),
            _ => {
                let tone = match row.saved {
                    saved if saved >= ALIKE => Tone::Good,
                    saved if saved <= -ALIKE => Tone::Bad,
                    _ => Tone::Plain,
                };
                Cell::new(change(-row.saved * 100.0), tone)
            }
        };
        let written = match row.l2arc_written_per_day {
            Bytes::ZERO => ABSENT.to_owned(),
            bytes => bytes.to_string(),
        };
        let years = row.years.map_or(ABSENT.to_owned(), |years| match years {
            years if years > YEARS_MAX => format!("> {YEARS_MAX:.0} years"),
            years if years < 1.0 => format!("{:.0} days", years * 365.25),
            years => format!("{years:.1} years"),
        });
        vec![
            Cell::new(row.name.split(", ").next().unwrap_or_default(), tone),
            wait,
            Cell::plain(saved_range(row)),
            Cell::plain(self.price(number, row)),
            Cell::plain(rounded.ratio(row.arc_hit_ratio)),
            Cell::plain(rounded.ratio(row.l2arc_hit_ratio)),
            Cell::plain(rounded.bytes(row.disk_reads)),
            Cell::plain(rounded.bytes_if_any(row.headers)),
            Cell::plain(written),
            Cell::plain(years),
            Cell::plain(row.warm_up_ns.map_or(ABSENT.to_owned(), |time: Nanos| rounded.time(time))),
        ]
    }

    /// Returns what a row costs; nothing where nobody gave prices.
    fn price(&self, number: usize, row: &Row) -> String {
        match (&self.answer.prices, row.price) {
            (None, _) => String::new(),
            (Some(_), _) if number == 0 => ABSENT.to_owned(),
            (Some(_), None) => "unknown".to_owned(),
            (Some(_), Some(price)) => amount(price),
        }
    }

    /// Says what each phase gets of the chosen row, and how sure that is.
    pub(crate) fn sure(&self) -> Vec<String> {
        let (Some(base), chosen) = (self.answer.rows.first(), self.answer.chosen()) else {
            return Vec::new();
        };
        if chosen.changes == 0 {
            return Vec::new();
        }
        let pairs = base.phases.iter().zip(&chosen.phases);
        pairs
            .map(|(there, here)| {
                let ((unit, before), (_, after)) = (figure(there), figure(here));
                let found = format!("{}: {before} to {after} {unit}", here.name);
                let found = found.replace(" wait", "").replace("per s", "a second");
                match range(there, here).filter(|_| self.sheet.outcome.ranges.is_some()) {
                    Some(range) => {
                        let sure = range
                            .split_once(": ")
                            .map_or(range.clone(), |(_, rest)| rest.to_owned());
                        format!("{found}; {sure}")
                    }
                    None => found,
                }
            })
            .collect()
    }

    fn title_of_phases(&self) -> String {
        format!("{}, phase by phase", self.answer.chosen().name)
    }
}

/// Says whether the range of what a phase gets includes nothing at all.
fn may_be_none(phase: &arcwright_ssd::PhaseOfUse) -> bool {
    phase.times.is_some_and(|times| times.low <= 1.0 && times.high >= 1.0)
}
