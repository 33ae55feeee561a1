//! `cargo xtask readers`: what 16 MB of anything cost, in time and memory.
//!
//! ```text
//!   fixtures ──grow──> 16 MB of one text: alike, under new names, in one line ┐
//!   fixtures ──grow──> 16 MB of one JSON: entries of its largest part         ├─> arcwright ──> seconds, peak
//!   journal, settings, results ──grow──> 16 MB                                ┘
//! ```
//!
//! The program is run as a user runs it, once for each input; its peak is what the kernel says of it.

mod grow;
mod measure;
mod rows;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use measure::{Cost, measure};

/// How large an input is.
const INPUT_BYTES: usize = 16_000_000;
/// What none may take.
const SECONDS_MAX: f64 = 2.0;
const PEAK_MIB_MAX: u64 = 300;
/// How many rows the table of the slowest has.
const ROWS: usize = 15;

#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Only inputs whose name holds this text.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// The program; the release build when it is not given.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

/// An input: its name, and the arguments that make the program read it.
struct Input {
    name: String,
    text: String,
    way: Way,
}

/// How an input reaches the program.
enum Way {
    /// As pasted text.
    Paste,
    /// As the text of a source in a folder copied from a machine.
    Named(String),
    /// As the journal below a root.
    Journal,
    /// As the text of a source, beside another source (its name, its text).
    Beside(String, (String, String)),
    /// As a file of module parameters below a root.
    Settings,
    /// As a saved result.
    Result,
    /// As two saved results that are compared.
    Results,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let program =
        options.program.clone().unwrap_or_else(|| crate::root().join("target/release/arcwright"));
    if !program.exists() {
        bail!("there is no {}; cargo build --release makes it", program.display());
    }
    let folder = std::env::temp_dir().join(format!("arcwright-readers-{}", std::process::id()));
    let result = all(options, &program, &folder);
    fs::remove_dir_all(&folder).unwrap_or_default();
    let mut costs = result?;
    costs.sort_by(|one, other| other.1.weight().total_cmp(&one.1.weight()));
    println!("{:>8}  {:>9}  {:>4}  input", "seconds", "peak", "exit");
    for (name, cost) in costs.iter().take(ROWS) {
        println!("{:8.2}  {:5} MiB  {:>4}  {name}", cost.seconds, cost.peak_mib, cost.exit);
    }
    let over: Vec<&str> =
        costs.iter().filter(|(_, cost)| cost.is_over()).map(|(name, _)| name.as_str()).collect();
    println!("{} inputs of {} MB", costs.len(), INPUT_BYTES / 1_000_000);
    match over.is_empty() {
        true => Ok(()),
        false => bail!("over {SECONDS_MAX} s or {PEAK_MIB_MAX} MiB: {}", over.join(", ")),
    }
}

impl Cost {
    fn is_over(&self) -> bool {
        self.seconds > SECONDS_MAX || self.peak_mib > PEAK_MIB_MAX
    }

    /// Returns how near it comes to what is allowed.
    fn weight(&self) -> f64 {
        (self.seconds / SECONDS_MAX).max(units(self.peak_mib) / units(PEAK_MIB_MAX))
    }
}

#[expect(clippy::cast_precision_loss, reason = "MiB of one process")]
fn units(mib: u64) -> f64 {
    mib as f64
}

fn all(options: &Options, program: &Path, folder: &Path) -> anyhow::Result<Vec<(String, Cost)>> {
    let mut costs = Vec::new();
    let wanted = |name: &str| options.only.as_deref().is_none_or(|only| name.contains(only));
    for (source, text) in texts()? {
        for (how, grown) in grow::all(&text) {
            for way in [Way::Paste, Way::Named(source.clone())] {
                let is_paste = matches!(way, Way::Paste);
                if !is_paste && source.starts_with("pastes/") {
                    continue;
                }
                let shown = if is_paste { "pasted" } else { "named" };
                let name = format!("{source}, {how}, {shown}");
                if wanted(&name) {
                    let input = Input { name, text: grown(INPUT_BYTES), way };
                    costs.push(one(program, folder, input)?);
                }
            }
        }
    }
    for (name, line, way) in [
        ("journal, no line of it", "{}\n", Way::Journal),
        ("journal, empty lines", "x\n", Way::Journal),
        ("settings, one long line", "a", Way::Settings),
        ("settings, comments", "# zfs\n", Way::Settings),
        ("results, brackets", "[", Way::Results),
        ("result, brackets", "[", Way::Result),
        ("result, numbers", "[1,", Way::Result),
        ("pasted brackets", "{\"a\":[", Way::Paste),
        ("pasted blanks", " ", Way::Paste),
        ("pasted line ends", "\n", Way::Paste),
    ] {
        if wanted(name) {
            let text = line.repeat(INPUT_BYTES / line.len());
            costs.push(one(program, folder, Input { name: name.to_owned(), text, way })?);
        }
    }
    let result = fs::read_to_string(crate::root().join("crates/cli/tests/it/fixtures/steam.json"))?;
    let (_, arms) = grow::all(&result).into_iter().next().context("a result grows")?;
    let mut many: Vec<(String, String, Way)> = rows::all().chain(rows::disks()).collect();
    many.push(("journal, operations".to_owned(), rows::journal(), Way::Journal));
    many.push(("result, more entries".to_owned(), arms(INPUT_BYTES), Way::Result));
    many.push(("results, more entries".to_owned(), arms(INPUT_BYTES), Way::Results));
    for (name, text, way) in many {
        if wanted(&name) {
            costs.push(one(program, folder, Input { name, text, way })?);
        }
    }
    Ok(costs)
}

/// Returns the longest text of every source in the fixtures, and every pasted text.
fn texts() -> anyhow::Result<BTreeMap<String, String>> {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for paste in fs::read_dir(crate::root().join("fixtures/pastes"))? {
        let paste = paste?.path();
        if paste.extension().is_some_and(|ending| ending == "txt") {
            let name = paste.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            texts.insert(format!("pastes/{name}"), fs::read_to_string(&paste)?);
        }
    }
    for (_, sources) in arcwright_fixtures::machines()? {
        for (name, source) in sources.texts {
            let arcwright_machine::Source::Text(text) = source else { continue };
            let kept = texts.entry(name).or_default();
            if text.len() > kept.len() {
                *kept = text;
            }
        }
    }
    // Parameters are files of one word each, read alike.
    texts.retain(|name, text| {
        text.len() > 20 && (!name.contains("/parameters/") || name.ends_with("zfs_arc_max"))
    });
    Ok(texts)
}

fn one(program: &Path, folder: &Path, input: Input) -> anyhow::Result<(String, Cost)> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let below = match &input.way {
        Way::Paste => "text",
        Way::Named(source) | Way::Beside(source, _) => source.as_str(),
        Way::Journal => "var/lib/arcwright/journal.jsonl",
        Way::Settings => "etc/modprobe.d/zfs.conf",
        Way::Result | Way::Results => "result.json",
    };
    let path = folder.join(below);
    fs::create_dir_all(path.parent().context("a file has a folder")?)?;
    fs::write(&path, input.text)?;
    if let Way::Beside(_, (source, text)) = &input.way {
        let beside = folder.join(source);
        fs::create_dir_all(beside.parent().context("a file has a folder")?)?;
        fs::write(&beside, text)?;
    }
    let place = path.display().to_string();
    let whole = folder.display().to_string();
    let arguments: Vec<&str> = match input.way {
        Way::Paste => vec!["doctor", "--no-model", "--from", &place],
        Way::Named(_) | Way::Beside(..) => vec!["doctor", "--no-model", "--from", &whole],
        Way::Settings => vec!["tune", "--root", &whole, "list", "--changed"],
        Way::Journal => vec!["tune", "--root", &whole, "log"],
        Way::Result => vec!["show", &place],
        Way::Results => vec!["compare", &place, &place],
    };
    let cost = measure(program, &arguments)
        .with_context(|| format!("failed to measure {}", input.name))?;
    Ok((input.name, cost))
}
