//! Pasted sysctls, parameters, lines of configuration files, and what the machine is.

use arcwright_kstat::name_and_value;

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text, joined};

const SYSCTLS: [&str; 6] =
    ["kstat.zfs.", "vfs.zfs.", "hw.physmem", "hw.pagesize", "kern.os", "vm.stats."];
const PARAMETERS: &str = "sys/module/zfs/parameters/";

/// Takes lines of sysctl(8); a value in quotes is one of loader.conf.
pub(super) fn sysctls(lines: &[Line], _prompt: &Prompt) -> Option<Taken> {
    let is_sysctl = |line: &&Line| {
        let text = line.text.trim();
        SYSCTLS.iter().any(|start| text.starts_with(start)) && name_and_value(text).is_some()
    };
    let quoted = |line: &&Line| line.text.contains("=\"");
    let count = lines.iter().take_while(is_sysctl).take_while(|line| !quoted(line)).count();
    if count == 0 {
        let count = lines.iter().take_while(is_sysctl).take_while(quoted).count();
        let name = "boot/loader.conf".to_owned();
        let text = joined(lines, count);
        return (count > 0)
            .then(|| Taken { lines: count, texts: vec![Text { name, text, again: Again::More }] });
    }
    let trimmed: String =
        lines.iter().take(count).map(|line| format!("{}\n", line.text.trim())).collect();
    let name = "commands/sysctl".to_owned();
    // Parameters belong to the machine, counters to a sample; the second time they are another one.
    let again =
        if trimmed.contains("kstat.zfs.misc.arcstats.") { Again::Sample } else { Again::More };
    Some(Taken { lines: count, texts: vec![Text { name, text: trimmed, again }] })
}

/// Takes a single line that sets or shows something.
pub(super) fn settings(lines: &[Line], prompt: &Prompt) -> Option<Taken> {
    let line = lines.first()?.text.trim();
    let kinds = [parameter(line), option(line), memory(line), version(line), kernel(line)];
    let (name, text) = kinds.into_iter().flatten().next().or_else(|| alone(line, prompt))?;
    Some(Taken {
        lines: 1,
        texts: vec![Text { name, text: format!("{text}\n"), again: Again::More }],
    })
}

type Named = (String, String);

/// `/sys/module/zfs/parameters/zfs_arc_max:0`, as `grep . …/*` prints them.
fn parameter(line: &str) -> Option<Named> {
    let rest = line.split_once(PARAMETERS)?.1;
    let (name, value) = rest.split_once([':', '=', ' '])?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then(|| (format!("{PARAMETERS}{name}"), value.trim().to_owned()))
}

/// A bare value below `cat /sys/module/zfs/parameters/zfs_arc_max`.
fn alone(line: &str, prompt: &Prompt) -> Option<Named> {
    let path = prompt.parameter()?;
    let single = line.split_whitespace().count() == 1 && line.len() < 40;
    single.then(|| (format!("{PARAMETERS}{path}"), line.to_owned()))
}

/// `options zfs zfs_arc_max=8589934592`.
fn option(line: &str) -> Option<Named> {
    let is_option = line.starts_with("options zfs ") || line.starts_with("options spl ");
    is_option.then(|| ("etc/modprobe.d/zfs.conf".to_owned(), line.to_owned()))
}

fn memory(line: &str) -> Option<Named> {
    const ROWS: [&str; 5] = ["MemTotal:", "MemFree:", "MemAvailable:", "SwapTotal:", "SwapFree:"];
    let is_row = ROWS.iter().any(|row| line.starts_with(row)) && line.ends_with("kB");
    is_row.then(|| ("proc/meminfo".to_owned(), line.to_owned()))
}

fn version(line: &str) -> Option<Named> {
    let number = line.strip_prefix("zfs-kmod-").or_else(|| line.strip_prefix("zfs-"))?;
    let is_version = arcwright_tunables::Version::parse(number).is_some();
    is_version.then(|| ("commands/zfs-version".to_owned(), line.to_owned()))
}

/// `Linux nas 6.1.0-28-amd64 #1 SMP …`, as `uname -a` prints it; the host's name is left out.
fn kernel(line: &str) -> Option<Named> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let release = words.get(2).filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    let os = words.first().filter(|os| matches!(**os, "Linux" | "FreeBSD"))?;
    (words.len() > 4).then(|| ("commands/uname".to_owned(), format!("{os} {release}")))
}
