//! Mounted ZFS file systems: `/proc/mounts`, or mount(8) on `FreeBSD`.

use crate::machine::{Machine, Mount};
use crate::sources::Sources;

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    let linux = sources.first(&["proc/mounts", "proc/self/mounts"]).map(|(_, text)| text);
    let freebsd = sources.text("commands/mount");
    let lines = linux.unwrap_or_default().lines().filter_map(of_linux);
    machine.mounts.extend(lines);
    machine.mounts.extend(freebsd.unwrap_or_default().lines().filter_map(of_freebsd));
}

/// `tank/home /home zfs rw,relatime,xattr 0 0`, spaces written as `\040`.
fn of_linux(line: &str) -> Option<Mount> {
    let mut words = line.split(' ');
    let (dataset, path, kind) = (words.next()?, words.next()?, words.next()?);
    let options = words.next().unwrap_or_default();
    (kind == "zfs").then(|| Mount {
        dataset: unescaped_mount(dataset),
        path: unescaped_mount(path),
        options: options.split(',').map(str::to_owned).collect(),
    })
}

/// Returns a name of the kernel's lists of mounts as it is: blanks, tabs, line ends and backslashes stand there as three octal
/// digits behind a backslash.
#[must_use]
pub fn unescaped_mount(word: &str) -> String {
    const ESCAPED: [(&str, &str); 4] =
        [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")];
    ESCAPED.iter().fold(word.to_owned(), |word, (from, to)| word.replace(from, to))
}

/// `tank/home on /home (zfs, local, noatime, nfsv4acls)`.
fn of_freebsd(line: &str) -> Option<Mount> {
    let (dataset, rest) = line.split_once(" on ")?;
    let (path, options) = rest.rsplit_once(" (")?;
    let mut options = options.trim_end().strip_suffix(')')?.split(", ");
    (options.next() == Some("zfs")).then(|| Mount {
        dataset: dataset.to_owned(),
        path: path.to_owned(),
        options: options.map(str::to_owned).collect(),
    })
}
