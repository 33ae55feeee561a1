//! Reads one of the lab's records (`fidelity/records`) from standard input and prints its throughputs.
//!
//! ```text
//! cargo run -p arcwright-report --example record < fidelity/records/copy-ssd-2.3.2.json
//! ```
#![expect(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error;

use arcwright_units::Rate;
use serde::Deserialize;

/// The part of a record that is shown.
#[derive(Deserialize)]
struct Record {
    case: String,
    openzfs: String,
    runs: Vec<Run>,
}

/// One arm and phase, with a figure per seed.
#[derive(Deserialize)]
struct Run {
    arm: String,
    phase: String,
    /// Bytes per second.
    throughput: Vec<f64>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let record: Record = serde_json::from_reader(std::io::stdin())?;
    println!("{} on OpenZFS {}", record.case, record.openzfs);
    for run in &record.runs {
        let (least, most) =
            (least(&run.throughput), run.throughput.iter().copied().fold(0.0, f64::max));
        println!("  {}, {}: {} to {}", run.arm, run.phase, rate(least), rate(most));
    }
    Ok(())
}

fn least(figures: &[f64]) -> f64 {
    figures.iter().copied().fold(f64::INFINITY, f64::min)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a measured rate, which is positive and finite"
)]
fn rate(bytes_per_s: f64) -> Rate {
    Rate(bytes_per_s as u64)
}
