//! What rules about broken pools share; not a rule itself.

use arcwright_machine::{Class, Pool, Vdev};

use crate::drives::drive_of;
use crate::finding::Evidence;
use crate::view::View;

/// What reads or rebuilds the whole pool now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scan {
    /// Nothing, as far as was read.
    Idle,
    /// A scrub.
    Scrub,
    /// A resilver, sequential ones included.
    Resilver,
}

/// Returns what runs now, by the words of `zpool status`.
pub(super) fn scan(pool: &Pool) -> Scan {
    let rebuilds = |status: &String| status.contains("being resilvered");
    if pool.status.as_ref().is_some_and(rebuilds) {
        return Scan::Resilver;
    }
    let Some(scan) = pool.scan.as_deref().filter(|scan| scan.contains("in progress")) else {
        return Scan::Idle;
    };
    if scan.contains("resilver") { Scan::Resilver } else { Scan::Scrub }
}

/// Returns the state of a pool: that of its kstat when that says suspended, else as it was read.
///
/// `zpool status` of a suspended pool may hang, so that its text is older than the kstat.
pub(super) fn state<'a>(view: &View<'a>, pool: &'a Pool) -> Option<&'a str> {
    let last = view.machine.samples.last().and_then(|sample| sample.pool_states.get(&pool.name));
    let suspended = last.map(String::as_str).filter(|state| *state == SUSPENDED);
    suspended.or(pool.state.as_deref())
}

/// The state of a pool that lost too many devices while it was in use.
pub(super) const SUSPENDED: &str = "SUSPENDED";

/// Returns all leaves with the class of the vdev they belong to.
pub(super) fn leaves(pool: &Pool) -> Vec<(Class, &Vdev)> {
    let of = |vdev| Vdev::leaves(vdev).into_iter().map(move |leaf| (vdev.class, leaf));
    pool.vdevs.iter().flat_map(of).collect()
}

/// Returns what `zpool status` says of a pool beside its devices, absent lines left out.
pub(super) fn words_of(pool: &Pool) -> Vec<Evidence> {
    let rows = [
        ("status", &pool.status),
        ("action", &pool.action),
        ("scan", &pool.scan),
        ("errors", &pool.errors),
    ];
    let row = |(name, text): (&str, &Option<String>)| {
        Some(Evidence::now(format!("{}: {name}", pool.name), one_line(text.as_deref()?)))
    };
    rows.into_iter().filter_map(row).collect()
}

/// Returns a text with every run of white space as one space.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns a scrub's command, or none while something already reads the whole pool.
pub(super) fn scrub(pool: &Pool) -> Option<String> {
    (scan(pool) == Scan::Idle).then(|| format!("zpool scrub {}", quoted(&pool.name)))
}

/// Returns where a device of a pool stands, as `smartctl` takes it.
pub(super) fn device_path(view: &View<'_>, leaf: &str) -> String {
    const BY_ID: [&str; 4] = ["ata-", "nvme-", "scsi-", "wwn-"];
    if leaf.starts_with('/') {
        return quoted(leaf);
    }
    if let Some(drive) = drive_of(view.machine, leaf) {
        return quoted(&format!("/dev/{}", drive.name));
    }
    let by_id = BY_ID.iter().any(|lead| leaf.starts_with(lead));
    quoted(&format!("/dev/{}{leaf}", if by_id { "disk/by-id/" } else { "" }))
}

/// Returns the command that replaces a device, or none while the pool resilvers.
pub(super) fn replace(pool: &Pool, device: &str, by: &str) -> Option<String> {
    let command = || format!("zpool replace {} {} {by}", quoted(&pool.name), quoted(device));
    (scan(pool) != Scan::Resilver).then(command)
}

/// Returns a name as one word of a POSIX shell.
pub(super) fn quoted(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._:@%+=/-".contains(c);
    if !name.is_empty() && !name.starts_with('-') && name.chars().all(is_plain) {
        return name.to_owned();
    }
    format!("'{}'", name.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use arcwright_machine::Pool;

    use super::{Scan, quoted, scan};

    #[test]
    fn names_are_one_word_of_a_shell() {
        for (name, word) in [
            ("tank", "tank"),
            ("/dev/disk/by-id/ata-X_1-part1", "/dev/disk/by-id/ata-X_1-part1"),
            ("my pool", "'my pool'"),
            ("$(reboot)", "'$(reboot)'"),
            ("it's", r"'it'\''s'"),
            ("-f", "'-f'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(name), word);
        }
    }

    #[test]
    fn what_runs_is_told_from_what_ran() {
        for (text, expected) in [
            ("scrub repaired 0B in 05:12:09 with 0 errors", Scan::Idle),
            ("scrub in progress since Sun Nov 1 00:24:01 2026", Scan::Scrub),
            ("scrub paused since Sun Nov 1 00:24:01 2026", Scan::Idle),
            ("resilver in progress since Sun Nov 1 00:24:01 2026", Scan::Resilver),
            ("resilver (draid1:4d:6c:1s-0) in progress since Sun Nov 1", Scan::Resilver),
            ("resilvered 1.2T in 05:12:09 with 0 errors", Scan::Idle),
        ] {
            let pool = Pool { scan: Some(text.to_owned()), ..Pool::default() };
            assert_eq!(scan(&pool), expected, "{text}");
        }
        assert_eq!(scan(&Pool::default()), Scan::Idle);
    }
}
