//! What the memory of this machine allows.

use std::time::Instant;

use arcwright_workload::Stream;

/// Loads that are timed.
const LOADS: u32 = 4 << 20;

/// Prints nanoseconds per load for tables of the sizes that simulations have.
pub(super) fn limits() {
    println!("memory of this machine, nanoseconds per load:");
    println!("table      each needs the last   independent");
    for mib in [1u64, 16, 64, 512] {
        let (dependent, independent) = loads(mib << 20);
        println!("{mib:>4} MiB   {dependent:>12.1}          {independent:>8.1}");
    }
}

#[expect(clippy::indexing_slicing, reason = "every entry is an index of the table")]
fn loads(bytes: u64) -> (f64, f64) {
    let count = u32::try_from(bytes / 4).unwrap_or(u32::MAX);
    // A single cycle through all entries (Sattolo's algorithm).
    let mut table: Vec<u32> = (0..count).collect();
    let mut chance = Stream::new(1, "memory");
    for last in (1..count).rev() {
        let other = u32::try_from(chance.below(u64::from(last))).unwrap_or(0);
        table.swap(last as usize, other as usize);
    }
    let mut at = 0;
    let begun = Instant::now();
    for _ in 0..LOADS {
        at = table[at as usize];
    }
    std::hint::black_box(at);
    let dependent = begun.elapsed().as_secs_f64() * 1e9 / f64::from(LOADS);
    let places: Vec<u32> =
        (0..LOADS).map(|_| u32::try_from(chance.below(u64::from(count))).unwrap_or(0)).collect();
    let begun = Instant::now();
    let sum: u64 = places.iter().map(|place| u64::from(table[*place as usize])).sum();
    std::hint::black_box(sum);
    (dependent, begun.elapsed().as_secs_f64() * 1e9 / f64::from(LOADS))
}
