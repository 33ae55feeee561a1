//! What stands above an output: the command (`root@nas:~# zpool iostat -ylv tank 5 3`), and what an
//! output left open that an unknown line interrupted.

mod shells;
mod tools;

use super::kstats::Head;
use super::mention::Mention;
use super::{Text, devices};
use crate::read::arcstat::columns;
use shells::{above, at_pipe, idle, repeated, shell, unmarked};
use tools::{SUBCOMMANDS, TOOLS, is_tool};

/// What the last prompt said, and what goes on below it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Prompt {
    words: Vec<String>,
    /// The host that the prompt names.
    pub(super) host: Option<String>,
    pub(super) open: Open,
    /// What the last unknown line names.
    pub(super) mention: Mention,
}

/// What the output before an unknown line was, so that the lines after it are understood.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Open {
    /// The path of a kstat.
    pub(super) kstat: Option<String>,
    /// The first line of a kstat whose rows have not come yet.
    pub(super) head: Option<Head>,
    /// The heading of a report's section: `Cache hits by data type:`.
    pub(super) heading: Option<String>,
    /// The titles of an `arcstat`.
    pub(super) columns: Option<String>,
    /// The form of a `zpool iostat` (`-vly`) whose command is not there.
    pub(super) iostat: Option<String>,
    /// The name and the titles of a table of devices.
    pub(super) devices: Option<(String, String)>,
}

const COMMANDS: [&str; 31] = [
    "dmesg",
    "egrep",
    "fgrep",
    "tail",
    "cat",
    "zpool",
    "zfs",
    "arcstat",
    "zarcstat",
    "arc_summary",
    "zarcsummary",
    "arcstat.py",
    "arc_summary.py",
    "arc_summary.pl",
    "arc_summary.sh",
    "arcstat.pl",
    "sysctl",
    "zfs-stats",
    "grep",
    "head",
    "free",
    "uname",
    "uptime",
    "date",
    "lsblk",
    "modinfo",
    "modprobe",
    "freebsd-version",
    "pveversion",
    "lsb_release",
    "smartctl",
];
/// Programs that are known as typed only behind a shell's mark.
const TYPED: [&str; 22] = [
    "awk",
    "kstat",
    "mdb",
    "echo",
    "dd",
    "fio",
    "pv",
    "cp",
    "rsync",
    "iostat",
    "gstat",
    "vmstat",
    "dmesg",
    "gpart",
    "glabel",
    "camcontrol",
    "geom",
    "diskinfo",
    "df",
    "du",
    "ls",
    "rm",
];
/// The last is the arrow of prompts that are drawn in blocks.
const MARKS: [&str; 11] = ["# ", "$ ", "% ", "❯ ", "λ ", "> ", "» ", "› ", "▶ ", "➤ ", "\u{e0b0} "];
/// What may stand before the program, beside variables: `sudo`, `LC_ALL=C`.
const BEFORE: [&str; 6] = ["sudo", "doas", "time", "env", "nice", "nohup"];

impl Prompt {
    /// Returns the prompt that a line is; none for any other line.
    pub(super) fn of(line: &str) -> Option<Self> {
        const LINE_LENGTH_MAX: usize = 4096;
        let line = line.trim();
        (line.len() <= LINE_LENGTH_MAX).then_some(())?;
        // The first of two lines again: `[root@nas] /root`.
        if let Some(host) = above(line) {
            return Some(Self { host: Some(host.to_owned()), ..Self::default() });
        }
        if let Some(typed) = repeated(line) {
            return Some(Self::words_of(typed));
        }
        let marked =
            line.bytes().any(|byte| matches!(byte, b'#' | b'$' | b'%' | b'>') || byte > 127);
        if !marked {
            // `anna@nas ~ sudo zpool status`, where the mark was lost or never was.
            if let Some((host, typed)) = unmarked(line) {
                let typed = Self { host: Some(host.to_owned()), ..Self::words_of(typed) };
                return Some(typed).filter(Self::is_command);
            }
            let bare = begins_like_command(line).then(|| Self::words_of(line));
            return bare.filter(Self::is_command);
        }
        if let Some(host) = idle(line) {
            return Some(Self { host: Some(host.to_owned()), ..Self::default() });
        }
        // The first of two lines, of which the other has what was typed: `┌──(root㉿nas)-[~]`.
        if line.starts_with(['┌', '╭']) && line.contains(['@', '㉿', '~']) {
            return Some(Self::default());
        }
        if let Some(rest) = line.strip_prefix('➜') {
            // A folder, perhaps a branch, and what was typed.
            let words: Vec<&str> = rest.split_whitespace().skip(1).collect();
            let of_git = |word: &&&str| word.starts_with("git:(") || ["✗", "✔"].contains(*word);
            let typed: Vec<&str> = words.iter().skip_while(of_git).copied().collect();
            return Some(Self::words_of(&typed.join(" ")));
        }
        if let Some((host, typed)) = shell(line) {
            return Some(Self { host: Some(host.to_owned()), ..Self::words_of(typed) });
        }
        let typed = MARKS.iter().filter_map(|mark| {
            // Prompts that are drawn have a mark behind each of their parts.
            let at = if mark.is_ascii() { line.find(mark)? } else { line.rfind(mark)? };
            let before = line.get(..at)?;
            // A percentage in an output is no prompt.
            let folder = before.trim_start().starts_with('/') && !before.trim().contains(' ');
            let shell = before.is_empty()
                || folder
                || before.contains(['@', ':', '~', '['])
                || before.len() < 12 && !before.trim_end().contains(' ');
            shell.then(|| line.get(at + mark.len()..)).flatten()
        });
        let typed: Vec<&str> = typed.collect();
        // The debugger of illumos has commands of its own: `> ::arc`.
        if let Some(found) = typed.iter().find(|text| text.starts_with("::") && !text.contains(' '))
        {
            return Some(Self::words_of(found));
        }
        if let Some(found) = typed.iter().find(|text| is_typed(text)) {
            return Some(Self::words_of(found));
        }
        // Root's mark may stand right before the command.
        let marked = line.trim_start_matches(['#', '$']);
        if marked.len() < line.len() && marked.contains(" -") && is_typed(marked) {
            return Some(Self::words_of(marked));
        }
        let typed = typed.into_iter().chain([line, marked]);
        typed.filter(|text| begins_like_command(text)).map(Self::words_of).find(Self::is_command)
    }

    fn words_of(text: &str) -> Self {
        let words = text.split_whitespace().skip_while(|word| stands_before(word));
        Self { words: words.flat_map(at_pipe).collect(), ..Self::default() }
    }

    pub(super) fn program(&self) -> Option<&str> {
        self.words.first().map(|first| first.rsplit('/').next().unwrap_or(first))
    }

    fn is_command(&self) -> bool {
        let Some(program) = self.program() else { return false };
        if TOOLS.contains(&program) {
            return is_tool(program, &self.words);
        }
        let with_arguments = !matches!(
            program,
            "cat" | "zpool" | "zfs" | "grep" | "egrep" | "fgrep" | "head" | "tail" | "sysctl"
        );
        COMMANDS.contains(&program) && (with_arguments || self.words.len() > 1) && self.plausible()
    }

    /// A sentence that begins with the name of a command is not one.
    fn plausible(&self) -> bool {
        let second = self.words.get(1).map(String::as_str).unwrap_or_default();
        match self.program() {
            Some("zpool" | "zfs") => SUBCOMMANDS.contains(&second),
            Some("cat" | "head" | "tail" | "grep" | "egrep" | "fgrep") => {
                self.words.iter().any(|word| word.contains(['/', '-']))
            }
            Some("modinfo" | "modprobe") => {
                self.words.iter().any(|word| word == "zfs") || second.starts_with('-')
            }
            _ => {
                second.is_empty()
                    || second.starts_with(['-', '|', '/', 'k', 'v', 'h'])
                    || second.parse::<f64>().is_ok()
            }
        }
    }

    /// Returns whether the command was this one.
    pub(super) fn is(&self, program: &str, subcommand: &str) -> bool {
        let open = (program, subcommand) == ("zpool", "iostat") && self.open.iostat.is_some();
        let typed = self.program() == Some(program);
        open || typed && self.words.get(1).is_some_and(|word| word == subcommand)
    }

    /// Returns whether a short option was given.
    pub(super) fn has_flag(&self, flag: char) -> bool {
        if let Some(form) = &self.open.iostat {
            return form.contains(flag);
        }
        let options =
            self.words.iter().filter(|word| word.starts_with('-') && !word.starts_with("--"));
        options.into_iter().any(|word| word.contains(flag))
    }

    /// Returns the one pool whose table of deduplication was asked for: `zpool status -D tank`.
    pub(super) fn pool_of_table(&self) -> Option<&str> {
        let asked = self.is("zpool", "status") && self.has_flag('D');
        let mut names = self.words.iter().skip(2).filter(|word| !word.starts_with('-'));
        let name = names.next().filter(|_| asked && names.next().is_none())?;
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        name.chars().all(plain).then_some(name)
    }

    /// Returns the path below `/proc/spl/kstat` that the command reads.
    pub(super) fn kstat(&self) -> Option<&str> {
        let path = self.words.iter().find_map(|word| word.split_once("/proc/spl/kstat/"));
        path.map(|(_, path)| path.trim_end_matches([';', '|'])).filter(|path| !path.contains('*'))
    }

    /// Returns the parameters of the module that the command reads, one after the other: `…/zfs_arc_{max,min}` too.
    pub(super) fn parameters(&self) -> Vec<String> {
        const PARAMETERS_MAX: usize = 64;
        if !matches!(self.program(), Some("cat" | "head" | "grep")) {
            return Vec::new();
        }
        let names =
            self.words.iter().filter_map(|word| word.split_once("/sys/module/zfs/parameters/"));
        let all: Vec<String> =
            names.flat_map(|(_, name)| expanded(name)).take(PARAMETERS_MAX).collect();
        let plain = |name: &String| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        if all.iter().all(plain) { all } else { Vec::new() }
    }

    /// Returns the file that the command prints.
    pub(super) fn file(&self) -> Option<&str> {
        (self.program() == Some("cat")).then_some(())?;
        self.words.get(1)?.strip_prefix('/')
    }

    /// Returns the command's name and the word after an option: `-f time,read` of `arcstat`.
    pub(super) fn option(&self, program: &str, option: &str) -> Option<&str> {
        self.program()?.starts_with(program).then_some(())?;
        let mut words = self.words.iter().skip_while(|word| *word != option);
        words.nth(1).map(String::as_str)
    }

    /// Returns the first number among the arguments: the interval of `arcstat 5`.
    pub(super) fn interval(&self, programs: &[&str]) -> Option<u64> {
        programs.contains(&self.program()?).then_some(())?;
        self.words.iter().skip(1).find_map(|word| word.parse().ok())
    }

    /// Returns the words that were typed.
    pub(super) fn arguments(&self) -> &[String] {
        &self.words
    }
}

impl Open {
    /// Returns what `text` leaves open.
    pub(super) fn after(text: &Text, prompt: &Prompt) -> Self {
        let mut open = Self::default();
        let iostat = text.name.rsplit_once("zpool-iostat-");
        if let Some(path) = text.name.strip_prefix("proc/spl/kstat/") {
            open.kstat = Some(path.to_owned());
        } else if text.name == "commands/arc-summary" {
            open.heading = crate::read::arc_summary::last_heading(&text.text);
        } else if text.name == "commands/arcstat" {
            let titles = text.text.lines().next().filter(|line| columns::titles(line).is_some());
            open.columns = titles.map(str::to_owned).or_else(|| prompt.open.columns.clone());
        } else if devices::is_part(&text.name) {
            open.devices = devices::open_after(text).or_else(|| prompt.open.devices.clone());
        } else if let Some((_, form)) = iostat.filter(|_| !prompt.is("zpool", "iostat")) {
            open.iostat = Some(form.to_owned());
        }
        open
    }
}

/// Returns whether a text behind a shell's mark is a command with a file or an option.
fn is_typed(text: &str) -> bool {
    let mut words = text.split_whitespace();
    words.next().is_some_and(|program| TYPED.contains(&program))
        && words.any(|word| word.contains(['/', '=', '.', ':']) || word.starts_with('-'))
}

/// Saves taking apart lines that cannot be commands.
fn begins_like_command(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default();
    // Sentences may begin like it, and have none of these next.
    let first =
        if stands_before(first) { words.find(|word| !stands_before(word)) } else { Some(first) };
    let first = first.unwrap_or_default();
    let program = first.rsplit('/').next().unwrap_or(first);
    COMMANDS.contains(&program) || TOOLS.contains(&program)
}

/// Returns whether a word may stand before the program: another one that starts it, or a variable.
fn stands_before(word: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty()
            && name.bytes().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == b'_')
    };
    BEFORE.contains(&word) || word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

/// Returns the words that the shell makes of `a_{b,c}`.
fn expanded(word: &str) -> Vec<String> {
    let parts = word.split_once('{').and_then(|(lead, rest)| {
        let (inner, end) = rest.split_once('}')?;
        Some((lead, inner, end))
    });
    let Some((lead, inner, end)) = parts else { return vec![word.to_owned()] };
    inner.split(',').map(|part| format!("{lead}{part}{end}")).collect()
}

#[cfg(test)]
mod tests;
