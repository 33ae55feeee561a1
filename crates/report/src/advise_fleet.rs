//! What to change on each of several machines, and what to buy for all of them: one table, one plan.

use arcwright_units::{shell, visible};
use arcwright_whatif::{Purchases, Row, WhatIf, waiting};
use schemars::JsonSchema;
use serde::Serialize;
use unicode_width::UnicodeWidthStr as _;

use crate::figures::{ABSENT, amount};
use crate::fleet::{NAME_MAX, cut};
use crate::other_loads::{percent, saved_range};
use crate::table::{Tone, at_left, left_widths, wrapped};
use crate::version::FormVersion;

/// One of several machines.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AdvisedMachine {
    /// What it calls itself, else its file's name without the ending.
    pub machine: String,
    /// Where its capture or recording is.
    pub file: String,
    /// What each change brings, ranked; absent where nothing was tried.
    pub answer: Option<WhatIf>,
    /// Why nothing was tried.
    pub error: Option<String>,
    /// The number of the row that it gets: of the plan of purchases where prices were given, else of its own.
    pub choice: usize,
}

/// `arcwright advise --json` of several machines.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AdvisedFleet<'a> {
    /// Version of this shape.
    output_version: FormVersion,
    /// The machines, those first whose clients gain most.
    machines: &'a [AdvisedMachine],
    /// What to buy; absent where no prices were given. Its choices are in the order of the machines.
    purchases: Option<&'a Purchases>,
}

impl AdvisedMachine {
    fn chosen(&self) -> Option<&Row> {
        self.answer.as_ref()?.rows.get(self.choice)
    }

    /// Returns how many requests fewer wait at a time.
    #[must_use]
    pub fn worth(&self) -> f64 {
        let saved = self.chosen().map_or(0.0, |row| row.saved);
        saved * self.answer.as_ref().map_or(0.0, waiting)
    }
}

/// Returns the machines as indented JSON with a final newline.
///
/// # Errors
/// The serializer's, for numbers that JSON cannot hold.
pub fn advise_fleet_json(
    machines: &[AdvisedMachine],
    purchases: Option<&Purchases>,
) -> Result<String, serde_json::Error> {
    let output_version = FormVersion::new("arcwright advise fleet", 0);
    serde_json::to_string_pretty(&AdvisedFleet { output_version, machines, purchases })
        .map(|text| text + "\n")
}

const HEADS: [&str; 5] = ["MACHINE", "WAITING", "WAIT", "RANGE", "COSTS"];
/// Columns that the change has at least, beside the others.
const ROOM_MIN: usize = 24;

/// Returns the machines as a table of at most `width` columns where names allow it, and the plan of purchases.
#[must_use]
pub fn advise_fleet_text(
    machines: &[AdvisedMachine],
    purchases: Option<&Purchases>,
    (width, colour): (usize, bool),
) -> String {
    let shown = |cells: [String; 5]| -> Vec<String> {
        let is_kept = |column: &usize| {
            (*column != 3 || machines.iter().any(|machine| !range(machine).is_empty()))
                && (*column != 4 || purchases.is_some())
        };
        let numbered = cells.into_iter().enumerate();
        numbered.filter(|(column, _)| is_kept(column)).map(|(_, cell)| cell).collect()
    };
    let heads = shown(HEADS.map(str::to_owned));
    let lines: Vec<Vec<String>> =
        std::iter::once(heads).chain(machines.iter().map(|one| shown(cells(one)))).collect();
    let widths = left_widths(&lines);
    let changes = std::iter::once("CHANGE".to_owned()).chain(machines.iter().map(change));
    let tones = std::iter::once(Tone::Strong).chain(machines.iter().map(tone));
    let mut text: String = lines
        .iter()
        .zip(changes)
        .zip(tones)
        .flat_map(|((cells, change), tone)| row(&at_left(cells, &widths), &change, (tone, width)))
        .map(|(tone, line)| tone.paint(&line, colour) + "\n")
        .collect();
    text.push('\n');
    if let Some(purchases) = purchases {
        text += &wrapped("", &plan(machines, purchases), width);
        text.push('\n');
    }
    text + &foot(machines, (width, colour))
}

/// Returns the lines of a machine: what is to be changed stands beside its figures, or below where there is no room.
fn row(start: &str, change: &str, (tone, width): (Tone, usize)) -> Vec<(Tone, String)> {
    let room = width.saturating_sub(start.width());
    let (lead, room, mut lines) = match room < ROOM_MIN {
        true => (4, width.saturating_sub(4), vec![(tone, start.trim_end().to_owned())]),
        false => (start.width(), room, Vec::new()),
    };
    for line in wrapped("", change, room.max(ROOM_MIN)).lines() {
        let is_first = lines.is_empty();
        let before = if is_first { start.to_owned() } else { " ".repeat(lead) };
        lines.push((tone, before + line));
    }
    lines
}

fn cells(one: &AdvisedMachine) -> [String; 5] {
    let absent = || ABSENT.to_owned();
    let name = cut(&visible(&one.machine), NAME_MAX);
    let Some((answer, row)) = one.answer.as_ref().zip(one.chosen()) else {
        return [name, absent(), absent(), String::new(), absent()];
    };
    let waits = format!("{:.3}", waiting(answer));
    let price = row.price.map_or_else(absent, amount);
    let wait = if row.changes == 0 { absent() } else { format!("-{}", percent(row.saved)) };
    [name, waits, wait, range(one), price]
}

fn range(one: &AdvisedMachine) -> String {
    one.chosen().map_or_else(String::new, saved_range)
}

/// Returns what is to be changed on a machine, and what speaks against it.
fn change(one: &AdvisedMachine) -> String {
    let (Some(answer), Some(row)) = (&one.answer, one.chosen()) else {
        let why = one.error.as_deref().unwrap_or("nothing was tried");
        return format!("not tried: {}", visible(why));
    };
    let what = if row.changes == 0 { "change nothing" } else { row.name.as_str() };
    let doubts = [
        (!answer.doubts.apart.is_empty(), "not proved"),
        (!answer.doubts.assumed.is_empty(), "reads in a row taken as read once"),
    ];
    let doubts: Vec<&str> =
        doubts.into_iter().filter(|(is, _)| *is).map(|(_, what)| what).collect();
    let doubts =
        if doubts.is_empty() { String::new() } else { format!(" ({})", doubts.join("; ")) };
    visible(what).into_owned() + &doubts
}

fn tone(one: &AdvisedMachine) -> Tone {
    match one.chosen() {
        None => Tone::Warn,
        Some(row) if row.changes > 0 => Tone::Good,
        Some(_) => Tone::Plain,
    }
}

/// Says what to buy for all of them, and what that brings.
fn plan(machines: &[AdvisedMachine], purchases: &Purchases) -> String {
    let share = |fewer: f64| if purchases.waiting > 0.0 { fewer / purchases.waiting } else { 0.0 };
    let most = purchases.budget.map_or_else(String::new, |most| format!(" of {}", amount(most)));
    let fewer = purchases.fewer_waiting;
    let spans = machines.iter().filter_map(|one| {
        let waiting = waiting(one.answer.as_ref()?);
        Some(one.chosen()?.saved_span().map(|saved| saved * waiting))
    });
    let sum = |[low, high]: [f64; 2], [least, most]: [f64; 2]| [low + least, high + most];
    let [least, greatest] = spans.fold([0.0; 2], sum).map(share);
    let range = match (greatest - least) < 0.005 {
        true => String::new(),
        false => format!(
            ", {} to {} by the other loads that their counters fit as well",
            percent(least).trim_end_matches(" %"),
            percent(greatest)
        ),
    };
    let changed = || machines.iter().filter(|one| one.chosen().is_some_and(|row| row.changes > 0));
    let unproved = match changed().filter(|one| is_unproved(one)).count() {
        0 => String::new(),
        count => format!(" Not proved for {count} of the {} that are changed.", changed().count()),
    };
    format!(
        "Plan: spend {}{most}. Clients of all machines together wait {} less{range}.{unproved}",
        amount(purchases.price),
        percent(share(fewer))
    )
}

/// Says whether the model of a machine does not count what the machine counted.
fn is_unproved(one: &AdvisedMachine) -> bool {
    one.answer.as_ref().is_some_and(|answer| !answer.doubts.apart.is_empty())
}

fn foot(machines: &[AdvisedMachine], (width, colour): (usize, bool)) -> String {
    let mut text = wrapped(
        "",
        "WAITING: how many requests wait at a time, under the load of each capture. WAIT: how much less with the change.",
        width,
    );
    if machines.iter().any(is_unproved) {
        text += &wrapped(
            "",
            "Not proved: the model of that machine does not count what the machine counted.",
            width,
        );
    }
    if let Some(one) = machines.iter().find(|one| one.answer.is_some()) {
        let file = visible(&shell(&one.file)).into_owned();
        text.extend(["one machine with its commands: arcwright advise --from ", &file, "\n"]);
    }
    text.lines().map(|line| Tone::Faint.paint(line, colour) + "\n").collect()
}

#[cfg(test)]
mod tests {
    use arcwright_ssd::Doubts;
    use arcwright_units::Bytes;
    use arcwright_whatif::{Prices, Purchases, Row, WhatIf};
    use unicode_width::UnicodeWidthStr as _;

    use super::{AdvisedMachine, advise_fleet_text};

    fn row(name: &str, changes: usize, saved: f64, price: f64) -> Row {
        Row {
            name: name.to_owned(),
            changes,
            memory: Bytes::gib(8),
            saved,
            saved_range: (changes > 0).then_some([saved / 2.0, saved]),
            price: Some(price),
            is_frugal: true,
            ..Row::default()
        }
    }

    fn machine(name: &str, apart: &[&str], error: Option<&str>) -> AdvisedMachine {
        let apart = apart.iter().map(|what| (*what).to_owned()).collect();
        let answer = WhatIf {
            hours_a_day: 24.0,
            prices: Some(Prices::default()),
            doubts: Doubts { apart, ..Doubts::default() },
            rows: vec![row("as it is", 0, 0.0, 0.0), row("16 GiB of memory", 1, 0.4, 32.0)],
            choice: 1,
            ..WhatIf::default()
        };
        AdvisedMachine {
            machine: name.to_owned(),
            file: format!("{name}.tar.gz"),
            answer: error.is_none().then_some(answer),
            error: error.map(str::to_owned),
            choice: 1,
        }
    }

    #[test]
    fn each_machine_has_its_line_and_all_have_one_plan() {
        let machines = [
            machine("nas", &[], None),
            machine("box\u{1b}[31m", &["hits: machine 1 %, model 9 %"], None),
            machine("idle", &[], Some("no dataset was read or written in 10 s")),
        ];
        let purchases = Purchases {
            choices: vec![1, 1, 0],
            price: 64.0,
            fewer_waiting: 0.4,
            waiting: 1.0,
            budget: Some(100.0),
        };
        let check = |width: usize, purchases: Option<&Purchases>, expected: &[&str]| {
            let text = advise_fleet_text(&machines, purchases, (width, false));
            for line in expected {
                assert!(text.contains(line), "{line}: {text}");
            }
            assert!(!text.contains('\u{1b}'), "{text}");
            // A command is copied whole.
            let lines = text.lines().filter(|line| !line.contains("advise --from"));
            let long = lines.filter(|line| line.width() > width).count();
            assert_eq!(long, 0, "{text}");
        };
        check(
            100,
            Some(&purchases),
            &[
                "-40 %  -40 to -20 %  32     16 GiB of memory\n",
                "16 GiB of memory (not proved)",
                "not tried: no dataset was read or written in 10 s",
                "Plan: spend 64 of 100. Clients of all machines together wait 40 % less",
                "Not proved for 1 of the 2",
                "advise --from nas.tar.gz",
            ],
        );
        check(60, None, &["\n    16 GiB of memory\n"]);
    }
}
