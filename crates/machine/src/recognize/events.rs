//! Pasted `zpool events`: what happened to pools, and with `-v` each request that a device failed.
//!
//! ```text
//! TIME                           CLASS
//! Oct 10 2026 10:39:51.709234009 ereport.fs.zfs.io
//!         pool = "tank"                                    with -v
//!         vdev_path = "/dev/disk/by-id/ata-X-part1"
//!         zio_err = 0x5
//! ```
//!
//! A failed request that names its device becomes a line like the kernel's own. Errors without one tell nothing
//! of a device and are left to be named; what only reports work done is taken.

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text};
use crate::read::kernel_log::RECORDED;

/// What a record of a request has at most, with room.
const FIELDS_MAX: usize = 128;

/// Takes one record, or the titles above all.
pub(super) fn events(lines: &[Line], _prompt: &Prompt) -> Option<Taken> {
    let first = lines.first()?.text.trim();
    if first.split_whitespace().eq(["TIME", "CLASS"]) {
        return Some(taken(1, "commands/zpool-events", String::new()));
    }
    if let Some(count) = mail(lines) {
        return Some(taken(count, "commands/zpool-events", String::new()));
    }
    let class = class(first)?;
    let fields = || lines.iter().skip(1).take(FIELDS_MAX).map_while(|line| field(&line.text));
    let count = 1 + fields().count();
    let value = |name: &str| fields().find(|(known, _)| *known == name).map(|(_, value)| value);
    let is_error = class.starts_with("ereport.");
    if !is_error {
        return Some(taken(count, "commands/zpool-events", String::new()));
    }
    let plain = |text: &&str| !text.is_empty() && !text.contains(char::is_whitespace);
    let failed =
        class == "ereport.fs.zfs.io" && value("zio_err").is_some_and(|error| error != "0x0");
    let pool = value("pool").filter(plain);
    let path = value("vdev_path").filter(plain).filter(|_| failed)?;
    let text = format!("{RECORDED}{} vdev={path}\n", pool?);
    Some(taken(count, "commands/dmesg", text))
}

/// Returns how many lines are of the head of a mail of zed, above the status that it sends: `eid: 10`, `class: …`.
fn mail(lines: &[Line]) -> Option<usize> {
    let titled = lines.first()?.text.starts_with("ZFS has finished a ");
    let is_id = |line: &Line| {
        let id = line.text.trim().strip_prefix("eid: ");
        id.is_some_and(|id| id.trim().parse::<u64>().is_ok())
    };
    let blank = |line: &&Line| line.text.trim().is_empty();
    let begin = usize::from(titled);
    let begin = begin + lines.iter().skip(begin).take_while(blank).count();
    if !lines.get(begin).is_some_and(is_id) {
        return titled.then_some(1);
    }
    let is_part = |line: &&Line| {
        let label = line.text.trim().split_once(": ").map(|(label, _)| label);
        matches!(label, Some("eid" | "class" | "host" | "time"))
    };
    Some(begin + lines.iter().skip(begin).take_while(is_part).count())
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
