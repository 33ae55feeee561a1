//! Watching an experiment: an engine runs in a thread of its own and waits for whoever looks.

use std::path::Path;
use std::sync::mpsc::{self, SyncSender};

use arcwright_machine::DeviceCount;
use arcwright_scenario::{CounterReading, DeviceRun, Event, RunRequest, Watch};
use arcwright_tui::{DashboardSample, Pace, Update};
use arcwright_units::Nanos;

use super::Watched;
use crate::arguments::{EngineChoice, WatchArguments};
use crate::engines;
use crate::problem::Problem;
use crate::scenario_file;

/// Readings that the engine may be ahead.
const AHEAD_MAX: usize = 2;
/// Readings shown per second at first.
const PER_SECOND: u32 = 8;

pub(super) fn begin(arguments: &WatchArguments, scenario: &Path) -> Result<Watched, Problem> {
    let scenario = scenario_file::read(scenario, &arguments.experiment)?;
    let mut engine = engines::chosen(&arguments.experiment, &scenario)?;
    engine.check(&scenario)?;
    let zfs = engines::version(&arguments.experiment, &scenario)?;
    let scale = match arguments.experiment.engine {
        EngineChoice::Lab => scenario.lab.scale,
        EngineChoice::Model => arguments.experiment.scale.unwrap_or(1),
    };
    let part = if scale > 1 { format!(" at 1/{scale}") } else { String::new() };
    let title = format!("{} of OpenZFS {zfs}{part}, {}", engine.name(), scenario.title);
    let (sender, feed) = mpsc::sync_channel(AHEAD_MAX);
    let every = Nanos(u64::try_from(arguments.interval.as_nanos()).unwrap_or(u64::MAX));
    let mut follower = Follower { sender, every, is_alone: false };
    let source = std::thread::spawn(move || {
        let request = RunRequest { scenario, repeats: 1 };
        let end = match engine.run(&request, &mut follower) {
            Ok(_) => Update::End("the experiment is over".to_owned()),
            Err(error) => Update::Failed(error.to_string()),
        };
        // Nobody listens any more when the dashboard was closed.
        let _told = follower.sender.send(end);
    });
    let pace = match arguments.experiment.engine {
        EngineChoice::Lab => Pace::Live,
        EngineChoice::Model => Pace::PerSecond(PER_SECOND),
    };
    Ok(Watched { title, feed, pace, source: Some(source) })
}

/// Sends readings on, and ends the run when nobody takes them any more.
struct Follower {
    sender: SyncSender<Update>,
    every: Nanos,
    /// Nobody takes readings any more.
    is_alone: bool,
}

impl Watch for Follower {
    fn event(&mut self, event: Event) {
        let update = match event {
            Event::Reading(reading) => Update::Sample(Box::new(moment(*reading))),
            Event::Stage(_) | Event::Progress { .. } | Event::Finished { .. } | Event::Note(_) => {
                return;
            }
        };
        self.is_alone |= self.sender.send(update).is_err();
    }

    fn stop(&self) -> bool {
        self.is_alone
    }

    fn reading_every(&self) -> Option<Nanos> {
        Some(self.every)
    }
}

fn moment(reading: CounterReading) -> DashboardSample {
    DashboardSample {
        kstats: reading.kstats,
        place: format!("arm “{}”", reading.arm),
        activity: reading.phase,
        devices: reading.devices.into_iter().map(device).collect(),
        read_bytes: reading.moved.map(|moved| moved.0),
        written_bytes: reading.written.map(|written| written.0),
        ..DashboardSample::default()
    }
}

fn device(run: DeviceRun) -> DeviceCount {
    DeviceCount {
        role: run.role.name().to_owned(),
        name: run.name,
        detail: run.profile,
        reads: run.reads,
        writes: run.writes,
        read_bytes: run.read_bytes.0,
        write_bytes: run.write_bytes.0,
        request_ns: None,
        busy_ns: Some(run.busy_ns.0),
    }
}
