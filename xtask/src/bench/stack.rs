//! The full stack: clients, dbufs, ARC, prefetcher, queues and disks.

use std::path::Path;
use std::time::Instant;

use arcwright_model::Model;
use arcwright_scenario::{Beside, Engine as _, RunRequest, Scenario, Unwatched, WantedTrace};
use arcwright_units::Nanos;
use arcwright_workload::traces::{Addressing, Request, RequestKind, Trace};
use arcwright_workload::{Recorded, Replay};

use super::curves::{forget_peak, status};
use super::{Pair, head, median};
use crate::peers;

/// The scenario that the project's aim is stated for: 20 GiB, four phases, here two arms.
const STEAM: &str = include_str!("../../../scenarios/steam-library.toml");
const ARMS: [&str; 2] = ["as installed", "dumb LRU"];

/// Random reads of a file that fits into the ARC, and of one that does not.
fn random(arc: &str) -> String {
    format!(
        "title = \"bench\"\nquestion = \"How fast?\"\n[system]\nzfs = \"2.3.2\"\nos = \"linux\"\n\
         memory = \"32GiB\"\ncpu = \"nas-quad\"\n[system.pool]\n\
         data = [{{ mirror = [\"ssd-sata-consumer\", \"ssd-sata-consumer\"] }}]\n\
         recordsize = \"128KiB\"\n[system.tunables]\nzfs_arc_max = \"{arc}\"\n[[arm]]\nname = \"as is\"\n\
         [[file]]\nname = \"f\"\nsize = \"16GiB\"\n[[phase]]\nname = \"p\"\n\
         clients = [{{ read = \"f\", io = \"128KiB\", pattern = \"random\", amount = \"128GiB\" }}]\n"
    )
}

/// The pages of a trace as records of one file.
struct Records<'a>(&'a Trace);

impl Beside for Records<'_> {
    fn text(&self, path: &str) -> Result<String, String> {
        Err(format!("{path}: there is none"))
    }

    fn replay(&self, wanted: &WantedTrace<'_>) -> Result<Replay, String> {
        let mut recorded = Recorded::with_room(self.0.accesses.len());
        let read = |page: &u32| Request {
            time: Nanos::ZERO,
            place: u64::from(*page) * u64::from(super::RECORD),
            bytes: super::RECORD,
            volume: 0,
            kind: RequestKind::Read,
        };
        for pages in self.0.accesses.chunks(1 << 16) {
            recorded.add(&pages.iter().map(read).collect::<Vec<Request>>())?;
        }
        recorded.replay((Addressing::Bytes, false), wanted.recordsize)
    }
}

/// Plays a trace on the full stack, with an ARC of a tenth of its pages, beside libCacheSim's plain ARC of the same.
pub(super) fn over_a_trace(
    options: &super::Options,
    trace: &Trace,
    file: &Path,
) -> anyhow::Result<()> {
    let rounds = options.rounds;
    let requests = trace.accesses.len() as f64;
    println!(
        "\nthe full stack under the same requests, theirs an ARC alone, million requests per second (median of {rounds}):"
    );
    head();
    let tenth = u64::from(trace.pages / 10) * u64::from(super::RECORD);
    let text = random("1GiB").replace("zfs_arc_max = \"1GiB\"", &format!("zfs_arc_max = {tenth}"));
    let (text, _) = text.split_once("[[file]]").unwrap_or((&text, ""));
    let text = format!(
        "{text}[[phase]]\nname = \"p\"\nclients = [{{ trace = \"t\", pace = \"full\", depth = 1 }}]\n"
    );
    let scenario = Scenario::parse_beside(&text, "bench", &Records(trace))?;
    let mut pair = Pair::default();
    for _ in 0..rounds.max(1) {
        let request = RunRequest { scenario: scenario.clone(), repeats: 1 };
        pair.time(|| Ok(Model::default().run(&request, &mut Unwatched)?))?;
        if let Some(python) = &options.peers.python {
            pair.theirs.push(peers::seconds(python, file, &format!("ARC:{}", trace.pages / 10))?);
        }
    }
    pair.print("clients, ARC, prefetcher, queues, disks", requests);
    Ok(())
}

/// Prints seconds and accesses per second on one core.
pub(super) fn run(rounds: usize) -> anyhow::Result<()> {
    println!("\nthe full stack, one core, at full scale (median of {rounds}):");
    let mut steam = Scenario::parse(STEAM, "steam-library.toml")?;
    steam.arms.retain(|arm| ARMS.contains(&arm.name.as_str()));
    let cases = [
        ("steam-library, two arms, four phases", steam),
        ("random reads, three quarters in the ARC", Scenario::parse(&random("12GiB"), "bench")?),
        ("random reads, all in the ARC in the end", Scenario::parse(&random("24GiB"), "bench")?),
    ];
    for (name, scenario) in cases {
        let mut seconds = Vec::new();
        let mut accesses = 0;
        for _ in 0..rounds.max(1) {
            let request = RunRequest { scenario: scenario.clone(), repeats: 1 };
            let begun = Instant::now();
            let outcome = Model::default().run(&request, &mut Unwatched)?;
            seconds.push(begun.elapsed().as_secs_f64());
            let phases = outcome.arms.iter().flat_map(|arm| &arm.phases);
            accesses = phases.map(|phase| phase.operations).sum::<u64>();
        }
        let seconds = median(&mut seconds);
        let rate = accesses as f64 / seconds / 1e6;
        println!("{name:<42} {seconds:.2} s, {rate:.2} million accesses per second");
    }
    Ok(())
}

/// Prints the memory that each block of a file takes: what a run with a large file needs, less what one with a small file
/// needs.
pub(super) fn state_per_block() -> anyhow::Result<()> {
    let with = |size: &str| -> anyhow::Result<u64> {
        let large = "{ device = \"instant\", size = \"4TiB\" }";
        let text = random("24GiB").replace("size = \"16GiB\"", &format!("size = \"{size}\""));
        let text = text.replace("\"ssd-sata-consumer\"", large);
        let text = text.replace("amount = \"128GiB\"", "amount = \"1GiB\"");
        let request = RunRequest { scenario: Scenario::parse(&text, "bench")?, repeats: 1 };
        let before = forget_peak()?;
        Model::default().run(&request, &mut Unwatched)?;
        Ok(status("VmHWM")?.saturating_sub(before))
    };
    let (small, large) = (with("1TiB")?, with("3TiB")?);
    let blocks = (2u64 << 40) / (128 << 10);
    println!("state: {:.1} bytes per block", large.saturating_sub(small) as f64 / blocks as f64);
    Ok(())
}
