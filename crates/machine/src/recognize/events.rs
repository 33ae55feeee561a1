//! Pasted events of ZFS: `zpool events`, with `-v` each with its fields, and mails of zed.
//!
//! ```text
//! TIME                           CLASS
//! Oct 10 2026 10:39:51.709234009 ereport.fs.zfs.io
//!         pool = "tank"                                    with -v
//!         vdev_path = "/dev/disk/by-id/ata-X-part1"
//!         zio_err = 0x5
//!
//! ZFS has detected an io error:                            a mail
//!    eid: 12
//!  class: io
//!  vpath: /dev/disk/by-id/ata-X-part1
//!   pool: tank
//! ```
//!
//! What names its device becomes a line like the daemon's own in the log. Errors without one tell nothing
//! of a device and are left to be named; what only reports work done is taken. A record whose first lines were cut
//! off tells by its fields what it is of.

use super::clean::Line;
use super::prompt::Prompt;
use super::status::NAME as STATUS;
use super::{Again, Taken, Text};
use crate::read::kernel_log::EVENT;
use crate::read::status::MAILED;

/// What a record of a request has at most, with room.
const FIELDS_MAX: usize = 128;
/// No pool or device has a longer name.
const NAME_CHARS_MAX: usize = 256;

/// Takes one record, or the titles above all.
pub(super) fn events(lines: &[Line], _prompt: &Prompt) -> Option<Taken> {
    let first = lines.first()?.text.trim();
    if first.split_whitespace().eq(["TIME", "CLASS"]) {
        return Some(taken(1, "commands/zpool-events", String::new()));
    }
    if let Some(taken) = mail(lines) {
        return Some(taken);
    }
    let Some(class) = class(first) else { return headless(lines) };
    let fields = || lines.iter().skip(1).take(FIELDS_MAX).map_while(|line| field(&line.text));
    let count = 1 + fields().count();
    let value = |name: &str| fields().find(|(known, _)| *known == name).map(|(_, value)| value);
    // `vdev_state = "DEGRADED" (0x6)`
    let state = value("vdev_state").and_then(|state| state.split('"').next()).unwrap_or_default();
    let is_met = value("zio_err").is_none_or(|error| error != "0x0");
    let name = class.rsplit('.').next()?;
    let pool = pool_name(fields());
    let told = told(name, (pool, value("vdev_path")), state).filter(|_| is_met);
    of_told(count, name, told)
}

/// Takes a record whose first lines are not there: its fields tell whether a request failed, and how. One that does
/// not tell is taken as a whole too, and named.
fn headless(lines: &[Line]) -> Option<Taken> {
    const OWN: [&str; 6] = ["detector", "ena", "class", "eid", "(end detector)", "pool_guid"];
    const LEADS: [&str; 5] = ["zio_", "vdev_", "parent_", "cksum_", "pool_"];
    let (first, _) = field(&lines.first()?.text)?;
    let is_own = OWN.contains(&first) || LEADS.iter().any(|lead| first.starts_with(lead));
    is_own.then_some(())?;
    let fields = || lines.iter().take(FIELDS_MAX).map_while(|line| field(&line.text));
    let value = |name: &str| fields().find(|(known, _)| *known == name).map(|(_, value)| value);
    let class = match (value("cksum_actual"), value("zio_err")) {
        (Some(_), _) => Some("checksum"),
        (None, Some(error)) if error != "0x0" => Some("io"),
        _ => None,
    };
    let of_class = |class| told(class, (pool_name(fields()), value("vdev_path")), "");
    let count = fields().count();
    match class.and_then(of_class) {
        Some(told) => Some(taken(count, "commands/dmesg", told)),
        None => Some(Taken { lines: count, texts: Vec::new() }),
    }
}

/// Returns the pool's name: within the detector stands its number, `pool = 0x8a1f5e683ff3ff28`.
fn pool_name<'a>(fields: impl Iterator<Item = (&'a str, &'a str)>) -> Option<&'a str> {
    let pools = fields.filter(|(name, _)| *name == "pool").map(|(_, value)| value);
    pools.filter(|value| !value.starts_with("0x")).last()
}

/// Returns what was taken: of an error that names no device nothing, so that it stands among what was not read.
fn of_told(count: usize, class: &str, told: Option<String>) -> Option<Taken> {
    const WORK: [&str; 9] = [
        "_start", "_finish", "_resume", "_abort", "_sync", "_event", "_import", "_export",
        "_create",
    ];
    match told {
        Some(told) => Some(taken(count, "commands/dmesg", told)),
        None if WORK.iter().any(|end| class.ends_with(end)) => {
            Some(taken(count, "commands/zpool-events", String::new()))
        }
        None => None,
    }
}

/// Returns a line as the daemon writes it into the log; none without a device, or of a class that tells nothing
/// of one.
fn told(class: &str, (pool, vdev): (Option<&str>, Option<&str>), state: &str) -> Option<String> {
    const CLASSES: [&str; 7] =
        ["io", "checksum", "delay", "deadman", "probe_failure", "statechange", "removed"];
    CLASSES.contains(&class).then_some(())?;
    let plain = |text: &&str| {
        !text.is_empty() && text.len() <= NAME_CHARS_MAX && !text.contains(char::is_whitespace)
    };
    let (vdev, pool) = (vdev.filter(plain)?, pool.filter(plain));
    let pool = pool.map(|pool| format!(" pool='{pool}'")).unwrap_or_default();
    let state = Some(state).filter(plain).map(|state| format!(" vdev_state={state}"));
    let state = state.unwrap_or_default();
    Some(format!("{EVENT}0 class={class}{pool} vdev={vdev}{state}\n"))
}

/// How the first lines of a mail of zed begin, above its fields or the status that it sends.
const MAILS: [&str; 6] = [
    "ZFS has finished a ",
    "ZFS has detected a",
    "The number of I/O errors associated with a ZFS device exceeded",
    "The number of checksum errors associated with a ZFS device exceeded",
    "acceptable levels. ZFS has marked the device as ",
    "ZFS has marked the device as ",
];
/// Labels of its fields.
const LABELS: [&str; 20] = [
    "eid", "class", "host", "time", "state", "impact", "error", "objid", "vtype", "vpath", "vphys",
    "vguid", "devid", "vdev", "size", "offset", "cksum", "read", "write", "pool",
];

/// Takes the head of a mail of zed: `eid: 10`, `class: …`, and what it says of a device.
fn mail(lines: &[Line]) -> Option<Taken> {
    const BLANK_MAX: usize = 4;
    let is_title = |line: &Line| MAILS.iter().any(|begin| line.text.trim().starts_with(begin));
    let blank = |line: &&Line| line.text.trim().is_empty();
    let titles = lines.iter().take(MAILS.len()).take_while(|line| is_title(line)).count();
    let begin = titles + lines.iter().skip(titles).take(BLANK_MAX).take_while(blank).count();
    let rest = lines.get(begin..).unwrap_or_default();
    let label = |line: &Line| {
        let (label, value) = line.text.trim().split_once(": ")?;
        LABELS.contains(&label).then(|| (label.to_owned(), value.trim().to_owned()))
    };
    // Impact stands above the number.
    let first = rest.first().and_then(label);
    let is_mail = first.is_some_and(|(label, _)| matches!(label.as_str(), "eid" | "impact"));
    let is_work = || lines.first().is_some_and(|line| line.text.starts_with("ZFS has finished a "));
    if !is_mail {
        return is_work().then(|| taken(titles, "commands/zpool-events", String::new()));
    }
    // The status of a pool that a mail ends in begins as its last field does.
    let is_status = |at: usize| {
        let begins =
            |at, words| rest.get(at).is_some_and(|line: &Line| line.text.trim().starts_with(words));
        begins(at, "pool: ") && begins(at + 1, "state: ")
    };
    let rows = rest.iter().take(LABELS.len()).enumerate();
    let fields: Vec<(String, String)> =
        rows.map_while(|(at, line)| label(line).filter(|_| !is_status(at))).collect();
    let value = |name: &str| {
        fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    };
    value("eid").and_then(|id| id.parse::<u64>().ok())?;
    let class = value("class")?;
    let pool = value("pool").and_then(|pool| pool.split_whitespace().next());
    let state = value("state").unwrap_or_default();
    let mut taken =
        of_told(begin + fields.len(), class, told(class, (pool, value("vpath")), state))?;
    if let Some(time) = value("time").filter(|_| is_status(fields.len())) {
        let text = format!("{MAILED} {}\n", arcwright_units::visible(time));
        taken.texts.push(Text { name: STATUS.to_owned(), text, again: Again::More });
    }
    Some(taken)
}

fn taken(lines: usize, name: &str, text: String) -> Taken {
    Taken { lines, texts: vec![Text { name: name.to_owned(), text, again: Again::More }] }
}

/// Returns the class that a record's first line ends in, behind its time.
fn class(line: &str) -> Option<&str> {
    let words: Vec<&str> = line.split_whitespace().take(6).collect();
    let [month, day, year, time, class] = words.as_slice() else { return None };
    let dated = month.len() == 3
        && day.parse::<u8>().is_ok()
        && year.len() == 4
        && year.parse::<u16>().is_ok()
        && time.split(':').count() == 3;
    (dated && class.contains(".fs.zfs.")).then_some(class)
}

/// Returns the name and the value of a line below it: `zio_err = 0x5`, `(end detector)`.
fn field(line: &str) -> Option<(&str, &str)> {
    let text = line.trim();
    if text.starts_with("(end ") && text.ends_with(')') {
        return Some((text, ""));
    }
    let (name, value) = text.split_once(" =").filter(|_| line.starts_with([' ', '\t']))?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "_[]".contains(c);
    let known = !name.is_empty() && name.chars().all(plain);
    known.then(|| (name, value.trim().trim_matches('"')))
}

#[cfg(test)]
mod tests {
    use crate::machine::Machine;
    use crate::sources::Sources;

    #[test]
    fn a_record_that_lost_its_first_line_tells_by_its_fields_what_failed() {
        let record = "        detector = (embedded nvlist)\n                version = 0x0\n                pool = 0x8a1f\n\
                      \x20       (end detector)\n        pool = \"tank\"\n        vdev_path = \"/dev/disk/by-id/ata-X-part1\"\n\
                      \x20       zio_err = 0x5\n        zio_delay = 0x4db6d226\n";
        let machine = Machine::read(&Sources::recognize(record));
        assert_eq!(machine.problems, []);
        let all: Vec<_> =
            machine.troubles.iter().map(|one| (&*one.device, one.pool.as_deref())).collect();
        assert_eq!(all, [("ata-X-part1", Some("tank"))]);
        let sound = Machine::read(&Sources::recognize(&record.replace("0x5", "0x0")));
        assert_eq!((sound.troubles.len(), sound.problems.len()), (0, 1));
    }
}
