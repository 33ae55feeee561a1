//! Runs the scenario on standard input on the model and prints each arm's throughput by phase.
//!
//! ```text
//! cargo run -p arcwright-model --example scenario < scenarios/steam-library.toml
//! ```
#![expect(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error;

use arcwright_model::Model;
use arcwright_scenario::{Engine, RunRequest, Scenario, Unwatched};

fn main() -> Result<(), Box<dyn Error>> {
    let text = std::io::read_to_string(std::io::stdin())?;
    let scenario = Scenario::parse(&text, "standard input")?;
    println!("{} (seed {})", scenario.title, scenario.seed);
    let request = RunRequest { scenario, repeats: 1 };
    let outcome = Model::default().run(&request, &mut Unwatched)?;
    for arm in &outcome.arms {
        println!("{}", arm.name);
        for phase in &arm.phases {
            let (rate, disks) = (phase.throughput_bytes_per_sec, phase.device_read_bytes);
            println!("  {:<20} {rate}, {disks} read from disks", phase.name);
        }
    }
    Ok(())
}
