//! The full stack: clients, dbufs, ARC, prefetcher, queues and disks.

use std::time::Instant;

use anyhow::Context as _;
use arcwright_model::Model;
use arcwright_scenario::{Engine as _, RunRequest, Scenario, Unwatched};

use super::median;

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

/// Prints the memory that each block of a file takes: that of this process with a large file, less
/// that with a small one.
pub(super) fn state_per_block() -> anyhow::Result<()> {
    let resident = || -> anyhow::Result<u64> {
        let text = std::fs::read_to_string("/proc/self/status").context("failed to read /proc")?;
        let line = text.lines().find(|line| line.starts_with("VmHWM:"));
        let kib = line.and_then(|line| line.split_ascii_whitespace().nth(1)?.parse::<u64>().ok());
        Ok(kib.context("no VmHWM in /proc/self/status")? << 10)
    };
    let with = |size: &str| -> anyhow::Result<u64> {
        let large = "{ device = \"instant\", size = \"4TiB\" }";
        let text = random("24GiB").replace("size = \"16GiB\"", &format!("size = \"{size}\""));
        let text = text.replace("\"ssd-sata-consumer\"", large);
        let text = text.replace("amount = \"128GiB\"", "amount = \"1GiB\"");
        let request = RunRequest { scenario: Scenario::parse(&text, "bench")?, repeats: 1 };
        Model::default().run(&request, &mut Unwatched)?;
        resident()
    };
    // The peak never falls: the larger file comes last, and is larger than all before.
    let (small, large) = (with("1TiB")?, with("3TiB")?);
    let blocks = (2u64 << 40) / (128 << 10);
    println!("state: {:.1} bytes per block", large.saturating_sub(small) as f64 / blocks as f64);
    Ok(())
}
