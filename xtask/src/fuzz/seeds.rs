//! First inputs and dictionaries, made of what the repository has anyway: fixtures, scenarios, the words
//! that readers look for.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use arcwright_host::capture::pack_text;
use arcwright_kstat::Snapshot;
use arcwright_machine::{Machine, Source, Sources};
use arcwright_recording::Tail;
use arcwright_units::Nanos;

use super::targets::{Seeds, Target};

/// A word of a dictionary has at most so many bytes.
const WORD_BYTES_MAX: usize = 40;
/// A dictionary has at most so many words.
const WORDS_MAX: usize = 4000;
/// So many first inputs per kind of text; the machines of the fixtures say much the same.
const SEEDS_MAX: usize = 400;

/// A journal with an operation that was undone, one that stands, and one that was cut off.
const JOURNAL: &str = include_str!("journal.jsonl");

/// Writes the first inputs of a target into `folder` and its dictionary beside it; returns the
/// dictionary's path when it has words.
pub(super) fn write(target: &Target, folder: &Path) -> anyhow::Result<Option<PathBuf>> {
    fs::create_dir_all(folder)?;
    let mut count = 0_usize;
    let mut put = |bytes: &[u8]| -> anyhow::Result<()> {
        if count < SEEDS_MAX {
            let part = bytes.get(..target.bytes_max).unwrap_or(bytes);
            fs::write(folder.join(format!("{count:03}")), part)?;
            count += 1;
        }
        Ok(())
    };
    for seed in seeds(target.seeds)? {
        put(&seed)?;
    }
    dictionary(target, &folder.with_extension("words"))
}

fn seeds(kind: Seeds) -> anyhow::Result<Vec<Vec<u8>>> {
    let texts = |parts: &[&str]| -> anyhow::Result<Vec<(String, String)>> {
        let mut texts = fixtures()?;
        texts.retain(|(name, _)| parts.iter().any(|part| name.contains(part)));
        Ok(texts)
    };
    let bytes = |texts: Vec<(String, String)>| texts.into_iter().map(|(_, text)| text.into_bytes());
    Ok(match kind {
        Seeds::None => Vec::new(),
        Seeds::Texts(parts) => bytes(texts(parts)?).collect(),
        Seeds::Named(parts) => named(texts(parts)?, ""),
        Seeds::Pastes => pastes()?,
        Seeds::Captures => captures()?.into_iter().chain(pastes()?).collect(),
        Seeds::Bundles => bundles()?,
        Seeds::Machines => (0..16).map(|machine: u8| vec![machine]).collect(),
        Seeds::Files(folder, ending) => files(folder, ending)?,
        Seeds::Changes(folder, ending) => files(folder, ending)?
            .into_iter()
            .map(|text| [b"system.memory\0".as_slice(), b"8GiB\0", &text].concat())
            .collect(),
        Seeds::Recordings => recordings()?,
        Seeds::Journal => {
            let lines = JOURNAL.lines().map(|line| format!("{line}\n").into_bytes());
            lines.chain(Some(JOURNAL.as_bytes().to_vec())).collect()
        }
    })
}

/// Returns two frames of a recording for each kstat of a machine.
fn recordings() -> anyhow::Result<Vec<Vec<u8>>> {
    let machine = Machine::read(&arcwright_fixtures::machine("guest-2.3.2-healthy")?);
    let last = machine.samples.last().context("a machine without counters")?;
    let frames = last.kstats.kstats.values().map(|kstat| {
        let mut reading = Snapshot::from_kstats(Nanos::secs(1), vec![kstat.clone()]);
        let mut tail = Tail::default();
        let mut bytes = tail.push(&reading);
        reading.at = Nanos::secs(2);
        bytes.extend(tail.push(&reading));
        bytes
    });
    Ok(frames.collect())
}

/// Returns pasted texts and every text of the machines.
fn pastes() -> anyhow::Result<Vec<Vec<u8>>> {
    let texts = fixtures()?.into_iter().map(|(_, text)| text.into_bytes());
    Ok(files("fixtures/pastes", "txt")?.into_iter().chain(texts).collect())
}

/// Returns captures in their text form, of some texts each.
fn captures() -> anyhow::Result<Vec<Vec<u8>>> {
    const TEXTS: usize = 3;
    let texts = fixtures()?;
    let capture = |texts: &[(String, String)]| -> anyhow::Result<Vec<u8>> {
        let named = texts.iter().cloned().map(|(name, text)| (name, Source::Text(text)));
        Ok(pack_text(&Sources { texts: named.collect(), ..Sources::default() }, None)?.into_bytes())
    };
    texts.chunks(TEXTS).map(capture).collect()
}

fn named(texts: Vec<(String, String)>, mark: &str) -> Vec<Vec<u8>> {
    texts.into_iter().map(|(name, text)| format!("{mark}{name}\n{text}").into_bytes()).collect()
}

/// Returns every text of the machines in the fixtures by name, none twice, one of each kind first.
fn fixtures() -> anyhow::Result<Vec<(String, String)>> {
    let (mut all, mut seen) = (Vec::new(), BTreeSet::new());
    for (_, sources) in arcwright_fixtures::machines()? {
        for (name, source) in sources.texts {
            let Source::Text(text) = source else { continue };
            // One sample, and no more of two hundred parameters than one.
            let is_more = name.starts_with("sample-1") || name.starts_with("modes/");
            let is_parameter = name.contains("/parameters/") && !name.ends_with("zfs_arc_max");
            if !is_more && !is_parameter && seen.insert(text.clone()) {
                all.push((name, text));
            }
        }
    }
    Ok(all)
}

/// Returns texts below their names, and what each machine says of its pools in one.
fn bundles() -> anyhow::Result<Vec<Vec<u8>>> {
    const MARK: &str = "=== ";
    let texts = fixtures()?;
    let pools = texts.iter().filter(|(name, _)| name.starts_with("commands/zpool"));
    let pools: Vec<String> = pools.map(|(name, text)| format!("{MARK}{name}\n{text}")).collect();
    let together = pools.chunks(3).map(|chunk| chunk.concat().into_bytes());
    Ok(together.chain(named(texts, MARK)).collect())
}

fn files(folder: &str, ending: &str) -> anyhow::Result<Vec<Vec<u8>>> {
    let folder = crate::root().join(folder);
    let entries = fs::read_dir(&folder).with_context(|| format!("no {}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|other| other == ending));
    paths.sort();
    paths.iter().map(|path| Ok(fs::read(path)?)).collect()
}

/// Writes the words that the target's readers know, as their sources have them in quotes.
fn dictionary(target: &Target, path: &Path) -> anyhow::Result<Option<PathBuf>> {
    let mut words: BTreeSet<String> = BTreeSet::new();
    for crate_name in target.words {
        let folder = crate::root().join("crates").join(crate_name).join("src");
        let mut sources = Vec::new();
        collect(&folder, &mut sources)?;
        for source in sources {
            let text = fs::read_to_string(&source)?;
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            words.extend(quoted(code));
        }
    }
    let lines: String = words
        .iter()
        .take(WORDS_MAX)
        .map(|word| {
            let escaped: String = word.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
            format!("\"{escaped}\"\n")
        })
        .collect();
    fs::write(path, &lines)?;
    Ok((!lines.is_empty()).then(|| path.to_owned()))
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)?.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "rs")
            && !path.ends_with("tests.rs")
        {
            files.push(path);
        }
    }
    Ok(())
}

/// Returns short texts in quotes, comments aside; what is between two of them is taken for one as well,
/// which costs nothing.
fn quoted(code: &str) -> impl Iterator<Item = String> {
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.flat_map(|line| line.split('"').skip(1).step_by(2)).filter_map(|word| {
        let fits = (2..=WORD_BYTES_MAX).contains(&word.len()) && !word.contains(['{', '\\']);
        fits.then(|| word.to_owned())
    })
}
