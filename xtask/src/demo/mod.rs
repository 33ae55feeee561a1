//! `cargo xtask demo`: the recorded run of the lab that `arcwright serve --demo` plays.
//!
//! ```text
//!   scenario ──lab──> counters every second ──> columns of differences ──gzip──> crates/cli/src/commands/serve/demo.json.gz
//! ```
//!
//! The run is the same whenever it is made; a page without ZFS shows real counters of the real OpenZFS.

use std::io::Write as _;

use anyhow::{Context as _, anyhow, ensure};
use arcwright_machine::DeviceCount;
use arcwright_scenario::{CounterReading, Engine, Event, RunRequest, Scenario, Watch};
use arcwright_units::Nanos;
use arcwright_web::{LiveReading, RecordedReadings, RecordedRun};
use flate2::Compression;
use flate2::write::GzEncoder;

const SCENARIO: &str = include_str!("demo.toml");
const OPENZFS: &str = "2.3.2";
const ARM: &str = "as it is";
const PHASE: &str = "evening";
const PLACE: &str = "crates/cli/src/commands/serve/demo.json.gz";
const MADE_BY: &str = "cargo xtask demo";
const TOLD: &str = "A recorded run of the lab, in a loop: the real OpenZFS 2.3.2 in user space, on emulated disks, with invented \
     clients. Nothing here is of this machine.";
/// What the program may spend on it.
const BYTES_MAX: usize = 60_000;

pub(crate) fn run() -> anyhow::Result<()> {
    let scenario =
        Scenario::parse(SCENARIO, "demo.toml").map_err(|error| anyhow!("demo.toml: {error}"))?;
    let mut recorder = Recorder::default();
    let mut outcome = crate::lab(OPENZFS)?
        .run(&RunRequest { scenario, repeats: 1 }, &mut recorder)
        .context("failed to run the demo in the lab")?;
    for arm in &mut outcome.arms {
        arm.runs.clear();
        for run in &mut arm.phases {
            run.latency.buckets.clear();
            run.sync_latency.iter_mut().for_each(|latency| latency.buckets.clear());
            run.series = None;
        }
    }
    // What tells how long it took would be another with each run.
    outcome.engine.wall_ns = Nanos::ZERO;
    let count = recorder.readings.len();
    let run = RecordedRun {
        told: TOLD.to_owned(),
        made_by: MADE_BY.to_owned(),
        outcome,
        arm: ARM.to_owned(),
        phase: PHASE.to_owned(),
        readings: RecordedReadings::of(&recorder.readings),
    };
    let text = serde_json::to_string(&run)?;
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(text.as_bytes())?;
    let bytes = packer.finish()?;
    println!("{count} readings, {} bytes, {} packed", text.len(), bytes.len());
    ensure!(bytes.len() <= BYTES_MAX, "that is more than {BYTES_MAX}");
    std::fs::write(crate::root().join(PLACE), bytes).context("failed to keep the run")
}

/// Keeps readings as they come.
#[derive(Default)]
struct Recorder {
    readings: Vec<LiveReading>,
    /// What clients had read before this phase, and in it so far.
    before: u64,
    moved: u64,
    phase: String,
}

impl Recorder {
    fn take(&mut self, reading: CounterReading) {
        if reading.phase != self.phase {
            self.before += self.moved;
            self.moved = 0;
            self.phase = reading.phase;
        }
        if let Some(moved) = reading.moved {
            self.moved = moved.0;
        }
        // Not known where a client does something else than to read.
        let programs_read_bytes = reading.moved.map(|moved| self.before + moved.0);
        let disks = reading.devices.into_iter().map(|device| DeviceCount {
            role: device.role.name().to_owned(),
            name: device.name,
            detail: String::new(),
            reads: device.reads,
            writes: device.writes,
            read_bytes: device.read_bytes.0,
            write_bytes: device.write_bytes.0,
            request_ns: None,
            busy_ns: Some(device.busy_ns.0),
        });
        let mut kept = LiveReading {
            at: reading.kstats.at,
            disks: disks.collect(),
            programs_read_bytes,
            ..LiveReading::default()
        };
        kept.sample.kstats = reading.kstats;
        self.readings.push(kept);
    }
}

impl Watch for Recorder {
    fn event(&mut self, event: Event) {
        if let Event::Reading(reading) = event {
            self.take(*reading);
        }
    }

    fn stop(&self) -> bool {
        false
    }

    fn reading_every(&self) -> Option<Nanos> {
        Some(Nanos::secs(1))
    }
}
