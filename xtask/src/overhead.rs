//! `cargo xtask overhead`: the lab on disks that take no time, against plain libzpool.

use anyhow::anyhow;
use arcwright_units::Rate;

/// Measures and prints both rates of every turn and the ratio of their medians.
pub(crate) fn run(openzfs: &str, turns: u32) -> anyhow::Result<()> {
    let lab = crate::lab(openzfs)?;
    let overhead = arcwright_lab::measure_overhead(&lab, turns, &mut |line| println!("{line}"))
        .map_err(|error| anyhow!("{error}"))?;
    let list = |rates: &[Rate]| -> String {
        let rates: Vec<String> = rates.iter().map(Rate::to_string).collect();
        rates.join(", ")
    };
    println!("OpenZFS {}, cold sequential read of 1 GiB, 128 KiB a request", overhead.openzfs);
    println!("plain libzpool on files:      {}", list(&overhead.bare));
    println!("lab, disks that take no time: {}", list(&overhead.emulated));
    println!("ratio of medians: {:.2}", overhead.ratio());
    Ok(())
}
