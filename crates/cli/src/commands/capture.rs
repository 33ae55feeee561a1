//! `arcwright capture`: everything doctor needs, in one small archive, to send to somebody who helps.

use std::path::Path;

use anyhow::{Context as _, anyhow};
use arcwright_host::capture::{FORMAT, Manifest, Missing, pack, pack_text, redact};
use arcwright_host::host_name;
use arcwright_host::observe::{Options, Tools, observe};
use arcwright_machine::{Source, Sources};
use arcwright_units::{visible, visible_path};

use crate::arguments::CaptureArguments;
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::observing::{Observing, explained};
use crate::output::{self, Pending};
use crate::preferences::preferences;
use crate::problem::Problem;

pub(crate) fn capture(arguments: &CaptureArguments) -> Result<Exit, Problem> {
    let file = &arguments.file;
    refuse_what_is_there(file, arguments.force)?;
    let pending = Pending::begin(file)?;
    let interrupt = Interrupt::listen_and_end()?;
    let options = Options {
        root: arguments.root.clone(),
        tools: Tools::default().until(interrupt.flag()),
        window: preferences().window(arguments.window),
        smart: !arguments.no_smart,
        ..Options::default()
    };
    let mut observing = Observing::new(interrupt);
    let found = observe(&options, &mut observing);
    let stopped = observing.finish();
    let sources = found.map_err(explained)?;
    let sources = if arguments.redact { redact(&sources) } else { sources };
    let missing = Manifest::missing(&sources);
    let manifest = Manifest {
        format: FORMAT,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        window_s: preferences().window(arguments.window).as_secs_f64(),
        redacted: arguments.redact,
        machine: host_name(&arguments.root).filter(|_| !arguments.redact),
        time_s: now_s(),
        missing: missing.clone(),
    };
    let packed = match arguments.text {
        true => pack_text(&sources, Some(&manifest)).map(String::into_bytes),
        false => pack(&sources, &manifest),
    };
    let packed = packed.context("failed to make the capture")?;
    pending.complete_bytes(&packed)?;
    output::print(&listing(file, packed.len(), &sources, &missing))?;
    if stopped {
        output::remark("note: stopped early, the window is shorter than requested");
    }
    Ok(Exit::Fine)
}

fn now_s() -> Option<u64> {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.ok().map(|since| since.as_secs())
}

fn refuse_what_is_there(file: &Path, force: bool) -> Result<(), Problem> {
    if file.is_dir() {
        return Err(Problem::Usage(anyhow!(
            "{} is a folder, expected a file's name",
            visible_path(file)
        )));
    }
    if file.exists() && !force {
        let why = "already exists; give another name, or --force to replace it";
        return Err(Problem::Usage(anyhow!("{} {why}", visible_path(file))));
    }
    Ok(())
}

/// Groups of texts, for the listing: how names begin, and what they are.
const GROUPS: [(&str, &str); 8] = [
    ("sample-0/", "first reading: kstats, vdevs since import"),
    ("sample-1/", "second reading: kstats, vdevs over the window"),
    ("sys/module/", "parameters of the modules"),
    ("modes/", "which of them can be set"),
    ("commands/", "output of zpool, zfs, lsblk, smartctl"),
    ("etc/", "settings and the system's name"),
    ("sys/block/", "kinds of drives"),
    ("proc/", "memory, mounts, the kernel's release"),
];

/// Lists what the archive holds and what it lacks.
fn listing(file: &Path, bytes: usize, sources: &Sources, missing: &[Missing]) -> String {
    let size = arcwright_units::Bytes(u64::try_from(bytes).unwrap_or(u64::MAX));
    let mut text = format!("wrote {} ({size})\n", visible_path(file));
    let there = |source: &&Source| matches!(source, Source::Text(_));
    let mut counted = 0;
    for (start, what) in GROUPS {
        let all = sources.texts.iter().filter(|(name, _)| name.starts_with(start));
        let count = all.filter(|(_, source)| there(source)).count();
        counted += count;
        if count > 0 {
            text.push_str(&format_row(count, what));
        }
    }
    let rest = sources.texts.values().filter(there).count().saturating_sub(counted);
    if rest > 0 {
        text.push_str(&format_row(rest, "other"));
    }
    text + &not_read(missing)
}

fn format_row(count: usize, what: &str) -> String {
    format!("  {count:>5}  {what}\n")
}

fn not_read(missing: &[Missing]) -> String {
    const SHOWN_MAX: usize = 40;
    if missing.is_empty() {
        return "everything could be read\n".to_owned();
    }
    let mut text = "not readable:\n".to_owned();
    // Both samples lack the same.
    let mut rows: Vec<String> = missing.iter().map(missing_row).collect();
    rows.sort();
    rows.dedup();
    text.extend(rows.iter().take(SHOWN_MAX).map(String::as_str));
    if rows.len() > SHOWN_MAX {
        text.push_str("  and more, see manifest.json\n");
    }
    if missing.iter().any(|one| one.reason == "denied") {
        text.push_str("hint: sudo can read these too\n");
    }
    if missing.iter().any(|one| one.name == "commands/smartctl") {
        text.push_str("hint: install smartmontools to capture the wear of SSDs\n");
    }
    text
}

fn missing_row(one: &Missing) -> String {
    let words = match one.reason.as_str() {
        "denied" => "needs more rights",
        "absent" if one.name.contains("commands/") => "is not installed",
        "absent" => "is not there",
        _ => one.words.as_str(),
    };
    format!("  {}: {}\n", visible(&shown_name(&one.name)), visible(words))
}

/// Returns a source's name as its reader would write it: `/proc/…`, or the command.
fn shown_name(name: &str) -> String {
    let name = name
        .split_once('/')
        .filter(|(first, _)| first.starts_with("sample-"))
        .map_or(name, |(_, rest)| rest);
    let Some(command) = name.strip_prefix("commands/") else { return format!("/{name}") };
    match command.splitn(3, '-').collect::<Vec<_>>().as_slice() {
        [program, verb, options] => format!("{program} {verb} -{options}"),
        [program, verb] => format!("{program} {verb}"),
        _ => command.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Missing, not_read, shown_name};

    #[test]
    fn what_could_not_be_read_is_named_as_it_is_called() {
        assert_eq!(shown_name("sample-0/proc/spl/kstat/zfs/dbufs"), "/proc/spl/kstat/zfs/dbufs");
        assert_eq!(shown_name("commands/zpool-status"), "zpool status");
        assert_eq!(shown_name("sample-1/commands/zpool-iostat-lq"), "zpool iostat -lq");
        assert_eq!(shown_name("commands/smartctl"), "smartctl");
        let denied = Missing {
            name: "commands/zpool-status".to_owned(),
            reason: "denied".to_owned(),
            words: String::new(),
        };
        let text = not_read(&[denied]);
        assert!(
            text.contains("zpool status: needs more rights") && text.contains("sudo"),
            "{text}"
        );
    }
}
