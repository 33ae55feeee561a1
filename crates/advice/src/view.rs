//! What a rule sees: a machine, and what was counted over the time that is judged.
//!
//! Two samples or more: the window between the first and the last, and nothing else. One sample: all
//! that was counted since the module was loaded, and every sentence says so. When the module was
//! loaded again in the window, its counters began anew: what the last sample holds was counted since
//! then.

use arcwright_kstat::{Delta, KstatDelta, NamedKstat, Reset, ResetCause};
use arcwright_machine::{Kernel, LeafIo, Machine, Pool, Reason, Sample};
use arcwright_tunables::{DefaultValue, Version, lookup};
use arcwright_units::{Bytes, Nanos};
use arcwright_whatif::Axis;
use serde::Serialize;
use std::collections::BTreeMap;

use crate::config::FileSettings;
use crate::datasets::InOrder;
use crate::estimate::Estimate;
use crate::finding::{Confidence, Evidence, Level, Over};
use crate::format;
use crate::own_load::{OwnLoad, Saved};
use crate::rows::{ARCSTATS, evidence, is_size, short};
use crate::verdict::NotJudged;
use crate::versions;

/// Accesses below which a share of them says little: at 1000 it is known to ± 3 percent points
/// (1.96 · √(0.25 / 1000)).
pub(crate) const ACCESSES_MIN: u64 = 1000;

/// The time that counters were counted over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// From the first to the last sample.
    Window(Nanos),
    /// Since the module was loaded; how long that is, if it tells.
    SinceLoad(Option<Nanos>),
    /// Nothing was counted.
    Nothing,
}

/// A machine as a rule sees it.
pub(crate) struct View<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) basis: Basis,
    /// Whether counters began anew within the window.
    pub(crate) was_reset: bool,
    /// Whether the model may be asked.
    pub(crate) estimate: Estimate,
    /// Why nothing was counted, where nothing was.
    uncounted: NotJudged,
    delta: Delta,
    pub(crate) datasets: InOrder<'a>,
    /// What files set.
    pub(crate) files: FileSettings<'a>,
    /// The load that the counters tell of, where a rule asks for it.
    own_load: OwnLoad,
}

/// A parameter as a rule sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ParameterValue {
    /// Its value.
    pub(crate) value: u64,
    /// Whether it was read; otherwise it is the default of the version.
    pub(crate) is_read: bool,
}

impl<'a> View<'a> {
    pub(crate) fn of(machine: &'a Machine, estimate: Estimate) -> Self {
        let mut uncounted = NotJudged::NoCounters;
        let mut window = None;
        if let Some(changed) = machine.window() {
            match length(machine) {
                Ok(Some(span)) => window = Some(Delta { span, ..changed }),
                Ok(None) => {}
                Err(why) => uncounted = why,
            }
        }
        let was_reset = window.as_ref().is_some_and(fell);
        let is_unknown = uncounted != NotJudged::NoCounters;
        let now =
            machine.now().filter(|now| !is_unknown && now.kstats.values().any(NamedKstat::counts));
        let (basis, delta) = match (window, now) {
            (Some(window), _) if !was_reset => (Basis::Window(window.span), window),
            (_, Some(now)) => {
                let since = Delta::since_load(now);
                (Basis::SinceLoad((since.span > Nanos::ZERO).then_some(since.span)), since)
            }
            _ => (Basis::Nothing, Delta::default()),
        };
        let datasets = InOrder::default();
        let files = FileSettings::of(machine);
        let own_load = OwnLoad::default();
        Self { machine, basis, was_reset, estimate, uncounted, delta, datasets, files, own_load }
    }

    /// Returns what a change would bring under the machine's own load, or why that is not known.
    pub(crate) fn saved(&self, axis: &Axis) -> Result<Saved, String> {
        if self.estimate != Estimate::WithOwnLoad {
            return Err("it was not asked for (arcwright doctor does)".to_owned());
        }
        let window = match self.basis {
            Basis::Window(span) => Some(span),
            Basis::SinceLoad(_) | Basis::Nothing => None,
        };
        self.own_load.saved((self.machine, window), axis)
    }

    /// Returns what was counted in a row of `arcstats`.
    pub(crate) fn arc(&self, row: &str) -> Result<u64, NotJudged> {
        self.counted(ARCSTATS, row)
    }

    /// Returns a row of `arcstats` as it is now.
    pub(crate) fn arc_now(&self, row: &str) -> Result<u64, NotJudged> {
        let now = self.machine.now().ok_or(NotJudged::NoCounters)?;
        now.get(ARCSTATS, row).ok_or_else(|| NotJudged::NoCounter(format!("arcstats.{row}")))
    }

    /// Returns what was counted in a row.
    pub(crate) fn counted(&self, kstat: &str, row: &str) -> Result<u64, NotJudged> {
        if self.basis == Basis::Nothing {
            return Err(self.uncounted.clone());
        }
        let absent = || {
            let name = format!("{}.{row}", short(kstat));
            // FreeBSD's own ZFS of 8 to 12 has neither `zil` nor `dmu_tx` nor counters of datasets.
            let legacy = self.machine.zfs.is_some_and(Version::is_legacy_freebsd);
            match legacy && !kstat.contains("arcstats") && !self.delta.kstats.contains_key(kstat) {
                true => NotJudged::Lacking(format!("{name} is not counted by this version of ZFS")),
                false => NotJudged::NoCounter(name),
            }
        };
        self.delta.counted(kstat, row).ok_or_else(absent)
    }

    /// Returns what was counted in a row of `arcstats`; nothing where this version does not have it.
    pub(crate) fn arc_or_lacking(&self, row: &str) -> Result<u64, NotJudged> {
        self.counted_or_lacking(ARCSTATS, row)
    }

    /// Returns what was counted in a row; nothing where this version does not have it.
    pub(crate) fn counted_or_lacking(&self, kstat: &str, row: &str) -> Result<u64, NotJudged> {
        let counted = self.counted(kstat, row);
        if counted.is_err() && versions::exists(self.machine, kstat, row) == Some(false) {
            return Ok(0);
        }
        counted
    }

    /// Returns what was counted in rows of all kstats whose path passes, with the path.
    pub(crate) fn kstats(&self) -> impl Iterator<Item = (&String, &KstatDelta)> {
        self.delta.kstats.iter()
    }

    /// Returns the time counted over.
    pub(crate) const fn span(&self) -> Option<Nanos> {
        match self.basis {
            Basis::Window(span) => Some(span),
            Basis::SinceLoad(span) => span,
            Basis::Nothing => None,
        }
    }

    /// Returns a count per second; none when the time is not known.
    pub(crate) fn per_s(&self, count: u64) -> Option<f64> {
        let seconds = self.span()?.as_secs_f64();
        (seconds > 0.0).then(|| count as f64 / seconds)
    }

    /// Returns how the time counted over is called in evidence.
    pub(crate) const fn over(&self) -> Over {
        match self.basis {
            Basis::Window(_) => Over::Window,
            Basis::SinceLoad(_) | Basis::Nothing => Over::SinceLoad,
        }
    }

    /// Returns the time counted over for a sentence: `in this window of 10 s`.
    pub(crate) fn when(&self) -> String {
        match self.basis {
            Basis::Window(span) => format!("in this window of {}", format::span(span)),
            Basis::SinceLoad(Some(span)) => {
                format!("since the counters began, {} ago", format::span(span))
            }
            Basis::SinceLoad(None) | Basis::Nothing => "since the counters began".to_owned(),
        }
    }

    /// Refuses to judge when fewer than `min` events of a kind were counted.
    pub(crate) fn enough(&self, count: u64, min: u64, what: &str) -> Result<(), NotJudged> {
        if count >= min {
            return Ok(());
        }
        let when = self.when();
        Err(NotJudged::Idle(match count {
            0 => format!("no {what} {when}"),
            count => format!("only {} {what} {when}", format::count(count)),
        }))
    }

    /// Returns how sure a finding is that rests on so many events.
    pub(crate) fn confidence(&self, events: u64, what: &str) -> Confidence {
        /// A transaction group may last this long (`zfs_txg_timeout`), a shorter window is a part of one.
        const TXG: Nanos = Nanos::secs(5);
        /// A minute sees more than one burst of a home server's work.
        const MINUTE: Nanos = Nanos::secs(60);
        const HOUR: Nanos = Nanos::secs(3600);
        let level = match self.basis {
            Basis::Window(span) if span >= MINUTE && events >= 10 * ACCESSES_MIN => Level::High,
            Basis::Window(span) if span >= TXG && events >= ACCESSES_MIN => Level::Fair,
            Basis::SinceLoad(_) if events >= ACCESSES_MIN => Level::Fair,
            _ => Level::Low,
        };
        let mixed = match self.basis {
            Basis::SinceLoad(Some(span)) if span < HOUR => ": a window says more",
            Basis::SinceLoad(_) => ", a mix of all hours and jobs: a window says more",
            _ => "",
        };
        let rounded = self.machine.rounded.as_ref();
        let rounded = rounded.map_or_else(String::new, |from| format!("; rounded by {from}"));
        let words = format!("{} {what} {}{mixed}{rounded}", format::count(events), self.when());
        Confidence { level, words, span_ns: self.span(), events: Some(events) }
    }

    /// Returns evidence for rows of `arcstats` that were counted, absent ones left out.
    pub(crate) fn rows<const N: usize>(&self, rows: [&str; N]) -> Vec<Evidence> {
        self.rows_of(ARCSTATS, rows)
    }

    /// Returns evidence for rows that were counted, absent ones left out.
    pub(crate) fn rows_of<const N: usize>(&self, kstat: &str, rows: [&str; N]) -> Vec<Evidence> {
        let row = |row: &&str| {
            let count = self.counted(kstat, row).ok()?;
            let over = self.over();
            Some(Evidence { over, ..evidence(kstat, row, count) })
        };
        rows.iter().filter_map(row).collect()
    }

    /// Returns evidence for rows of `arcstats` as they are now, absent ones left out.
    pub(crate) fn rows_now<const N: usize>(&self, rows: [&str; N]) -> Vec<Evidence> {
        let row = |row: &&str| Some(evidence(ARCSTATS, row, self.arc_now(row).ok()?));
        rows.iter().filter_map(row).collect()
    }

    /// Returns a parameter: as read, else the default of the version when no parameter was read.
    pub(crate) fn parameter(&self, name: &str) -> Option<ParameterValue> {
        if let Some(value) = self.machine.parameter(name) {
            return Some(ParameterValue { value, is_read: true });
        }
        if self.parameters_were_read() {
            return None;
        }
        match lookup(name)?.default_for(self.machine.zfs?)? {
            DefaultValue::Fixed(value) => Some(ParameterValue { value, is_read: false }),
            DefaultValue::Word(_) | DefaultValue::Derived(_) => None,
        }
    }

    /// Returns whether the running module has a parameter; none when nothing tells.
    pub(crate) fn has_parameter(&self, name: &str) -> Option<bool> {
        if self.machine.parameters.contains_key(name) {
            return Some(true);
        }
        let exists = |version| Some(lookup(name)?.exists_in(version));
        match self.machine.zfs.and_then(exists) {
            // One that this version has is only not among those that were read.
            Some(true) if self.parameters_were_read() => None,
            Some(exists) => Some(exists),
            None => self.parameters_were_read().then_some(false),
        }
    }

    pub(crate) fn parameters_were_read(&self) -> bool {
        !self.machine.parameters.is_empty()
    }

    /// Returns what a parameter is called on this machine.
    pub(crate) fn shown(&self, name: &str) -> String {
        if let Some(parameter) = self.machine.parameters.get(name) {
            return parameter.name.clone();
        }
        let legacy = self.machine.zfs.is_some_and(Version::is_legacy_freebsd);
        let entry = lookup(name).filter(|_| self.is_freebsd());
        let there = entry
            .and_then(|entry| if legacy { &entry.freebsd_legacy } else { &entry.freebsd }.clone());
        there.unwrap_or_else(|| name.to_owned())
    }

    /// Returns evidence for parameters, absent ones left out.
    pub(crate) fn settings<const N: usize>(&self, names: [&str; N]) -> Vec<Evidence> {
        let setting = |name: &&str| {
            let held = self.parameter(name)?;
            let value = match is_size(name) && held.value >= 1 << 20 {
                true => Bytes(held.value).to_string(),
                false => held.value.to_string(),
            };
            let value = match held.is_read {
                true => value,
                false => format!("{value}, the default of this version (not read)"),
            };
            Some(Evidence { exact: Some(held.value), ..Evidence::setting(self.shown(name), value) })
        };
        names.iter().filter_map(setting).collect()
    }

    pub(crate) fn is_freebsd(&self) -> bool {
        let legacy = self.machine.zfs.is_some_and(Version::is_legacy_freebsd);
        legacy || self.machine.os == Some(Kernel::Freebsd)
    }

    /// Returns whether the module is of `version` or later; of an unknown one nothing is known.
    pub(crate) fn is_from(&self, version: &str) -> Option<bool> {
        Some(self.machine.zfs? >= Version::parse(version)?)
    }

    /// Returns what vdevs of a pool did, by their names.
    pub(crate) fn io(&self, pool: &str) -> Option<&BTreeMap<String, LeafIo>> {
        self.machine.samples.last()?.vdevs.get(pool)
    }

    /// Returns the time that the vdevs' I/O is of.
    pub(crate) fn io_over(&self) -> Over {
        let last = self.machine.samples.last();
        let since = last.is_none_or(|sample| sample.vdevs_since_import);
        if since { Over::SinceLoad } else { Over::Window }
    }

    /// Returns the pools, or why there are none to judge.
    pub(crate) fn pools(&self) -> Result<&'a [Pool], NotJudged> {
        if self.machine.pools.is_empty() {
            return Err(self.not_read("the pools", "zpool"));
        }
        Ok(&self.machine.pools)
    }

    /// Says that something was not read, with the reason of the first problem whose source has `hint`.
    pub(crate) fn not_read(&self, what: &str, hint: &str) -> NotJudged {
        let problem = self.machine.problems.iter().find(|problem| problem.source.contains(hint));
        let why = match problem.map(|problem| (&problem.reason, &problem.source)) {
            Some((Reason::Denied, source)) => format!(" ({source} needs privilege)"),
            Some((Reason::Absent, source)) => format!(" ({source} does not exist)"),
            Some((_, source)) => format!(" ({source} failed)"),
            None => String::new(),
        };
        let verb = if format::is_plural(what) { "were" } else { "was" };
        NotJudged::NotRead(format!("{what} {verb} not read{why}"))
    }

    /// Returns the pools of which devices were read, their layout or not, or why there are none to judge.
    pub(crate) fn told(&self) -> Result<impl Iterator<Item = &'a Pool>, NotJudged> {
        self.pools_with(|pool| !pool.vdevs.is_empty() || !pool.strays.is_empty())
    }

    /// Returns the pools whose layout was read, or why there are none to judge.
    pub(crate) fn laid_out(&self) -> Result<impl Iterator<Item = &'a Pool>, NotJudged> {
        self.pools_with(|pool| !pool.vdevs.is_empty())
    }

    fn pools_with(
        &self,
        is_told: fn(&Pool) -> bool,
    ) -> Result<impl Iterator<Item = &'a Pool> + use<'a>, NotJudged> {
        if !self.machine.pools.iter().any(is_told) {
            return Err(self.not_read("the layout of pools", "zpool-status"));
        }
        Ok(self.machine.pools.iter().filter(move |pool| is_told(pool)))
    }
}

/// Returns whether the ARC's counters began anew.
fn fell(window: &Delta) -> bool {
    let anew = |reset: &Reset| reset.kstat == ARCSTATS && reset.cause != ResetCause::Wrapped;
    window.resets.iter().any(anew)
}

/// Returns the time between the first and the last sample; none when neither has a moment, and an error
/// when only one of them has.
///
/// The counters' own moment comes before that of the sample, which holds other texts too.
fn length(machine: &Machine) -> Result<Option<Nanos>, NotJudged> {
    let (Some(first), Some(last)) = (machine.samples.first(), machine.samples.last()) else {
        return Ok(None);
    };
    let known = |time: Nanos| (time > Nanos::ZERO).then_some(time);
    let own = |sample: &Sample| known(sample.kstats.kstats.get(ARCSTATS)?.snaptime);
    let moments = match (own(first), own(last)) {
        (None, None) => (known(first.kstats.at), known(last.kstats.at)),
        moments => moments,
    };
    match moments {
        (Some(first), Some(last)) if last > first => Ok(Some(last.saturating_sub(first))),
        (Some(_), None) | (None, Some(_)) => Err(NotJudged::NotRead(
            "the length of the window was not read (one of two samples has no time)".to_owned(),
        )),
        _ => Ok(None),
    }
}
