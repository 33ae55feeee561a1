//! What an engine found of each use: what clients wait, what the SSD writes, what it holds.

use arcwright_scenario::{ArcLimits, Measure, Outcome, Phase, PhaseRun, RangeOfAnswer, Span};
use arcwright_tunables::Version;
use arcwright_units::{Bytes, Nanos, Rate};
use schemars::JsonSchema;
use serde::Serialize;

use crate::roles::{Roles, Split};
use crate::trials::{Trial, Trials, is_paced};

/// One use of the SSDs, and what came of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Use {
    /// `nothing`, `log`, `log + cache`.
    pub name: String,
    /// The roles.
    pub roles: Roles,
    /// The partitions.
    pub split: Split,
    /// What it did in each phase that counts.
    pub phases: Vec<PhaseOfUse>,
    /// The time that all requests of clients in these phases wait together, in seconds: as many requests as with the pool as
    /// it is, so that a phase that ends by the clock counts like any other.
    pub waiting_s: f64,
    /// The part of that of the pool as it is which is saved; less than 0 where they wait longer.
    pub saved: f64,
    /// Between which that lies by the loads that a machine's counters do not tell apart; absent where there is one.
    pub saved_range: Option<[f64; 2]>,
    /// Between which it lay in four of five checks of such predictions, and with other places of the trace where not all are
    /// simulated; of recorded traces alone, and absent where nothing like it was checked.
    pub saved_checked: Option<[f64; 2]>,
    /// Bytes read from the data disks in these phases.
    pub disk_reads: Bytes,
    /// Bytes written to an SSD per hour of these phases, to the one that is written most.
    pub written_per_hour: Bytes,
    /// How many years each SSD lasts; absent where its endurance is not known, and where nothing is written.
    pub years: Option<f64>,
    /// The most that the log held; absent without log.
    pub log_held: Option<Bytes>,
    /// What the caches held in the end; absent without cache.
    pub cache_held: Option<Bytes>,
    /// What the headers of full caches take of the ARC; absent where nothing was written to them.
    pub headers: Option<Bytes>,
    /// Whether the cache is smaller than what was there for it, because of its headers.
    pub is_bound_by_headers: bool,
    /// Why it is not to be chosen, whatever it gains.
    pub refused: Option<String>,
}

/// A use that is better by another load than the one of the plan.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct OtherUse {
    /// Its name.
    pub name: String,
    /// What it saves by that load, as a part of what clients wait.
    pub saved: f64,
}

/// A phase of a use.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct PhaseOfUse {
    /// Its name.
    pub name: String,
    /// Whether clients ask at a pace of their own, so that only the wait can change.
    pub is_paced: bool,
    /// Bytes per second of all clients.
    pub throughput_bytes_per_sec: Rate,
    /// Requests per second of all clients.
    pub operations_per_sec: f64,
    /// Requests of all clients.
    pub requests: u64,
    /// Mean time from a request to its answer.
    pub wait_ns: Nanos,
    /// Half of the synchronous writes took no longer; absent without any.
    pub sync_p50_ns: Option<Nanos>,
    /// Bytes read from the data disks.
    pub disk_reads: Bytes,
    /// How many times the throughput of the pool as it is this may be; absent at a pace of the clients, and where nothing
    /// comparable was checked.
    pub times: Option<Span>,
    /// Where half of the synchronous writes may lie, in nanoseconds; likewise.
    pub sync_p50_range: Option<Span>,
    /// Where the bytes read from the disks may lie; likewise.
    pub disk_reads_range: Option<Span>,
}

impl Use {
    /// Returns what came of a trial; none where its arm did not end.
    pub(crate) fn of(trials: &Trials, trial: &Trial, outcome: &Outcome) -> Option<Self> {
        let name = trial.roles.name();
        let arm = outcome.arms.iter().find(|arm| arm.name == name)?;
        let specs = trials.scenario.phases.iter();
        let specs = specs.filter(|phase| trials.phases.contains(&phase.name));
        let runs: Vec<(&Phase, &PhaseRun)> = specs
            .map(|spec| Some((spec, arm.phases.iter().find(|run| run.name == spec.name)?)))
            .collect::<Option<_>>()?;
        let phases = runs.iter().map(|(spec, run)| PhaseOfUse::of(spec, run, (outcome, &name)));
        let duration: f64 = runs.iter().map(|(_, run)| run.duration_ns.as_secs_f64()).sum();
        let of_ssd =
            |ssd: usize| runs.iter().map(|(_, run)| written(run, &trials.called(ssd))).sum::<u64>();
        let most = (0..trials.ssds.len()).map(of_ssd).max().unwrap_or_default();
        let per_hour = most as f64 / duration.max(1e-3) * 3600.0;
        let scale = outcome.engine.scale.max(1);
        let held = |row: &str| {
            let of_phase = |run: &PhaseRun| run.kstats.get("arcstats")?.get(row).copied();
            let sum: i64 = arm.phases.iter().filter_map(of_phase).sum();
            Bytes(u64::try_from(sum).unwrap_or(0)).saturating_mul(scale)
        };
        let cache_held = trial.split.cache.map(|_| held("l2_size"));
        let of_block = cache_held.filter(|data| data.0 > 0);
        let of_block = of_block.map(|data| held("l2_hdr_size").0 as f64 / data.0 as f64);
        let arc = ArcLimits::of(&trials.base, Version::parse(&trials.base.zfs)).max;
        let caches = trial.roles.has("cache", trials.ssds.len()).len();
        let (split, is_bound) = trial.split.within(of_block, (arc, caches));
        let whole = split.cache.map(|size| size.saturating_mul(caches as u64));
        let headers = of_block.zip(whole).map(|(each, whole)| Bytes::of_f64(each * whole.0 as f64));
        Some(Self {
            phases: phases.collect(),
            waiting_s: 0.0,
            saved: 0.0,
            saved_range: None,
            saved_checked: saved_in_checks(outcome, &name, &trials.phases),
            disk_reads: runs.iter().map(|(_, run)| run.device_read_bytes).sum(),
            written_per_hour: Bytes::of_f64(per_hour),
            years: None,
            log_held: arm.phases.iter().filter_map(|run| run.log_bytes_max).max(),
            cache_held,
            headers,
            is_bound_by_headers: is_bound,
            refused: None,
            roles: trial.roles,
            split,
            name,
        })
    }
}

/// Returns between which a prediction of the wait that an arm saves lay when such predictions were checked: of the one phase that
/// counts, where it plays a recorded trace.
#[must_use]
pub fn saved_in_checks(outcome: &Outcome, arm: &str, phases: &[String]) -> Option<[f64; 2]> {
    let [phase] = phases else { return None };
    let span = outcome.ranges.as_ref()?.of(arm, phase)?.wait_times_first_arm?;
    Some([1.0 - span.high, 1.0 - span.low])
}

/// Returns the least and the most of two ranges.
#[must_use]
pub fn reach([low, high]: [f64; 2], [least, most]: [f64; 2]) -> [f64; 2] {
    [low.min(least), high.max(most)]
}

/// Returns how long as many requests as in `base` wait together, in seconds.
#[must_use]
pub fn waiting(phases: &[PhaseOfUse], base: &[PhaseOfUse]) -> f64 {
    let pairs = phases.iter().zip(base);
    pairs.map(|(here, there)| here.wait_ns.as_secs_f64() * there.requests as f64).sum()
}

impl PhaseOfUse {
    /// Returns what a phase of an arm did, with its ranges.
    #[must_use]
    pub fn of(spec: &Phase, run: &PhaseRun, (outcome, arm): (&Outcome, &str)) -> Self {
        let range = |measure: Measure| {
            let answers = outcome.scenario.answers.iter();
            let at = answers.enumerate().find(|(_, answer)| {
                answer.measure == measure
                    && answer.place.arm == arm
                    && answer.place.phase == spec.name
            });
            let found = outcome.ranges.as_ref()?.answers.get(at?.0)?.as_ref()?;
            match found {
                RangeOfAnswer::Times(span) | RangeOfAnswer::Figure(span) => Some(*span),
                RangeOfAnswer::NeverChecked => None,
            }
        };
        let seconds = run.duration_ns.as_secs_f64().max(1e-9);
        Self {
            name: spec.name.clone(),
            is_paced: is_paced(spec),
            throughput_bytes_per_sec: run.throughput_bytes_per_sec,
            operations_per_sec: run.operations as f64 / seconds,
            requests: run.latency.count,
            wait_ns: run.latency.mean_ns,
            sync_p50_ns: run.sync_latency.as_ref().map(|latency| latency.p50_ns),
            disk_reads: run.device_read_bytes,
            times: range(Measure::Throughput),
            sync_p50_range: range(Measure::SyncLatency),
            disk_reads_range: range(Measure::DiskReads),
        }
    }
}

/// Returns what was written to one of the SSDs of the plan.
fn written(run: &PhaseRun, ssd: &str) -> u64 {
    let parts = run.devices.iter().filter(|device| device.part_of.as_deref() == Some(ssd));
    parts.map(|device| device.write_bytes.0).sum()
}
