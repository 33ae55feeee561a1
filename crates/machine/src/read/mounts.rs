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
    let plain =
        |text: &str| text.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\");
    (kind == "zfs").then(|| Mount {
        dataset: plain(dataset),
        path: plain(path),
        options: options.split(',').map(str::to_owned).collect(),
    })
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
