//! A command of ZFS that hangs in the kernel, as `ps` shows it: its state is D, which no signal ends.
//!
//! ```text
//! PID      STAT CMD
//! 2209814  D+   zpool clear tank
//! ```

use super::clean::Line;
use super::prompt::Prompt;
use super::status::NAME;
use super::{Again, Taken, Text};
use crate::read::status::{HANGS, SINCE};

/// Rows of one look.
const ROWS_MAX: usize = 32;

/// Takes rows of processes of which one is a command of `zpool` in the state D.
pub(super) fn hanging(lines: &[Line], _prompt: &Prompt) -> Option<Taken> {
    let titled = usize::from(is_titles(&lines.first()?.text));
    let rows = lines.iter().skip(titled).take(ROWS_MAX);
    let found: Vec<String> = rows.map_while(|line| command(&line.text)).collect();
    let text = |command: &String| Text {
        name: NAME.to_owned(),
        text: format!("{SINCE} {HANGS}{command}\n"),
        again: Again::More,
    };
    let texts: Vec<Text> = found.iter().map(text).collect();
    (!texts.is_empty()).then(|| Taken { lines: titled + texts.len(), texts })
}

/// Returns whether a line has the titles of `ps`.
fn is_titles(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().take(16).collect();
    let has = |names: &[&str]| words.iter().any(|word| names.contains(word));
    has(&["PID"]) && has(&["STAT", "S"]) && has(&["CMD", "COMMAND"])
}

/// Returns the command that a row shows in the state D: a number, the state, `zpool` and what follows.
fn command(line: &str) -> Option<String> {
    const WORDS_MAX: usize = 24;
    let words: Vec<&str> = line.split_whitespace().take(WORDS_MAX).collect();
    let at = words.iter().position(|word| word.rsplit('/').next() == Some("zpool"))?;
    let (before, rest) = words.split_at_checked(at)?;
    let is_state = |word: &&str| {
        let more = word.strip_prefix('D');
        more.is_some_and(|more| more.len() < 5 && more.chars().all(|c| "<NLsl+".contains(c)))
    };
    let is_number = |word: &&str| word.parse::<u32>().is_ok();
    let arguments = rest.get(1..).filter(|rest| !rest.is_empty())?;
    (before.iter().any(is_number) && before.iter().any(is_state))
        .then(|| format!("zpool {}", arguments.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::command;

    #[test]
    fn a_command_that_hangs_is_told_from_one_that_runs() {
        for (line, expected) in [
            ("2209814  D+   zpool clear tank", Some("zpool clear tank")),
            (
                "root  31512  0.0  0.0  21092  6012 pts/1  D+  08:12  0:00 /sbin/zpool export pond",
                Some("zpool export pond"),
            ),
            ("2209814  S+   zpool iostat 1", None),
            ("D is the state of zpool clear", None),
            ("8812 D zpool", None),
        ] {
            assert_eq!(command(line).as_deref(), expected, "{line}");
        }
    }
}
