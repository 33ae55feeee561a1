//! Pasted sysctls, parameters, lines of configuration files, and values that somebody typed.

use arcwright_kstat::name_and_value;
use arcwright_tunables::lookup;

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text};
use crate::machine::{UNSHOWN_OPTIONS, UNSHOWN_SYSTEM};
use crate::read::said;

const SYSCTLS: [&str; 12] = [
    "kstat.zfs.",
    "kstat.spl.",
    "vfs.zfs.",
    "hw.physmem",
    "hw.realmem",
    "hw.pagesize",
    "hw.model",
    "hw.machine",
    "hw.ncpu",
    "kern.",
    "vm.",
    "vfs.numvnodes",
];
const PARAMETERS: &str = "sys/module/zfs/parameters/";
const MODPROBE: &str = "etc/modprobe.d/zfs.conf";
const SYSTEM: &str = "etc/system";
/// Limits that arcstats has in force, as `c_max` and `c_min`.
const LIMITS: [&str; 2] = ["/zfs_arc_max", "/zfs_arc_min"];
/// Modules whose options are read.
const MODULES: [&str; 2] = ["zfs", "spl"];

/// Takes lines of sysctl(8); a value in quotes is one of loader.conf.
pub(super) fn sysctls(lines: &[Line], prompt: &Prompt) -> Option<Taken> {
    let asked = prompt.program() == Some("sysctl");
    let first = sysctl_of(&lines.first()?.text, asked)?;
    let is_file = |line: &str| ["=\"", "='", "= \"", "= '"].iter().any(|set| line.contains(set));
    let of_file = is_file(first) || prompt.file().is_some_and(|path| path.ends_with(".conf"));
    let alike = |line: &&Line| {
        sysctl_of(&line.text, asked).is_some_and(|text| (is_file(text) || of_file) == of_file)
    };
    let taken: Vec<&str> =
        lines.iter().take_while(alike).filter_map(|line| sysctl_of(&line.text, asked)).collect();
    let count = taken.len();
    if of_file {
        let name =
            prompt.file().filter(|path| path.ends_with(".conf")).unwrap_or("boot/loader.conf");
        let text = taken.iter().map(|line| format!("{}\n", line.replace('\'', "\""))).collect();
        let texts = vec![Text { name: name.to_owned(), text, again: Again::More }];
        return Some(Taken { lines: count, texts });
    }
    // Parameters belong to the machine, counters to a sample.
    let (counters, others): (Vec<&str>, Vec<&str>) =
        taken.into_iter().partition(|line| line.starts_with("kstat.zfs."));
    let text = |lines: Vec<&str>, again| {
        let name = "commands/sysctl".to_owned();
        let text: String = lines.iter().map(|line| format!("{}\n", set_value(line))).collect();
        (!lines.is_empty()).then_some(Text { name, text, again })
    };
    let texts = [text(others, Again::More), text(counters, Again::Sample)];
    Some(Taken { lines: count, texts: texts.into_iter().flatten().collect() })
}

/// Returns the line of a sysctl that was set, `name: old -> new`, with the new value alone.
fn set_value(line: &str) -> String {
    let new =
        name_and_value(line).and_then(|(name, value)| Some((name, value.split_once(" -> ")?.1)));
    new.map_or_else(|| line.to_owned(), |(name, new)| format!("{name}: {new}"))
}

/// Returns the sysctl that a line is, without what stands before it in threads; any at all where it
/// `asked` for them.
fn sysctl_of(line: &str, asked: bool) -> Option<&str> {
    let text = line.trim().trim_start_matches(['>', '•', '*', '-', ' ']);
    let dotted = |text: &str| {
        let name = text.split([':', '=', ' ']).next().is_some_and(|name| name.contains('.'));
        name && text.starts_with(|c: char| c.is_ascii_lowercase())
    };
    let known = SYSCTLS.iter().any(|start| text.starts_with(start)) || asked && dotted(text);
    let (_, value) = name_and_value(text).filter(|_| known)?;
    // A sentence about a sysctl has more words than any value.
    const WORDS_MAX: usize = 6;
    if text.starts_with("hw.model:") {
        return Some(text);
    }
    (value.split_whitespace().count() <= WORDS_MAX).then_some(text)
}

/// Takes a single line that sets or shows something.
pub(super) fn settings(lines: &[Line], prompt: &Prompt) -> Option<Taken> {
    let line = lines.first()?.text.trim();
    const LENGTH_MAX: usize = 4096;
    (line.len() <= LENGTH_MAX).then_some(())?;
    if let Some(text) = of_illumos(line, prompt) {
        return Some(Taken { lines: 1, texts: vec![text] });
    }
    if let Some(words) = command(line) {
        // Without a prompt it may be advice. Whether a limit of the ARC was set the counters show.
        let number = lines.first().map_or(0, |line| line.number);
        let is_advice = prompt.mention.advises_at(number);
        let is_open =
            |text: &Text| is_advice || LIMITS.iter().any(|limit| text.name.ends_with(limit));
        let texts: Vec<Text> = set(&words)
            .into_iter()
            .map(|text| if is_open(&text) { only_said(text) } else { text })
            .collect();
        return (!texts.is_empty()).then_some(Taken { lines: 1, texts });
    }
    // A line that no command showed may be of a file, of advice, or of what somebody is going to do.
    let is_shown = prompt.arguments().iter().any(|word| word.contains("modprobe"));
    let told = lines.first().and_then(|line| prompt.mention.file_at(line.number));
    let option = option(line).map(|(file, text)| match (is_shown, told) {
        (true, _) => (shown_file(prompt).unwrap_or(file), text),
        (false, Some(told)) => (told.to_owned(), text),
        (false, None) => (UNSHOWN_OPTIONS.to_owned(), text),
    });
    let kinds = [parameter(line), option, memory(line)];
    let Some((name, text)) = kinds.into_iter().flatten().next() else {
        return alone(lines, prompt);
    };
    let texts = vec![Text { name, text: format!("{text}\n"), again: Again::More }];
    Some(Taken { lines: 1, texts })
}

/// Returns a setting as one that a command would make, whether it was run or not.
fn only_said(text: Text) -> Text {
    let Text { name, text, again } = text;
    if let Some(parameter) = name.strip_prefix(PARAMETERS) {
        return Text { text: format!("{parameter}={text}"), name: said::NAME.to_owned(), again };
    }
    if name == "commands/sysctl" {
        return Text { text, name: said::NAME.to_owned(), again };
    }
    if name.starts_with("etc/modprobe.d/") {
        return Text { text, name: UNSHOWN_OPTIONS.to_owned(), again };
    }
    Text { name, text, again }
}

/// Returns whether a line says that the command above it did not set what it was to set.
pub(super) fn refuses(line: &str) -> bool {
    const WORDS: [&str; 6] = [
        "Permission denied",
        "Operation not permitted",
        "write error: ",
        "is a read only tunable",
        "unknown oid ",
        "Read-only file system",
    ];
    line.contains(": ") && WORDS.iter().any(|words| line.contains(words))
}

/// Returns the file of options that a command shows: `cat /etc/modprobe.d/limits.conf`.
fn shown_file(prompt: &Prompt) -> Option<String> {
    let mut files = prompt.arguments().iter().filter(|word| {
        word.starts_with("/etc/modprobe.d/") && word.ends_with(".conf") && !word.contains('*')
    });
    let path = files.next().filter(|_| files.next().is_none())?;
    Some(path.trim_start_matches('/').to_owned())
}

type Named = (String, String);

/// `/sys/module/zfs/parameters/zfs_arc_max:0`, as `grep . …/*` prints them, and the same without its
/// folder; `zfs_arc_max         = "0"` of `systool -vm zfs`.
fn parameter(line: &str) -> Option<Named> {
    let bare = line.split_once(':').or_else(|| {
        line.split_once('=').filter(|(name, value)| name.ends_with(' ') && value.contains('"'))
    });
    let bare = bare.map(|(name, value)| (name.trim(), value.trim().trim_matches('"')));
    let known = |(name, value): &(&str, &str)| {
        is_name(name)
            && lookup(name).is_some_and(|entry| entry.name == *name)
            && !value.is_empty()
            && !value.contains(char::is_whitespace)
    };
    if let Some((name, value)) = bare.filter(known) {
        return Some((format!("{PARAMETERS}{name}"), value.to_owned()));
    }
    let (before, rest) = line.split_once(PARAMETERS)?;
    matches!(before, "" | "/").then_some(())?;
    let (name, value) = rest.split_once([':', '=', ' '])?;
    let value = value.trim();
    (is_name(name) && !value.is_empty() && value.split_whitespace().count() <= 8)
        .then(|| (format!("{PARAMETERS}{name}"), value.to_owned()))
}

/// Bare values below `cat /sys/module/zfs/parameters/zfs_arc_max`: one for each parameter, in their order.
fn alone(lines: &[Line], prompt: &Prompt) -> Option<Taken> {
    let names = prompt.parameters();
    let single =
        |line: &&Line| line.text.split_whitespace().count() == 1 && line.text.trim().len() < 40;
    let values: Vec<&Line> = lines.iter().take(names.len()).take_while(single).collect();
    // Of fewer values than names nobody knows which is which.
    let fits = |(name, line): (&String, &&Line)| is_value(name, line.text.trim());
    let is_whole =
        !names.is_empty() && values.len() == names.len() && names.iter().zip(&values).all(fits);
    let text = |(name, line): (&String, &&Line)| parameter_text(name, line.text.trim());
    is_whole.then(|| Taken {
        lines: values.len(),
        texts: names.iter().zip(&values).map(text).collect(),
    })
}

/// Says whether a word can be the value of a parameter: a number, unless it chooses by name.
fn is_value(name: &str, word: &str) -> bool {
    const CHOOSING: [&str; 4] = ["impl", "scheduler", "taskq", "path"];
    let chooses = CHOOSING.iter().any(|part| name.contains(part));
    chooses
        || word.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        || matches!(word, "Y" | "N")
}

/// `options zfs zfs_arc_max=8589934592`, as a file or `modprobe -c` has it.
fn option(line: &str) -> Option<Named> {
    let mut words = line.split_whitespace();
    let opens = words.next() == Some("options");
    let module = words.next().is_some_and(|word| MODULES.contains(&word));
    let mut settings = words.peekable();
    let sets = settings.peek().is_some()
        && settings.take_while(|word| !word.starts_with('#')).all(|word| word.contains('='));
    (opens && module && sets).then(|| (MODPROBE.to_owned(), line.to_owned()))
}

/// `set zfs:zfs_arc_max=0x100000000`, as `/etc/system` of illumos has it (system(5)).
fn of_illumos(line: &str, prompt: &Prompt) -> Option<Text> {
    let is_shown = prompt.arguments().iter().any(|word| word.contains(SYSTEM));
    if is_shown && line.starts_with("* ") {
        let (name, text) = (SYSTEM.to_owned(), format!("{line}\n"));
        return Some(Text { name, text, again: Again::More });
    }
    let setting = line.strip_prefix("set ")?.trim_start().strip_prefix("zfs:")?;
    let (name, value) = setting.split_once('=')?;
    let value = value.split_whitespace().next()?;
    let digits = value.strip_prefix("0x").unwrap_or(value);
    let is_number = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_hexdigit());
    (is_name(name.trim()) && is_number).then_some(())?;
    let name = if is_shown { SYSTEM.to_owned() } else { UNSHOWN_SYSTEM.to_owned() };
    Some(Text { name, text: format!("{line}\n"), again: Again::More })
}

fn memory(line: &str) -> Option<Named> {
    const ROWS: [&str; 5] = ["MemTotal:", "MemFree:", "MemAvailable:", "SwapTotal:", "SwapFree:"];
    let is_row = ROWS.iter().any(|row| line.starts_with(row)) && line.ends_with("kB");
    is_row.then(|| ("proc/meminfo".to_owned(), line.to_owned()))
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns what a command says that was typed at a prompt: `echo 0 > …`, `sysctl vfs.zfs.x=1`.
pub(super) fn typed(prompt: &Prompt) -> Vec<Text> {
    set(&prompt.arguments().iter().map(String::as_str).collect::<Vec<_>>())
}

/// Returns the words of a line that is a command without its prompt.
fn command(line: &str) -> Option<Vec<&str>> {
    let line = line.trim_start_matches(['#', '$', '%', ' ']);
    let words: Vec<&str> = line.split_whitespace().collect();
    let start = words.iter().position(|word| !matches!(*word, "sudo" | "doas"))?;
    let words = words.get(start..)?;
    let opens = matches!(words.first(), Some(&("echo" | "sysctl" | "printf" | "modprobe")));
    let sets = words.iter().any(|word| word.contains(PARAMETERS) || word.contains("modprobe.d"))
        || words.first() == Some(&"modprobe")
        || words.iter().any(|word| word.starts_with("vfs.zfs.") && word.contains('='));
    (opens && sets).then(|| words.to_vec())
}

fn set(words: &[&str]) -> Vec<Text> {
    match words.first() {
        Some(&("mkswap" | "swapon")) => {
            let devices = words.iter().skip(1).filter(|word| word.starts_with("/dev/z"));
            let text: String = devices.map(|device| format!("{device} partition\n")).collect();
            let name = "proc/swaps".to_owned();
            let text = (!text.is_empty()).then_some(Text { name, text, again: Again::More });
            text.into_iter().collect()
        }
        Some(&("echo" | "printf")) => echoed(words).into_iter().collect(),
        Some(&"sysctl") => {
            let set = words
                .iter()
                .skip(1)
                .filter(|word| word.starts_with("vfs.zfs.") && name_and_value(word).is_some());
            let text: String = set.map(|word| format!("{word}\n")).collect();
            let name = "commands/sysctl".to_owned();
            let text = (!text.is_empty()).then_some(Text { name, text, again: Again::More });
            text.into_iter().collect()
        }
        Some(&"modprobe") => {
            let of_module = words.iter().any(|word| MODULES.contains(word));
            let settings = words.iter().filter_map(|word| word.split_once('='));
            let settings = settings.filter(|(name, _)| of_module && is_name(name));
            settings.map(|(name, value)| parameter_text(name, value)).collect()
        }
        _ => Vec::new(),
    }
}

/// `echo 0 > /sys/module/zfs/parameters/x`, `echo "options zfs x=1" | tee /etc/modprobe.d/zfs.conf`.
fn echoed(words: &[&str]) -> Option<Text> {
    let target = |part: &str| words.iter().find_map(|word| Some(word.split_once(part)?.1));
    let unquoted = |word: &&str| word.trim_matches(['"', '\'']).to_owned();
    let said: Vec<String> = words
        .iter()
        .skip(1)
        .take_while(|word| !word.starts_with(['>', '|']))
        .filter(|word| !word.starts_with('-'))
        .map(unquoted)
        .filter(|word| !word.is_empty())
        .collect();
    if let Some(name) = target(PARAMETERS) {
        let name = name.trim_end_matches([';', ')', '`', '"', '\'']);
        let [value] = said.as_slice() else { return None };
        return is_name(name).then(|| parameter_text(name, value));
    }
    let file = target("/etc/modprobe.d/").filter(|file| !file.contains(['/', '*']))?;
    let name = format!("etc/modprobe.d/{}", file.trim_end_matches([';', ')', '`', '"', '\'']));
    let line = said.join(" ");
    option(&line)?;
    Some(Text { name, text: format!("{line}\n"), again: Again::More })
}

pub(super) fn parameter_text(name: &str, value: &str) -> Text {
    let name = format!("{PARAMETERS}{name}");
    Text { name, text: format!("{value}\n"), again: Again::More }
}
