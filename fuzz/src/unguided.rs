//! A target without coverage: inputs that were found with it are changed at random, and run at the speed of the
//! program itself.
//!
//! What goes through the whole program takes a millisecond; instrumented, three times as long. libFuzzer finds the
//! inputs that reach something new, and this runs many more that look like them. The same seed gives the same
//! inputs in the same order.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use arcwright_workload::Stream;

/// An input that takes longer is a failure.
const INPUT_TIME_MAX: Duration = Duration::from_secs(10);
/// An input is changed in one to so many places.
const CHANGES_MAX: u64 = 5;
/// A part that is repeated, taken out or taken from another input has at most so many bytes.
const PART_MAX: u64 = 200;

/// What is run.
#[derive(Debug)]
pub struct Plan {
    /// The target's function.
    pub target: fn(&[u8]),
    /// The inputs to begin with.
    pub inputs: Vec<Vec<u8>>,
    /// The words that its reader knows.
    pub words: Vec<Vec<u8>>,
    /// No input is longer.
    pub bytes_max: usize,
    /// How long it runs.
    pub time: Duration,
    /// How many changed inputs it runs at most.
    pub executions_max: u64,
    /// Where the sequence of inputs begins.
    pub seed: u64,
    /// Where an input that fails is written to.
    pub failures: PathBuf,
}

/// Returns the words of a dictionary of libFuzzer's: one in quotes per line, each byte as `\xNN`.
#[must_use]
pub fn words_of(text: &str) -> Vec<Vec<u8>> {
    let quoted = text.lines().filter_map(|line| line.strip_prefix('"')?.strip_suffix('"'));
    let bytes = |word: &str| -> Option<Vec<u8>> {
        let mut digits = word.split("\\x").skip(1);
        digits.try_fold(Vec::new(), |mut bytes, byte| {
            bytes.push(u8::from_str_radix(byte, 16).ok()?);
            Some(bytes)
        })
    };
    quoted.filter_map(bytes).collect()
}

/// Returns the inputs in folders, sorted: file systems list them in orders of their own.
///
/// # Errors
/// Those of the system.
pub fn inputs_of(folders: &[PathBuf]) -> std::io::Result<Vec<Vec<u8>>> {
    let mut inputs = Vec::new();
    for folder in folders {
        for entry in std::fs::read_dir(folder)? {
            inputs.push(std::fs::read(entry?.path())?);
        }
    }
    inputs.sort_unstable();
    Ok(inputs)
}

impl Plan {
    /// Runs changed inputs until the time is over; returns how many, or where the one that failed stands.
    pub fn run(&self) -> Result<u64, PathBuf> {
        let mut random = Stream::new(self.seed, "unguided");
        let begun = Instant::now();
        let mut executions = 0;
        while executions < self.executions_max && begun.elapsed() < self.time {
            let input = self.changed(&mut random);
            self.one(executions, &input)?;
            executions += 1;
        }
        Ok(executions)
    }

    /// Runs the inputs as they are; returns how many, or where the one that failed stands.
    pub fn run_unchanged(&self) -> Result<u64, PathBuf> {
        let mut executions = 0;
        for input in &self.inputs {
            self.one(executions, input)?;
            executions += 1;
        }
        Ok(executions)
    }

    fn one(&self, execution: u64, input: &[u8]) -> Result<(), PathBuf> {
        let started = Instant::now();
        let is_over = catch_unwind(AssertUnwindSafe(|| (self.target)(input))).is_ok();
        match is_over && started.elapsed() <= INPUT_TIME_MAX {
            true => Ok(()),
            false => Err(keep(&self.failures, self.seed, execution, input)),
        }
    }

    /// Returns one of the inputs, changed.
    fn changed(&self, random: &mut Stream) -> Vec<u8> {
        let mut input = pick(random, &self.inputs).cloned().unwrap_or_default();
        for _ in 0..=random.below(CHANGES_MAX) {
            self.change(random, &mut input);
        }
        input.truncate(self.bytes_max);
        input
    }

    /// Makes one change.
    fn change(&self, random: &mut Stream, input: &mut Vec<u8>) {
        let at = place(random, input.len());
        let end = (at + place(random, usize_of(PART_MAX))).min(input.len());
        let new: Vec<u8> = match random.below(8) {
            // Bytes become others, or one of their bits does.
            0 => input[at..end].iter().map(|_| byte(random)).collect(),
            1 => input[at..end].iter().take(1).map(|old| old ^ (1 << random.below(8))).collect(),
            2 => Vec::new(),
            3 => input[at..end].repeat(2),
            4 => pick(random, &self.words).cloned().unwrap_or_default(),
            5 => random.next_u64().to_string().into_bytes(),
            6 => [input[at..end].to_vec(), vec![b'\n']].concat(),
            _ => {
                let other = pick(random, &self.inputs).map_or(&[][..], Vec::as_slice);
                let from = place(random, other.len());
                let to = (from + place(random, usize_of(PART_MAX))).min(other.len());
                other[from..to].to_vec()
            }
        };
        // What is inserted takes the place of nothing, of a byte, or of the whole part.
        let end = match random.below(3) {
            0 => at,
            1 => (at + 1).min(input.len()),
            _ => end,
        };
        input.splice(at..end, new);
    }
}

/// Returns one of several things; none of nothing.
fn pick<'a, T>(random: &mut Stream, things: &'a [T]) -> Option<&'a T> {
    things.get(place(random, things.len()))
}

/// Returns a number below `count`, or zero.
fn place(random: &mut Stream, count: usize) -> usize {
    usize_of(random.below(count as u64))
}

fn usize_of(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn byte(random: &mut Stream) -> u8 {
    random.next_u64().to_le_bytes()[0]
}

/// Writes an input that failed; returns where it stands.
fn keep(folder: &Path, seed: u64, execution: u64, input: &[u8]) -> PathBuf {
    let to = folder.join(format!("unguided-{seed}-{execution}"));
    if let Err(error) = std::fs::write(&to, input) {
        eprintln!("{}: {error}; the input is {input:?}", to.display());
    }
    to
}
