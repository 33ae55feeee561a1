//! What an SSD should be, as text for a terminal and as JSON.

use arcwright_scenario::Outcome;
use arcwright_ssd::{ALIKE, Commands, PhaseOfUse, Ssd, SsdPlan, Use};
use arcwright_units::{Bytes, Nanos, visible};
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::{ABSENT, Precision};
use crate::other_loads::{
    OtherLoads, checked_legend, checked_range, no_range, taken_as_given, wait_range,
};
use crate::phases::{figure, range, toned};
use crate::table::{Cell, Table, Tone, wrapped};
use crate::text::{Sheet, TextOptions};
use crate::version::FormVersion;

/// What was added to the JSON form since its first version.
const MINOR: u32 = 1;
/// Years from which on an SSD outlives its machine.
const YEARS_MAX: f64 = 20.0;

/// `arcwright ssd plan --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SsdAnswer<'a> {
    /// Version of this shape.
    output_version: FormVersion,
    /// The plan.
    plan: &'a SsdPlan,
    /// What carries it out, and what takes it back; all empty where nothing is to be done.
    commands: &'a Commands,
    /// What a reader must know to trust the figures, one sentence each.
    notes: &'a [String],
}

/// Returns a plan as indented JSON with a final newline.
///
/// # Errors
/// The serializer's, for numbers that JSON cannot hold.
pub fn ssd_json(
    plan: &SsdPlan,
    commands: &Commands,
    outcome: &Outcome,
) -> Result<String, serde_json::Error> {
    let output_version = FormVersion::new("arcwright ssd plan", MINOR);
    let answer = SsdAnswer { output_version, plan, commands, notes: &outcome.notes };
    serde_json::to_string_pretty(&answer).map(|text| text + "\n")
}

/// Returns a plan as text; `outcome` is the run that it rests on.
#[must_use]
pub fn ssd_text(
    plan: &SsdPlan,
    commands: &Commands,
    outcome: &Outcome,
    options: &TextOptions,
) -> String {
    let page = Page { plan, options, sheet: Sheet::of(outcome, options) };
    let mut parts = vec![page.head(), page.answer(), page.uses()];
    parts.extend([page.sure(), page.sizes(), page.losses(), page.not_tried()]);
    parts.extend([page.commands(commands), page.notes(outcome)]);
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

struct Page<'a> {
    plan: &'a SsdPlan,
    options: &'a TextOptions,
    sheet: Sheet<'a>,
}

impl Page<'_> {
    fn wrapped(&self, lead: &str, text: &str) -> String {
        wrapped(lead, text, self.options.width)
    }

    /// Returns a titled list; nothing where there is none.
    fn list<'b>(&self, title: &str, items: impl IntoIterator<Item = &'b String>) -> String {
        let lines: String = items.into_iter().map(|item| self.wrapped("- ", item)).collect();
        if lines.is_empty() { lines } else { self.sheet.title(title) + &lines }
    }

    fn head(&self) -> String {
        let mut text = String::new();
        for (count, ssd) in counted(&self.plan.ssds) {
            let protection = match ssd.is_protected {
                Some(true) => "power-loss protection",
                Some(false) => "no power-loss protection",
                None => "power-loss protection not known",
            };
            let times = if count > 1 { format!("{count} x ") } else { String::new() };
            let line = format!("{times}{}: {}, {protection}", ssd.name, ssd.size);
            text.push_str(&self.sheet.title(&line));
            if let Some(why) = &ssd.stands_for {
                text.push_str(&self.wrapped("  ", &format!("simulated as {}, {why}", ssd.profile)));
            }
        }
        let phases = self.plan.phases.join(", ");
        text.push_str(&self.wrapped("", &format!("Load: {}: {phases}", self.plan.load)));
        text + &self.sheet.painted(Tone::Faint, &self.wrapped("", &self.sheet.engine()))
    }

    fn answer(&self) -> String {
        let chosen = self.plan.chosen();
        let free = chosen.split.free;
        let what = match (chosen.roles.count(), self.plan.ssds.len()) {
            (0, 1) => "Leave it out.".to_owned(),
            (0, _) => "Leave both out.".to_owned(),
            (_, 1) => format!("Use it as {}; {free} stay free.", parts(chosen)),
            _ if chosen.roles.apart => {
                format!(
                    "Use the first as {}, each with the rest free.",
                    parts(chosen).replace(" and ", ", the second as ")
                )
            }
            _ => format!("Use both as {}; {free} of each stay free.", parts(chosen)),
        };
        let others = OtherLoads::of(&self.plan.doubts);
        let checked = chosen.saved_checked.filter(|_| chosen.roles.count() > 0);
        let checked = checked.map(|range| checked_range(range, &self.plan.doubts));
        let range = checked.or_else(|| chosen.saved_range.map(|range| others.range(range)));
        let none = no_range(self.sheet.outcome, &self.plan.phases);
        let better = self.plan.better_by_another.as_ref();
        let better = better.map(|other| others.better(&other.name, other.saved));
        let assumed = self.plan.doubts.assumed.iter().map(|what| taken_as_given(what));
        let assumed: Vec<String> = assumed.collect();
        let lines =
            self.plan.reasons.iter().chain(&range).chain(&none).chain(&better).chain(&assumed);
        let lines: String = lines.map(|line| self.wrapped("  ", line)).collect();
        self.sheet.title("Answer") + &self.doubt() + &self.wrapped("  ", &what) + &lines
    }

    /// Says that the basis does not hold, before anything rests on it.
    fn doubt(&self) -> String {
        if self.plan.doubts.apart.is_empty() {
            return String::new();
        }
        let what = format!(
            "Not proved: the model of the present machine does not count what the machine counted ({}), and what it says of \
             an SSD is no better than that.",
            self.plan.doubts.apart.join("; ")
        );
        self.sheet.painted(Tone::Warn, &self.wrapped("  ", &what))
    }

    /// Returns the table in as many blocks as the width asks for; each begins with the pool as it is.
    fn uses(&self) -> String {
        let mut text = self.sheet.title("What each use brings");
        let all: Vec<usize> = (1..self.plan.uses.len()).collect();
        let mut rest = all.as_slice();
        loop {
            let fits = |count: &usize| {
                let some = rest.get(..*count).unwrap_or(rest);
                self.table(some).width() <= self.options.width
            };
            let count = (1..=rest.len()).take_while(fits).last().unwrap_or(1).min(rest.len());
            let (some, more) = rest.split_at(count);
            text.push_str(&self.table(some).render(self.options.colour));
            rest = more;
            if rest.is_empty() {
                break;
            }
            text.push('\n');
        }
        let daily = match self.plan.hours_a_day {
            24.0 => "all day".to_owned(),
            hours => format!("{hours} h a day"),
        };
        let is_checked = self.plan.uses.iter().any(|one| one.saved_checked.is_some());
        let others = match self.plan.other_loads {
            _ if is_checked => checked_legend("Range", &self.plan.doubts),
            0 => String::new(),
            _ => OtherLoads::of(&self.plan.doubts).legend("By other loads"),
        };
        let legend = format!(
            "Clients wait: all requests of these phases, added up.{others} Lasts: with this load {daily} (--hours-a-day)."
        );
        text + &self.sheet.painted(Tone::Faint, &self.wrapped("", &legend))
    }

    /// Returns the table of the pool as it is, and of the uses of these numbers.
    fn table(&self, numbers: &[usize]) -> Table {
        let mut table = Table::default();
        let numbers = || std::iter::once(0).chain(numbers.iter().copied());
        let uses = || numbers().filter_map(|number| self.plan.uses.get(number));
        let heads = numbers().zip(uses()).map(|(number, one)| {
            let tone = if number == self.plan.choice { Tone::Good } else { Tone::Strong };
            Cell::new(one.name.replace(" + ", "+").replace(", ", "|"), tone)
        });
        table.cells(std::iter::once(Cell::plain("")).chain(heads).collect());
        table.rule();
        for (number, phase) in self.plan.phases.iter().enumerate() {
            let found: Vec<Option<&PhaseOfUse>> =
                uses().map(|one| one.phases.get(number)).collect();
            let Some(first) = found.first().copied().flatten() else { continue };
            let (unit, _) = figure(first);
            let cells = found.iter().map(|phase| match phase {
                Some(phase) => toned(first, phase),
                None => Cell::plain(ABSENT),
            });
            let head = Cell::plain(format!("{phase}, {unit}"));
            table.cells(std::iter::once(head).chain(cells).collect());
        }
        rows(&mut table, &uses().collect::<Vec<_>>());
        table
    }

    /// Says what checks of comparable experiments found for what the chosen use changes.
    fn sure(&self) -> String {
        let Some(base) = self.plan.uses.first() else { return String::new() };
        let chosen = self.plan.chosen();
        // What the lab measured has no range.
        if chosen.roles.count() == 0 || self.sheet.outcome.ranges.is_none() {
            return String::new();
        }
        let pairs = base.phases.iter().zip(&chosen.phases);
        let lines: Vec<String> = pairs.filter_map(|(there, here)| range(there, here)).collect();
        self.list("How sure that is", &lines)
    }

    fn sizes(&self) -> String {
        let plan = self.plan;
        let chosen = plan.chosen();
        let mut lines = Vec::new();
        if let Some(size) = chosen.split.log {
            let log = &plan.log_size;
            let held = chosen
                .log_held
                .map_or_else(String::new, |held| format!(" In this run it held {held} at most."));
            lines.push(format!(
                "log, {size}: three transaction groups of {} s bring {} at the SSD's rate, and twice what may be dirty in \
                 memory is {}; the smaller of the two, in whole GiB.{held}",
                log.group_s,
                log.by_rate,
                log.by_memory
            ));
        }
        if let Some(size) = chosen.split.special {
            lines.push(match plan.metadata {
                Some(metadata) => format!(
                    "special, {size}: the pool has {metadata} of metadata, and half as much again is room to grow."
                ),
                None => format!(
                    "special, {size}: a guess; how much metadata the pool has was not counted (zdb -Lbbbs POOL, \
                     --blocks FILE)."
                ),
            });
        }
        if let Some(size) = chosen.split.cache {
            let held = chosen.cache_held.map_or_else(String::new, |held| {
                format!(" After this load the cache holds {held}.")
            });
            let headers = chosen.headers.map_or_else(String::new, |headers| {
                format!(" When it is full, its headers take {headers} of the ARC.")
            });
            let bound = match chosen.is_bound_by_headers {
                true => " More would take more than a quarter of the ARC for its headers.",
                false => "",
            };
            lines.push(format!("cache, {size}.{held}{headers}{bound}"));
        }
        if chosen.roles.count() > 0 {
            lines.push(format!(
                "free, {}: at least a tenth stays without a partition, as room for the SSD's own moving of data.",
                chosen.split.free
            ));
            for (_, ssd) in counted(&plan.ssds) {
                lines.push(match ssd.endurance {
                    Some(endurance) => format!(
                        "endurance: {endurance} may still be written to {}, by {}.",
                        ssd.name, ssd.endurance_from
                    ),
                    None => format!("endurance of {}: not known.", ssd.name),
                });
            }
        }
        self.list("Sizes and wear", &lines)
    }

    fn losses(&self) -> String {
        self.list("When it dies", &self.plan.losses)
    }

    fn not_tried(&self) -> String {
        let mut lines = self.plan.not_tried.clone();
        for one in &self.plan.uses {
            let line = one.refused.as_ref().map(|why| format!("never recommended here: {why}"));
            lines.extend(line.filter(|line| !lines.contains(line)));
        }
        self.list("Not tried, or not for you", &lines)
    }

    fn commands(&self, commands: &Commands) -> String {
        let mut text = String::new();
        let blocks = [
            ("Look first: it must be empty, and nobody's", &commands.look),
            ("Then", &commands.make),
            ("Take it back", &commands.undo),
        ];
        for (title, lines) in blocks {
            if lines.is_empty() {
                continue;
            }
            text.push_str(&self.sheet.title(title));
            // Commands are copied: no line is broken.
            lines.iter().for_each(|line| {
                text.push_str("  ");
                text.push_str(&visible(&line.to_string()));
                text.push('\n');
            });
        }
        for note in &commands.notes {
            text.push_str(&self.wrapped("- ", note));
        }
        text
    }

    fn notes(&self, outcome: &Outcome) -> String {
        self.list("Notes", &outcome.notes)
    }
}

/// Returns SSDs with how many of them follow each other alike.
fn counted(ssds: &[Ssd]) -> Vec<(usize, &Ssd)> {
    let groups = ssds.chunk_by(|one, other| one == other);
    groups.filter_map(|group| Some((group.len(), group.first()?))).collect()
}

/// Returns the partitions of a use in words: `log (2 GiB) and cache (60 GiB)`.
fn parts(one: &Use) -> String {
    let split = one.split;
    let all = [("log", split.log), ("special", split.special), ("cache", split.cache)];
    let all = all.into_iter().filter_map(|(role, size)| Some(format!("{role} ({})", size?)));
    all.collect::<Vec<_>>().join(" and ")
}

fn lasting(years: f64) -> String {
    match years {
        years if years >= YEARS_MAX => format!(">{YEARS_MAX:.0} years"),
        years if years >= 2.0 => format!("{years:.0} years"),
        years if years >= 1.0 / 6.0 => format!("{:.0} months", years * 12.0),
        years => format!("{:.0} days", years * 365.25),
    }
}

/// Adds the rows that stand below those of the phases.
fn rows(table: &mut Table, uses: &[&Use]) {
    let mut row = |head: &str, cell: &dyn Fn(&Use) -> Cell| {
        let cells = uses.iter().map(|one| cell(one));
        table.cells(std::iter::once(Cell::plain(head)).chain(cells).collect());
    };
    row("clients wait", &|one| match one.roles.count() {
        0 => Cell::plain(Precision::Rounded.time(Nanos::from_secs_f64(one.waiting_s))),
        _ => {
            let tone = match one.saved {
                saved if saved >= ALIKE => Tone::Good,
                saved if saved <= -ALIKE => Tone::Bad,
                _ => Tone::Plain,
            };
            Cell::new(crate::figures::change(-one.saved * 100.0), tone)
        }
    });
    let mut ranges = |head: &str, of: &dyn Fn(&Use) -> Option<[f64; 2]>| {
        row(head, &|one| match (one.roles.count(), of(one)) {
            (0, _) | (_, None) => Cell::plain(ABSENT),
            (_, Some(range)) => Cell::plain(wait_range(range)),
        });
    };
    if uses.iter().any(|one| one.saved_checked.is_some()) {
        ranges("range", &|one| one.saved_checked);
    } else if uses.iter().any(|one| one.saved_range.is_some()) {
        ranges("by other loads", &|one| one.saved_range);
    }
    row("disks read", &|one| Cell::plain(Precision::Rounded.bytes(one.disk_reads)));
    row("SSD writes an hour", &|one| match one.roles.count() {
        0 => Cell::plain(ABSENT),
        _ => Cell::plain(Precision::Rounded.bytes(one.written_per_hour)),
    });
    row("SSD lasts", &|one| match (one.roles.count(), one.years) {
        (0, _) => Cell::plain(ABSENT),
        (_, None) if one.written_per_hour == Bytes::ZERO => Cell::plain(ABSENT),
        (_, None) => Cell::plain("unknown"),
        (_, Some(years)) => {
            let tone = if years < 3.0 { Tone::Bad } else { Tone::Plain };
            Cell::new(lasting(years), tone)
        }
    });
}
