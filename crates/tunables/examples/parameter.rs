//! Prints what is known of a parameter, and its default in each series of OpenZFS.
//!
//! ```text
//! cargo run -p arcwright-tunables --example parameter l2arc_write_max
//! ```
#![expect(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error;

use arcwright_tunables::{DefaultValue, Kernel, Value, Version, lookup, nearest};

const RELEASES: [&str; 5] = ["2.0.3", "2.1.11", "2.2.7", "2.3.2", "2.4.4"];

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "l2arc_write_max".to_owned());
    let Some(entry) = lookup(&name) else {
        let hint = nearest(&name).map_or_else(String::new, |found| format!("; is it {found}?"));
        return Err(format!("no parameter is called {name}{hint}").into());
    };
    println!("{}: {}", entry.name, entry.about);
    println!("FreeBSD: {}", entry.freebsd.as_deref().unwrap_or("no sysctl"));
    for release in RELEASES {
        let version = Version::parse(release).ok_or("a release has two or three numbers")?;
        let default = entry.default_on(Kernel::Linux, version);
        let shown = match default {
            Some(DefaultValue::Fixed(number)) => Value::Number(number).shown(entry.unit),
            Some(DefaultValue::Word(word)) => word.to_owned(),
            Some(DefaultValue::Derived(rule)) => rule.to_owned(),
            // It does not exist there, which is not the same as zero.
            None => "not in this version".to_owned(),
        };
        println!("  {release:<7} {shown}");
    }
    Ok(())
}
