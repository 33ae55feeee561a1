//! Tools that failed or refused, in a pasted text: `program<tab>what it said`, a line each, perhaps with a tab and what
//! stands beside it.

use crate::machine::{Machine, Problem, Reason, Refusal};
use crate::sources::Sources;

pub(crate) const NAME: &str = "commands/failed";
/// How syncoid begins to say that the two sides have no snapshot in common.
pub(crate) const NO_COMMON: &str = "no snapshots matching with ";
/// More are not named.
const FAILURES_MAX: usize = 20;
/// Of what a tool said no more is reported.
const SAID_CHARS_MAX: usize = 160;

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    for line in sources.text(NAME).unwrap_or_default().lines().take(FAILURES_MAX) {
        let Some((program, said)) = line.split_once('\t') else { continue };
        let (said, beside) = said.split_once('\t').unwrap_or((said, ""));
        if let Some(refusal) = refusal(said) {
            let refusal = Refusal { beside: beside.to_owned(), ..refusal };
            if !machine.refusals.contains(&refusal) {
                machine.refusals.push(refusal);
            }
            continue;
        }
        let shown = shortened(said);
        // These tools ask for counters by name; another version of the module has others.
        let is_row = said.starts_with("KeyError")
            && ["arcstat", "arc_summary"].iter().any(|tool| program.contains(tool));
        let why = match is_row {
            true => format!(
                "{shown}: it is of another version than the module; read /proc/spl/kstat/zfs/arcstats or sysctl \
                 kstat.zfs.misc.arcstats instead"
            ),
            false => shown,
        };
        machine.problems.push(Problem { source: program.to_owned(), reason: Reason::Failed(why) });
    }
}

fn shortened(said: &str) -> String {
    said.chars().take(SAID_CHARS_MAX).collect()
}

/// Returns what `zpool` or `zfs` refused (`zfs_error`, `libzfs_util.c`): `cannot detach sdc: no valid replicas`,
/// `cannot replace sdc with sdd: device is too small`, `cannot import 'tank': I/O error`.
pub(crate) fn refusal(line: &str) -> Option<Refusal> {
    const VERBS: [&str; 28] = [
        "add",
        "attach",
        "clear",
        "create",
        "destroy",
        "detach",
        "export",
        "expand",
        "import",
        "initialize",
        "mount",
        "offline",
        "online",
        "open",
        "promote",
        "receive",
        "remove",
        "rename",
        "replace",
        "resilver",
        "rollback",
        "scan",
        "scrub",
        "send",
        "snapshot",
        "split",
        "trim",
        "unmount",
    ];
    const WORDS_MAX: usize = 4;
    let rest = line.trim().strip_prefix("cannot ")?;
    // Of a stream without a name nobody says where it goes.
    if let Some(reason) = rest.strip_prefix("receive: ").filter(|reason| !reason.is_empty()) {
        let (verb, subject) = ("receive".to_owned(), "a stream".to_owned());
        return Some(Refusal { verb, subject, reason: shortened(reason), ..Refusal::default() });
    }
    let (verb, rest) = rest.split_once(' ')?;
    let (verb, rest) = match rest.strip_prefix("snapshot ").filter(|_| verb == "create") {
        Some(rest) => ("snapshot", rest),
        None => (verb, rest),
    };
    let (what, reason) = rest.split_once(": ")?;
    let words: Vec<&str> = what.split_whitespace().take(WORDS_MAX).collect();
    // `sdc`, `'my pool'`, `to 'tank'`, `sdc with sdd`, `sdd to sdc`.
    let is_quoted = || {
        let what = what.trim_start_matches("to ").trim_start_matches("into ");
        what.starts_with('\'') && what.ends_with('\'')
    };
    if let ("receive", Some(subject)) = (verb, stream(what, reason)) {
        let reason = shortened(reason.trim());
        return Some(Refusal { verb: verb.to_owned(), subject, reason, ..Refusal::default() });
    }
    let named = match words.as_slice() {
        [_] | [_, "with" | "to", _] => true,
        _ => is_quoted(),
    };
    (VERBS.contains(&verb) && named && !reason.trim().is_empty()).then_some(())?;
    let into = what.strip_prefix("into '").map(|name| format!("into {name}"));
    let subject = into.unwrap_or_else(|| what.trim_start_matches("to ").to_owned());
    let subject = subject.trim_matches('\'');
    let reason = shortened(reason.trim());
    let (verb, subject) = (verb.to_owned(), shortened(subject));
    Some(Refusal { verb, subject, reason, ..Refusal::default() })
}

/// Returns what a stream was to be received into, where the words are of one (`zfs_receive_one`, libzfs_sendrecv.c):
/// `incremental stream`, `new filesystem stream`.
fn stream(what: &str, reason: &str) -> Option<String> {
    what.ends_with(" stream").then_some(())?;
    let words: Vec<&str> = reason.split_whitespace().collect();
    let behind = |word: &str| {
        let at = words.iter().position(|it| *it == word)?;
        words.get(at.checked_add(1)?).copied()
    };
    let named = match reason.trim().starts_with("most recent snapshot of ") {
        true => behind("of"),
        false => behind("destination").filter(|word| !["has", "does"].contains(word)),
    };
    let name = named.map(|name| name.trim_matches(['\'', ':', '.']));
    Some(name.map_or_else(|| format!("a {what}"), |name| format!("into {name}")))
}

#[cfg(test)]
mod tests {
    use super::refusal;

    fn check(line: &str, expected: Option<[&str; 3]>) {
        let found = refusal(line).map(|found| [found.verb, found.subject, found.reason]);
        let expected = expected.map(|words| words.map(str::to_owned));
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn what_was_refused_is_told_from_prose() {
        check("cannot detach sdc: no valid replicas", Some(["detach", "sdc", "no valid replicas"]));
        check("cannot import 'my tank': I/O error", Some(["import", "my tank", "I/O error"]));
        check(
            "cannot replace sdc with /dev/sdd: device is too small",
            Some(["replace", "sdc with /dev/sdd", "device is too small"]),
        );
        check("cannot add to 'tank': invalid argument", Some(["add", "tank", "invalid argument"]));
        check(
            "cannot send 'tank/a@b': Invalid argument",
            Some(["send", "tank/a@b", "Invalid argument"]),
        );
        check(
            "cannot receive incremental stream: most recent snapshot of pond/a does not match incremental source",
            Some([
                "receive",
                "into pond/a",
                "most recent snapshot of pond/a does not match incremental source",
            ]),
        );
        check(
            "cannot receive: failed to read from stream",
            Some(["receive", "a stream", "failed to read from stream"]),
        );
        check(
            "cannot create snapshot 'tank/a@b': out of space",
            Some(["snapshot", "tank/a@b", "out of space"]),
        );
        check(
            "cannot receive into 'pond/a': no snapshots matching with tank/a",
            Some(["receive", "into pond/a", "no snapshots matching with tank/a"]),
        );
        check("cannot detach the old disk any more: what now", None);
        check("cannot sleep: too hot", None);
        check("I cannot detach sdc: no valid replicas", None);
        check("cannot detach sdc:", None);
    }
}
