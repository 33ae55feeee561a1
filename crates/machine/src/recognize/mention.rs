//! What a sentence above an output says it is of, where no prompt shows the command.
//!
//! ```text
//! Result of sudo zpool status -D tank:              the table below it is of tank
//! Issuing `smartctl -A /dev/sdg` showed that …      the rows below it are of sdg
//! Added to /etc/modprobe.d/zfs.conf:                the options below it are of that file
//! You could try                                     the commands below it are advice
//! ```

/// What the last sentence names, and where it stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Mention {
    line: usize,
    table: Option<String>,
    drive: Option<String>,
    file: Option<String>,
    is_advice: bool,
}

/// An output begins so few lines below the sentence about it: a fence and blank lines are between them.
const BELOW_MAX: usize = 4;
/// Options of one file are so few.
const OPTIONS_MAX: usize = 12;

/// Commands of one piece of advice are so few.
const ADVICE_MAX: usize = 8;

impl Mention {
    /// Returns what a line names.
    pub(super) fn of(text: &str, line: usize) -> Self {
        const LENGTH_MAX: usize = 1024;
        if text.len() > LENGTH_MAX {
            return Self::default();
        }
        let table = after(text, "zpool status ").and_then(|words| table(&words));
        let drive = after(text, "smartctl ").and_then(|words| {
            let device = words.iter().find_map(|word| word.strip_prefix("/dev/"))?;
            is_plain(device).then(|| device.to_owned())
        });
        let drive = drive.or_else(|| only_drive(text));
        Self { line, table, drive, file: file(text), is_advice: is_advice(text) }
    }

    /// Returns the pool that a table of deduplication is said to be of.
    pub(super) fn table_at(&self, line: usize) -> Option<&str> {
        self.table.as_deref().filter(|_| self.is_near(line, BELOW_MAX))
    }

    /// Returns the drive that rows of SMART are said to be of.
    pub(super) fn drive_at(&self, line: usize) -> Option<&str> {
        self.drive.as_deref().filter(|_| self.is_near(line, BELOW_MAX))
    }

    /// Returns the file that options are said to be of, without its first `/`.
    pub(super) fn file_at(&self, line: usize) -> Option<&str> {
        self.file.as_deref().filter(|_| self.is_near(line, OPTIONS_MAX))
    }

    /// Returns whether a command is said to be advice.
    pub(super) fn advises_at(&self, line: usize) -> bool {
        self.is_advice && self.is_near(line, ADVICE_MAX)
    }

    fn is_near(&self, line: usize, most: usize) -> bool {
        line.checked_sub(self.line).is_some_and(|below| below > 0 && below <= most)
    }
}

/// Returns the words behind a command in a sentence, without what encloses them.
fn after<'a>(text: &'a str, command: &str) -> Option<Vec<&'a str>> {
    const WORDS_MAX: usize = 4;
    let (_, rest) = text.split_once(command)?;
    let words = rest.split_whitespace().take(WORDS_MAX);
    Some(words.map(|word| word.trim_matches(['`', '\'', '"', ':', ',', '.', '*', ')'])).collect())
}

/// Returns the one pool of `-D tank`, where nothing else follows.
fn table(words: &[&str]) -> Option<String> {
    let is_flag = |word: &&&str| word.starts_with('-');
    let asked = words.iter().filter(is_flag).any(|flag| flag.contains('D'));
    let mut names = words.iter().filter(|word| !word.starts_with('-'));
    let name = names.next().filter(|_| asked && names.next().is_none())?;
    is_plain(name).then(|| (*name).to_owned())
}

/// Returns the one drive that a line on SMART names by itself or as part of a file's name: `` For `sda` smartctl … ``,
/// `smartctl_-a_sda.txt`.
fn only_drive(text: &str) -> Option<String> {
    text.to_ascii_lowercase().contains("smart").then_some(())?;
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let mut drives: Vec<&str> = words.filter(|word| is_drive(word)).collect();
    drives.dedup();
    let first = drives.first()?;
    drives.iter().all(|drive| drive == first).then(|| (*first).to_owned())
}

/// Returns whether a word is what a system calls a whole disk: `sda`, `ada0`, `nvme0n1`.
fn is_drive(word: &str) -> bool {
    let letters =
        |rest: &str| (1..=2).contains(&rest.len()) && rest.bytes().all(|c| c.is_ascii_lowercase());
    let digits =
        |rest: &str| (1..=3).contains(&rest.len()) && rest.bytes().all(|c| c.is_ascii_digit());
    let of_nvme = || {
        let (number, space) = word.strip_prefix("nvme")?.split_once('n')?;
        Some(digits(number) && digits(space))
    };
    word.strip_prefix("sd").is_some_and(letters)
        || ["ada", "da", "nvd", "nda"]
            .iter()
            .any(|kind| word.strip_prefix(kind).is_some_and(digits))
        || of_nvme() == Some(true)
}

/// Returns the file of options that a line announces: `Added to /etc/modprobe.d/zfs.conf:`.
fn file(text: &str) -> Option<String> {
    const FOLDER: &str = "/etc/modprobe.d/";
    /// Words of who tells what is there, and does not advise it.
    const THERE: [&str; 8] = [
        "added to",
        "added in",
        "contents of",
        "content of",
        "my /etc",
        "i have in",
        "through /etc",
        "i currently have",
    ];
    let lower = text.to_lowercase();
    let is_heading = text.trim().trim_matches(['`', '#', '*', ':', ' ']).starts_with(FOLDER)
        && text.split_whitespace().count() <= 2;
    let is_there = is_heading
        || text.trim_end().ends_with(':') && THERE.iter().any(|words| lower.contains(words));
    is_there.then_some(())?;
    let mut files = text
        .split_whitespace()
        .map(|word| word.trim_matches(['`', '\'', '"', ':', ',', '*', '(', ')']))
        .filter(|word| word.starts_with(FOLDER) && word.ends_with(".conf"));
    let path = files.next().filter(|_| files.next().is_none())?;
    let name = path.strip_prefix(FOLDER)?;
    is_plain(name).then(|| path.trim_start_matches('/').to_owned())
}

/// Returns whether a sentence proposes what stands below it: `Try`, `You could set`, `somebody said to do this:`.
fn is_advice(text: &str) -> bool {
    const FIRST: [&str; 6] = ["try", "please", "maybe", "perhaps", "consider", "suggestion"];
    const WORDS: [&str; 14] = [
        "you can",
        "you could",
        "you may",
        "you might",
        "you should",
        "you need to",
        "you want to",
        "can you",
        "could you",
        "have you tried",
        "i would",
        "i'd ",
        "said to",
        "told me to",
    ];
    let lower = text.trim().trim_start_matches(['>', '*', '-', ' ']).to_lowercase();
    let first = lower.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    FIRST.contains(&first) || WORDS.iter().any(|words| lower.contains(words))
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
}

#[cfg(test)]
mod tests {
    use super::{Mention, is_advice};

    #[test]
    fn what_is_proposed_was_not_done() {
        for (text, expected) in [
            ("Try", true),
            ("> Please run this and report:", true),
            ("You could switch prefetch off:", true),
            ("On the forum somebody said to do this:", true),
            ("I'd lower it:", true),
            ("So I let it hold what prefetch brings, and fill faster:", false),
            ("make it a dumb cache", false),
            ("I tried", false),
        ] {
            assert_eq!(is_advice(text), expected, "{text}");
        }
    }
    use crate::machine::Machine;
    use crate::sources::Sources;

    #[test]
    fn outputs_below_a_sentence_are_of_what_it_names() {
        let text = "Result of zpool status -D pond:\n\n```\nerrors: No known data errors\n\n dedup: DDT entries 4051642, size 763 on \
                    disk, 154 in core\n```\n\nAdded to /etc/modprobe.d/zfs.conf:\n\noptions zfs zfs_arc_max=8589934592\n";
        let machine = Machine::read(&Sources::recognize(text));
        let pools: Vec<&str> = machine.pools.iter().map(|pool| pool.name.as_str()).collect();
        let files: Vec<&str> = machine.config.iter().map(|file| file.path.as_str()).collect();
        assert_eq!((pools, files), (vec!["pond"], vec!["/etc/modprobe.d/zfs.conf"]));
    }

    #[test]
    fn a_sentence_names_what_stands_below_it() {
        for (text, table, drive, file) in [
            ("Result of sudo zpool status -D tank:", Some("tank"), None, None),
            ("I ran zpool status -D tank and got this", None, None, None),
            ("zpool status tank:", None, None, None),
            ("Issuing `smartctl -A /dev/sdg` showed that", None, Some("sdg"), None),
            (
                "Added to the file /etc/modprobe.d/zfs.conf:",
                None,
                None,
                Some("etc/modprobe.d/zfs.conf"),
            ),
            ("You may put it into /etc/modprobe.d/zfs.conf:", None, None, None),
            ("/etc/modprobe.d/limits.conf", None, None, Some("etc/modprobe.d/limits.conf")),
            (
                "It is switched off through /etc/modprobe.d/zfs.conf (then a restart):",
                None,
                None,
                Some("etc/modprobe.d/zfs.conf"),
            ),
            ("SMART of `sdc` fails: <logs/smartctl_-x_sdc.txt>", None, Some("sdc"), None),
            ("For `nvme0n1` smartctl says", None, Some("nvme0n1"), None),
            ("SMART of sdc and sdd fails", None, None, None),
            ("I added to /etc/modprobe.d/a.conf and /etc/modprobe.d/b.conf:", None, None, None),
        ] {
            let mention = Mention::of(text, 7);
            assert_eq!(mention.table_at(9), table, "{text}");
            assert_eq!(mention.drive_at(9), drive, "{text}");
            assert_eq!(mention.file_at(9), file, "{text}");
            assert_eq!(mention.table_at(12).or(mention.drive_at(7)), None, "{text}");
        }
    }
}
