//! The experiment that a plan rests on: the pool as it is, and with the SSD in each role, under one load.

use arcwright_scenario::{
    Answer, Arm, Disk, Measure, Phase, Place, Scenario, SyncMode, System, VdevLayout, VdevSpec,
};
use arcwright_units::Bytes;
use arcwright_workload::{Action, Client, Durability};

use crate::SsdError;
use crate::device::Ssd;
use crate::log_size::LogSize;
use crate::pool::Redundancy;
use crate::roles::{Needs, Roles, Split};

/// A difference up to this share of it is none.
pub const ALIKE: f64 = 0.05;
/// SSDs that a plan has roles for.
const SSDS_MAX: usize = 2;

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct SsdQuestion {
    /// The pool and its load.
    pub scenario: Scenario,
    /// The arm that is the pool as it is; the first without it.
    pub arm: Option<String>,
    /// The SSDs, one or two.
    pub ssds: Vec<Ssd>,
    /// The phases that matter; those that the scenario itself asks about without them.
    pub phases: Vec<String>,
    /// What would lie on a special vdev, where somebody counted.
    pub special: Option<Bytes>,
    /// Whether it is known which writes of the load wait for stable storage.
    pub waits_are_known: bool,
}

/// The experiment, ready for an engine.
#[derive(Debug, Clone, PartialEq)]
pub struct Trials {
    /// The scenario to run; its first arm has no SSD.
    pub scenario: Scenario,
    pub(crate) ssds: Vec<Ssd>,
    pub(crate) phases: Vec<String>,
    pub(crate) trials: Vec<Trial>,
    pub(crate) not_tried: Vec<String>,
    pub(crate) log_size: LogSize,
    pub(crate) redundancy: Redundancy,
    pub(crate) base: System,
    /// How the SSDs begin to be called in the scenario.
    names: String,
    pub(crate) metadata: Option<Bytes>,
}

/// One use of the SSDs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Trial {
    pub(crate) roles: Roles,
    pub(crate) split: Split,
}

impl Trials {
    /// Returns the experiment that answers what is asked.
    ///
    /// # Errors
    /// [`SsdError`] for an arm or a phase that the scenario lacks, and for more SSDs than two.
    pub fn of(question: SsdQuestion) -> Result<Self, SsdError> {
        let SsdQuestion { mut scenario, arm, ssds, phases, special, waits_are_known } = question;
        if ssds.is_empty() || ssds.len() > SSDS_MAX {
            return Err(SsdError::HowMany { count: ssds.len() });
        }
        let base = reference_arm(&scenario, arm.as_deref())?.clone();
        let phases = counted_phases(&scenario, phases)?;
        let system = scenario.system_of(&base);
        let rate = ssds.iter().map(Ssd::write_rate).fold(f64::INFINITY, f64::min);
        let log_size = LogSize::of(&system, rate);
        let needs = Needs { log: log_size.size, special };
        let smallest = ssds.iter().map(|ssd| ssd.size).min().unwrap_or_default();
        let load = Load { waits_are_known, ..Load::of(&scenario, &system) };
        let mut not_tried = load.without(&system);
        let mut trials = Vec::new();
        for roles in Roles::ALL {
            if load.can_use(roles, &system) && (!roles.apart || ssds.len() > 1) {
                match Split::of(roles, smallest, needs) {
                    Some(split) => trials.push(Trial { roles, split }),
                    None => not_tried.push(format!("{}: it does not fit", roles.name())),
                }
            }
        }
        let names = unused(&system);
        let arms = trials.iter().map(|trial| trial.arm(&base, &system, (&ssds, &names)));
        scenario.arms = arms.collect();
        scenario.reported = None;
        let used = trials.iter().filter(|trial| trial.roles.count() > 0);
        let used: Vec<String> = used.map(|trial| trial.roles.name()).collect();
        let used: Vec<&str> = used.iter().map(String::as_str).collect();
        let nothing = Roles::default().name();
        scenario.answers = comparisons(&scenario, &phases, (&used, &nothing));
        let redundancy = Redundancy::of(&system.pool.data);
        Ok(Self {
            scenario,
            ssds,
            phases,
            trials,
            not_tried,
            log_size,
            redundancy,
            names,
            base: system,
            metadata: special,
        })
    }

    /// Returns what an SSD is called in the scenario; they are counted from 0.
    pub(crate) fn called(&self, ssd: usize) -> String {
        called(&self.names, ssd)
    }
}

impl Trial {
    /// Returns the arm: the pool as it is, and the parts beside what it has.
    fn arm(&self, base: &Arm, system: &System, (ssds, names): (&[Ssd], &str)) -> Arm {
        let mut arm = Arm { name: self.roles.name(), ..base.clone() };
        let parts = |role: &str, size: Bytes| -> Vec<Disk> {
            let numbers = self.roles.has(role, ssds.len()).into_iter();
            numbers
                .filter_map(|number| Some(ssds.get(number)?.part(called(names, number), size)))
                .collect()
        };
        let vdev = |role: &str, size: Bytes| {
            let disks = parts(role, size);
            let layout = if disks.len() > 1 { VdevLayout::Mirror } else { VdevLayout::Single };
            VdevSpec { layout, disks }
        };
        let pool = &system.pool;
        if let Some(size) = self.split.log {
            arm.log = Some(pool.log.iter().cloned().chain([vdev("log", size)]).collect());
        }
        if let Some(size) = self.split.special {
            arm.special =
                Some(pool.special.iter().cloned().chain([vdev("special", size)]).collect());
        }
        if let Some(size) = self.split.cache {
            arm.cache = Some(pool.cache.iter().cloned().chain(parts("cache", size)).collect());
        }
        arm
    }
}

fn called(names: &str, ssd: usize) -> String {
    format!("{names}{}", ssd + 1)
}

/// Returns how no device of the pool begins to be called: parts of one name share a device.
fn unused(system: &System) -> String {
    let mut names = "planned-ssd-".to_owned();
    let is_used = |names: &str| {
        let mut devices = system.pool.disks().filter_map(|disk| disk.part_of.as_ref());
        devices.any(|device| device.starts_with(names))
    };
    while is_used(&names) {
        names.push('-');
    }
    names
}

/// Returns the arm that others are compared with: the one of this name, or the first.
///
/// # Errors
/// [`SsdError::NoSuchArm`].
pub fn reference_arm<'a>(scenario: &'a Scenario, name: Option<&str>) -> Result<&'a Arm, SsdError> {
    let named = |arm: &&Arm| name.is_none_or(|name| arm.name == name);
    scenario.arms.iter().find(named).ok_or_else(|| SsdError::NoSuchArm {
        name: name.unwrap_or_default().to_owned(),
        known: listed(scenario.arms.iter().map(|arm| arm.name.as_str())),
    })
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

/// Returns the phases that count: those named, else those whose figures somebody reported, else those that the
/// scenario's answers speak of, else all that are measured.
///
/// # Errors
/// [`SsdError::NoSuchPhase`].
pub fn counted_phases(scenario: &Scenario, named: Vec<String>) -> Result<Vec<String>, SsdError> {
    let all = || scenario.phases.iter().map(|phase| phase.name.as_str());
    if let Some(name) = named.iter().find(|name| !all().any(|known| known == *name)) {
        return Err(SsdError::NoSuchPhase { name: name.clone(), known: listed(all()) });
    }
    let reported = |phase: &Phase| {
        let reported = scenario.reported.iter().flat_map(|reported| &reported.figures);
        reported.into_iter().any(|figure| figure.phase == phase.name)
    };
    let answered =
        |phase: &Phase| scenario.answers.iter().any(|answer| answer.place.phase == phase.name);
    let measured = |phase: &Phase| phase.until_warm.is_none();
    let with = |counts: &dyn Fn(&Phase) -> bool| -> Vec<String> {
        let phases = scenario.phases.iter().filter(|phase| counts(phase));
        phases.map(|phase| phase.name.clone()).collect()
    };
    let named = with(&|phase| named.contains(&phase.name));
    let kinds = [named, with(&reported), with(&answered), with(&measured), with(&|_| true)];
    Ok(kinds.into_iter().find(|phases| !phases.is_empty()).unwrap_or_default())
}

/// What the load has that a role would serve.
#[derive(Debug, Clone, Copy)]
struct Load {
    waits_are_known: bool,
    waits: bool,
    reads: bool,
    names: bool,
}

impl Load {
    fn of(scenario: &Scenario, system: &System) -> Self {
        let clients = || scenario.phases.iter().flat_map(|phase| &phase.clients);
        let datasets = system.pool.datasets.iter().map(|dataset| dataset.properties.sync);
        let always = system.pool.sync == SyncMode::Always
            || datasets.flatten().any(|sync| sync == SyncMode::Always);
        // What a job does is not known before it has been played.
        let is_open = |client: &Client| matches!(client.action, Action::Fio { .. });
        let waits = |client: &Client| {
            client.durability != Durability::Later
                || client.action.writes() && always
                || is_open(client)
        };
        let reads = |client: &Client| match &client.action {
            Action::Trace { replay, .. } => replay.reads(),
            action => *action != Action::Write,
        };
        Self {
            waits_are_known: true,
            waits: clients().any(waits),
            reads: clients().any(reads),
            names: !scenario.trees.is_empty(),
        }
    }

    fn can_use(self, roles: Roles, system: &System) -> bool {
        let special = self.names && system.pool.special.is_empty();
        (self.waits || !roles.log) && (special || !roles.special) && (self.reads || !roles.cache)
    }

    /// Says which roles are not tried, and why.
    fn without(self, system: &System) -> Vec<String> {
        let mut all = Vec::new();
        if !self.waits_are_known {
            all.push(
                "log: which writes wait for stable storage was not counted; a capture of this machine has it".to_owned(),
            );
        } else if !self.waits {
            all.push(
                "log: nothing in this load waits for stable storage, so a log device is never used"
                    .to_owned(),
            );
        }
        if !self.reads {
            all.push("cache: nothing is read".to_owned());
        }
        if !system.pool.special.is_empty() {
            all.push("special: the pool has a special vdev".to_owned());
        } else if !self.names {
            all.push(
                "special: no names are looked up in this load, so there is hardly any metadata to read".to_owned(),
            );
        }
        all
    }
}

/// Returns a comparison of some arms with another for each phase, for which the model then has ranges.
#[must_use]
pub fn comparisons(
    scenario: &Scenario,
    phases: &[String],
    (arms, against): (&[&str], &str),
) -> Vec<Answer> {
    let mut all = Vec::new();
    for arm in arms {
        for phase in scenario.phases.iter().filter(|phase| phases.contains(&phase.name)) {
            let measures: &[Measure] = match is_paced(phase) {
                true => &[Measure::SyncLatency, Measure::DiskReads],
                false => &[Measure::Throughput],
            };
            all.extend(measures.iter().map(|measure| Answer {
                measure: *measure,
                place: Place { arm: (*arm).to_owned(), phase: phase.name.clone() },
                against: Some(Place { arm: against.to_owned(), phase: phase.name.clone() }),
                alike: ALIKE,
                better: String::new(),
                same: String::new(),
                worse: String::new(),
            }));
        }
    }
    all
}

/// Says whether clients ask at a pace of their own, so that a faster pool does not move more.
pub(crate) fn is_paced(phase: &Phase) -> bool {
    let keeps_time = |client: &Client| match &client.action {
        Action::Trace { replay, .. } => replay.is_paced(),
        _ => false,
    };
    let is_paced =
        |client: &Client| client.rate.is_some() || client.think.0 > 0 || keeps_time(client);
    phase.clients.iter().any(is_paced)
}
