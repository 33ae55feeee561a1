//! The model as an engine: from a scenario to its outcome.

mod build;
mod kstats;
mod need;
mod phase;
mod progress;
mod simulator;
mod tunables;

use arcwright_scenario::{
    AppliedSetting, ArcLimits, ArmOutcome, ArmRun, Disk, Engine, EngineError, EngineFacts, Outcome,
    OutputVersion, PhaseRun, RunRequest, Scenario, System, Watch, to_full_scale,
};
use arcwright_tunables::Version;
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::Action;

use crate::ids::BLOCKS_MAX;
use crate::io::disks::DISK_MIN;
use crate::versions::behaviour::Behaviour;
use crate::versions::work::LockOps;
use build::{Rules, build};
pub use need::Need;
use phase::Follow as _;
use progress::{ArmProgress, RunPart, Work};

/// How the model is set up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Model {
    /// Version to behave like, instead of the scenario's.
    pub version: Option<String>,
    /// Run in 1/`scale` instead of full scale.
    pub scale: Option<u64>,
    /// Behave as the libraries do in user space, for comparisons with the lab: their headers are larger,
    /// their ticks longer, and their target begins elsewhere.
    pub user_space: bool,
    /// Count the processor's work with these instead of the version's own, for the fit of them.
    pub lock_ops: Option<LockOps>,
}

/// The runs of an arm, and the settings that were in force.
struct Runs {
    runs: Vec<ArmRun>,
    applied: Vec<AppliedSetting>,
}

/// The phases of a run, and the settings that were in force.
struct Phases {
    phases: Vec<PhaseRun>,
    applied: Vec<AppliedSetting>,
}

impl Engine for Model {
    fn name(&self) -> &'static str {
        "model"
    }

    fn check(&self, scenario: &Scenario) -> Result<(), EngineError> {
        check(scenario, self.part())?;
        tunables::check(scenario, &|system| Version::parse(self.version_of(system)))?;
        self.check_compression(scenario)?;
        self.check_blocks(scenario)
    }

    fn run(&mut self, request: &RunRequest, watch: &mut dyn Watch) -> Result<Outcome, EngineError> {
        let scenario = &request.scenario;
        self.check(scenario)?;
        let scale = self.part();
        let mut arms = Vec::new();
        let mut interrupted = false;
        for (number, arm) in scenario.arms.iter().enumerate() {
            if watch.stop() {
                interrupted = true;
                break;
            }
            let Runs { runs, applied } = self.run_repeats(request, number, watch)?;
            if runs.len() < request.repeats.max(1) as usize {
                interrupted = true;
                break;
            }
            arms.push(ArmOutcome::from_runs(arm.name.clone(), applied, runs));
        }
        Ok(Outcome {
            output_version: OutputVersion::current(),
            scenario: scenario.clone(),
            engine: EngineFacts {
                name: "model".to_owned(),
                openzfs: self.version_of(&scenario.system).to_owned(),
                scale,
                motion: None,
                seed: scenario.seed,
                wall_ns: Nanos::ZERO,
            },
            arms,
            interrupted,
            notes: self.notes(request),
            ranges: None,
        })
    }
}

impl Model {
    /// Returns which part of full scale it runs in, as a divisor; all of it when nothing is said.
    pub(crate) fn part(&self) -> u64 {
        self.scale.unwrap_or(1).max(1)
    }

    /// Returns the version that it behaves like on a system: that system's, when no other is given.
    pub(crate) fn version_of<'a>(&'a self, system: &'a System) -> &'a str {
        self.version.as_deref().unwrap_or(&system.zfs)
    }

    /// Refuses compression by releases whose caches hold what is stored as it is.
    fn check_compression(&self, scenario: &Scenario) -> Result<(), EngineError> {
        if !scenario.has_compressible() {
            return Ok(());
        }
        let systems = scenario.arms.iter().map(|arm| scenario.system_of(arm));
        let is_old = |system: &System| {
            Version::parse(self.version_of(system)) < Version::parse("0.7")
                && system.pool.compresses()
        };
        match systems.into_iter().find(is_old) {
            None => Ok(()),
            Some(system) => Err(EngineError::Unsupported {
                engine: "model",
                what: format!(
                    "what compresses in {}: before OpenZFS 0.7 the ARC holds blocks as they are in files",
                    self.version_of(&system)
                ),
                hint: Some("set compression = \"off\"".to_owned()),
            }),
        }
    }

    /// Refuses what has more blocks than there are numbers for them.
    fn check_blocks(&self, scenario: &Scenario) -> Result<(), EngineError> {
        let small = scenario.scaled(self.part());
        for arm in &small.arms {
            let blocks = self.contents(&small, &small.system_of(arm)).blocks();
            if blocks > BLOCKS_MAX {
                return Err(EngineError::TooLarge {
                    what: format!(
                        "the files and trees of arm “{}” have {blocks} blocks, and the model \
                         supports {BLOCKS_MAX}",
                        arm.name
                    ),
                    hint: "scale it down (--scale 16), or use larger records".to_owned(),
                });
            }
        }
        Ok(())
    }

    /// Returns what a reader of the numbers should know.
    fn notes(&self, request: &RunRequest) -> Vec<String> {
        let scenario = &request.scenario;
        let mut notes = vec![
            "a prediction of the model: fidelity/BOARD.md shows its distance from the real \
             OpenZFS; --engine lab measures with the real code"
                .to_owned(),
        ];
        let text = self.version_of(&scenario.system);
        let version = Version::parse(text);
        if version.is_some_and(Version::is_legacy_freebsd) {
            notes.push(format!(
                "rules of FreeBSD before 13 (here {text}) are validated against the code of 2010 \
                 in eight read experiments, and are less accurate than those of current versions"
            ));
        } else if version.is_none_or(|version| Some(version) < Version::parse("2.1.6")) {
            notes.push(format!(
                "rules of versions before 2.1.6 (here {text}) are not yet validated against real \
                 code"
            ));
        }
        let idle = tunables::without_effect(scenario);
        if !idle.is_empty() {
            notes.push(format!("nothing in an experiment depends on: {}", idle.join(", ")));
        }
        if request.repeats > 1 {
            let (first, last) = (scenario.seed, seed_of(scenario, request.repeats - 1));
            notes.push(format!(
                "the model is deterministic: repeats use the seeds {first} to {last}; their spread \
                 comes from random accesses and start-up timing"
            ));
        }
        notes
    }

    /// Runs the arm of this number as often as asked for, each time with the next seed; fewer runs when it was stopped.
    fn run_repeats(
        &self,
        request: &RunRequest,
        number: usize,
        watch: &mut dyn Watch,
    ) -> Result<Runs, EngineError> {
        let mut full = request.scenario.clone();
        let (mut runs, mut applied) = (Vec::new(), Vec::new());
        for repeat in 0..request.repeats.max(1) {
            full.seed = seed_of(&request.scenario, repeat);
            let runs_before = number as u64 * u64::from(request.repeats.max(1)) + u64::from(repeat);
            let all = request.scenario.arms.len() as u64 * u64::from(request.repeats.max(1));
            let part = RunPart { runs_before, runs: all, watch: &mut *watch };
            let Phases { phases, applied: read_back } = self.run_arm(&full, number, part)?;
            if phases.len() < full.phases.len() {
                break;
            }
            runs.push(ArmRun { repeat, phases });
            applied = read_back;
        }
        Ok(Runs { runs, applied })
    }

    #[expect(clippy::indexing_slicing, reason = "a scaled scenario has the arms that it had")]
    fn run_arm<'a>(
        &self,
        full: &'a Scenario,
        number: usize,
        part: RunPart<'a>,
    ) -> Result<Phases, EngineError> {
        let scale = self.part();
        let small = full.scaled(scale);
        let (arm, small_arm) = (&full.arms[number], &small.arms[number]);
        let (full_system, system) = (full.system_of(arm), small.system_of(small_arm));
        let version = Version::parse(self.version_of(&system));
        let limits = ArcLimits::of(&full_system, version).scaled(scale);
        let behaviour = if self.user_space { Behaviour::in_user_space } else { Behaviour::of };
        let lock_ops = self.lock_ops.unwrap_or_else(|| LockOps::of_release(version));
        let rules = Rules { behaviour: behaviour(version), version, lock_ops, limits, scale };
        let work = Work::of(&small, &system, &self.contents(&small, &system));
        let mut progress = ArmProgress::new(&arm.name, work, part);
        progress.begin_building();
        let mut simulator = build(&small, &system, rules)?;
        let mut phases = Vec::new();
        for phase in &small.phases {
            if progress.is_stopped() {
                break;
            }
            progress.begin(phase);
            let run = simulator.run_phase(phase, &small, &mut progress);
            if progress.is_stopped() {
                break;
            }
            phases.push(to_full_scale(run, scale));
            progress.end();
        }
        let applied = full_system.tunables.iter().zip(&system.tunables).map(|(asked, held)| {
            debug_assert_eq!(asked.name, held.name, "a scaled system has other settings");
            AppliedSetting { name: asked.name.clone(), asked: asked.value, read_back: held.value }
        });
        Ok(Phases { phases, applied: applied.collect() })
    }
}

/// Returns the seed of a repeat.
const fn seed_of(scenario: &Scenario, repeat: u32) -> u64 {
    scenario.seed.wrapping_add(repeat as u64)
}

fn check(scenario: &Scenario, scale: u64) -> Result<(), EngineError> {
    let refuse = |what: String| {
        let hint = Some("the lab may support it: --engine lab".to_owned());
        Err(EngineError::Unsupported { engine: "model", what, hint })
    };
    for phase in &scenario.phases {
        for client in &phase.clients {
            let what = match &client.action {
                Action::Read | Action::Write | Action::Mixed { .. } => None,
                Action::TreeStat | Action::TreeRead | Action::TreeCopy { .. } => None,
                // One that has no requests comes from a saved result.
                Action::Trace { replay, .. } if !replay.requests().is_empty() => None,
                other => Some(other.name()),
            };
            if let Some(what) = what {
                return Err(EngineError::client("model", &phase.name, what));
            }
        }
    }
    scenario.system.required_processor("model")?;
    for arm in &scenario.arms {
        let system = scenario.system_of(arm);
        let full = ArcLimits::of(&system, Version::parse(&system.zfs)).max;
        if let Some(what) = senseless(&system, &arm.name) {
            return refuse(what);
        }
        if Bytes(full.0 / scale.max(1)) < arcwright_scenario::ARC_MAX_SMALLEST {
            let what = format!("an ARC of {full} is below OpenZFS's minimum");
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
    let is_zero = |name: &str| set(name).is_some_and(|setting| setting.value == 0);
    let stopped =
        ["sync_read", "sync_write", "async_read", "async_write"].into_iter().find(|class| {
            ["min", "max"].into_iter().all(|end| is_zero(&format!("zfs_vdev_{class}_{end}_active")))
        });
    if is_zero("zfs_vdev_max_active") || stopped.is_some() {
        return Some(format!(
            "arm “{arm}” lets disks have no requests, so that its pool stands still"
        ));
    }
    let small = |disk: &&Disk| disk.size.is_some_and(|size| size < DISK_MIN);
    let size = system.pool.cache.iter().find(small)?.size?;
    Some(format!(
        "the cache device of arm “{arm}” has {size}, less than OpenZFS's minimum of {DISK_MIN}"
    ))
}
