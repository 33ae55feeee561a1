//! What the collector, the judge and the answers share.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arcwright_machine::{DatasetTable, Machine, Sample};
use arcwright_units::Nanos;
use arcwright_web::{LivePoint, LiveReading, findings_page};
use axum::response::Response;
use serde::Serialize;

use super::answers;
use super::events::Hub;
use super::history::{HistoryReader, HistoryState, HistoryWriter, TimeRange};
use super::load::machine_with;
use crate::commands::server::Judgement;

/// Time between two readings that are kept as a window for datasets and loads.
const STEP: Nanos = Nanos::secs(10);
/// Such readings: ten minutes.
const STEPS_MAX: usize = 60;
/// The time of a load that is predicted with.
const LOAD: Nanos = Nanos::secs(600);
/// Rows of all of them, some 70 bytes each; with many datasets the window is shorter.
const ROWS_MAX: usize = 60_000;

/// What all share.
pub(super) struct Shared {
    pub(super) about: About,
    pub(super) hub: Hub,
    state: Mutex<State>,
    writer: Mutex<Box<dyn HistoryWriter>>,
    reader: Box<dyn HistoryReader>,
}

/// What never changes while the server runs.
#[derive(Debug, Clone, Serialize)]
pub(super) struct About {
    pub(super) title: String,
    /// The module's version; absent where not read.
    pub(super) zfs: Option<String>,
    /// What is shown instead of a machine; absent where a machine is.
    pub(super) demo: Option<String>,
    pub(super) interval_ms: u64,
    pub(super) release: &'static str,
    /// Whether a token was needed.
    pub(super) has_token: bool,
}

#[derive(Default)]
struct State {
    window: VecDeque<LiveReading>,
    last: Option<LiveReading>,
    judged: Option<Arc<Judged>>,
    point: Option<String>,
}

/// The last judgement.
pub(super) struct Judged {
    pub(super) machine: Machine,
    pub(super) at_ms: Option<u64>,
    /// The findings as a page takes them.
    findings: String,
}

impl Judged {
    /// Returns the findings.
    pub(super) fn page(&self) -> Response {
        answers::json(self.findings.clone())
    }
}

/// [`About`], with what changes.
#[derive(Debug, Serialize)]
struct AboutNow<'a> {
    about: &'a About,
    history: HistoryState,
    now_ms: Option<u64>,
    judged_at_ms: Option<u64>,
}

impl Shared {
    pub(super) fn new(
        about: About,
        (writer, reader): (Box<dyn HistoryWriter>, Box<dyn HistoryReader>),
    ) -> Self {
        let (hub, state) = (Hub::default(), Mutex::default());
        Self { about, hub, state, writer: Mutex::new(writer), reader }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a reading and tells pages what happened since the one before.
    pub(super) fn take(&self, reading: LiveReading) {
        let point = {
            let state = self.state();
            state.last.as_ref().and_then(|last| LivePoint::between(last, &reading))
        };
        {
            let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
            writer.append(&reading, point.as_ref());
        }
        let json = point.and_then(|point| point.json().ok());
        if let Some(json) = &json {
            self.hub.tell("point", json);
        }
        let mut state = self.state();
        // Counters that went back are of another life: what was before says nothing of what comes.
        let is_anew =
            state.last.as_ref().is_some_and(|last| is_anew(&last.sample, &reading.sample));
        if is_anew {
            state.window.clear();
        }
        let is_due = |last: &LiveReading| {
            reading.sample.kstats.at.saturating_sub(last.sample.kstats.at) >= STEP
        };
        if state.window.back().is_none_or(is_due) {
            let rows: usize =
                reading.sample.kstats.kstats.values().map(|kstat| kstat.rows.len()).sum();
            let most = (ROWS_MAX / rows.max(1)).clamp(2, STEPS_MAX);
            while state.window.len() >= most {
                state.window.pop_front();
            }
            state.window.push_back(reading.clone());
        }
        state.last = Some(reading);
        state.point = json.or_else(|| state.point.take().filter(|_| !is_anew));
    }

    /// Takes a judgement and tells pages that there is one.
    pub(super) fn judge(&self, judgement: Judgement) {
        let at_ms = judgement.at.map(millis);
        let Judgement { machine, judged, .. } = judgement;
        let findings = findings_page(&judged.advice);
        let findings = findings.unwrap_or_else(|error| {
            serde_json::json!({ "waiting": error.to_string() }).to_string()
        });
        let judged = Judged { machine, at_ms, findings };
        self.state().judged = Some(Arc::new(judged));
        self.hub.tell("findings", "{}");
    }

    /// Returns what was judged last; none at the start.
    pub(super) fn judged(&self) -> Option<Arc<Judged>> {
        self.state().judged.clone()
    }

    /// Returns the last point as JSON.
    pub(super) fn point(&self) -> Option<String> {
        self.state().point.clone()
    }

    /// Returns a machine with the load of the last so long; none before there are two readings.
    pub(super) fn machine_over(&self, machine: &Machine, time: Nanos) -> Option<Machine> {
        let (from, to) = self.within(time, |from, to| (from.clone(), to.clone()))?;
        Some(machine_with(machine, &from, &to))
    }

    /// Takes the ends of the last so long.
    fn within<T>(
        &self,
        time: Nanos,
        of: impl FnOnce(&LiveReading, &LiveReading) -> T,
    ) -> Option<T> {
        let state = self.state();
        let last = state.last.as_ref()?;
        let begin = last.sample.kstats.at.saturating_sub(time);
        let is_in = |reading: &&LiveReading| reading.sample.kstats.at >= begin;
        let first = state.window.iter().find(is_in).or(state.window.back())?;
        let is_before = first.sample.kstats.at < last.sample.kstats.at;
        is_before.then(|| of(first, last))
    }

    /// Returns what datasets did in the last so long.
    pub(super) fn datasets(&self, time: Nanos) -> Option<DatasetTable> {
        let judged = self.judged();
        let machine = judged.as_ref().map(|judged| &judged.machine);
        let between = |from: &LiveReading, to: &LiveReading| {
            DatasetTable::between(&from.sample, &to.sample, machine)
        };
        self.within(time, between)
    }

    /// Returns the machine as it was judged last, with the load that was recorded since: ten minutes at most.
    pub(super) fn machine(&self) -> Option<Machine> {
        self.machine_over(&self.judged()?.machine, LOAD)
            .or_else(|| Some(self.judged()?.machine.clone()))
    }

    /// Returns what happened in a range of time.
    pub(super) fn points(&self, range: TimeRange, enough: usize) -> Vec<LivePoint> {
        self.reader.points(range, enough)
    }

    /// Returns what is known of the server and its machine, as JSON.
    pub(super) fn about_now(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(&AboutNow {
            about: &self.about,
            history: self.reader.state(),
            now_ms: crate::commands::server::now().map(millis),
            judged_at_ms: self.judged().and_then(|judged| judged.at_ms),
        })
    }
}

/// Says whether counters began anew, by the one that every access raises.
fn is_anew(before: &Sample, now: &Sample) -> bool {
    let hits = |sample: &Sample| sample.kstats.get("zfs/arcstats", "hits");
    hits(now) < hits(before)
}

const fn millis(time: Nanos) -> u64 {
    time.0 / 1_000_000
}

#[cfg(test)]
mod tests {
    use arcwright_kstat::{NamedKstat, Snapshot};
    use arcwright_units::Nanos;
    use arcwright_web::LiveReading;

    use super::{About, STEPS_MAX, Shared};
    use crate::commands::serve::history::InMemory;

    fn shared() -> Shared {
        let about = About {
            title: "nas".to_owned(),
            zfs: None,
            demo: None,
            interval_ms: 1000,
            release: "0",
            has_token: false,
        };
        let memory = InMemory::default();
        Shared::new(about, (Box::new(memory.clone()), Box::new(memory)))
    }

    fn reading(second: u64, hits: u64) -> LiveReading {
        let text =
            format!("13 1 0x01 1 0 5 {}\nname type data\nhits 4 {hits}\n", second * 1_000_000_000);
        let kstat = NamedKstat::parse("zfs/arcstats", &text).unwrap();
        let mut reading = LiveReading { at: Nanos::secs(second), ..LiveReading::default() };
        reading.sample.kstats = Snapshot::from_kstats(Nanos::secs(second), vec![kstat]);
        reading
    }

    #[test]
    fn the_window_is_bounded_and_begins_anew_with_the_counters() {
        let shared = shared();
        assert!(shared.datasets(Nanos::secs(60)).is_none());
        for second in 0..1000 {
            shared.take(reading(second, second));
        }
        assert_eq!(shared.state().window.len(), STEPS_MAX);
        let span = |time: u64| {
            shared.within(Nanos::secs(time), |from, to| {
                let second = |reading: &LiveReading| reading.at.0 / 1_000_000_000;
                (second(from), second(to))
            })
        };
        assert_eq!(span(60), Some((940, 999)));
        assert_eq!(span(100_000), Some((400, 999)));
        shared.take(reading(1000, 3));
        assert_eq!(span(60), None);
        shared.take(reading(1001, 4));
        assert_eq!(span(60), Some((1000, 1001)));
    }

    #[test]
    fn pages_get_each_point() {
        let shared = shared();
        let mut page = shared.hub.listen(axum::body::Bytes::new()).unwrap();
        shared.take(reading(1, 10));
        shared.take(reading(2, 30));
        assert_eq!(page.0.try_recv().unwrap().len(), 0);
        let told = String::from_utf8(page.0.try_recv().unwrap().to_vec()).unwrap();
        assert!(
            told.starts_with("event: point\ndata: {") && told.contains("\"hits\":20.0"),
            "{told}"
        );
        assert!(shared.point().unwrap().contains("\"hits\":20.0"));
    }
}
