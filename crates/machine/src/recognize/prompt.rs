//! The command above an output: `root@nas:~# zpool iostat -ylv tank 5 3`.

/// What the last prompt said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Prompt {
    words: Vec<String>,
}

const COMMANDS: [&str; 16] = [
    "cat",
    "zpool",
    "zfs",
    "arcstat",
    "zarcstat",
    "arc_summary",
    "zarcsummary",
    "arcstat.py",
    "arc_summary.py",
    "sysctl",
    "zfs-stats",
    "grep",
    "head",
    "free",
    "uname",
    "lsblk",
];
const MARKS: [&str; 4] = ["# ", "$ ", "% ", "❯ "];

impl Prompt {
    /// Returns the prompt that a line is; none for any other line.
    pub(super) fn of(line: &str) -> Option<Self> {
        let line = line.trim();
        let typed = MARKS.iter().filter_map(|mark| {
            let at = line.find(mark)?;
            let before = line.get(..at)?;
            // A percentage in an output is no prompt.
            let shell = before.is_empty()
                || before.contains(['@', ':', '~', '[', '>'])
                || before.len() < 12;
            shell.then(|| line.get(at + mark.len()..)).flatten()
        });
        let typed = typed.chain(std::iter::once(line));
        typed.map(Self::words_of).find(Self::is_command)
    }

    fn words_of(text: &str) -> Self {
        let words = text.split_whitespace().skip_while(|word| *word == "sudo" || *word == "doas");
        Self { words: words.map(str::to_owned).collect() }
    }

    fn is_command(&self) -> bool {
        let Some(first) = self.words.first() else { return false };
        let program = first.rsplit('/').next().unwrap_or(first);
        if is_tool(program, &self.words) {
            return true;
        }
        let with_arguments =
            !matches!(program, "cat" | "zpool" | "zfs" | "grep" | "head" | "sysctl");
        COMMANDS.contains(&program) && (with_arguments || self.words.len() > 1) && self.plausible()
    }

    /// A sentence that begins with the name of a command is not one.
    fn plausible(&self) -> bool {
        const SUBCOMMANDS: [&str; 8] =
            ["iostat", "status", "list", "get", "version", "history", "upgrade", "events"];
        let second = self.words.get(1).map(String::as_str).unwrap_or_default();
        match self.words.first().map(String::as_str) {
            Some("zpool" | "zfs") => SUBCOMMANDS.contains(&second),
            Some("cat" | "head" | "grep") => {
                self.words.iter().any(|word| word.contains(['/', '-']))
            }
            _ => {
                second.is_empty()
                    || second.starts_with(['-', '|', '/', 'k', 'v'])
                    || second.parse::<f64>().is_ok()
            }
        }
    }

    /// Returns the words that were typed.
    pub(super) fn words(&self) -> &[String] {
        &self.words
    }

    /// Returns whether the command was this one.
    pub(super) fn is(&self, program: &str, subcommand: &str) -> bool {
        let first = self.words.first().map(|word| word.rsplit('/').next().unwrap_or(word));
        first == Some(program) && self.words.get(1).is_some_and(|word| word == subcommand)
    }

    /// Returns whether a short option was given.
    pub(super) fn has_flag(&self, flag: char) -> bool {
        let options =
            self.words.iter().filter(|word| word.starts_with('-') && !word.starts_with("--"));
        options.into_iter().any(|word| word.contains(flag))
    }

    /// Returns the path below `/proc/spl/kstat` that the command reads.
    pub(super) fn kstat(&self) -> Option<&str> {
        let path = self.words.iter().find_map(|word| word.split_once("/proc/spl/kstat/"));
        path.map(|(_, path)| path.trim_end_matches([';', '|'])).filter(|path| !path.contains('*'))
    }

    /// Returns the one parameter of the module that the command reads.
    pub(super) fn parameter(&self) -> Option<&str> {
        let path =
            self.words.iter().find_map(|word| word.split_once("/sys/module/zfs/parameters/"));
        path.map(|(_, name)| name).filter(|name| !name.contains('*'))
    }
}

/// Returns whether words are a command about disks, memory or timing, told by what must follow it.
fn is_tool(program: &str, words: &[String]) -> bool {
    let second = words.get(1).map(String::as_str).unwrap_or_default();
    let rest = || words.iter().skip(1);
    match program {
        "gpart" | "glabel" | "geli" | "geom" => {
            let verbs = ["show", "list", "status", "add", "create", "destroy", "label", "disk"];
            verbs.contains(&second)
        }
        "camcontrol" => second == "devlist",
        "diskinfo" | "swapon" | "swapinfo" | "blkid" | "zdb" | "smartctl" => {
            second.is_empty() || second.starts_with(['-', '/'])
        }
        "dd" => rest().any(|word| word.starts_with("if=") || word.starts_with("of=")),
        "fio" => second.ends_with(".fio") || second.starts_with('-'),
        "pv" | "rsync" | "ls" => rest().any(|word| word.starts_with(['-', '/'])),
        _ => false,
    }
}
