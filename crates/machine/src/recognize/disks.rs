//! Pasted tools of Linux that tell of disks: `lsblk`, `ls -l /dev/disk/by-id`, `blkid`.

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text, joined};
use crate::read::labels::{CONTENTS, DEVICE, NAME as LABELS};

/// Titles that lsblk(8) has.
const TITLES: [&str; 34] = [
    "NAME",
    "KNAME",
    "PATH",
    "MAJ:MIN",
    "RM",
    "SIZE",
    "RO",
    "TYPE",
    "MOUNTPOINT",
    "MOUNTPOINTS",
    "MODEL",
    "SERIAL",
    "ROTA",
    "TRAN",
    "PHY-SEC",
    "LOG-SEC",
    "MIN-IO",
    "OPT-IO",
    "FSTYPE",
    "FSVER",
    "UUID",
    "PARTUUID",
    "PARTLABEL",
    "LABEL",
    "PKNAME",
    "WWN",
    "VENDOR",
    "REV",
    "SCHED",
    "STATE",
    "HCTL",
    "FSAVAIL",
    "FSUSE%",
    "DISC-GRAN",
];
/// Titles that no other table with names has.
const TELLING: [&str; 9] =
    ["TYPE", "ROTA", "MODEL", "SERIAL", "PHY-SEC", "LOG-SEC", "MAJ:MIN", "TRAN", "FSTYPE"];

/// Takes any of them.
pub(super) fn disks(lines: &[Line], prompt: &Prompt) -> Option<Taken> {
    if let Some(taken) = blkid(lines) {
        return Some(taken);
    }
    let (count, name, text) = lsblk(lines).or_else(|| links(lines, prompt))?;
    let texts = vec![Text { name: name.to_owned(), text, again: Again::More }];
    Some(Taken { lines: count, texts })
}

type Found = (usize, &'static str, String);

fn lsblk(lines: &[Line]) -> Option<Found> {
    let titles: Vec<&str> = lines.first()?.text.split_whitespace().collect();
    let named = matches!(titles.first(), Some(&("NAME" | "KNAME" | "PATH")));
    let all = titles.iter().all(|title| TITLES.contains(title));
    let told = titles.iter().any(|title| TELLING.contains(title));
    (named && all && told).then_some(())?;
    let is_row = |line: &&Line| {
        let text = line.text.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '/');
        let name = text.split_whitespace().next().unwrap_or_default();
        let device = !name.is_empty()
            && name.starts_with(|c: char| c.is_ascii_lowercase() || c == '/')
            && !name.ends_with(['.', ',', ':']);
        let sized = text.split_whitespace().skip(1).any(|word| {
            word.starts_with(|c: char| c.is_ascii_digit()) || matches!(word, "disk" | "part")
        });
        device && (sized || text.split_whitespace().count() == 1)
    };
    let count = 1 + lines.iter().skip(1).take_while(is_row).count();
    Some((count, "commands/lsblk-text", joined(lines, count) + "\n"))
}

/// `lrwxrwxrwx 1 root root 9 Nov 15 10:00 ata-X -> ../../sda`.
fn links(lines: &[Line], prompt: &Prompt) -> Option<Found> {
    let begins = usize::from(lines.first()?.text.starts_with("total "));
    let folder = prompt.arguments().iter().find(|word| word.starts_with("/dev/"));
    let folder = folder.map(|word| word.trim_end_matches(['/', '*']));
    let link = |line: &Line| {
        let (before, target) = line.text.split_once(" -> ")?;
        let device = target.trim();
        let relative = device.strip_prefix("../").map(|rest| rest.trim_start_matches("../"));
        let device = relative.or_else(|| device.strip_prefix("/dev/"))?;
        let name = before.split_whitespace().last()?;
        let simple = !device.is_empty() && !device.contains([' ', '/']);
        let path = match (name.strip_prefix('/'), folder) {
            (Some(_), _) => name.to_owned(),
            (None, Some(folder)) => format!("{folder}/{name}"),
            (None, None) => format!("{}/{name}", folder_of(name)),
        };
        simple.then(|| format!("{path} -> ../../{device}\n"))
    };
    let found: Vec<String> = lines.iter().skip(begins).map_while(link).collect();
    (!found.is_empty()).then(|| (begins + found.len(), "links", found.concat()))
}

/// Returns the folder of `/dev/disk` in which a link of that form stands.
fn folder_of(name: &str) -> &'static str {
    if name.starts_with("pci-") {
        "/dev/disk/by-path"
    } else if name.len() == 36 && name.chars().all(|c| c.is_ascii_hexdigit() || c == '-') {
        "/dev/disk/by-partuuid"
    } else {
        "/dev/disk/by-id"
    }
}

/// `/dev/sda1: LABEL="tank" UUID="…" UUID_SUB="…" TYPE="zfs_member" PARTUUID="…"`: of a member the label is the pool's name, and
/// the numbers are the pool's and its own.
fn blkid(lines: &[Line]) -> Option<Taken> {
    let of = |line: &Line| {
        let (device, rest) = line.text.trim().strip_prefix("/dev/")?.split_once(": ")?;
        let tagged = rest.contains("=\"") && rest.trim_end().ends_with('"');
        (tagged && !device.contains(' ')).then_some(())?;
        let tag = |key: &str| {
            let at = rest.split(' ').find_map(|part| part.strip_prefix(key)?.strip_prefix("=\""));
            at.map(|value| value.trim_end_matches('"').to_owned())
        };
        let kinds = [("PARTUUID", "by-partuuid"), ("PARTLABEL", "by-partlabel")];
        let links = kinds.iter().filter_map(|(key, folder)| {
            Some(format!("/dev/disk/{folder}/{} -> ../../{device}\n", tag(key)?))
        });
        let label = match tag("TYPE") {
            Some(kind) if kind == "zfs_member" => {
                let (pool, number) = (tag("LABEL"), tag("UUID"));
                let own = tag("UUID_SUB").map(|own| format!(" guid: {own}\n"));
                pool.zip(number).map(|(pool, number)| {
                    format!(
                        "{DEVICE}/dev/{device}\n version: 0\n name: '{pool}'\n pool_guid: {number}\n{}",
                        own.unwrap_or_default()
                    )
                })
            }
            Some(kind) => Some(format!("{CONTENTS}/dev/{device} {kind}\n")),
            None => None,
        };
        Some((links.collect::<String>(), label.unwrap_or_default()))
    };
    let found: Vec<(String, String)> = lines.iter().map_while(of).collect();
    let (links, labels): (Vec<String>, Vec<String>) = found.into_iter().unzip();
    (!links.is_empty()).then_some(())?;
    let text = |name: &str, text: String| Text { name: name.to_owned(), text, again: Again::More };
    let texts = vec![text("links", links.concat()), text(LABELS, labels.concat())];
    Some(Taken { lines: links.len(), texts })
}
