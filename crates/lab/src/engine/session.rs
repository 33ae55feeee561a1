//! One request in progress: images, calibration, arms in turns, and what they found.

use arcwright_scenario::{
    AppliedSetting, Arm, ArmOutcome, ArmRun, EngineFacts, Event, LabClock, Outcome, OutputVersion,
    PhaseRun, Scenario, System, Watch, to_full_scale,
};
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::Action;

use super::image::{self, Image};
use super::overhead::Overhead;
use super::prepared::Prepared;
use super::workers::{self, End};
use super::{calibrate, support};
use crate::LabError;
use crate::protocol::{Environment, Job, Message, RunTask, ScaledSetting, Task};

/// One request to the engine in progress.
pub(crate) struct Session<'a> {
    prepared: &'a Prepared<'a>,
    repeats: u32,
    watch: &'a mut dyn Watch,
    images: Vec<Image>,
    dilation: Option<f64>,
    notes: Vec<String>,
    interrupted: bool,
    done: u64,
    total: u64,
    arms: Vec<ArmState>,
}

/// What one arm has done so far.
struct ArmState {
    name: String,
    applied: Vec<AppliedSetting>,
    runs: Vec<ArmRun>,
}

impl<'a> Session<'a> {
    /// Begins a session in which every arm runs `repeats` times.
    pub(crate) fn new(prepared: &'a Prepared<'a>, repeats: u32, watch: &'a mut dyn Watch) -> Self {
        let arm =
            |arm: &Arm| ArmState { name: arm.name.clone(), applied: Vec::new(), runs: Vec::new() };
        let arms: Vec<ArmState> = prepared.full_scale.arms.iter().map(arm).collect();
        let per_run: u64 = phases_bytes(&prepared.scaled);
        let runs = u64::from(repeats) * arms.len() as u64;
        Self {
            prepared,
            repeats,
            watch,
            images: Vec::new(),
            dilation: prepared.full_scale.lab.motion,
            notes: Vec::new(),
            interrupted: false,
            done: 0,
            total: image::bytes(&prepared.scaled) + per_run * runs,
            arms,
        }
    }

    /// Builds, calibrates and runs all arms, in turns when repeated.
    ///
    /// # Errors
    /// [`LabError`] of a worker or of the system.
    pub(crate) fn perform(&mut self) -> Result<(), LabError> {
        self.build_images()?;
        let lab = &self.prepared.full_scale.lab;
        if lab.clock == LabClock::Real && lab.motion.is_none() && !self.interrupted {
            self.calibrate()?;
        }
        for repeat in 0..self.repeats {
            for index in 0..self.arms.len() {
                if self.interrupted || self.watch.stop() {
                    self.interrupted = true;
                    return Ok(());
                }
                self.run_arm(index, repeat)?;
            }
        }
        Ok(())
    }

    fn build_images(&mut self) -> Result<(), LabError> {
        let scaled = &self.prepared.scaled;
        for arm in &scaled.arms {
            let system = scaled.system_of(arm);
            if self.images.iter().any(|image| image.fits(&system)) {
                continue;
            }
            self.watch.event(Event::Stage("building the pool".to_owned()));
            let folder = self.prepared.scratch.join(format!("image-{}", self.images.len()));
            let (done, total) = (self.done, self.total);
            let watch = std::cell::RefCell::new(&mut *self.watch);
            let image = image::build(
                self.prepared,
                &system,
                &folder,
                &mut |now, _| {
                    let mut watch = watch.borrow_mut();
                    watch.event(Event::Progress { done: done + now, total, left: None });
                },
                &|| watch.borrow().stop(),
            )?;
            match image {
                Some(image) => self.images.push(image),
                None => {
                    self.interrupted = true;
                    return Ok(());
                }
            }
            self.done += image::bytes(scaled);
        }
        Ok(())
    }

    fn calibrate(&mut self) -> Result<(), LabError> {
        let Some(file) = self.prepared.scaled.files.iter().max_by_key(|file| file.size) else {
            return Ok(());
        };
        self.watch.event(Event::Stage("calibrating the speed of time".to_owned()));
        let phase = calibrate::phase(&file.name, file.size);
        let system = self.prepared.scaled.system.clone();
        let task = RunTask {
            arm: String::new(),
            folder: self.prepared.scratch.join("calibration"),
            replays: RunTask::replays_of(std::slice::from_ref(&phase)),
            phases: vec![phase],
            tunables: Vec::new(),
            dilation: Some(1.0),
            environment: calibrate::ENVIRONMENT,
            readings: None,
        };
        let runs = self.work(&system, task)?;
        let Some(run) = runs.phases.first() else { return Ok(()) };
        let measured = run.throughput_bytes_per_sec;
        let wanted = self.prepared.processor.read_rate;
        let dilation = calibrate::dilation(self.prepared.scale, measured, wanted);
        self.dilation = Some(dilation);
        let note = format!(
            "calibrated: OpenZFS moves {measured} on this processor, {wanted} on “{}” by its \
             profile; time runs at {dilation} virtual seconds per second",
            self.prepared.full_scale.system.cpu
        );
        self.note(note);
        Ok(())
    }

    /// Runs the first arm in turns on instant disks and on the bare library.
    ///
    /// # Errors
    /// As [`Session::perform`].
    pub(crate) fn compare_surroundings(&mut self, turns: u32) -> Result<Overhead, LabError> {
        self.build_images()?;
        let (full_scale, scaled) = (self.prepared.full_scale, &self.prepared.scaled);
        let (mut bare, mut emulated) = (Vec::new(), Vec::new());
        for turn in 0..turns {
            self.watch.event(Event::Stage(format!("repeat {} of {turns}", turn + 1)));
            for environment in [Environment::Instant, Environment::Bare] {
                let Some(arm) = full_scale.arms.first() else { continue };
                let system = scaled.system_of(arm);
                let tunables = self.tunables(arm, &system);
                let task = RunTask {
                    arm: arm.name.clone(),
                    folder: self.prepared.scratch.join("turn"),
                    phases: scaled.phases.clone(),
                    replays: RunTask::replays_of(&scaled.phases),
                    tunables,
                    dilation: Some(1.0),
                    environment,
                    readings: None,
                };
                let output = self.work(&system, task)?;
                let rate = output.phases.first().map(|run| run.throughput_bytes_per_sec);
                let list = if environment == Environment::Bare { &mut bare } else { &mut emulated };
                list.extend(rate);
            }
        }
        let openzfs = self.prepared.libraries.main().version.clone();
        Ok(Overhead { openzfs, bare, emulated })
    }

    fn run_arm(&mut self, index: usize, repeat: u32) -> Result<(), LabError> {
        let scaled = &self.prepared.scaled;
        let (Some(arm), Some(full_scale)) =
            (scaled.arms.get(index), self.prepared.full_scale.arms.get(index))
        else {
            return Ok(());
        };
        let stage = stage_name(&arm.name, repeat, self.repeats);
        let system = scaled.system_of(arm);
        let tunables = self.tunables(full_scale, &system);
        let task = RunTask {
            arm: arm.name.clone(),
            folder: self.prepared.scratch.join(format!("arm-{index}-{repeat}")),
            phases: scaled.phases.clone(),
            replays: RunTask::replays_of(&scaled.phases),
            tunables,
            dilation: self.dilation,
            environment: Environment::Emulated,
            readings: self.watch.reading_every(),
        };
        let runs = self.work_as(&stage, &system, task)?;
        if self.interrupted {
            return Ok(());
        }
        self.done += phases_bytes(scaled);
        self.watch.event(Event::Finished { arm: arm.name.clone(), repeat });
        let scale = self.prepared.scale;
        let phases = runs.phases.into_iter().map(|run| to_full_scale(run, scale)).collect();
        if let Some(state) = self.arms.get_mut(index) {
            state.applied = runs.applied;
            state.runs.push(ArmRun { repeat, phases });
        }
        Ok(())
    }

    /// Runs one task in a worker and collects what it says.
    fn work(&mut self, system: &System, task: RunTask) -> Result<WorkerOutput, LabError> {
        self.work_as("", system, task)
    }

    /// The same, telling of each phase as it begins as a part of `stage`, unless that is empty.
    fn work_as(
        &mut self,
        stage: &str,
        system: &System,
        task: RunTask,
    ) -> Result<WorkerOutput, LabError> {
        let names: Vec<String> = task.phases.iter().map(|phase| phase.name.clone()).collect();
        let begins = |number: usize| {
            let phase = names.get(number).filter(|_| !stage.is_empty())?;
            Some(Event::Stage(format!("{stage}, {phase}")))
        };
        begins(0).into_iter().for_each(|event| self.watch.event(event));
        let folder = task.folder.clone();
        let failed = |source| LabError::Io { what: "making an arm's folder".to_owned(), source };
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let image = self.images.iter().find(|image| image.fits(system));
        let image = image.map(|image| image.folder.clone()).unwrap_or_default();
        let job = Job { image, ..self.prepared.job(system, Task::Run(task)) };
        let mut output = WorkerOutput::default();
        let (done, total) = (self.done, self.total);
        let watch = std::cell::RefCell::new(&mut *self.watch);
        let end =
            workers::run(self.prepared.program, &job, &|| watch.borrow().stop(), &mut |message| {
                match message {
                    Message::Progress { done: now, .. } => {
                        let mut watch = watch.borrow_mut();
                        watch.event(Event::Progress { done: done + now, total, left: None });
                    }
                    Message::Reading(reading) => watch.borrow_mut().event(Event::Reading(reading)),
                    Message::Applied(applied) => output.applied = applied,
                    Message::Note(note) => output.notes.push(note),
                    Message::Phase(run) => {
                        output.phases.push(*run);
                        let next = begins(output.phases.len());
                        next.into_iter().for_each(|event| watch.borrow_mut().event(event));
                    }
                    Message::Crashed(_) | Message::Recovered(_) => {}
                    Message::Done | Message::Failed(_) => {}
                }
            })?;
        self.interrupted |= end == End::Stopped;
        // What an arm leaves behind is two empty files; they go with the scratch folder anyway.
        let _gone = std::fs::remove_dir_all(&folder);
        for note in std::mem::take(&mut output.notes) {
            self.note(note);
        }
        Ok(output)
    }

    /// Returns what the arm sets, as asked and scaled, after the ARC limits that memory implies.
    fn tunables(&self, arm: &Arm, scaled: &System) -> Vec<ScaledSetting> {
        let full_scale = self.prepared.full_scale.system_of(arm);
        let library = self.prepared.libraries.of(&full_scale);
        let mut all = support::arc_limits(&full_scale, library, self.prepared.scale);
        all.extend(support::dirty_limit(self.prepared.full_scale, &full_scale));
        let limits = ["zfs_arc_min", "zfs_arc_max"];
        for setting in full_scale.tunables.iter().filter(|it| !limits.contains(&it.name.as_str())) {
            let value = scaled.tunables.iter().find(|other| other.name == setting.name);
            let scaled = value.map_or_else(|| setting.value, |scaled| scaled.value);
            all.push(ScaledSetting { asked: setting.clone(), scaled });
        }
        all
    }

    fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.watch.event(Event::Note(note.clone()));
            self.notes.push(note);
        }
    }

    /// Returns what was found, in the numbers of the full-scale experiment.
    pub(crate) fn outcome(mut self, wall: Nanos) -> Outcome {
        let unscaled = self.prepared.full_scale.unscaled_names();
        if self.prepared.scale > 1 && !unscaled.is_empty() {
            self.notes.push(format!("not scaled with the rest: {}", unscaled.join(", ")));
        }
        let libraries = &self.prepared.libraries;
        let version = libraries.main().version.clone();
        self.notes.extend(libraries.notes(self.prepared.full_scale));
        let arms = self.arms.into_iter().filter(|arm| !arm.runs.is_empty());
        Outcome {
            output_version: OutputVersion::current(),
            scenario: self.prepared.full_scale.clone(),
            engine: EngineFacts {
                name: "lab".to_owned(),
                openzfs: version,
                scale: self.prepared.scale,
                motion: self.dilation,
                seed: self.prepared.full_scale.seed,
                wall_ns: wall,
            },
            arms: arms.map(|arm| ArmOutcome::from_runs(arm.name, arm.applied, arm.runs)).collect(),
            interrupted: self.interrupted,
            notes: self.notes,
            ranges: None,
        }
    }
}

/// What a worker said.
#[derive(Debug, Default)]
struct WorkerOutput {
    applied: Vec<AppliedSetting>,
    phases: Vec<PhaseRun>,
    notes: Vec<String>,
}

fn stage_name(arm: &str, repeat: u32, repeats: u32) -> String {
    match repeats {
        1 => format!("arm “{arm}”"),
        _ => format!("arm “{arm}”, run {} of {repeats}", repeat + 1),
    }
}

fn phases_bytes(scenario: &Scenario) -> u64 {
    let size_of = |name: &str| {
        if let Some(tree) = scenario.trees.iter().find(|tree| tree.name == name) {
            return tree.drawn(scenario.seed).bytes();
        }
        scenario.files.iter().find(|file| file.name == name).map_or(Bytes::ZERO, |file| file.size)
    };
    let clients = scenario.phases.iter().flat_map(|phase| &phase.clients);
    let moving = clients.filter(|client| client.action != Action::TreeStat);
    moving.map(|client| client.amount.unwrap_or_else(|| size_of(&client.file)).0).sum()
}
