//! Takes the tracer's lines: in order, named, summed up, and into the trace.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use arcwright_host::file_trace::{MountedDatasets, live_datasets};
use arcwright_machine::{FileAccess, FileTable, FileTotals, InOrder, Misplaced, TracerLine};
use arcwright_units::Bytes;

use super::labels::Labels;
use super::trace::TraceFile;
use crate::arguments::{FileNames, RecordFilesArguments};

/// Time between two looks at the mounts, when an access is to a file system that was not there before.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What is recorded, as it comes.
pub(super) struct Recorder {
    order: InOrder,
    totals: FileTotals,
    pub(super) labels: Labels,
    trace: Option<TraceFile>,
    /// File systems that are wanted; none: all.
    wanted: Option<BTreeSet<u32>>,
    /// The tracer's clock, when all probes were there.
    begun: Option<u64>,
    last: u64,
    looked: Option<Instant>,
    lost: u64,
    garbled: u64,
}

impl Recorder {
    pub(super) fn new(
        (how, mounts): (FileNames, MountedDatasets),
        wanted: Option<BTreeSet<u32>>,
        trace: Option<TraceFile>,
    ) -> Self {
        Self {
            order: InOrder::default(),
            totals: FileTotals::default(),
            labels: Labels::new(how, mounts),
            trace,
            wanted,
            begun: None,
            last: 0,
            looked: None,
            lost: 0,
            garbled: 0,
        }
    }

    /// Takes a line. What comes before the tracer's first second is over is not counted: its probes come one by one.
    pub(super) fn take(&mut self, line: TracerLine) {
        match line {
            TracerLine::Tick(at) => {
                self.begun.get_or_insert(at);
                self.last = self.last.max(at);
            }
            TracerLine::Access(access) if self.is_wanted(&access) => {
                self.last = self.last.max(access.at);
                self.order.take(access);
            }
            TracerLine::Lost(count) => self.lost = self.lost.saturating_add(count),
            TracerLine::Garbled => self.garbled += 1,
            TracerLine::Access(_) | TracerLine::Remark => {}
        }
    }

    fn is_wanted(&self, access: &FileAccess) -> bool {
        let is_in_time = self.begun.is_some_and(|begun| access.at >= begun);
        let wanted = self.wanted.as_ref();
        is_in_time && wanted.is_none_or(|wanted| wanted.contains(&access.device))
    }

    /// Whether the tracer has all its probes.
    pub(super) fn has_begun(&self) -> bool {
        self.begun.is_some()
    }

    /// Writes what no other access can come before any more.
    pub(super) fn write_due(&mut self) -> anyhow::Result<()> {
        while !self.is_full() {
            let Some(access) = self.order.due() else { break };
            self.write(access)?;
        }
        Ok(())
    }

    /// Writes all that is left, up to the trace's size.
    pub(super) fn write_rest(&mut self) -> anyhow::Result<()> {
        while !self.is_full() {
            let Some(access) = self.order.rest() else { break };
            self.write(access)?;
        }
        Ok(())
    }

    fn write(&mut self, access: FileAccess) -> anyhow::Result<()> {
        if !self.labels.knows(access.device) {
            self.look_at_mounts();
        }
        let belongs = self.totals.take(&access);
        match &mut self.trace {
            Some(trace) if belongs => trace.write(&access, &self.labels),
            _ => Ok(()),
        }
    }

    fn look_at_mounts(&mut self) {
        if self.looked.is_some_and(|looked| looked.elapsed() < LOOK_EVERY) {
            return;
        }
        self.looked = Some(Instant::now());
        // Where the list cannot be read, the file system keeps its number.
        self.labels.add(live_datasets().unwrap_or_default());
    }

    /// Whether the trace has the size that it may have.
    pub(super) fn is_full(&self) -> bool {
        self.trace.as_ref().is_some_and(TraceFile::is_full)
    }

    /// Looks for the paths of all files; returns how many have none.
    pub(super) fn find_paths(&mut self, is_over: &dyn Fn() -> bool) -> usize {
        self.labels.find_paths(self.totals.files(), is_over)
    }

    /// Returns seconds, and sums with what the tracer said of itself.
    pub(super) fn sums(&self) -> (f64, FileTable) {
        let begun = self.begun.unwrap_or(self.last);
        let seconds = Duration::from_nanos(self.last.saturating_sub(begun)).as_secs_f64();
        let labels = &self.labels;
        let misplaced =
            Misplaced { lost: self.lost, garbled: self.garbled, late: self.order.late() };
        let (dataset, file) = (|device| labels.dataset(device), |number| labels.file(number));
        (seconds, self.totals.table(&dataset, &file, misplaced))
    }

    /// Gives the trace its name; returns its bytes.
    pub(super) fn complete(
        self,
        arguments: &RecordFilesArguments,
    ) -> anyhow::Result<Option<Bytes>> {
        let Some(trace) = self.trace else { return Ok(None) };
        let renamed = match arguments.names {
            FileNames::Paths => self.labels.renamed(),
            FileNames::Numbers | FileNames::Hashed => BTreeMap::new(),
        };
        trace.complete(&renamed).map(Some)
    }
}
