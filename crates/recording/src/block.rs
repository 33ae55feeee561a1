//! Readings as columns of differences, packed.
//!
//! Packed bytes: `ARCREC1`, then gzip, whose checksum is the part's, of the runs: readings of one layout that follow each other.
//! A run has the times and a column for each number, each as its first value and the differences from one to the next, which
//! are small or zero. What is packed in a form that this does not read begins otherwise.

use std::io::{Read as _, Write as _};

use arcwright_kstat::Snapshot;
use arcwright_units::Nanos;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use crate::error::RecordingError;
use crate::layout::{Layout, TableRows};

/// How a part begins.
const MAGIC: &[u8] = b"ARCREC1\n";
/// Bytes of a part before it is packed; what is written is ended long before (see `tail.rs`).
pub const BLOCK_BYTES_MAX: usize = 16 << 20;

/// Readings, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Block {
    runs: Vec<Run>,
}

/// Readings of one layout.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Run {
    layout: Layout,
    times: Vec<u64>,
    /// One for each number of a reading; as long as the times.
    columns: Vec<Vec<u64>>,
}

/// A run as it is packed: differences instead of numbers.
#[derive(Debug, Serialize, Deserialize)]
struct PackedRun {
    layout: Layout,
    times: Vec<i64>,
    columns: Vec<Vec<i64>>,
}

impl Block {
    /// Returns readings as a block.
    #[must_use]
    pub fn of<'a>(readings: impl IntoIterator<Item = &'a Snapshot>) -> Self {
        let mut block = Self::default();
        for reading in readings {
            let (layout, numbers) = Layout::of(reading);
            block.push(Some(layout), reading.at.0, &numbers);
        }
        block
    }

    /// Adds a reading; without a layout it has that of the last one.
    pub(crate) fn push(&mut self, layout: Option<Layout>, at: u64, numbers: &[u64]) {
        if let Some(layout) = layout
            && self.layout() != Some(&layout)
        {
            let columns = vec![Vec::new(); numbers.len()];
            self.runs.push(Run { layout, times: Vec::new(), columns });
        }
        let Some(run) = self.runs.last_mut() else { return };
        run.times.push(at);
        for (column, number) in run.columns.iter_mut().zip(numbers) {
            column.push(*number);
        }
    }

    /// Returns the layout of the last reading.
    pub(crate) fn layout(&self) -> Option<&Layout> {
        self.runs.last().map(|run| &run.layout)
    }

    /// Returns time and numbers of the last reading.
    pub(crate) fn last(&self) -> Option<(u64, Vec<u64>)> {
        let run = self.runs.last()?;
        let at = *run.times.last()?;
        Some((at, run.columns.iter().filter_map(|column| column.last().copied()).collect()))
    }

    /// Returns the number of readings.
    #[must_use]
    pub fn len(&self) -> usize {
        self.runs.iter().map(|run| run.times.len()).sum()
    }

    /// Says whether there is no reading.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns when each reading was taken, since 1970.
    pub fn times(&self) -> impl Iterator<Item = Nanos> {
        self.runs.iter().flat_map(|run| run.times.iter().copied().map(Nanos))
    }

    /// Returns a reading by its number; none beyond the last.
    #[must_use]
    pub fn reading(&self, number: usize) -> Option<Snapshot> {
        let mut number = number;
        for run in &self.runs {
            match run.times.get(number) {
                None => number -= run.times.len(),
                Some(at) => {
                    let numbers =
                        run.columns.iter().map_while(|column| column.get(number).copied());
                    return Some(run.layout.reading(Nanos(*at), numbers));
                }
            }
        }
        None
    }

    /// Returns a row over time, without the readings that lack it: much cheaper than the readings themselves.
    #[must_use]
    pub fn row(&self, kstat: &str, row: &str) -> Vec<(Nanos, u64)> {
        let times: Vec<Nanos> = self.times().collect();
        let values = self.numbered(kstat, row).into_iter();
        values.filter_map(|(number, value)| Some((*times.get(number)?, value))).collect()
    }

    /// Returns a row with the number of each reading that has it.
    pub(crate) fn numbered(&self, kstat: &str, row: &str) -> Vec<(usize, u64)> {
        let (mut values, mut first) = (Vec::new(), 0);
        for run in &self.runs {
            let column = run.layout.place(kstat, row).and_then(|place| run.columns.get(place));
            values.extend((first..).zip(column.into_iter().flatten().copied()));
            first += run.times.len();
        }
        values
    }

    /// Returns readings of one layout at a time: their tables, their times, and a column for each number.
    pub(crate) fn runs(&self) -> impl Iterator<Item = (Vec<TableRows<'_>>, &[u64], &[Vec<u64>])> {
        self.runs
            .iter()
            .map(|run| (run.layout.tables(), run.times.as_slice(), run.columns.as_slice()))
    }

    /// Returns for each reading when a kstat was made, on the kernel's clock; zero where that is not known.
    pub(crate) fn created(&self, kstat: &str) -> impl Iterator<Item = Nanos> {
        self.runs.iter().flat_map(move |run| {
            let created = run.layout.created(kstat).unwrap_or(Nanos::ZERO);
            std::iter::repeat_n(created, run.times.len())
        })
    }

    /// Returns the block with the readings of another one behind its own.
    #[must_use]
    pub fn followed_by(mut self, other: Self) -> Self {
        for mut run in other.runs {
            match self.runs.last_mut() {
                Some(last) if last.layout == run.layout => {
                    last.times.append(&mut run.times);
                    for (column, more) in last.columns.iter_mut().zip(&mut run.columns) {
                        column.append(more);
                    }
                }
                _ => self.runs.push(run),
            }
        }
        self
    }

    /// Returns the block with every second reading. Of each layout the first and the last stay: they tell when something changed.
    #[must_use]
    pub fn thinned(&self) -> Self {
        let runs = self.runs.iter().map(|run| {
            let last = run.times.len().saturating_sub(1);
            let stays = |number: usize| number.is_multiple_of(2) || number == last;
            let kept = |column: &[u64]| -> Vec<u64> {
                let numbered = column.iter().copied().enumerate();
                numbered.filter(|(number, _)| stays(*number)).map(|(_, value)| value).collect()
            };
            Run {
                layout: run.layout.clone(),
                times: kept(&run.times),
                columns: run.columns.iter().map(|column| kept(column)).collect(),
            }
        });
        Self { runs: runs.collect() }
    }

    /// Returns the packed form.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let packed = self.runs.iter().map(|run| PackedRun {
            layout: run.layout.clone(),
            times: differences(&run.times),
            columns: run.columns.iter().map(|column| differences(column)).collect(),
        });
        let packed: Vec<PackedRun> = packed.collect();
        // Neither can fail: there is nothing in it that postcard does not know, and memory takes all bytes.
        let plain = postcard::to_allocvec(&packed).unwrap_or_default();
        let mut encoder = GzEncoder::new(MAGIC.to_vec(), Compression::default());
        encoder.write_all(&plain).unwrap_or_default();
        encoder.finish().unwrap_or_default()
    }

    /// Reads the packed form.
    ///
    /// # Errors
    /// [`RecordingError`] when it is something else, cut, changed, or larger than it can be.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, RecordingError> {
        let packed = bytes.strip_prefix(MAGIC).ok_or(RecordingError::NotOne)?;
        let damaged = |why: String| RecordingError::Damaged { why };
        let mut plain = Vec::new();
        let mut decoder = GzDecoder::new(packed).take(BLOCK_BYTES_MAX as u64 + 1);
        decoder.read_to_end(&mut plain).map_err(|error| damaged(error.to_string()))?;
        if plain.len() > BLOCK_BYTES_MAX {
            return Err(RecordingError::TooLarge);
        }
        let (packed, rest) = postcard::take_from_bytes::<Vec<PackedRun>>(&plain)
            .map_err(|error| damaged(error.to_string()))?;
        if !rest.is_empty() {
            return Err(damaged(format!("{} bytes too many", rest.len())));
        }
        let runs = packed.into_iter().map(|run| {
            let length = run.times.len();
            if run.columns.len() != run.layout.width() {
                return Err(damaged(format!(
                    "{} columns for {} numbers",
                    run.columns.len(),
                    run.layout.width()
                )));
            }
            if let Some(column) = run.columns.iter().find(|column| column.len() != length) {
                return Err(damaged(format!("{} numbers for {length} readings", column.len())));
            }
            let columns = run.columns.iter().map(|column| sums(column)).collect();
            Ok(Run { layout: run.layout, times: sums(&run.times), columns })
        });
        Ok(Self { runs: runs.collect::<Result<_, _>>()? })
    }
}

/// Returns the first number and the differences from one to the next; they wrap, so that any two numbers have one.
fn differences(numbers: &[u64]) -> Vec<i64> {
    let mut before = 0_u64;
    let difference = |number: &u64| {
        let difference = number.wrapping_sub(before).cast_signed();
        before = *number;
        difference
    };
    numbers.iter().map(difference).collect()
}

/// Returns the numbers of such differences.
fn sums(differences: &[i64]) -> Vec<u64> {
    let mut number = 0_u64;
    let sum = |difference: &i64| {
        number = number.wrapping_add(difference.cast_unsigned());
        number
    };
    differences.iter().map(sum).collect()
}
