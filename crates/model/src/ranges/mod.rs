//! How far a prediction may be off: what checks of comparable experiments against the real OpenZFS found.
//!
//! A figure of the model without its range is half an answer. The range holds the truth in four of five
//! comparable checks; where nothing comparable was ever checked it says so instead. It tells how far the model
//! is from OpenZFS in the lab, and nothing about how far a device's profile is from the owner's device, which
//! both share.

mod extras;
mod features;
mod nearest;
mod settings;
mod table;

use std::collections::BTreeMap;

use arcwright_scenario::{
    Answer, Measure, Outcome, Phase, PhaseRun, Place, RangeOfAnswer, Ranges, RangesOfPlace,
    Scenario, Span, System,
};

pub use nearest::{Directions, Within};
pub use table::{Check, Figures, Quantity, Table};

use features::Features;
use nearest::{Pair, SHARE};
use table::{CHECKED, REPLAYED};

/// Puts the ranges into an outcome of the model.
pub fn add(outcome: &mut Outcome) {
    outcome.ranges =
        Some(Finder::of(outcome, Tables { drawn: &CHECKED, replayed: &REPLAYED }).ranges());
}

/// What was checked.
#[derive(Debug, Clone, Copy)]
struct Tables<'a> {
    /// Experiments that chance drew.
    drawn: &'a Table,
    /// Recorded traces.
    replayed: &'a Table,
}

impl<'a> Tables<'a> {
    /// Returns what a phase is compared with.
    fn of(self, phase: &Phase) -> &'a Table {
        if features::is_of_traces(phase) { self.replayed } else { self.drawn }
    }
}

/// What is asked, and what it is compared with.
struct Finder<'a> {
    outcome: &'a Outcome,
    tables: Tables<'a>,
    /// What each arm and phase is like, or in what nothing like it was checked.
    known: BTreeMap<(&'a str, &'a str), Known<'a>>,
}

struct Known<'a> {
    run: &'a PhaseRun,
    table: &'a Table,
    features: Result<Features, Vec<String>>,
}

impl<'a> Finder<'a> {
    fn of(outcome: &'a Outcome, tables: Tables<'a>) -> Self {
        let mut known = BTreeMap::new();
        for arm in &outcome.arms {
            let like = Like::of(outcome, tables, &arm.name);
            for run in &arm.phases {
                let spec = outcome.scenario.phases.iter().find(|spec| spec.name == run.name);
                let table = spec.map_or(tables.drawn, |spec| tables.of(spec));
                let features = like.features(spec, table);
                known
                    .insert((arm.name.as_str(), run.name.as_str()), Known { run, table, features });
            }
        }
        Self { outcome, tables, known }
    }

    fn ranges(&self) -> Ranges {
        let runs =
            self.outcome.arms.iter().flat_map(|arm| arm.phases.iter().map(move |run| (arm, run)));
        let places = runs.filter_map(|(arm, run)| {
            let place = Place { arm: arm.name.clone(), phase: run.name.clone() };
            let known = self.known(&place)?;
            Some(self.ranges_of(&place, known))
        });
        let places = places.collect();
        let answers = &self.outcome.scenario.answers;
        let answers = answers.iter().map(|answer| self.of_answer(answer)).collect();
        let is_of_traces = !self.known.is_empty()
            && self.outcome.scenario.phases.iter().all(features::is_of_traces);
        let table = if is_of_traces { self.tables.replayed } else { self.tables.drawn };
        let checked = u32::try_from(table.cases()).unwrap_or(u32::MAX);
        Ranges { share: SHARE, checked, places, answers }
    }

    fn ranges_of(&self, place: &Place, known: &Known<'_>) -> RangesOfPlace {
        let span = |quantity: Quantity| {
            let figure = figure(quantity, known.run)?;
            known.table.span(quantity, known.features.as_ref().ok()?, figure)
        };
        let first = self.outcome.arms.first().filter(|first| first.name != place.arm);
        let times = |quantity: Quantity| {
            let there = Place { arm: first?.name.clone(), phase: place.phase.clone() };
            self.times(quantity, place, &there)
        };
        let moves = known.run.bytes.0 > 0;
        RangesOfPlace {
            throughput_bytes_per_sec: span(Quantity::Throughput).filter(|_| moves),
            times_first_arm: times(Quantity::Throughput),
            arc_hit_ratio: span(Quantity::ArcHits),
            sync_p50_ns: span(Quantity::SyncP50),
            sync_p99_ns: span(Quantity::SyncP99),
            wait_ns: span(Quantity::Wait),
            wait_times_first_arm: times(Quantity::Wait),
            // Where something like it was checked, it is outside of nothing.
            outside: match &known.features {
                Ok(_) => Vec::new(),
                Err(outside) => outside.clone(),
            },
            arm: place.arm.clone(),
            phase: place.phase.clone(),
        }
    }

    /// Returns the range of the figure that an answer rests on; none where it has no figure.
    fn of_answer(&self, answer: &Answer) -> Option<RangeOfAnswer> {
        answer.find(self.outcome)?;
        Some(self.checked(answer).unwrap_or(RangeOfAnswer::NeverChecked))
    }

    fn checked(&self, answer: &Answer) -> Option<RangeOfAnswer> {
        let quantity = match answer.measure {
            Measure::Throughput | Measure::Operations => Quantity::Throughput,
            Measure::ArcHits => Quantity::ArcHits,
            Measure::SyncLatency => Quantity::SyncP50,
            Measure::SyncLatencyP99 => Quantity::SyncP99,
            Measure::DiskReads => Quantity::DiskReads,
            Measure::MetadataHits => Quantity::MetadataHits,
            Measure::LogBytes => return None,
        };
        if let (Quantity::Throughput, Some(against)) = (quantity, &answer.against) {
            return self.times(quantity, &answer.place, against).map(RangeOfAnswer::Times);
        }
        let known = self.known(&answer.place)?;
        let figure = answer.measure.of(known.run)?;
        let span = known.table.span(quantity, known.features.as_ref().ok()?, figure)?;
        Some(RangeOfAnswer::Figure(span))
    }

    /// Returns how many times the one figure may be the other.
    fn times(&self, quantity: Quantity, here: &Place, there: &Place) -> Option<Span> {
        let is_of_arms = here.phase == there.phase;
        let (here, there) = (self.known(here)?, self.known(there)?);
        let features = here.features.as_ref().ok()?;
        there.features.as_ref().ok()?;
        let scaled = |run: &PhaseRun| {
            let figure = figure(quantity, run).filter(|figure| *figure > 0.0)?;
            Some(quantity.scaled(figure))
        };
        let difference = scaled(here.run)? - scaled(there.run)?;
        let pair = Pair { here: features, difference, is_of_arms };
        let Span { low, high } = here.table.span_of_pair(quantity, &pair)?;
        Some(Span { low: libm::exp(low), high: libm::exp(high) })
    }

    fn known<'b>(&'b self, place: &'b Place) -> Option<&'b Known<'a>> {
        self.known.get(&(place.arm.as_str(), place.phase.as_str()))
    }
}

/// Returns a figure of a phase; none where it has none.
fn figure(quantity: Quantity, run: &PhaseRun) -> Option<f64> {
    let measure = match quantity {
        Quantity::Throughput if run.bytes.0 > 0 => Measure::Throughput,
        Quantity::Throughput => Measure::Operations,
        Quantity::ArcHits => Measure::ArcHits,
        Quantity::SyncP50 => Measure::SyncLatency,
        Quantity::SyncP99 => Measure::SyncLatencyP99,
        Quantity::DiskReads => Measure::DiskReads,
        Quantity::MetadataHits => Measure::MetadataHits,
        Quantity::Wait => {
            let wait = run.latency.mean_ns.0 as f64 * run.latency.count as f64;
            return (wait > 0.0).then_some(wait);
        }
    };
    measure.of(run)
}

/// What an arm is like.
struct Like<'a> {
    scenario: &'a Scenario,
    /// Absent for an arm that the scenario does not have.
    system: Option<System>,
    /// In which of its settings nothing like it was checked.
    outside: Vec<String>,
}

impl<'a> Like<'a> {
    fn of(outcome: &'a Outcome, tables: Tables<'_>, arm: &str) -> Self {
        let scenario = &outcome.scenario;
        let arm = scenario.arms.iter().find(|known| known.name == arm);
        let mut system = arm.map(|arm| scenario.system_of(arm));
        if let Some(system) = &mut system
            && outcome.engine.openzfs != scenario.system.zfs
        {
            // Another version was asked for, for all arms.
            system.zfs.clone_from(&outcome.engine.openzfs);
        }
        let settings = system.as_ref().map(settings::of).unwrap_or_default();
        // What a parameter does was looked at in drawn experiments alone.
        Self { scenario, system, outside: settings::outside(&settings, tables.drawn) }
    }

    /// Returns what a phase of the arm is like, or in what nothing like it was checked.
    fn features(&self, phase: Option<&Phase>, table: &Table) -> Result<Features, Vec<String>> {
        let (Some(system), Some(phase)) = (&self.system, phase) else {
            return Err(vec!["an arm or phase that the scenario does not have".to_owned()]);
        };
        let features = features::of(self.scenario, system, phase)?;
        let rows = &table.rows;
        let mut outside = features.outside(rows.iter().map(|row| &row.features));
        outside.extend_from_slice(&self.outside);
        if outside.is_empty() { Ok(features) } else { Err(outside) }
    }
}

#[cfg(test)]
mod tests {
    use arcwright_scenario::{Engine as _, Outcome, RunRequest, Scenario, Unwatched};

    use super::add;
    use crate::Model;

    fn outcome(system: &str, client: &str) -> Outcome {
        let text = format!(
            "title = \"t\"\nsystem = {{ {system} }}\n\
             file = [{{ name = \"f\", size = \"256MiB\" }}]\n\
             arm = [{{ name = \"as is\" }}, {{ name = \"other\", memory = \"8GiB\" }}]\n\
             phase = [{{ name = \"p\", clients = [{{ {client} }}] }}]\n"
        );
        let scenario = Scenario::parse(&text, "t.toml").unwrap();
        let request = RunRequest { scenario, repeats: 1 };
        let mut outcome = Model::default().run(&request, &mut Unwatched).unwrap();
        add(&mut outcome);
        outcome
    }

    const DISK: &str = "zfs = \"2.3.2\", memory = \"4GiB\", pool = { data = [\"hdd-nas-7200\"] }";

    #[test]
    fn what_was_checked_has_a_range_around_its_figure() {
        let outcome = outcome(DISK, "read = \"f\", io = \"128KiB\"");
        let ranges = outcome.ranges.as_ref().unwrap();
        for arm in &outcome.arms {
            let place = ranges.of(&arm.name, "p").unwrap();
            assert!(place.outside.is_empty(), "{:?}", place.outside);
            let speed = arm.phases[0].throughput_bytes_per_sec.0 as f64;
            assert!(place.throughput_bytes_per_sec.unwrap().holds(speed));
        }
        assert!(ranges.of("as is", "p").unwrap().times_first_arm.is_none());
        assert!(ranges.of("other", "p").unwrap().times_first_arm.unwrap().holds(1.0));
    }

    #[test]
    fn what_was_never_checked_says_in_what() {
        let check = |system: &str, client: &str, expected: &str| {
            let outcome = outcome(system, client);
            let ranges = outcome.ranges.unwrap();
            let place = ranges.of("as is", "p").unwrap();
            assert!(place.throughput_bytes_per_sec.is_none());
            assert!(place.outside.iter().any(|what| what.contains(expected)), "{place:?}");
        };
        let reader = "read = \"f\", io = \"128KiB\"";
        check(&DISK.replace("2.3.2", "0.8.6"), reader, "older than OpenZFS 2.0");
        check(&DISK.replace("hdd-nas-7200", "instant"), reader, "devices that take no time");
        let many = vec!["\"hdd-nas-7200\""; 24].join(", ");
        check(&DISK.replace("\"hdd-nas-7200\"", &many), reader, "number of data disks 24");
        check(DISK, "read = \"f\", io = \"512B\", amount = \"1MiB\"", "request size 512 B");
        let far = format!("{DISK}, tunables = {{ zfetch_max_distance = \"3GiB\" }}");
        check(&far, reader, "zfetch_max_distance=3 GiB (checked: ");
        let never = format!("{DISK}, tunables = {{ zfs_vdev_max_active = 5 }}");
        check(&never, reader, "zfs_vdev_max_active=5 (never set in a check)");
    }
}
