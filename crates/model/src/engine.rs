//! The model as an engine: from a scenario to its outcome.

use arcwright_scenario::{
    AppliedSetting, ArcLimits, Arm, ArmOutcome, ArmRun, Disk, Engine, EngineError, EngineFacts,
    Event as Told, Outcome, OutputVersion, PhaseRun, Reading, RunRequest, Scenario, System, Watch,
    required_processor, to_life_size,
};
use arcwright_tunables::Version;
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::Action;

use crate::behaviour::Behaviour;
use crate::build::{Rules, build};
use crate::disks::DISK_MIN;
use crate::ids::BLOCKS_MAX;
use crate::phase::{Readers, run_phase};

/// How the model is set up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Model {
    /// Version to behave like, instead of the scenario's.
    pub version: Option<String>,
    /// Run in 1/`scale` instead of life-size.
    pub scale: Option<u64>,
    /// Behave as the libraries do in user space, for comparisons with the lab: their headers are larger,
    /// their ticks longer, and their target begins elsewhere.
    pub user_space: bool,
}

impl Engine for Model {
    fn name(&self) -> &'static str {
        "model"
    }

    fn check(&self, scenario: &Scenario) -> Result<(), EngineError> {
        check(scenario, self.scale.unwrap_or(1))?;
        self.check_blocks(scenario)
    }

    fn run(&mut self, request: &RunRequest, watch: &mut dyn Watch) -> Result<Outcome, EngineError> {
        let scenario = &request.scenario;
        self.check(scenario)?;
        let scale = self.scale.unwrap_or(1).max(1);
        let mut arms = Vec::new();
        let mut interrupted = false;
        for (number, arm) in scenario.arms.iter().enumerate() {
            if watch.stop() {
                interrupted = true;
                break;
            }
            watch.event(Told::Stage(format!("arm “{}”", arm.name)));
            let (runs, applied) = self.run_repeats(request, arm, (scale, watch))?;
            if runs.len() < request.repeats.max(1) as usize {
                interrupted = true;
                break;
            }
            let done = number as u64 + 1;
            let total = scenario.arms.len() as u64;
            watch.event(Told::Progress { done, total, left: None });
            arms.push(ArmOutcome::from_runs(arm.name.clone(), applied, runs));
        }
        Ok(Outcome {
            output_version: OutputVersion::current(),
            scenario: scenario.clone(),
            engine: EngineFacts {
                name: "model".to_owned(),
                openzfs: self.version.clone().unwrap_or_else(|| scenario.system.zfs.clone()),
                scale,
                motion: None,
                seed: scenario.seed,
                wall_ns: Nanos::ZERO,
            },
            arms,
            interrupted,
            notes: self.notes(request),
        })
    }
}

impl Model {
    /// Refuses what has more blocks than there are numbers for them.
    fn check_blocks(&self, scenario: &Scenario) -> Result<(), EngineError> {
        let small = scenario.scaled(self.scale.unwrap_or(1));
        for arm in &small.arms {
            let blocks = self.contents(&small, &small.system_of(arm)).blocks();
            if blocks > BLOCKS_MAX {
                return Err(EngineError::TooLarge {
                    what: format!(
                        "the files and trees of arm “{}” have {blocks} blocks, and the model has \
                         numbers for {BLOCKS_MAX}",
                        arm.name
                    ),
                    hint: "run it in a part of its size (--scale 16), or with larger records"
                        .to_owned(),
                });
            }
        }
        Ok(())
    }

    /// Returns what a reader of the numbers should know.
    fn notes(&self, request: &RunRequest) -> Vec<String> {
        let scenario = &request.scenario;
        let mut notes = vec![
            "a prediction; fidelity/BOARD.md says how far the model is from the real OpenZFS, and \
             --engine lab proves it"
                .to_owned(),
        ];
        let text = self.version.as_deref().unwrap_or(&scenario.system.zfs);
        let version = Version::parse(text);
        if version.is_some_and(Version::is_legacy_freebsd) {
            notes.push(format!(
                "rules of FreeBSD before 13 (here {text}) are held against the code of 2010 in eight \
                 experiments with readers, and are less close than those of today"
            ));
        } else if version.is_none_or(|version| Some(version) < Version::parse("2.1.6")) {
            notes.push(format!(
                "rules of versions before 2.1.6 (here {text}) are not held against real code yet"
            ));
        }
        if request.repeats > 1 {
            let (first, last) = (scenario.seed, seed_of(scenario, request.repeats - 1));
            notes.push(format!(
                "the model has no noise of its own: repeats have the seeds {first} to {last}, and their \
                 spread is what random accesses and moments of a start make of it"
            ));
        }
        notes
    }

    /// Runs an arm as often as asked for, each time with the next seed; fewer runs when it was stopped.
    fn run_repeats(
        &self,
        request: &RunRequest,
        arm: &Arm,
        (scale, watch): (u64, &mut dyn Watch),
    ) -> Result<(Vec<ArmRun>, Vec<AppliedSetting>), EngineError> {
        let mut life = request.scenario.clone();
        let (mut runs, mut applied) = (Vec::new(), Vec::new());
        for repeat in 0..request.repeats.max(1) {
            life.seed = seed_of(&request.scenario, repeat);
            let (phases, read_back) = self.run_arm(&life, arm, (scale, &mut *watch))?;
            if phases.len() < life.phases.len() {
                break;
            }
            runs.push(ArmRun { repeat, phases });
            applied = read_back;
        }
        Ok((runs, applied))
    }

    fn run_arm(
        &self,
        life: &Scenario,
        arm: &Arm,
        (scale, watch): (u64, &mut dyn Watch),
    ) -> Result<(Vec<PhaseRun>, Vec<AppliedSetting>), EngineError> {
        let small = life.scaled(scale);
        let arms = life.arms.iter().position(|other| other.name == arm.name);
        let small_arm = arms.and_then(|index| small.arms.get(index)).unwrap_or(arm);
        let system = small.system_of(small_arm);
        let life_system = life.system_of(arm);
        let text = self.version.as_deref().unwrap_or(&system.zfs);
        let version = Version::parse(text);
        let limits = ArcLimits::of(&life_system, version).scaled(scale);
        let behaviour = if self.user_space { Behaviour::in_user_space } else { Behaviour::of };
        let rules = Rules { behaviour: behaviour(version), version, limits, scale };
        let mut simulator = build(&small, &system, rules)?;
        let mut phases = Vec::new();
        for phase in &small.phases {
            let every = watch.reading_every();
            let mut tell = |kstats, devices, moved| {
                let moved = phase.only_reads().then_some(moved);
                let (arm, phase) = (arm.name.clone(), phase.name.clone());
                watch.event(Told::Reading(Box::new(Reading {
                    arm,
                    phase,
                    kstats,
                    devices,
                    moved,
                })));
                !watch.stop()
            };
            let readers = every.map(|every| Readers { every, tell: &mut tell });
            phases.push(to_life_size(run_phase(&mut simulator, phase, &small, readers), scale));
            if every.is_some() && watch.stop() {
                break;
            }
        }
        let applied = life_system.tunables.iter().map(|setting| {
            let held = system.tunables.iter().find(|other| other.name == setting.name);
            AppliedSetting {
                name: setting.name.clone(),
                asked: setting.value,
                read_back: held.map_or(setting.value, |held| held.value),
            }
        });
        Ok((phases, applied.collect()))
    }
}

/// Returns the seed of a repeat.
const fn seed_of(scenario: &Scenario, repeat: u32) -> u64 {
    scenario.seed.wrapping_add(repeat as u64)
}

fn check(scenario: &Scenario, scale: u64) -> Result<(), EngineError> {
    let refuse = |what: String| {
        let hint = Some("the lab may run it: --engine lab".to_owned());
        Err(EngineError::Unsupported { engine: "model", what, hint })
    };
    for phase in &scenario.phases {
        for client in &phase.clients {
            let what = match &client.action {
                Action::Read | Action::Write | Action::Mixed { .. } => None,
                Action::TreeStat | Action::TreeRead | Action::TreeCopy { .. } => None,
                other => Some(other.name()),
            };
            if let Some(what) = what {
                return refuse(format!("phase “{}” has a client “{what}”", phase.name));
            }
        }
    }
    required_processor("model", &scenario.system.cpu)?;
    for arm in &scenario.arms {
        let system = scenario.system_of(arm);
        let life = ArcLimits::of(&system, Version::parse(&system.zfs)).max;
        if let Some(what) = senseless(&system, &arm.name) {
            return refuse(what);
        }
        if Bytes(life.0 / scale.max(1)) < arcwright_scenario::ARC_MAX_SMALLEST {
            let what = format!("an ARC of {life} is below the smallest that OpenZFS takes");
            return refuse(what);
        }
    }
    Ok(())
}

/// Says what makes no sense in a system that the scenario's grammar lets through.
fn senseless(system: &System, arm: &str) -> Option<String> {
    let set = |name: &str| system.tunables.iter().find(|setting| setting.name == name);
    if set("l2arc_write_max").is_some_and(|setting| setting.value == 0) {
        return Some(format!("arm “{arm}” sets l2arc_write_max to 0, which OpenZFS replaces"));
    }
    let small = |disk: &&Disk| disk.size.is_some_and(|size| size < DISK_MIN);
    let size = system.pool.cache.iter().find(small)?.size?;
    Some(format!(
        "the cache device of arm “{arm}” has {size}, less than the {DISK_MIN} that OpenZFS takes"
    ))
}
