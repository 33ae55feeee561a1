//! Runs a target on inputs that are changed at random, without coverage: `unguided TARGET BYTES SECONDS SEED FAILURES
//! WORDS FOLDER…`, as `cargo xtask fuzz run --unguided` calls it.

use std::error::Error;
use std::fs;
use std::time::Duration;

use arcwright_fuzz::doctor;
use arcwright_fuzz::unguided::Plan;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().ok_or("an argument is missing");
    let target = match next()?.as_str() {
        "machine" => doctor::machine,
        "paste" => |bytes: &[u8]| doctor::paste(&String::from_utf8_lossy(bytes)),
        "sources" => |bytes: &[u8]| doctor::sources(&String::from_utf8_lossy(bytes)),
        other => return Err(format!("{other} runs with coverage alone").into()),
    };
    let (bytes_max, seconds, seed) = (next()?.parse()?, next()?.parse()?, next()?.parse()?);
    let (failures, words) = (next()?.into(), next()?);
    let mut inputs = Vec::new();
    for folder in arguments {
        for entry in fs::read_dir(folder)? {
            inputs.push(fs::read(entry?.path())?);
        }
    }
    // File systems list them in orders of their own.
    inputs.sort_unstable();
    let words = words_of(&fs::read_to_string(words).unwrap_or_default());
    let time = Duration::from_secs(seconds);
    let plan = Plan { target, inputs, words, bytes_max, time, seed, failures };
    match plan.run() {
        Ok(executions) => println!("executions: {executions}"),
        Err(path) => return Err(format!("an input failed: {}", path.display()).into()),
    }
    Ok(())
}

/// Returns the words of a dictionary of libFuzzer's: one in quotes per line, each byte as `\xNN`.
fn words_of(text: &str) -> Vec<Vec<u8>> {
    let quoted = text.lines().filter_map(|line| line.strip_prefix('"')?.strip_suffix('"'));
    let bytes = |word: &str| -> Option<Vec<u8>> {
        let mut digits = word.split("\\x").skip(1);
        digits.try_fold(Vec::new(), |mut bytes, byte| {
            bytes.push(u8::from_str_radix(byte, 16).ok()?);
            Some(bytes)
        })
    };
    quoted.filter_map(bytes).collect()
}
