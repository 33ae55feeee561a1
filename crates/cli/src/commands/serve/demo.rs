//! A recorded run of the lab, played again and again as if it were this machine.
//!
//! `cargo xtask demo` makes it. The lab has the real OpenZFS, so counters are those of its caches; disks are models.

use std::io::Read as _;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use arcwright_advice::{Estimate, advise};
use arcwright_host::tune::Facts;
use arcwright_machine::Machine;
use arcwright_tunables::persist::{Places, Platform, PlatformProbe};
use arcwright_tunables::{DefaultValue, Entry, Kernel, Running, Seen, entries};
use arcwright_twin::simulated::machine_of;
use arcwright_units::Nanos;
use arcwright_web::{LiveReading, OpenedReadings, RecordedRun};
use flate2::read::GzDecoder;

use super::readings::Readings;
use super::shared::Shared;
use crate::commands::doctor::policy::Policy;
use crate::commands::server::{Judgement, nanos, now, wait};
use crate::interrupt::Interrupt;

static RECORDED: &[u8] = include_bytes!("demo.json.gz");
/// The file is our own; this only says how large it may become.
const BYTES_MAX: u64 = 16 << 20;
/// How often it is judged, and what over.
const JUDGE_EVERY: Duration = Duration::from_secs(5);
const WINDOW: Nanos = Nanos::secs(60);

/// The run, and where it is.
pub(crate) struct Demo {
    title: String,
    told: String,
    machine: Machine,
    readings: OpenedReadings,
    next: usize,
}

impl Demo {
    pub(crate) fn open() -> anyhow::Result<Self> {
        let mut text = String::new();
        GzDecoder::new(RECORDED)
            .take(BYTES_MAX)
            .read_to_string(&mut text)
            .context("failed to unpack the recorded run")?;
        let run: RecordedRun =
            serde_json::from_str(&text).context("failed to read the recorded run")?;
        let mut machine = machine_of(&run.outcome, &run.arm, &run.phase)
            .context("the recorded run lacks its arm")?;
        machine.parameters.retain(|_, parameter| !parameter.value.is_empty());
        Ok(Self {
            title: format!("demo: {}", run.outcome.scenario.title),
            told: run.told,
            machine,
            readings: run.readings.opened(),
            next: 0,
        })
    }

    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    pub(super) fn told(&self) -> &str {
        &self.told
    }

    pub(crate) fn zfs(&self) -> Option<String> {
        self.machine.zfs_text.clone()
    }

    pub(crate) const fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Returns all of its readings, oldest first, at the times of the run.
    pub(crate) fn all_readings(&self) -> Vec<LiveReading> {
        let numbers = 0..self.readings.count();
        numbers.filter_map(|number| self.readings.reading(number, Nanos::ZERO)).collect()
    }

    /// Returns the parameters of the lab: those that the experiment sets, and defaults.
    pub(super) fn facts(&self) -> Facts {
        let (kernel, version) = (Kernel::Linux, self.machine.zfs);
        let default = |entry: &Entry| {
            let version = version.filter(|version| entry.exists_in(*version))?;
            match entry.default_on(kernel, version)? {
                DefaultValue::Word(word) => Some(word.to_owned()),
                // What the module shows where it derives a value.
                _ => entry.shown_by_default(kernel, version).map(|value| value.to_string()),
            }
        };
        let seen = |value: String| Seen { value, writable: Some(true) };
        let defaults =
            entries().iter().filter_map(|entry| Some((entry.name.clone(), seen(default(entry)?))));
        let mut running = Running {
            kernel,
            version,
            version_text: self.zfs(),
            memory: self.machine.memory.as_ref().map(|memory| memory.total),
            arc_bounds: None,
            parameters: defaults.collect(),
        };
        for (name, parameter) in &self.machine.parameters {
            running.parameters.insert(name.clone(), seen(parameter.value.clone()));
        }
        let signs = PlatformProbe {
            kernel,
            os_release: None,
            product: None,
            present: std::collections::BTreeSet::new(),
        };
        let places = Places {
            platform: Platform::Debian,
            signs,
            files: Vec::new(),
            records: Some(Vec::new()),
        };
        let problems = vec!["the lab has no files of settings; these are parameters".to_owned()];
        Facts { running, places, problems }
    }
}

impl Readings for Demo {
    /// The run once through, as if it had just ended: whoever opens the page sees what it is for at once.
    fn past(&mut self, interval: Duration) -> Vec<LiveReading> {
        let (Some(now), count) = (now(), self.readings.count()) else { return Vec::new() };
        let reading = |number: usize| {
            let before = u64::try_from(count - number).ok()?.checked_mul(nanos(interval).0)?;
            self.readings.reading(number, Nanos(now.0.checked_sub(before)?))
        };
        (0..count).filter_map(reading).collect()
    }

    fn read(&mut self) -> Option<LiveReading> {
        let number = self.next;
        self.next = (number + 1) % self.readings.count().max(1);
        self.readings.reading(number, now()?)
    }

    fn seen(&mut self, _machine: &Machine) {}
}

/// Judges what was played last, again and again.
pub(super) fn judge(
    base: &Machine,
    policy: &Policy,
    (shared, tell): (&Shared, &Sender<Judgement>),
    end: &Interrupt,
) {
    while !end.asked() {
        let begin = Instant::now();
        if let Some(machine) = shared.machine_over(base, WINDOW) {
            let judged = policy.applied(advise(&machine, Estimate::CountersOnly));
            let judgement = Judgement { machine, judged, at: now(), took: begin.elapsed() };
            if tell.send(judgement).is_err() {
                return;
            }
        }
        wait(begin + JUDGE_EVERY, end);
    }
}
