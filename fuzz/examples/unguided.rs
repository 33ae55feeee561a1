//! Runs a target on inputs that are changed at random, without coverage: `unguided TARGET BYTES SECONDS SEED FAILURES
//! WORDS FOLDER…`, as `cargo xtask fuzz run --unguided` calls it.

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use arcwright_fuzz::targets;
use arcwright_fuzz::unguided::{Plan, inputs_of, words_of};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().ok_or("an argument is missing");
    let name = next()?;
    let target = targets::named(&name).ok_or_else(|| format!("there is no target {name}"))?;
    let (bytes_max, seconds, seed) = (next()?.parse()?, next()?.parse()?, next()?.parse()?);
    let (failures, words) = (next()?.into(), next()?);
    let inputs = inputs_of(&arguments.map(PathBuf::from).collect::<Vec<_>>())?;
    let words = words_of(&fs::read_to_string(words).unwrap_or_default());
    let time = Duration::from_secs(seconds);
    let executions_max = u64::MAX;
    let plan = Plan { target, inputs, words, bytes_max, time, executions_max, seed, failures };
    match plan.run() {
        Ok(executions) => println!("executions: {executions}"),
        Err(path) => return Err(format!("an input failed: {}", path.display()).into()),
    }
    Ok(())
}
