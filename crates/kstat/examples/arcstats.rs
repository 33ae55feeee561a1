//! Reads an `arcstats` kstat from standard input and prints what the ARC did since the module was loaded.
//!
//! ```text
//! cargo run -p arcwright-kstat --example arcstats < /proc/spl/kstat/zfs/arcstats
//! ```
#![expect(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error;

use arcwright_kstat::NamedKstat;
use arcwright_units::{Bytes, Ratio};

fn main() -> Result<(), Box<dyn Error>> {
    let text = std::io::read_to_string(std::io::stdin())?;
    let arcstats = NamedKstat::parse("zfs/arcstats", &text)?;
    // Rows that this version does not have are absent, never zero.
    let show = |what: &str, shown: Option<String>| {
        println!("{what:<16} {}", shown.unwrap_or_else(|| "not counted".to_owned()));
    };
    let size = |row: &str| arcstats.get(row).map(|bytes| Bytes(bytes).to_string());
    show("size", size("size"));
    show("target", size("c"));
    show("maximum", size("c_max"));
    let share = |hits: &str, misses: &str| {
        let (hits, misses) = (arcstats.get(hits)?, arcstats.get(misses)?);
        Some(Ratio::new(hits, hits.saturating_add(misses)).to_string())
    };
    show("ARC hits", share("hits", "misses"));
    show("metadata hits", share("demand_metadata_hits", "demand_metadata_misses"));
    show("L2ARC hits", share("l2_hits", "l2_misses"));
    Ok(())
}
