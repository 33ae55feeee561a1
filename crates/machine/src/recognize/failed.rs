//! What a tool says that failed: the trace of a Python program, files that are not there, a command that ZFS refuses.

use super::clean::Line;
use super::dbgmsg;
use super::prompt::Prompt;
use super::{Again, Taken, Text};
use crate::read::failed::{NAME, NO_COMMON, refusal};
use crate::read::status::UNNAMED;

/// Takes a trace to its last line, a line that names what is missing, or one that says what is refused.
pub(super) fn failed(lines: &[Line], prompt: &Prompt) -> Option<Taken> {
    let found = trace(lines).or_else(|| missing(lines)).or_else(|| unopened(lines));
    let found = found.or_else(|| features(lines)).or_else(|| dbgmsg::loads(lines));
    let found = found.or_else(|| critical(lines));
    let (count, text) = found.or_else(|| refused(lines, prompt))?;
    let texts = vec![Text { name: NAME.to_owned(), text, again: Again::More }];
    Some(Taken { lines: count, texts })
}

/// `Traceback (most recent call last):`, pairs of lines, and what was raised.
fn trace(lines: &[Line]) -> Option<(usize, String)> {
    const LINES_MAX: usize = 60;
    let opens =
        |line: &Line| line.text.trim_start().starts_with("Traceback (most recent call last)");
    opens(lines.first()?).then_some(())?;
    let mut program = "a program".to_owned();
    for (index, line) in lines.iter().enumerate().take(LINES_MAX).skip(1) {
        // One that does not end is none.
        if opens(line) {
            return None;
        }
        let text = line.text.trim();
        if let Some(path) = text.strip_prefix("File \"").and_then(|rest| rest.split('"').next()) {
            if index == 1 {
                program = path.rsplit('/').next().unwrap_or(path).to_owned();
            }
        } else if is_raised(text) {
            return Some((index + 1, format!("{program}\t{text}\n")));
        }
    }
    None
}

/// Returns whether a line is what a program raised: `KeyError: 'zfetch_hits'`.
fn is_raised(text: &str) -> bool {
    let name = text.split(':').next().unwrap_or_default();
    let word =
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_.".contains(c));
    word && ["Error", "Exception", "Interrupt", "Exit"].iter().any(|end| name.ends_with(end))
}

/// `cat: /proc/spl/kstat/zfs/arcstats: No such file or directory`.
fn missing(lines: &[Line]) -> Option<(usize, String)> {
    const PLACES: [&str; 4] =
        ["/proc/spl/kstat/", "/sys/module/zfs", "unknown oid 'kstat.zfs", "unknown oid 'vfs.zfs"];
    const WORDS_MAX: usize = 16;
    let text = lines.first()?.text.trim();
    let says = text.ends_with("No such file or directory") || text.contains("unknown oid '");
    let about = PLACES.iter().any(|place| text.contains(place));
    let short = text.split_whitespace().take(WORDS_MAX + 1).count() <= WORDS_MAX;
    let (program, _) = text.split_once(':')?;
    let named = !program.contains(' ');
    (says && about && short && named).then(|| (1, format!("{program}\t{text}\n")))
}

/// `zdb: can't open 'tank': File exists`.
fn unopened(lines: &[Line]) -> Option<(usize, String)> {
    let text = lines.first()?.text.trim();
    let said = text.strip_prefix("zdb: ")?;
    said.starts_with("can't open ").then(|| (1, format!("zdb\t{said}\n")))
}

/// Returns what a tool said, without the word that somebody set before it: `returns:  cannot remove sdc: no such device`.
fn said(text: &str) -> &str {
    match text.split_once(':') {
        // `zfs error`, as Proxmox has it.
        Some((word, rest))
            if word.chars().all(|c| c.is_alphabetic() || c == ' ')
                && word.split(' ').count() <= 2
                && rest.trim_start().starts_with("cannot ") =>
        {
            rest.trim_start()
        }
        _ => text,
    }
}

/// `CRITICAL ERROR: Target pond/a exists but has no snapshots matching with tank/a!`, and `CRITICAL ERROR:  zfs send … failed:
/// 256 at …`, both of syncoid: what the second ran into, ZFS says in lines of its own.
fn critical(lines: &[Line]) -> Option<(usize, String)> {
    Some((1, replicator(&lines.first()?.text)?))
}

fn replicator(line: &str) -> Option<String> {
    let (_, said) = line.split_once("CRITICAL ERROR:")?;
    let said = said.trim();
    let target = said.strip_prefix("Target ").and_then(|rest| {
        let (target, source) = rest.split_once(" exists but has no snapshots matching with ")?;
        let source = source.split(['!', ' ']).next()?;
        Some(format!("zfs\tcannot receive into '{target}': {NO_COMMON}{source}\n"))
    });
    let is_pipe = said.contains("zfs ") && said.contains(" failed: ");
    let pipe = || {
        is_pipe
            .then(|| "syncoid\ta command failed; what ZFS said of it stands beside it\n".to_owned())
    };
    target.or_else(pipe)
}

/// Why an import is refused where the module lacks a feature.
const UNSUPPORTED: &str = "unsupported version or feature";

/// `This pool uses the following feature(s) not supported by this system:`, the features, and which pool it is.
fn features(lines: &[Line]) -> Option<(usize, String)> {
    let (count, beside) = list_of_features(lines)?;
    let below = lines.get(count).map(|line| line.text.trim());
    let is_one = |text: &&str| refusal(text).is_some_and(|one| one.reason == UNSUPPORTED);
    let (count, text) = match below.filter(is_one) {
        Some(text) => (count + 1, text.to_owned()),
        None => (count, format!("cannot import '{UNNAMED}': {UNSUPPORTED}")),
    };
    Some((count, format!("zpool\t{text}\t{beside}\n")))
}

/// Returns how many lines list features that the module does not know, and what they say in one
/// (`zpool_print_unsup_feat`, `zpool_import`, libzfs_pool.c).
fn list_of_features(lines: &[Line]) -> Option<(usize, String)> {
    const HEAD: &str = "This pool uses the following feature(s) not supported by this system:";
    const FEATURES_MAX: usize = 40;
    const READABLE: [&str; 2] = [
        "All unsupported features are only required for writing",
        "The pool can be imported using",
    ];
    let head = lines.first()?.text.trim();
    head.starts_with(HEAD).then_some(())?;
    // `com.delphix:log_spacemap (Log metaslab changes …)`
    let is_feature = |text: &str| {
        let name = text.split_whitespace().next().unwrap_or_default();
        name.contains(':') && name.contains('.') && !name.contains("//")
    };
    let is_more = |text: &str| READABLE.iter().any(|lead| text.starts_with(lead));
    let listed = lines.iter().skip(1).map(|line| line.text.trim());
    let listed: Vec<&str> =
        listed.take(FEATURES_MAX).take_while(|text| is_feature(text) || is_more(text)).collect();
    let names = listed.iter().filter(|text| is_feature(text));
    let names: Vec<&str> = names.filter_map(|text| text.split_whitespace().next()).collect();
    let readable = if listed.iter().any(|text| is_more(text)) { " readonly=on" } else { "" };
    Some((1 + listed.len(), format!("{}{readable}", names.join(" "))))
}

/// `cannot import 'tank': I/O error`, and the lines below it that say what else could be done.
fn refused(lines: &[Line], prompt: &Prompt) -> Option<(usize, String)> {
    /// `zpool_explain_recover`, `libzfs_pool.c`, and what follows other refusals.
    const MORE: [&str; 8] = [
        "Destroy and re-create the pool from",
        "a backup source.",
        "Recovery is possible, but will result in some data loss.",
        "Returning the pool to its state as of ",
        "should correct the problem. ",
        "The pool may be active on another system",
        "The pool was last accessed by another system",
        "use '-f' to override the following errors:",
    ];
    let text = said(lines.first()?.text.trim());
    let refusal = refusal(text)?;
    if refusal.reason == UNSUPPORTED
        && let Some((count, beside)) = list_of_features(lines.get(1..)?)
    {
        return Some((1 + count, format!("zpool\t{text}\t{beside}\n")));
    }
    // The reason goes on in the next line.
    const ENDS: [&str; 5] = [
        "match incremental source",
        "since most recent snapshot",
        "must specify -F to overwrite it",
        "must destroy them to overwrite it",
        "must be upgraded to receive this stream.",
    ];
    let end = lines.get(1).map(|line| line.text.trim()).filter(|line| ENDS.contains(line));
    if let Some(end) = end {
        return Some((2, format!("zfs\t{text} {end}\n")));
    }
    let is_more = |line: &&Line| MORE.iter().any(|more| line.text.trim().starts_with(more));
    let count = 1 + lines.iter().skip(1).take(MORE.len()).take_while(is_more).count();
    let program = prompt.program().filter(|program| *program == "zfs").unwrap_or("zpool");
    Some((count, format!("{program}\t{text}\n")))
}

#[cfg(test)]
mod tests {
    use super::said;

    #[test]
    fn a_word_before_what_a_tool_said_is_left_out() {
        for (line, expected) in [
            (
                "returns:  cannot remove sdc: no such device in pool",
                "cannot remove sdc: no such device in pool",
            ),
            ("warning: cannot send 'a@b': Invalid argument", "cannot send 'a@b': Invalid argument"),
            ("cannot remove sdc: no such device", "cannot remove sdc: no such device"),
            ("I see: it cannot be", "I see: it cannot be"),
        ] {
            assert_eq!(said(line), expected);
        }
    }

    #[test]
    fn what_a_tool_of_replication_says_is_known() {
        for (text, expected) in [
            (
                "Sep 13 02:00:11 nas syncoid[22]: CRITICAL ERROR: Target pond/a exists but has no snapshots matching with tank/a!",
                Some("zfs\tcannot receive into 'pond/a': no snapshots matching with tank/a\n"),
            ),
            (
                "CRITICAL ERROR:  zfs send  'tank/a'@'x' | zfs receive 'pond/a' 2>&1 failed: 256 at /usr/sbin/syncoid line 817.",
                Some("syncoid\ta command failed; what ZFS said of it stands beside it\n"),
            ),
            ("CRITICAL ERROR: the fan stands still", None),
        ] {
            assert_eq!(super::replicator(text).as_deref(), expected, "{text}");
        }
    }
}
