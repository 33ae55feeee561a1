//! Runs the scenario on standard input on the real OpenZFS and prints each arm's throughput by phase.
//!
//! ```text
//! cargo build
//! ARCWRIGHT_LAB=$PWD/target/debug/arcwright-lab cargo run -p arcwright-lab --example lab < scenarios/steam-library.toml
//! ```
//!
//! The library is fetched when it is missing (Debian's packages, without root). Each arm runs in a process of its
//! own, which `arcwright-lab` is: found where `ARCWRIGHT_LAB` says, beside this program or in `libexec`.
#![expect(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error;

use arcwright_lab::{Lab, Options, WorkerProgram, check, room};
use arcwright_scenario::{Engine as _, RunRequest, Scenario, Unwatched};

fn main() -> Result<(), Box<dyn Error>> {
    let text = std::io::read_to_string(std::io::stdin())?;
    let scenario = Scenario::parse(&text, "standard input")?;
    check(&scenario)?;
    println!("{} (takes {} of scratch space)", scenario.title, room(&scenario));
    let options = Options { openzfs: None, scratch: None, worker: WorkerProgram::find()? };
    let mut lab = Lab::new(options);
    lab.provide_library(&scenario, &mut |line: &str| println!("{line}"))?;
    let outcome = lab.run(&RunRequest { scenario, repeats: 1 }, &mut Unwatched)?;
    println!("real OpenZFS {}, scale 1/{}", outcome.engine.openzfs, outcome.engine.scale);
    for arm in &outcome.arms {
        println!("{}", arm.name);
        for phase in &arm.phases {
            let (rate, disks) = (phase.throughput_bytes_per_sec, phase.device_read_bytes);
            println!("  {:<20} {rate}, {disks} read from disks", phase.name);
        }
    }
    Ok(())
}
