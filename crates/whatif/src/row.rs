//! One combination, and what came of it.

use arcwright_scenario::{ArmOutcome, Disk, Outcome, Phase, PhaseRun, VdevSpec};
use arcwright_ssd::{PhaseOfUse, reach, saved_in_checks};
use arcwright_units::{Bytes, Nanos};
use schemars::JsonSchema;
use serde::Serialize;

use crate::axis::L2ARC;
use crate::grid::Grid;

/// One combination, and what came of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Row {
    /// `as it is`, `64 GiB of memory, L2ARC of 200 GiB`.
    pub name: String,
    /// How many changes it is.
    pub changes: usize,
    /// Installed memory.
    pub memory: Bytes,
    /// Size of all cache devices.
    pub l2arc: Bytes,
    /// Size of all log devices.
    pub log: Bytes,
    /// What it did in each phase that counts.
    pub phases: Vec<PhaseOfUse>,
    /// The part of what clients wait with the pool as it is that is saved; less than 0 where they wait longer.
    pub saved: f64,
    /// The least and the most of it, where a machine's counters fit several loads; absent where the load is known.
    pub saved_range: Option<[f64; 2]>,
    /// Between which it lay in four of five checks of such predictions, and with other places of the trace where not all are
    /// simulated; of recorded traces alone, and absent where nothing like it was checked.
    pub saved_checked: Option<[f64; 2]>,
    /// Hits of the ARC, joined reads among them, of all accesses in these phases; absent without any.
    pub arc_hit_ratio: Option<f64>,
    /// Between which the ARC's hits may lie, by what comparable predictions were off and by the loads that fit; absent where nothing
    /// comparable was checked and the load is known, or several phases count.
    pub arc_hit_range: Option<[f64; 2]>,
    /// Hits of the L2ARC of the ARC's misses; absent without cache device or misses.
    pub l2arc_hit_ratio: Option<f64>,
    /// Bytes read from the data disks in these phases.
    pub disk_reads: Bytes,
    /// What the headers of the L2ARC's blocks take of the ARC at the end; absent without any.
    pub headers: Option<Bytes>,
    /// Bytes that are written to the cache device that is tried, in a day of this load.
    pub l2arc_written_per_day: Bytes,
    /// How many years that device lasts; absent where its endurance is not known, and where nothing is written.
    pub years: Option<f64>,
    /// Time that the phases took in which the caches warmed up; absent where none did.
    pub warm_up_ns: Option<Nanos>,
    /// What it costs beyond the pool as it is; absent where prices were not given, or not of all that it adds.
    pub price: Option<f64>,
    /// Whether no other combination saves as much with as little memory, cache and log, or for as little where prices were given.
    pub is_frugal: bool,
}

impl Row {
    /// Returns what came of an arm; none where a phase that counts did not end.
    pub(crate) fn of(
        grid: &Grid,
        arm: &ArmOutcome,
        (outcome, changes, hours): (&Outcome, usize, f64),
    ) -> Option<Self> {
        let specs = grid.scenario.phases.iter();
        let specs = specs.filter(|phase| grid.phases.contains(&phase.name));
        let runs: Vec<(&Phase, &PhaseRun)> = specs
            .map(|spec| Some((spec, arm.phases.iter().find(|run| run.name == spec.name)?)))
            .collect::<Option<_>>()?;
        let spec = grid.scenario.arms.iter().find(|spec| spec.name == arm.name)?;
        let system = grid.scenario.system_of(spec);
        let phases = runs.iter().map(|(spec, run)| PhaseOfUse::of(spec, run, (outcome, &arm.name)));
        let sum = |row: &str| -> f64 {
            let of_run = |run: &PhaseRun| run.kstats.get("arcstats")?.get(row).copied();
            runs.iter().filter_map(|(_, run)| of_run(run)).map(|value| value as f64).sum()
        };
        let (hits, misses) = (sum("hits") + sum("iohits"), sum("misses"));
        let (l2_hits, l2_misses) = (sum("l2_hits"), sum("l2_misses"));
        let seconds: f64 = runs.iter().map(|(_, run)| run.duration_ns.as_secs_f64()).sum();
        let written: u64 = runs.iter().map(|(_, run)| to_l2arc(run)).sum();
        let per_day = written as f64 / seconds.max(1e-3) * 3600.0 * hours;
        let years = grid.ssd.as_ref().filter(|_| written > 0).and_then(|ssd| ssd.years(per_day));
        let scale = outcome.engine.scale.max(1);
        let held =
            arm.phases.iter().filter_map(|run| run.kstats.get("arcstats")?.get("l2_hdr_size"));
        let headers = u64::try_from(held.sum::<i64>()).ok().filter(|bytes| *bytes > 0);
        let warm = arm.phases.iter().filter_map(|run| Some(run.warm_up?.before_ns));
        let disks = |vdevs: &[VdevSpec]| -> Bytes {
            vdevs.iter().flat_map(|vdev| &vdev.disks).map(Disk::used).sum()
        };
        Some(Self {
            name: arm.name.clone(),
            changes,
            memory: system.memory,
            l2arc: system.pool.cache.iter().map(Disk::used).sum(),
            log: disks(&system.pool.log),
            phases: phases.collect(),
            saved: 0.0,
            saved_range: None,
            saved_checked: saved_in_checks(outcome, &arm.name, &grid.phases),
            arc_hit_ratio: (hits + misses > 0.0).then(|| hits / (hits + misses)),
            arc_hit_range: arc_hit_range(grid, (outcome, &arm.name)),
            l2arc_hit_ratio: (l2_hits + l2_misses > 0.0).then(|| l2_hits / (l2_hits + l2_misses)),
            disk_reads: runs.iter().map(|(_, run)| run.device_read_bytes).sum(),
            headers: headers.map(|bytes| Bytes(bytes).saturating_mul(scale)),
            l2arc_written_per_day: Bytes::of_f64(per_day),
            years,
            warm_up_ns: warm.reduce(|sum, one| sum + one).filter(|sum| *sum > Nanos::ZERO),
            price: None,
            is_frugal: false,
        })
    }
}

impl Row {
    /// Returns between which it saves: where the load is known, what it saves.
    #[must_use]
    pub fn saved_span(&self) -> [f64; 2] {
        self.saved_range.unwrap_or([self.saved; 2])
    }

    /// Returns the range of what it saves that is shown: that of checks, or that of the loads that fit; none without either.
    #[must_use]
    pub fn shown_range(&self) -> Option<[f64; 2]> {
        self.saved_checked.or(self.saved_range)
    }

    /// Returns the row with ranges that reach as far as the same row under another load.
    pub(crate) fn widened(&self, other: &Self) -> Self {
        let hits =
            |row: &Self| row.arc_hit_range.or_else(|| row.arc_hit_ratio.map(|ratio| [ratio; 2]));
        let arc_hit_range = hits(self).zip(hits(other)).map(|(own, other)| reach(own, other));
        let saved_range = Some(reach(self.saved_span(), other.saved_span()));
        let checked = self.saved_checked.zip(other.saved_checked);
        Self {
            arc_hit_range: arc_hit_range.or(self.arc_hit_range),
            saved_range,
            saved_checked: checked.map(|(own, other)| reach(own, other)),
            ..self.clone()
        }
    }
}

/// Returns between which the hits of the one phase that counts may lie.
fn arc_hit_range(grid: &Grid, (outcome, arm): (&Outcome, &str)) -> Option<[f64; 2]> {
    let [phase] = grid.phases.as_slice() else { return None };
    let places = &outcome.ranges.as_ref()?.places;
    let place = places.iter().find(|place| place.arm == arm && place.phase == *phase)?;
    place.arc_hit_ratio.map(|span| [span.low, span.high])
}

/// Returns what was written to the cache device that is tried.
fn to_l2arc(run: &PhaseRun) -> u64 {
    let parts = run.devices.iter().filter(|device| device.part_of.as_deref() == Some(L2ARC));
    parts.map(|device| device.write_bytes.0).sum()
}
