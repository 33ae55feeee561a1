//! `cargo xtask peers`: the textbook policies against libCacheSim and the ARC paper.
//!
//! libCacheSim runs only where a Python that has it is named; its miss ratios are kept in
//! `fidelity/peers.json`, and a test holds ours against them. Most traces are not in the repository; `traces/README.md`
//! says where they are from.

mod read;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};
use arcwright_model::classic::{ClassicArc, Lru, S3Fifo, replay};
use arcwright_workload::traces::Trace;
use serde::{Deserialize, Serialize};

use read::{ALL, Public};

/// Hit ratios of ARC in percent, Megiddo and Modha, FAST 2003, tables IV and V.
const PAPER: [(&str, u32, f64); 7] = [
    ("OLTP", 1000, 38.93),
    ("OLTP", 2000, 46.08),
    ("OLTP", 5000, 55.25),
    ("OLTP", 10000, 61.87),
    ("OLTP", 15000, 65.40),
    ("P3", 32_768, 17.12),
    ("P12", 32_768, 15.94),
];

/// Policies by the names of libCacheSim.
pub(crate) const POLICIES: [&str; 3] = ["LRU", "ARC", "S3FIFO"];

/// What libCacheSim found.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Peer {
    trace: String,
    policy: String,
    capacity: u32,
    miss_ratio: f64,
}

/// What `replay.py` prints.
#[derive(Debug, Deserialize)]
pub(crate) struct Answer {
    policy: String,
    capacity: u32,
    pub(crate) miss_ratio: f64,
    /// Without its start.
    pub(crate) seconds: f64,
    /// What the process held more after this job than before the first.
    pub(crate) bytes: u64,
}

/// The table of objects of a cache of libCacheSim, as a power of two: as it comes.
pub(crate) const HASH_POWER: u32 = 24;

/// Options of the chore.
#[derive(Debug, clap::Args)]
#[group(id = "peers")]
pub(crate) struct Options {
    /// Folder with the public traces that are not in the repository.
    #[arg(long, default_value = "target/traces")]
    pub(crate) traces: PathBuf,
    /// A Python that has libCacheSim (`pip install libcachesim`); without it only ours is shown.
    #[arg(long)]
    pub(crate) python: Option<PathBuf>,
}

/// Returns the folder of the traces that are in the repository.
pub(crate) fn in_repository() -> PathBuf {
    crate::root().join("traces")
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let mut found = Vec::new();
    for public in &ALL {
        let Some(trace) = read::read(public, &options.traces)? else {
            println!("{}: skipped, there is no {}", public.name, public.file);
            continue;
        };
        if let Some(python) = &options.python {
            found.extend(ask(python, public, &trace)?);
        }
        for policy in POLICIES {
            for capacity in public.capacities {
                let ours = miss_ratio(policy, *capacity, &trace);
                let paper = (policy == "ARC").then(|| in_paper(public.name, *capacity)).flatten();
                let paper = paper.map_or(String::new(), |hit| format!(", in the paper {hit:.2} %"));
                let hit = (1.0 - ours) * 100.0;
                println!("{:<8} {policy} {capacity:>7}: hit ratio {hit:.2} %{paper}", public.name);
            }
        }
    }
    if options.python.is_some() {
        // What is known of traces that are not here is true still.
        let is_new = |peer: &Peer| found.iter().any(|new: &Peer| new.trace == peer.trace);
        let mut all: Vec<Peer> = peers()?.into_iter().filter(|peer| !is_new(peer)).collect();
        all.append(&mut found);
        let found = all;
        let text = serde_json::to_string_pretty(&found)? + "\n";
        std::fs::write(kept(), text).context("failed to write fidelity/peers.json")?;
    }
    let peers = peers()?;
    println!("held against {} results of libCacheSim by the tests", peers.len());
    Ok(())
}

/// Reads the public trace `name` from `folder`; none when it is not there.
pub(crate) fn public(name: &str, folder: &Path) -> anyhow::Result<Option<Trace>> {
    let found = ALL.iter().find(|public| public.name == name);
    found.map_or(Ok(None), |public| read::read(public, folder))
}

fn kept() -> PathBuf {
    crate::root().join("fidelity/peers.json")
}

fn peers() -> anyhow::Result<Vec<Peer>> {
    let text = std::fs::read_to_string(kept()).context("failed to read fidelity/peers.json")?;
    serde_json::from_str(&text).context("failed to understand fidelity/peers.json")
}

fn in_paper(trace: &str, capacity: u32) -> Option<f64> {
    PAPER.iter().find(|row| (row.0, row.1) == (trace, capacity)).map(|row| row.2)
}

fn miss_ratio(policy: &str, capacity: u32, trace: &Trace) -> f64 {
    let hits = match policy {
        "LRU" => replay(&mut Lru::new(capacity, trace.pages), &trace.accesses),
        "S3FIFO" => replay(&mut S3Fifo::new(capacity, trace.pages), &trace.accesses),
        _ => replay(&mut ClassicArc::new(capacity, trace.pages), &trace.accesses),
    };
    1.0 - hits as f64 / trace.accesses.len().max(1) as f64
}

fn ask(python: &Path, public: &Public, trace: &Trace) -> anyhow::Result<Vec<Peer>> {
    let file = write_oracle_general(public.name, trace)?;
    let jobs = public.capacities.iter();
    let jobs = jobs.flat_map(|c| POLICIES.map(|policy| format!("{policy}:{c}")));
    let jobs: Vec<String> = jobs.collect();
    let answers = libcachesim(python, &file, HASH_POWER, &jobs)?;
    let peer = |answer: Answer| Peer {
        trace: public.name.to_owned(),
        policy: answer.policy,
        capacity: answer.capacity,
        miss_ratio: answer.miss_ratio,
    };
    Ok(answers.into_iter().map(peer).collect())
}

/// Returns the seconds that libCacheSim takes for a job such as `ARC:1000` on a trace, without its start.
pub(crate) fn seconds(python: &Path, file: &Path, job: &str) -> anyhow::Result<f64> {
    let answers = libcachesim(python, file, HASH_POWER, &[job.to_owned()])?;
    answers.first().map(|answer| answer.seconds).context("libCacheSim gave no answer")
}

/// Asks libCacheSim for jobs on a trace, `POLICY:CAPACITY` or `POLICY:CAPACITY:ONE_IN`, one after the other.
pub(crate) fn libcachesim(
    python: &Path,
    file: &Path,
    hash_power: u32,
    jobs: &[String],
) -> anyhow::Result<Vec<Answer>> {
    let script = crate::root().join("xtask/src/peers/replay.py");
    let mut command = Command::new(python);
    command.arg(script).arg(file).arg(hash_power.to_string()).args(jobs);
    let output = command.output();
    let output = output.with_context(|| format!("failed to start {}", python.display()))?;
    if !output.status.success() {
        bail!("libCacheSim failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let answers = text.lines().filter(|line| line.starts_with('{'));
    let answers: Vec<Answer> =
        answers.map(serde_json::from_str).collect::<Result<_, serde_json::Error>>()?;
    anyhow::ensure!(answers.len() == jobs.len(), "libCacheSim gave no answer");
    Ok(answers)
}

/// Writes a trace in libCacheSim's own binary format: time, page, size, next access.
pub(crate) fn write_oracle_general(name: &str, trace: &Trace) -> anyhow::Result<PathBuf> {
    let folder = crate::root().join("target/peers");
    std::fs::create_dir_all(&folder).context("failed to make target/peers")?;
    let path = folder.join(format!("{name}.oracleGeneral.bin"));
    let mut bytes = Vec::with_capacity(trace.accesses.len() * 24);
    for (time, page) in trace.accesses.iter().enumerate() {
        bytes.extend(u32::try_from(time).unwrap_or(u32::MAX).to_le_bytes());
        bytes.extend(u64::from(*page).to_le_bytes());
        bytes.extend(1u32.to_le_bytes());
        bytes.extend((-1i64).to_le_bytes());
    }
    std::fs::write(&path, bytes).with_context(|| format!("failed to write {}", path.display()))?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::{ALL, PAPER, miss_ratio, peers, read};

    /// Checks every policy on the trace `name`; these are short enough for a test, `cargo xtask peers`
    /// does all.
    fn check(name: &str) {
        let folder = crate::root().join("target/traces");
        let public = ALL.iter().find(|public| public.name == name).unwrap();
        let trace = read::read(public, &folder).unwrap();
        let trace = trace.unwrap_or_else(|| panic!("there is no {} in target/traces", public.file));
        for peer in peers().unwrap().iter().filter(|peer| peer.trace == name) {
            let ours = miss_ratio(&peer.policy, peer.capacity, &trace);
            // The paper leaves open what a small queue does before the cache is full, and libCacheSim remembers by a queue.
            let most = if peer.policy == "S3FIFO" { 0.001 } else { 0.000_05 };
            assert!((ours - peer.miss_ratio).abs() < most, "{peer:?}, ours {ours}");
        }
        for (_, capacity, hit) in PAPER.iter().filter(|row| row.0 == name) {
            let ours = (1.0 - miss_ratio("ARC", *capacity, &trace)) * 100.0;
            assert!((ours - hit).abs() <= 0.0251, "{name} {capacity}: {ours}");
        }
    }

    #[test]
    fn policies_equal_libcachesim_to_four_digits() {
        check("2_pools");
    }

    #[test]
    #[ignore = "needs the trace OLTP, which is not in the repository: ./test, or traces/README.md"]
    fn policies_equal_libcachesim_and_the_paper_to_two_hundredths_of_a_point() {
        check("OLTP");
    }
}
