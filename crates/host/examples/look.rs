//! What is known of a machine after reading a capture, a folder or pasted text: `cargo run -p
//! arcwright-host --example look -- FILE`. A plain view for who works on the readers.

#![expect(clippy::print_stdout, reason = "an example prints its result")]

use std::path::PathBuf;

use arcwright_host::capture::{CaptureError, open};
use arcwright_machine::Machine;

fn main() -> Result<(), CaptureError> {
    let path = std::env::args().nth(1).map_or_else(|| PathBuf::from("-"), PathBuf::from);
    let machine = Machine::read(&open(&path)?);
    println!("{:?} {:?} zfs {:?} {:?}", machine.os, machine.platform, machine.zfs, machine.memory);
    println!("{} parameters, {} datasets", machine.parameters.len(), machine.datasets.len());
    for pool in &machine.pools {
        println!("{pool:#?}");
    }
    for drive in &machine.drives {
        println!("{drive:?}");
    }
    for sample in &machine.samples {
        for kstat in sample.kstats.kstats.values() {
            println!("{} at {}: {} rows", kstat.path(), sample.kstats.at, kstat.rows.len());
        }
        println!("vdevs since import: {}: {:?}", sample.vdevs_since_import, sample.vdevs);
    }
    println!("rounded: {:?}", machine.rounded);
    for problem in &machine.problems {
        println!("problem: {problem:?}");
    }
    Ok(())
}
