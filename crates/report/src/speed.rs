//! The table of speeds: a line for each phase and what belongs to it, a pair of columns for each arm.

use arcwright_scenario::{ArmOutcome, Measure, PhaseRun};

use crate::compare::{change_pct, phase_of, reported, reported_change_pct, spread_pct};
use crate::figures::{ABSENT, change, rounds, three_digits};
use crate::ranges;
use crate::table::{Cell, Table, Tone};
use crate::text::Sheet;

impl Sheet<'_> {
    /// Returns the speed of some arms in every phase.
    pub(crate) fn speed_of(&self, arms: &[ArmOutcome]) -> Table {
        let mut table = Table::default();
        let heads = std::iter::once("phase").chain(arms.iter().map(|arm| arm.name.as_str()));
        table.heads_of_pairs(heads.map(|head| Cell::new(head, Tone::Strong)).collect());
        table.rule();
        for phase in &self.phases {
            self.speed_lines(&mut table, phase, arms);
        }
        table
    }

    fn speed_lines(&self, table: &mut Table, phase: &str, arms: &[ArmOutcome]) {
        let mut line = |label: String, tone: Tone, pair: &dyn Fn(&ArmOutcome) -> [Cell; 2]| {
            let cells: Vec<Cell> = arms.iter().flat_map(pair).collect();
            if cells.iter().any(|cell| !cell.text.is_empty()) {
                table.cells(std::iter::once(Cell::new(label, tone)).chain(cells).collect());
            }
        };
        let precision = self.options.precision;
        line(phase.to_owned(), Tone::Plain, &|arm| self.speed_cells(arm, phase));
        line("  range".to_owned(), Tone::Faint, &|arm| {
            let ranges = self.ranges.get(&arm.name, phase);
            let rates = ranges.and_then(|ranges| ranges.throughput_bytes_per_sec);
            let times = ranges.and_then(|ranges| ranges.times_first_arm);
            let text =
                [rates.map(|span| ranges::rates(span, precision)), times.map(ranges::changes)];
            text.map(|text| Cell::new(text.unwrap_or_default(), Tone::Faint))
        });
        let unit = self.outcome.scenario.reported.as_ref().map(|reported| reported.unit.as_str());
        let label = match unit {
            None => "  reported".to_owned(),
            Some(unit) if unit == precision.rate_unit() => "  reported".to_owned(),
            Some(unit) => format!("  reported, {unit}"),
        };
        line(label, Tone::Faint, &|arm| {
            let figure = reported(self.outcome, &arm.name, phase).map(three_digits);
            let against = reported_change_pct(self.outcome, &arm.name, phase).map(change);
            [figure, against].map(|text| Cell::new(text.unwrap_or_default(), Tone::Faint))
        });
        line("  spread of repeats".to_owned(), Tone::Faint, &|arm| {
            let spread = spread_pct(arm, phase).map(|percent| format!("{percent:.1} %"));
            [Cell::new(spread.unwrap_or_default(), Tone::Faint), Cell::default()]
        });
        line("  time".to_owned(), Tone::Faint, &|arm| {
            let time = phase_of(arm, phase).map(|run| precision.time(run.duration_ns));
            [Cell::new(time.unwrap_or_default(), Tone::Faint), Cell::default()]
        });
        let mut detail = |label: &str, of: &dyn Fn(&PhaseRun) -> Option<String>| {
            line(label.to_owned(), Tone::Faint, &|arm| {
                let text = phase_of(arm, phase).and_then(of).unwrap_or_default();
                [Cell::new(text, Tone::Faint), Cell::default()]
            });
        };
        let is_on_tree = self.is_on_tree(phase);
        detail("  files per s", &|run| {
            let rate = Measure::Operations.of(run).filter(|_| is_on_tree)?;
            Some(three_digits(rate))
        });
        detail("  misses per s", &|run| {
            let rate = self.misses_per_sec(run).filter(|_| is_on_tree)?;
            Some(three_digits(rate))
        });
        detail("  p99 latency", &|run| {
            (run.latency.count > 0).then(|| precision.time(run.latency.p99_ns))
        });
        detail("  sync p50", &|run| Some(precision.time(run.sync_latency.as_ref()?.p50_ns)));
        detail("  sync p99", &|run| Some(precision.time(run.sync_latency.as_ref()?.p99_ns)));
        detail("  rounds", &|run| run.warm_up.map(rounds));
        detail("  log held", &|run| {
            let most = run.log_bytes_max.filter(|most| most.0 > 0)?;
            Some(precision.bytes(most))
        });
    }

    /// Says whether clients work on trees in a phase.
    fn is_on_tree(&self, phase: &str) -> bool {
        let phases = &self.outcome.scenario.phases;
        let found = phases.iter().find(|found| found.name == phase);
        found.is_some_and(|found| found.clients.iter().any(|client| client.action.is_on_tree()))
    }

    /// Returns how many blocks a second the ARC did not have: what `zpool iostat` counts as reads where
    /// there is no cache device.
    fn misses_per_sec(&self, run: &PhaseRun) -> Option<f64> {
        let misses = u64::try_from(*run.kstats.get("arcstats")?.get("misses")?).ok()?;
        // The engine's own count, in time that is stated at full scale.
        let at_full_scale = misses.checked_mul(self.outcome.engine.scale.max(1))?;
        (run.duration_ns.0 > 0).then(|| at_full_scale as f64 / run.duration_ns.as_secs_f64())
    }

    fn speed_cells(&self, arm: &ArmOutcome, phase: &str) -> [Cell; 2] {
        let Some(run) = phase_of(arm, phase) else {
            return [Cell::plain(ABSENT), Cell::default()];
        };
        let rate = self.options.precision.rate(run.throughput_bytes_per_sec);
        let Some(percent) = change_pct(self.outcome, arm, phase) else {
            return [Cell::new(rate, Tone::Strong), Cell::default()];
        };
        let tone = self.tone_of(percent, arm, phase);
        [Cell::new(rate, Tone::Strong), Cell::new(change(percent), tone)]
    }

    /// Calls a change good or bad only when it stands out of the noise of both arms.
    fn tone_of(&self, percent: f64, arm: &ArmOutcome, phase: &str) -> Tone {
        // Without repeats the noise is unknown. A guess, not a measurement; it decides colour only.
        const NOISE_PCT_UNKNOWN: f64 = 5.0;
        let noise_of = |arm: &ArmOutcome| spread_pct(arm, phase).unwrap_or(NOISE_PCT_UNKNOWN);
        let noise = self.outcome.arms.first().map_or(0.0, noise_of).max(noise_of(arm));
        match percent {
            percent if percent.abs() <= noise => Tone::Plain,
            percent if percent > 0.0 => Tone::Good,
            _ => Tone::Bad,
        }
    }
}
