//! Outcomes as text for a terminal.
//!
//! First the answer to the scenario's question, and what a reader must know to trust it. Then the
//! tables: how fast each phase went in each arm, against the first arm and beside the reported
//! figure, and where the bytes came from.

use arcwright_scenario::{AppliedSetting, ArmOutcome, Outcome, PhaseRun};
use arcwright_units::Bytes;

use crate::answer;
use crate::clients::ClientRows;
use crate::compare::{has_cache, phase_of};
use crate::figures::{Precision, three_digits};
use crate::harmless::harmless;
use crate::ranges;
use crate::table::{Cell, Table, Tone, wrapped};
use crate::tabs::seeks;

/// How a text is rendered.
#[derive(Debug, Clone, Copy)]
pub struct TextOptions {
    /// Columns of the terminal.
    pub width: usize,
    /// Whether terminal colours are wanted.
    pub colour: bool,
    /// Rounded or exact figures.
    pub precision: Precision,
    /// Of which clients a table is wanted.
    pub clients: ClientRows,
}

impl Default for TextOptions {
    fn default() -> Self {
        let clients = ClientRows::Differing;
        Self { width: 100, colour: false, precision: Precision::Rounded, clients }
    }
}

/// Returns an outcome as text.
#[must_use]
pub fn text(outcome: &Outcome, options: &TextOptions) -> String {
    let outcome = &*harmless(outcome);
    let sheet = Sheet::of(outcome, options);
    let mut parts = vec![sheet.heading(), sheet.answer(), sheet.all_notes()];
    if outcome.arms.is_empty() {
        parts.push("No arm was finished.\n".to_owned());
    } else {
        parts.extend(sheet.speed());
        parts.push(sheet.all_clients());
        parts.push(sheet.all_sources());
    }
    parts.push(sheet.all_changes());
    parts.push(sheet.unverified());
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

/// An outcome and how it is shown.
pub(crate) struct Sheet<'a> {
    pub(crate) outcome: &'a Outcome,
    pub(crate) options: &'a TextOptions,
    pub(crate) phases: Vec<&'a str>,
    pub(crate) ranges: ranges::ByPlace<'a>,
}

/// Returns the names of all phases that ran, in the order of their first appearance.
fn phase_names(outcome: &Outcome) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for phase in outcome.arms.iter().flat_map(|arm| &arm.phases) {
        if !names.contains(&phase.name.as_str()) {
            names.push(&phase.name);
        }
    }
    names
}

impl<'a> Sheet<'a> {
    /// Explains a column of the sources.
    pub(crate) const LEGEND: &'static str = "ARC: bytes moved minus bytes delivered by devices (disks include \
                                             parity and gaps); not shown for phases with writes.";

    pub(crate) fn of(outcome: &'a Outcome, options: &'a TextOptions) -> Self {
        let ranges = ranges::ByPlace::of(outcome);
        Self { outcome, options, phases: phase_names(outcome), ranges }
    }

    fn heading(&self) -> String {
        let scenario = &self.outcome.scenario;
        let width = self.options.width;
        let mut text = self.painted(Tone::Strong, &wrapped("", &scenario.title, width));
        if !scenario.question.is_empty() {
            text.push_str(&wrapped("", &scenario.question, width));
        }
        text.push_str(&self.painted(Tone::Faint, &wrapped("", &self.engine(), width)));
        text
    }

    pub(crate) fn engine(&self) -> String {
        format!("{}, took {}", self.engine_without_time(), self.outcome.engine.wall_ns)
    }

    /// Returns what ran, but for the time that it took.
    pub(crate) fn engine_without_time(&self) -> String {
        let engine = &self.outcome.engine;
        let what = match engine.name.as_str() {
            "lab" => format!("real OpenZFS {} in user space", engine.openzfs),
            "model" => format!("model of OpenZFS {}", engine.openzfs),
            "pool" => format!("your pool, OpenZFS {}", engine.openzfs),
            other => format!("{other}, OpenZFS {}", engine.openzfs),
        };
        let scale = match engine.scale {
            0 | 1 => "full scale".to_owned(),
            scale => format!("scale 1/{scale}"),
        };
        let motion = engine.motion.map_or_else(String::new, |motion| {
            format!(", {} virtual s per s", three_digits(motion))
        });
        format!("{what}, {scale}{motion}, seed {}", engine.seed)
    }

    /// Returns the speed matrix, in as many blocks of arms as the width asks for.
    fn speed(&self) -> Vec<String> {
        let mut blocks = Vec::new();
        let mut from = 0;
        let arms = &self.outcome.arms;
        while let Some(rest) = arms.get(from..).filter(|rest| !rest.is_empty()) {
            let fits = |count: &usize| {
                let some = rest.get(..*count).unwrap_or(rest);
                self.speed_of(some).width() <= self.options.width
            };
            // More arms are never narrower, and a thousand need not be laid out to see that ten fit.
            let count = (1..=rest.len()).take_while(fits).last().unwrap_or(1);
            let block = self.speed_of(rest.get(..count).unwrap_or(rest));
            blocks.push(block.render(self.options.colour));
            from += count;
        }
        let title = format!("Throughput, {}", self.options.precision.rate_unit());
        if let Some(first) = blocks.first_mut() {
            *first = format!("{}{first}", self.title(&title));
        }
        blocks
    }

    /// Returns where the bytes of every phase came from.
    pub(crate) fn sources(&self) -> Table {
        // Positions of the heads below whose zeros say nothing: flash does not seek, reads do not
        // write. A zero anywhere else is a finding.
        const SEEKS: usize = 8;
        const TO_DISKS: usize = 10;
        let mut table = Table::default();
        let heads = [
            "arm",
            "moved",
            "ARC",
            "L2ARC",
            "disks",
            "ARC hits",
            "of metadata",
            "L2ARC hits",
            "seeks",
            "to L2ARC",
            "to disks",
        ];
        table.cells(heads.iter().map(|head| Cell::new(*head, Tone::Strong)).collect());
        table.rule();
        for phase in &self.phases {
            table.span(Cell::plain(*phase));
            for arm in &self.outcome.arms {
                if let Some(run) = phase_of(arm, phase) {
                    table.cells(self.source_cells(&arm.name, run));
                }
            }
        }
        table.drop_silent_columns(&[SEEKS, TO_DISKS]);
        table
    }

    fn all_sources(&self) -> String {
        let parts = self.sources().split(self.options.width);
        let parts: Vec<String> =
            parts.iter().map(|part| part.render(self.options.colour)).collect();
        let table = parts.join("\n");
        let legend = self.painted(Tone::Faint, &wrapped("", Self::LEGEND, self.options.width));
        self.title("Where the bytes came from") + &table + &legend
    }

    fn source_cells(&self, arm: &str, run: &PhaseRun) -> Vec<Cell> {
        let precision = self.options.precision;
        let cached = |size: Bytes| has_cache(run).then_some(size);
        let cells = [
            format!("  {arm}"),
            precision.bytes(run.bytes),
            precision.bytes_if_any(run.arc_bytes),
            precision.bytes_if_any(cached(run.l2arc_read_bytes)),
            precision.bytes(run.device_read_bytes),
            precision.ratio(run.arc_hit_ratio),
            precision.ratio(run.metadata_hit_ratio.filter(|_| self.has_trees())),
            precision.ratio(run.l2arc_hit_ratio),
            precision.count(seeks(run)),
            precision.bytes_if_any(cached(run.l2arc_write_bytes)),
            precision.bytes(run.device_write_bytes),
        ];
        cells.map(Cell::plain).to_vec()
    }

    fn has_trees(&self) -> bool {
        !self.outcome.scenario.trees.is_empty()
    }

    /// Returns what each arm sets, with the value read back: who, and the settings.
    pub(crate) fn changes(&self) -> Vec<(&str, Vec<String>)> {
        let arms = &self.outcome.arms;
        let in_all =
            |setting: &AppliedSetting| arms.iter().all(|arm| arm.tunables.contains(setting));
        let listed = |arm: &ArmOutcome, common: bool| -> Vec<String> {
            let wanted = arm.tunables.iter().filter(|setting| in_all(setting) == common);
            wanted.map(|setting| self.setting(setting)).collect()
        };
        let mut changes = Vec::new();
        if let (Some(first), true) = (arms.first(), arms.len() > 1) {
            changes.push(("every arm", listed(first, true)));
        }
        changes.extend(arms.iter().map(|arm| (arm.name.as_str(), listed(arm, arms.len() == 1))));
        changes.retain(|(_, settings)| !settings.is_empty());
        changes
    }

    fn all_changes(&self) -> String {
        let line = |(who, settings): (&str, Vec<String>)| {
            wrapped(&format!("  {who}: "), &settings.join(", "), self.options.width)
        };
        let lines: String = self.changes().into_iter().map(line).collect();
        if lines.is_empty() { lines } else { self.title("What the arms set") + &lines }
    }

    /// Returns how many values of the devices nobody has checked, where everything is wanted.
    fn unverified(&self) -> String {
        let values = self.outcome.scenario.unverified_values();
        let line = |values: String| wrapped("Devices: ", &values, self.options.width);
        values.filter(|_| self.options.clients == ClientRows::All).map(line).unwrap_or_default()
    }

    /// Returns a setting at full scale, as a table of tunables would show it, with the value held.
    fn setting(&self, setting: &AppliedSetting) -> String {
        let (name, asked, held) = (&setting.name, setting.asked, setting.read_back);
        match held {
            held if held == asked => format!("{name}={held}"),
            held if held.checked_mul(self.outcome.engine.scale) == Some(asked) => {
                format!("{name}={asked} (scaled to {held})")
            }
            held => format!("{name}={asked} (held {held})"),
        }
    }

    /// Returns what a reader must know to trust the result.
    pub(crate) fn notes(&self) -> impl Iterator<Item = (String, Tone)> + use<'_> {
        let outcome = self.outcome;
        let stopped = outcome.interrupted.then(|| {
            let (done, all) = (outcome.arms.len(), outcome.scenario.arms.len());
            (format!("Stopped early: {done} of {all} arms have results."), Tone::Warn)
        });
        let repeats = outcome.arms.iter().map(|arm| arm.runs.len()).max().unwrap_or(0);
        let repeated = (repeats > 1).then(|| {
            let what = format!(
                "Figures are medians of {repeats} runs; spread is fastest minus slowest, in \
                 percent of the median. A change within it is noise."
            );
            (what, Tone::Plain)
        });
        let notes = outcome.notes.iter().cloned().chain(ranges::notes(outcome));
        stopped.into_iter().chain(repeated).chain(notes.map(|note| (note, Tone::Plain)))
    }

    fn all_notes(&self) -> String {
        let line = |(note, tone): (String, Tone)| {
            self.painted(tone, &wrapped("- ", &note, self.options.width))
        };
        let lines: String = self.notes().map(line).collect();
        if lines.is_empty() { lines } else { self.title("Notes") + &lines }
    }

    /// Returns what the result says about the question.
    pub(crate) fn answers(&self) -> Vec<String> {
        answer::answers(self.outcome)
    }

    fn answer(&self) -> String {
        let answers = self.answers();
        if answers.is_empty() {
            return String::new();
        }
        let lines = answers.iter().map(|answer| wrapped("  ", answer, self.options.width));
        self.title("Answer") + &lines.collect::<String>()
    }

    pub(crate) fn title(&self, text: &str) -> String {
        self.painted(Tone::Strong, &format!("{text}\n"))
    }

    /// Paints whole lines, so that a line never carries a tone into the next.
    pub(crate) fn painted(&self, tone: Tone, lines: &str) -> String {
        let paint = |line: &str| tone.paint(line, self.options.colour) + "\n";
        lines.lines().map(paint).collect()
    }
}

mod clients;
#[cfg(test)]
mod tests;
