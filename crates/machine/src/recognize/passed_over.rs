//! Lines that are known and tell nothing that is judged, so that every printed line is either read or named.

use std::collections::BTreeMap;

use super::Text;
use super::prompt::Prompt;
use super::strange::place;

/// Pieces of one program that are named one by one.
const PIECES_MAX: usize = 3;
/// What stands between outputs, or says once more what is read elsewhere.
const NOT_NAMED: [&str; 3] = ["arc-summary-graph", "report-template", "zpool-events"];
/// Programs by the name of a source, where that is not theirs.
const PROGRAMS: [(&str, &str); 5] = [
    ("fio-job", "a job of fio"),
    ("telegraf", "metrics"),
    ("zpool-history", "zpool history"),
    ("modinfo", "modinfo"),
    ("kstat", "kstats of other parts of the kernel"),
];

/// Commands that change a pool or a dataset, and whose results may be what the text is about.
const CHANGING: [&str; 19] = [
    "create",
    "destroy",
    "add",
    "remove",
    "attach",
    "detach",
    "replace",
    "offline",
    "online",
    "clear",
    "export",
    "import",
    "split",
    "labelclear",
    "rollback",
    "inherit",
    "receive",
    "recv",
    "upgrade",
];
const TYPED_CHARS_MAX: usize = 120;
/// Commands that are shown as they were typed.
const TYPED_MAX: usize = 8;

/// Commands that change something, as they were typed.
#[derive(Debug, Default)]
pub(super) struct Typed {
    all: Vec<String>,
    /// Those that make a pool, below an output that may tell of trouble.
    creating: Vec<String>,
}

impl Typed {
    /// Adds a command, if it changes something; `is_below` where an output that may tell of trouble stands above it.
    pub(super) fn add(&mut self, prompt: &Prompt, is_below: bool) {
        let typed = that_changes(prompt);
        let Some(typed) =
            typed.filter(|typed| self.all.len() < TYPED_MAX && !self.all.contains(typed))
        else {
            return;
        };
        if is_below && typed.starts_with("zpool create ") {
            self.creating.push(typed.clone());
        }
        self.all.push(typed);
    }

    /// Returns all of them, and those that make a pool below trouble.
    pub(super) fn end(self) -> (Vec<String>, Vec<String>) {
        (self.all, self.creating)
    }
}

/// Returns a command as it was typed, where it changes a pool or a dataset, or empties caches.
fn that_changes(prompt: &Prompt) -> Option<String> {
    let [program, verb, rest @ ..] = prompt.arguments() else { return None };
    let whole = || prompt.arguments().join(" ");
    let drops = prompt.program() == Some("echo") && whole().contains("/drop_caches");
    if drops {
        return Some(arcwright_units::visible(&whole()).chars().take(TYPED_CHARS_MAX).collect());
    }
    let changes =
        matches!(prompt.program(), Some("zpool" | "zfs")) && CHANGING.contains(&verb.as_str());
    // `zpool import` without a pool lists those that there are, also with a folder to look in.
    let plain = |(place, word): (usize, &String)| {
        let is_folder = place.checked_sub(1).and_then(|before| rest.get(before));
        !word.starts_with('-') && is_folder.is_none_or(|before| before != "-d" && before != "-o")
    };
    let is_list = verb == "import"
        && !rest.iter().any(|word| word == "-a")
        && !rest.iter().enumerate().any(plain);
    let typed = std::iter::once(program).chain([verb]).chain(rest);
    let typed: Vec<&str> = typed.map(String::as_str).collect();
    let shown: String =
        arcwright_units::visible(&typed.join(" ")).chars().take(TYPED_CHARS_MAX).collect();
    (changes && !is_list).then_some(shown)
}

/// Pieces by the program that prints such lines: first and last line.
#[derive(Debug, Default)]
pub(super) struct PassedOver(BTreeMap<String, Vec<(usize, usize)>>);

impl PassedOver {
    /// Adds lines that were taken, unless anything of them is kept.
    pub(super) fn add(&mut self, texts: &[Text], (first, last): (usize, usize)) {
        let [Text { name, text, .. }] = texts else { return };
        let Some(source) = name.strip_prefix("commands/").filter(|_| text.is_empty()) else {
            return;
        };
        if NOT_NAMED.contains(&source) {
            return;
        }
        let program = PROGRAMS.iter().find(|(known, _)| *known == source);
        let program = program.map_or(source, |(_, program)| program);
        let pieces = self.0.entry(program.to_owned()).or_default();
        match pieces.last_mut().filter(|(_, end)| *end + 1 == first) {
            Some((_, end)) => *end = last,
            None => pieces.push((first, last)),
        }
    }

    /// Returns the program of each place.
    pub(super) fn named(self) -> BTreeMap<String, String> {
        let mut all = BTreeMap::new();
        for (program, pieces) in self.0 {
            let named = pieces.iter().take(PIECES_MAX);
            let more = pieces.len().saturating_sub(PIECES_MAX);
            for (number, (first, last)) in named.enumerate() {
                let also = match more > 0 && number + 1 == PIECES_MAX {
                    true => format!(", with {more} more pieces"),
                    false => String::new(),
                };
                all.insert(place(*first, *last), format!("{program}{also}"));
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use crate::sources::Sources;

    #[test]
    fn lines_that_tell_nothing_are_named_by_their_program() {
        let check = |text: &str, expected: &[(&str, &str)]| {
            let named = Sources::recognize(text).passed_over;
            let named: Vec<(&str, &str)> =
                named.iter().map(|(place, program)| (place.as_str(), program.as_str())).collect();
            assert_eq!(named, expected, "{text}");
        };
        let vmstat = " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n\
                      69 87      0 1407088   5688 13142436    0    0  2316     1   12    0 29 24 43  4  0\n";
        check(vmstat, &[("pasted lines 1 to 2", "vmstat")]);
        check("4.0K\t./etc\n8.0K\t./usr\n", &[("pasted lines 1 to 2", "du")]);
        check("[job]\nrw=randread\nbs=4k\n", &[("pasted lines 1 to 3", "a job of fio")]);
        // What is read is not named.
        check("  pool: tank\n state: ONLINE\n", &[]);
        let pieces = "4.0K\t./etc\n8.0K\t./usr\n\nwhat is this\n\n".repeat(5);
        check(
            &pieces,
            &[
                ("pasted lines 1 to 2", "du"),
                ("pasted lines 11 to 12", "du, with 2 more pieces"),
                ("pasted lines 6 to 7", "du"),
            ],
        );
    }

    #[test]
    fn commands_that_change_something_are_shown_as_they_were_typed() {
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(Sources::recognize(text).typed, expected, "{text}");
        };
        check("$ sudo zpool remove tank sdq\n", &["zpool remove tank sdq"]);
        check("root@nas:~# zpool import -d /dev tank\n", &["zpool import -d /dev tank"]);
        check(
            "root@nas:~# echo 2 > /proc/sys/vm/drop_caches\n",
            &["echo 2 > /proc/sys/vm/drop_caches"],
        );
        let create = "# zpool create -f tank sda sdb\n";
        let trouble =
            "[ 9.1] zio pool=tank vdev=/dev/sda1 error=5 type=1 offset=270336 size=8192\n";
        let creating = |text: &str| Sources::recognize(text).creating.len();
        assert_eq!(creating(&format!("# dmesg\n{trouble}{create}")), 1);
        assert_eq!(creating(&format!("{create}# dmesg\n{trouble}")), 0);
        check("# zpool labelclear -f /dev/sdb1\n", &["zpool labelclear -f /dev/sdb1"]);
        check("# zpool clear tank\n# zpool status\n# zpool clear tank\n", &["zpool clear tank"]);
        check(
            "$ zpool status tank\n$ zpool import\n$ zpool import -d /dev/\n$ zpool list -v\n$ zfs list\n",
            &[],
        );
        let many: String =
            (0..20).map(|number| format!("$ zpool offline tank sd{number}\n")).collect();
        assert_eq!(Sources::recognize(&many).typed.len(), 8);
    }
}
