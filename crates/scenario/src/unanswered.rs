//! Whether a comparison found nothing because there was nothing to find: a cache that was never full, or not yet warm.
//!
//! Two arms with caches of different sizes do the same as long as everything fits into the smaller one. That they do
//! the same is then no answer to whether a larger cache helps.
//!
//! ```text
//!   arms differ in             and, in phases that read, "no difference" is refused when
//!   the ARC's limit            neither ARC was ever full
//!   what the L2ARC may hold    the ARC in front of it was never full
//!   cache devices              the feed was at its limit, and the device not full
//! ```
//!
//! The last is not asked of a sequence that somebody measured: whether it comes out so is the question there.
//!
//! An ARC was full when it had nine tenths of its limit at the end of a phase, or evicted more than a hundredth of it.
//! A difference that was found stands: it has another cause, such as how much may be written before disks must follow.

use arcwright_kstat::EVICTED_ROWS;
use arcwright_tunables::{DefaultValue, Version, lookup};
use arcwright_units::{Bytes, Rate};
use arcwright_workload::Action;

use crate::answer::{Answer, Difference};
use crate::disk::Disk;
use crate::experiment::Arm;
use crate::limits::ArcLimits;
use crate::outcome::{ArmOutcome, Outcome, PhaseRun};
use crate::system::System;

/// The share of its limit from which an ARC counts as full, in percent; and the share that it evicts at least.
const FULL_PERCENT: u64 = 90;
const EVICTED_PERCENT: u64 = 1;
/// The share of what the feed may write from which it is at its limit, in percent.
const FEED_PERCENT: u64 = 80;

/// An arm that ran, and its machine.
struct Ran<'a> {
    outcome: &'a ArmOutcome,
    system: System,
    limit: Bytes,
    scale: u64,
}

/// How full a cache got.
struct Fill {
    held: Bytes,
    limit: Bytes,
    is_full: bool,
}

impl Answer {
    /// Returns what is missing for an answer, in sentences; none where the comparison answers.
    #[must_use]
    pub fn missing(&self, outcome: &Outcome) -> Option<String> {
        let against = self.against.as_ref().filter(|against| against.arm != self.place.arm)?;
        if self.find(outcome)?.difference != Difference::Same {
            return None;
        }
        let (arm, phase, there) = (&self.place.arm, &self.place.phase, &against.arm);
        if !reads(outcome, phase) {
            return None;
        }
        let (one, other) = (Ran::of(outcome, &self.place.arm)?, Ran::of(outcome, &against.arm)?);
        let phases = [self.place.phase.as_str(), against.phase.as_str()];
        let is_reported = outcome.scenario.reported.as_ref().is_some_and(|reported| {
            reported.figures.iter().any(|it| it.arm == *arm && it.phase == *phase)
        });
        let why = one
            .not_warm(phases[0])
            .or_else(|| other.not_warm(phases[1]))
            .or_else(|| one.arc_never_full(&other, phases))
            .or_else(|| one.cache_not_warm(&other, phases, is_reported))?;
        Some(format!("Not answered, whether “{arm}” differs from “{there}” in “{phase}”: {why}"))
    }
}

impl Outcome {
    /// Returns that arms with different limits of the ARC never filled it, whatever was asked.
    #[must_use]
    pub fn never_full(&self) -> Option<String> {
        let all: Vec<Ran<'_>> =
            self.arms.iter().filter_map(|arm| Ran::of(self, &arm.name)).collect();
        let first = all.first()?;
        let last = first.outcome.phases.last()?.name.as_str();
        let fills: Vec<Fill> = all.iter().map(|arm| arm.arc(last)).collect::<Option<_>>()?;
        let differs = all.iter().any(|arm| arm.limit != first.limit);
        let largest = fills.iter().max_by_key(|fill| fill.held)?;
        (differs && fills.iter().all(|fill| !fill.is_full)).then(|| {
            format!(
                "no ARC was ever full ({} at most, of {}), so that this experiment says nothing about its size",
                largest.held, largest.limit
            )
        })
    }
}

impl Outcome {
    /// Returns which phases ended without warm caches, in a sentence; none where all were warm that should be.
    #[must_use]
    pub fn not_warm(&self) -> Option<String> {
        let places: Vec<String> = self
            .arms
            .iter()
            .flat_map(|arm| arm.phases.iter().map(move |run| (arm, run)))
            .filter_map(|(arm, run)| {
                let rounds = rounds_in_vain(run)?;
                Some(format!("“{}” after {rounds} rounds of “{}”", arm.name, run.name))
            })
            .collect();
        let (first, more) = (places.first()?, places.len() - 1);
        let more = if more == 0 { String::new() } else { format!(" (and {more} more)") };
        Some(format!(
            "the caches were not warm yet: {first}{more}. Give the phase more rounds (rounds_max), or longer ones"
        ))
    }
}

impl<'a> Ran<'a> {
    fn of(outcome: &'a Outcome, name: &str) -> Option<Self> {
        let scenario = &outcome.scenario;
        let arm = scenario.arms.iter().find(|arm| arm.name == name)?;
        let ran = outcome.arms.iter().find(|arm| arm.name == name)?;
        let system = scenario.system_of(arm);
        let scale = outcome.engine.scale.max(1);
        let limits = ArcLimits::of(&system, version_of(outcome, arm)).scaled(scale);
        Some(Self { outcome: ran, system, limit: limits.max.saturating_mul(scale), scale })
    }

    /// Says that a phase up to this one ended without warm caches.
    fn not_warm(&self, phase: &str) -> Option<String> {
        let mut runs = self.phases(phase);
        let run = runs.find(|run| rounds_in_vain(run).is_some())?;
        let name = &self.outcome.name;
        Some(format!(
            "the caches of “{name}” were not warm after “{}”. Let it have more rounds (rounds_max).",
            run.name
        ))
    }

    /// Says that neither ARC was ever full, where their limits differ.
    fn arc_never_full(&self, other: &Self, [phase, there]: [&str; 2]) -> Option<String> {
        let (one, two) = (self.arc(phase)?, other.arc(there)?);
        if self.limit == other.limit || one.is_full || two.is_full {
            return None;
        }
        Some(format!(
            "the ARC was never full ({}; {}). Make what is read larger than the ARC, or read more of it before.",
            one.in_words(&self.outcome.name),
            two.in_words(&other.outcome.name)
        ))
    }

    /// Says that a cache device got nothing to do, or was still filling, where the arms differ in what they cache on one.
    fn cache_not_warm(
        &self,
        other: &Self,
        [phase, there]: [&str; 2],
        is_reported: bool,
    ) -> Option<String> {
        if !differ_in_cache(&self.system, &other.system) {
            return None;
        }
        let both = [(self, phase), (other, there)];
        let mut with_cache = both.iter().filter(|(arm, _)| !arm.system.pool.cache.is_empty());
        with_cache.find_map(|(arm, phase)| {
            let name = &arm.outcome.name;
            let fill = arm.arc(phase)?;
            if !fill.is_full {
                return Some(format!(
                    "the ARC was never full ({}), so that it held all that the cache device did. Make \
                     what is read larger than the ARC, or read more of it before.",
                    fill.in_words(name)
                ));
            }
            let is_added = self.system.pool.cache != other.system.pool.cache;
            let run = arm.phases(phase).last()?;
            let cache = arm.cache(phase)?;
            let at_limit = arm.feed_rate()?.time_for(run.l2arc_write_bytes).0
                >= run.duration_ns.0 / 100 * FEED_PERCENT;
            (is_added && !is_reported && at_limit && !cache.is_full).then(|| {
                format!(
                    "the L2ARC was still filling ({}), as fast as l2arc_write_max lets it. Let it fill \
                     in phases before.",
                    cache.in_words(name)
                )
            })
        })
    }

    /// Returns the phases up to one.
    fn phases(&self, last: &str) -> impl Iterator<Item = &'a PhaseRun> + use<'a> {
        let phases = &self.outcome.phases;
        let count =
            phases.iter().position(|run| run.name == last).map_or(phases.len(), |at| at + 1);
        phases.iter().take(count)
    }

    /// Returns the most that a row of arcstats had at the end of a phase, given its differences; none where there is no
    /// such row.
    fn most(&self, row: &str, last: &str) -> Option<Bytes> {
        let mut held: i64 = 0;
        let ends = self.phases(last).filter_map(|run| {
            held = held.saturating_add(*run.kstats.get("arcstats")?.get(row)?);
            Some(held)
        });
        let most = u64::try_from(ends.max()?).unwrap_or(0);
        Some(Bytes(most).saturating_mul(self.scale))
    }

    fn arc(&self, last: &str) -> Option<Fill> {
        let held = self.most("size", last)?;
        let evicted = EVICTED_ROWS.iter().filter_map(|row| self.most(row, last)).sum::<Bytes>();
        let is_full =
            held >= part(self.limit, FULL_PERCENT) || evicted > part(self.limit, EVICTED_PERCENT);
        Some(Fill { held, limit: self.limit, is_full })
    }

    fn cache(&self, last: &str) -> Option<Fill> {
        let limit: Bytes = self.system.pool.cache.iter().map(Disk::used).sum();
        let held = self.most("l2_size", last)?;
        Some(Fill { held, limit, is_full: held >= part(limit, FULL_PERCENT) })
    }

    /// Returns how much the feed writes at most in a second, without boost.
    fn feed_rate(&self) -> Option<Rate> {
        let name = "l2arc_write_max";
        let own = self.system.tunables.iter().find(|setting| setting.name == name);
        let default = || {
            let version = Version::parse(&self.system.zfs)?;
            match lookup(name)?.default_for(version)? {
                DefaultValue::Fixed(value) => Some(value),
                _ => None,
            }
        };
        own.map(|setting| setting.value).or_else(default).filter(|rate| *rate > 0).map(Rate)
    }
}

impl Fill {
    fn in_words(&self, arm: &str) -> String {
        format!("“{arm}”: {} of {}", self.held, self.limit)
    }
}

/// Returns how many rounds a phase had that did not warm the caches; none where they are warm, or need not be.
fn rounds_in_vain(run: &PhaseRun) -> Option<u32> {
    run.warm_up.filter(|it| !it.is_warm).map(|it| it.rounds)
}

/// Says whether a phase reads files or trees.
fn reads(outcome: &Outcome, phase: &str) -> bool {
    let phase = outcome.scenario.phases.iter().find(|other| other.name == phase);
    phase.is_some_and(|phase| phase.clients.iter().any(|client| client.action != Action::Write))
}

/// Returns the version that an arm ran: its own, else the engine's.
fn version_of(outcome: &Outcome, arm: &Arm) -> Option<Version> {
    let own = arm.zfs.as_deref().and_then(Version::parse);
    own.or_else(|| Version::parse(&outcome.engine.openzfs))
        .or_else(|| Version::parse(&outcome.scenario.system.zfs))
}

/// Says whether two machines cache other things on devices.
fn differ_in_cache(one: &System, other: &System) -> bool {
    let settings = |system: &System| -> Vec<(String, u64)> {
        let of_cache = system.tunables.iter().filter(|setting| setting.name.starts_with("l2arc_"));
        of_cache.map(|setting| (setting.name.clone(), setting.value)).collect()
    };
    let (a, b) = (&one.pool, &other.pool);
    a.cache != b.cache || a.secondarycache != b.secondarycache || settings(one) != settings(other)
}

fn part(whole: Bytes, percent: u64) -> Bytes {
    Bytes(whole.0 / 100 * percent)
}
