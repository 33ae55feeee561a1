//! `cargo xtask fuzz`: coverage-guided fuzzing of everything that reads what strangers send.
//!
//! ```text
//!   fixtures, scenarios ──seeds──> first inputs ┐
//!   readers' sources ──seeds──> dictionary      ├─> a target of fuzz/ ──> executions ──> record, page
//!   fuzz/corpus ──unpack──> inputs kept         ┘        └─> target/fuzz/corpus ──keep──> fuzz/corpus
//! ```
//!
//! The targets are compiled with the compiler's own coverage instrumentation and linked with libFuzzer,
//! which works on the stable compiler; only a C++ compiler is needed besides. What a run finds is kept in
//! `target/fuzz/corpus` and is the beginning of the next. An input that fails stays in
//! `target/fuzz/failures`.
//!
//! `check`, which the tests call, needs neither: it runs the targets' functions in this program, on inputs that are the
//! same each time.

mod corpus;
mod record;
mod seeds;
mod targets;
mod unguided;

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use arcwright_units::cut_after;
use clap::Subcommand;

use record::Executed;
pub(crate) use record::today;
use targets::{TARGETS, Target, named};

use crate::parallel;

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Compile the targets.
    Build {
        /// Compile without coverage, for runs without it.
        #[arg(long)]
        unguided: bool,
    },
    /// Run every target alike each time: its first inputs, those that are kept, and a fixed sequence of new ones.
    Check {
        /// Targets; all when none is named.
        targets: Vec<String>,
        /// How many inputs each of them gets.
        #[arg(long, default_value_t = 10_000)]
        executions: u32,
        /// A target that is slow stops in the sequence after so long.
        #[arg(long, default_value_t = 2)]
        seconds: u32,
    },
    /// Run targets on inputs that are new each time, as many at once as there are cores.
    Run {
        /// Targets; all when none is named.
        targets: Vec<String>,
        /// How long each of them runs.
        #[arg(long, default_value_t = 60)]
        seconds: u32,
        /// How many run at once; as many as there are cores when it is not given.
        #[arg(long)]
        jobs: Option<usize>,
        /// Add what was executed to fuzz/record.toml and docs/reliability.md.
        #[arg(long)]
        record: bool,
        /// Change what was found at random, without coverage: paste, sources and machine alone.
        #[arg(long)]
        unguided: bool,
    },
    /// Run targets in turns for hours, and add what was executed to the record after every turn.
    Chore {
        /// Targets; all when none is named. One that is named twice gets twice as many turns.
        targets: Vec<String>,
        /// How long in all.
        #[arg(long, default_value_t = 1.0)]
        hours: f64,
        /// How long a turn is.
        #[arg(long, default_value_t = 60)]
        seconds: u32,
        /// How many run at once; as many as there are cores when it is not given.
        #[arg(long)]
        jobs: Option<usize>,
        /// Change what was found at random, without coverage: paste, sources and machine alone.
        #[arg(long)]
        unguided: bool,
    },
    /// Keep the inputs that were found: the fewest that reach all that is reached, in fuzz/corpus.
    Keep {
        /// Targets; all when none is named.
        targets: Vec<String>,
    },
    /// Write the table of docs/reliability.md anew.
    Page,
}

/// Coverage in counters, as libFuzzer wants it (LLVM's SanitizerCoverage). Compared numbers are not traced:
/// that takes two thirds of the time, and readers of text compare words, which the dictionary has.
const FLAGS: [&str; 7] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Ccodegen-units=1",
    "-Clto=no",
    "--cfg=fuzzing",
];
/// An input that takes longer is a failure.
const INPUT_SECONDS_MAX: u32 = 10;
/// An input that takes more memory is a failure.
const MEMORY_MIB_MAX: u32 = 1024;

/// Where a sequence of inputs that is the same each time begins.
const SEED: u64 = 1;

/// How a target runs.
#[derive(Debug, Clone, Copy)]
enum Manner {
    /// On new inputs, for a time.
    New { seconds: u32 },
    /// The same without coverage, at the speed of the program itself.
    Unguided { seconds: u32 },
    /// On a sequence of inputs that is the same each time, or its beginning on a slow machine; without coverage,
    /// in this program.
    Same { executions: u32, seconds: u32 },
}

pub(crate) fn run(verb: &Verb) -> anyhow::Result<()> {
    match verb {
        Verb::Build { unguided: false } => build(),
        Verb::Build { unguided: true } => unguided::build(),
        Verb::Check { targets, executions, seconds } => {
            check_lock()?;
            let turns = Turns { left: chosen(targets)?.into(), again: None };
            let manner = Manner::Same { executions: *executions, seconds: *seconds };
            in_turns(turns, manner, None, false)
        }
        Verb::Run { targets, seconds, jobs, record, unguided } => {
            let turns = Turns { left: chosen(targets)?.into(), again: None };
            in_turns(turns, manner(*seconds, *unguided), *jobs, *record)
        }
        Verb::Chore { targets, hours, seconds, jobs, unguided } => {
            let until = Instant::now() + Duration::from_secs_f64(hours.max(0.0) * 3600.0);
            let all = chosen(targets)?;
            let turns = Turns { left: all.clone().into(), again: Some((all, until)) };
            in_turns(turns, manner(*seconds, *unguided), *jobs, true)
        }
        Verb::Keep { targets } => chosen(targets)?.iter().try_for_each(keep),
        Verb::Page => record::write_page(),
    }
}

fn manner(seconds: u32, unguided: bool) -> Manner {
    if unguided { Manner::Unguided { seconds } } else { Manner::New { seconds } }
}

fn chosen(names: &[String]) -> anyhow::Result<Vec<Target>> {
    match names.is_empty() {
        true => Ok(TARGETS.to_vec()),
        false => names.iter().map(|name| named(name)).collect(),
    }
}

fn folder() -> PathBuf {
    crate::root().join("target/fuzz")
}

/// Returns the compiler's name of this machine, which keeps the flags away from build scripts.
fn host() -> anyhow::Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("failed to ask rustc")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc does not say what machine this is")
}

fn build() -> anyhow::Result<()> {
    let status = Command::new("cargo")
        .args(["build", "--release", "--locked", "--quiet", "--features", "guided"])
        .args(["--target", &host()?])
        .arg("--manifest-path")
        .arg(crate::root().join("fuzz/Cargo.toml"))
        .arg("--target-dir")
        .arg(folder())
        .env("RUSTFLAGS", FLAGS.join(" "))
        .status()
        .context("failed to start cargo")?;
    if !status.success() {
        bail!("failed to build the fuzz targets; a C++ compiler is needed");
    }
    Ok(())
}

/// Checks that the versions which the guided programs are built with are those that their manifests ask for: the
/// tests build only their library, in a workspace that has versions of its own.
fn check_lock() -> anyhow::Result<()> {
    let output = Command::new("cargo")
        .args(["metadata", "--locked", "--format-version", "1", "--manifest-path"])
        .arg(crate::root().join("fuzz/Cargo.toml"))
        .output()
        .context("failed to start cargo")?;
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    anyhow::ensure!(output.status.success(), "fuzz/Cargo.lock is not up to date:\n{told}");
    Ok(())
}

/// Targets that wait for a core, and until when they begin again.
struct Turns {
    left: VecDeque<Target>,
    again: Option<(Vec<Target>, Instant)>,
}

impl Turns {
    fn next(&mut self) -> Option<Target> {
        if let Some((all, until)) = &self.again {
            if Instant::now() >= *until {
                return None;
            }
            if self.left.is_empty() {
                self.left.extend(all);
            }
        }
        self.left.pop_front()
    }

    /// Takes a target that fails out of all turns to come.
    fn give_up(&mut self, target: &Target) {
        self.left.retain(|other| other.name != target.name);
        if let Some((all, _)) = &mut self.again {
            all.retain(|other| other.name != target.name);
        }
    }
}

/// Runs targets, so many at once; one that fails stops no other.
fn in_turns(turns: Turns, manner: Manner, jobs: Option<usize>, record: bool) -> anyhow::Result<()> {
    let jobs = jobs.unwrap_or_else(parallel::cores).max(1);
    let turns = Mutex::new(turns);
    let failed = Mutex::new(Vec::new());
    let work = || {
        loop {
            let next = turns.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(target) = next else { break };
            let result = one(&target, manner).and_then(|run| {
                println!("fuzz {}: {} executions, none failed", target.name, run.executions);
                let _writing = failed.lock().unwrap_or_else(PoisonError::into_inner);
                if record { record::add(run) } else { Ok(()) }
            });
            if let Err(error) = result {
                println!("fuzz {}: {error:#}", target.name);
                failed.lock().unwrap_or_else(PoisonError::into_inner).push(target.name);
                turns.lock().unwrap_or_else(PoisonError::into_inner).give_up(&target);
            }
        }
    };
    parallel::in_threads(jobs, work);
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    match failed.is_empty() {
        true => Ok(()),
        false => bail!("failed: {}", failed.join(", ")),
    }
}

/// Where the inputs of a target are: what was found, the first ones, those that are kept.
struct Places {
    found: PathBuf,
    first: PathBuf,
    kept: PathBuf,
    /// The dictionary; none of a target without words of its own.
    words: Option<PathBuf>,
}

/// Prepares the folders of a target.
fn places(target: &Target) -> anyhow::Result<Places> {
    let below = |part: &str| folder().join(part).join(target.name);
    let (found, first, kept) = (below("corpus"), below("first"), below("kept"));
    for old in [&first, &kept] {
        if old.exists() {
            fs::remove_dir_all(old)?;
        }
    }
    fs::create_dir_all(&found)?;
    let words = seeds::write(target, &first)?;
    corpus::unpack(target, &kept)?;
    Ok(Places { found, first, kept, words })
}

fn program(target: &Target) -> anyhow::Result<Command> {
    Ok(Command::new(folder().join(host()?).join("release").join(target.name)))
}

/// Runs one target.
fn one(target: &Target, manner: Manner) -> anyhow::Result<Executed> {
    let places = places(target)?;
    let failures = folder().join("failures").join(target.name);
    fs::create_dir_all(&failures)?;
    let seconds = match manner {
        Manner::New { seconds } => seconds,
        Manner::Unguided { seconds } => return unguided::run(target, &places, &failures, seconds),
        Manner::Same { executions, seconds } => {
            let amount = unguided::Amount { executions: executions.into(), seconds };
            return unguided::run_same(target, &places, failures, amount);
        }
    };
    let output = program(target)?
        .args([&places.found, &places.first, &places.kept])
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-max_len={}", target.bytes_max))
        .args(places.words.map(|words| format!("-dict={}", words.display())))
        .arg(format!("-artifact_prefix={}/", failures.display()))
        .arg(format!("-timeout={INPUT_SECONDS_MAX}"))
        .arg(format!("-rss_limit_mb={MEMORY_MIB_MAX}"))
        .args(["-print_final_stats=1"])
        .output()
        .context("failed to start the target; cargo xtask fuzz build makes it")?;
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        let from = cut_after(&told, told.len().saturating_sub(4000));
        println!("{}", told.get(from..).unwrap_or_default());
        bail!("an input failed; it stands in {}", failures.display());
    }
    let executions = number_after(&told, "stat::number_of_executed_units:").max();
    Ok(Executed {
        name: target.name.to_owned(),
        executions: executions.context("the target does not say how often it ran")?,
        unguided: 0,
        seconds: u64::from(seconds),
        input_bytes_max: number_after(&told, " lim: ").max().unwrap_or_default(),
        date: record::today(),
        compiler: record::compiler(),
    })
}

/// Returns the numbers that stand after a word.
fn number_after<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = u64> + 'a {
    let rests = text.match_indices(word).filter_map(|(at, word)| text.get(at + word.len()..));
    rests.filter_map(|rest| rest.split_whitespace().next()?.parse().ok())
}

/// Packs the fewest inputs that reach what the first ones do not.
fn keep(target: &Target) -> anyhow::Result<()> {
    let places = places(target)?;
    let merged = folder().join("merged").join(target.name);
    if merged.exists() {
        fs::remove_dir_all(&merged)?;
    }
    fs::create_dir_all(&merged)?;
    let first = copy_all(&places.first, &merged)?;
    let output = program(target)?
        .args(["-merge=1", &format!("-max_len={}", target.bytes_max)])
        .args([&merged, &places.kept, &places.found])
        .output()
        .context("failed to start the target; cargo xtask fuzz build makes it")?;
    if !output.status.success() {
        bail!("failed to merge the inputs of {}", target.name);
    }
    for name in first {
        fs::remove_file(merged.join(name))?;
    }
    let (count, bytes) = corpus::pack(target, &merged)?;
    println!("fuzz {}: {count} inputs kept in {bytes} bytes", target.name);
    Ok(())
}

fn copy_all(from: &Path, to: &Path) -> anyhow::Result<Vec<std::ffi::OsString>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(from)?.flatten() {
        fs::copy(entry.path(), to.join(entry.file_name()))?;
        names.push(entry.file_name());
    }
    Ok(names)
}
