//! Recorded behaviour: what a piece of the model answered to random inputs when it was last recorded.
//!
//! ```text
//!   seed of a chunk ──> driver: random inputs ──> the piece ──> every answer ──> digest ┐
//!                                                          └──> the first few in words ─┴─> vectors/NAME.txt
//! ```
//!
//! For changes of form that may change no behaviour: the files are compared as they are. Whoever means to
//! change behaviour runs the tests with `VECTORS=overwrite`, and the difference shows in the commit.

use std::fmt::{Arguments, Write as _};
use std::path::PathBuf;

use arcwright_workload::Stream;

/// Chunks of a file, each driven from a fresh state by a seed of its own.
pub(crate) const CHUNKS: u64 = 64;
/// The seed of the first chunk; the others follow.
const SEED: u64 = 20_261_122;
/// Steps of a chunk that are written out.
const ROWS_MAX: usize = 5;

/// What a chunk was answered.
#[derive(Debug)]
pub(crate) struct Record {
    digest: u64,
    steps: u64,
    rows: Vec<String>,
}

impl Record {
    /// Takes note of a step: in words, and what was answered.
    pub(crate) fn step(&mut self, words: Arguments<'_>, answers: &[u64]) {
        self.steps += 1;
        for answer in answers.iter().copied().chain([answers.len() as u64]) {
            let mixed = (self.digest ^ answer).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            self.digest = mixed ^ (mixed >> 29);
        }
        if self.rows.len() < ROWS_MAX {
            self.rows.push(format!("{words} => {answers:?}"));
        }
    }
}

/// Drives a piece through all chunks and compares what it answers with `vectors/NAME.txt`. The driver
/// gets the chunk's number and its random stream.
#[expect(clippy::disallowed_methods, reason = "a test keeps its expectations in a file")]
pub(crate) fn check(name: &str, drive: impl Fn(u64, &mut Stream, &mut Record)) {
    let mut found = String::new();
    for chunk in 0..CHUNKS {
        let seed = SEED + chunk;
        let mut record = Record { digest: seed, steps: 0, rows: Vec::new() };
        drive(chunk, &mut Stream::new(seed, name), &mut record);
        let Record { digest, steps, rows } = record;
        writeln!(found, "seed {seed} steps {steps} digest {digest:016x}").unwrap();
        rows.iter().for_each(|row| writeln!(found, "  {row}").unwrap());
    }
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("vectors/{name}.txt"));
    if std::env::var("VECTORS").is_ok_and(|value| value == "overwrite") {
        std::fs::write(&path, found).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    let mut seed = "";
    for (kept, found) in kept.lines().zip(found.lines()) {
        seed = if kept.starts_with("seed") { kept } else { seed };
        assert_eq!(found, kept, "{name} answers otherwise than recorded; {seed}");
    }
    assert_eq!(found.lines().count(), kept.lines().count(), "{name}: steps are missing");
}

/// Draws a number up to `most`: every order of magnitude as often as any other, and the ends and powers
/// of two often.
pub(crate) fn wide(chance: &mut Stream, most: u64) -> u64 {
    let bits = chance.below(u64::from(u64::BITS - most.leading_zeros()) + 1);
    let power = 1u64.checked_shl(u32::try_from(bits).unwrap()).unwrap_or(u64::MAX);
    let number = match chance.below(16) {
        0 => 0,
        1 => most,
        2 => power,
        3 => power - 1,
        _ => chance.below(power),
    };
    number.min(most)
}

/// Draws whether something is so that is so once in `times`.
pub(crate) fn once_in(chance: &mut Stream, times: u64) -> bool {
    chance.below(times) == 0
}

/// Draws an index below `count`.
pub(crate) fn index(chance: &mut Stream, count: usize) -> usize {
    usize::try_from(chance.below(count as u64)).unwrap()
}

/// Draws one of several.
pub(crate) fn one_of<T: Copy>(chance: &mut Stream, choices: &[T]) -> T {
    choices[index(chance, choices.len())]
}

/// Returns an index below `count` for a chunk; the chunks have each in turn.
pub(crate) fn index_of(chunk: u64, count: usize) -> usize {
    usize::try_from(chunk).unwrap() % count
}

/// Returns one of several for a chunk; the chunks have each in turn.
pub(crate) fn in_turn<T: Copy>(chunk: u64, choices: &[T]) -> T {
    choices[index_of(chunk, choices.len())]
}

/// Says an answer that may be absent in numbers.
pub(crate) fn maybe(answer: Option<u64>) -> u64 {
    answer.unwrap_or(u64::MAX)
}
