//! `zdb -l`: what the labels of a disk say.
//!
//! ```text
//! device: /dev/sdb1             what the command named, put in front by the reader of pasted text
//!     name: 'backup'
//!     txg: 0                    0: it was detached, or its pool is being made
//!     pool_guid: 3936176493905234028
//!     guid: 17986383713788026938
//!     vdev_tree:
//!         type: 'mirror'
//!         children[0]:
//!             guid: 17914838236907067293
//!             path: '/dev/sdd1'
//! ```
//!
//! A device has four labels, alike unless one is of an earlier pool; those that say the same are one.

use crate::disk_label::DiskLabel;
use crate::machine::Machine;
use crate::sources::Sources;

/// The source's name.
pub(crate) const NAME: &str = "commands/zdb-labels";
/// How the line that names the device begins.
pub(crate) const DEVICE: &str = "device: ";
/// How a line begins that names a partition and what lies on it that is not of ZFS.
pub(crate) const CONTENTS: &str = "contents: ";
/// No machine has so many disks with labels.
const LABELS_MAX: usize = 4096;
/// Members of a vdev that are kept.
const MEMBERS_MAX: usize = 256;

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    let Some(text) = sources.text(NAME) else { return };
    let contents = text.lines().filter_map(|line| line.strip_prefix(CONTENTS)?.split_once(' '));
    for (device, kind) in contents.take(LABELS_MAX) {
        machine.contents.insert(device.to_owned(), kind.trim().to_owned());
    }
    for label in read(text) {
        if machine.labels.len() < LABELS_MAX && !machine.labels.contains(&label) {
            machine.labels.push(label);
        }
    }
}

fn read(text: &str) -> Vec<DiskLabel> {
    let mut labels = Vec::new();
    let mut device = None;
    let mut open: Option<Reading> = None;
    for line in text.lines() {
        if line.starts_with(CONTENTS) {
            continue;
        }
        if let Some(name) = line.strip_prefix(DEVICE) {
            labels.extend(open.take().and_then(Reading::end));
            device = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let Some((key, value)) = line.trim().split_once(':') else { continue };
        let value = value.trim().trim_matches('\'');
        if key == "version" {
            labels.extend(open.take().and_then(Reading::end));
            let label = DiskLabel { device: device.clone(), ..DiskLabel::default() };
            open = Some(Reading { label, base: indent, member: None });
        } else if let Some(reading) = &mut open {
            reading.line(indent, (key, value));
        }
    }
    labels.extend(open.and_then(Reading::end));
    labels
}

/// A label of which not all lines were read.
struct Reading {
    label: DiskLabel,
    /// The spaces in front of its own lines.
    base: usize,
    /// The number of the member whose lines are read.
    member: Option<String>,
}

impl Reading {
    fn line(&mut self, indent: usize, (key, value): (&str, &str)) {
        let own = indent == self.base;
        let number = || value.parse::<u64>().ok();
        let label = &mut self.label;
        match key {
            "name" if own && label.pool.is_empty() => value.clone_into(&mut label.pool),
            "pool_guid" if own => value.clone_into(&mut label.pool_guid),
            "txg" if own && label.txg.is_none() => label.txg = number(),
            "hostname" if own => {
                label.host = Some(value.to_owned()).filter(|name| !name.starts_with('['));
            }
            "guid" if own && label.guid.is_none() => label.guid = Some(value.to_owned()),
            "guid" if !own => self.member = Some(value.to_owned()),
            "path" => {
                let member = self.member.take().filter(|_| label.members.len() < MEMBERS_MAX);
                label.members.extend(member.map(|guid| (guid, value.to_owned())));
            }
            _ => {}
        }
    }

    fn end(self) -> Option<DiskLabel> {
        let is_whole = !self.label.pool.is_empty() && !self.label.pool_guid.is_empty();
        is_whole.then_some(self.label)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::read;

    const LABEL: &str = "\
device: /dev/sdb1
    version: 5000
    name: 'backup'
    state: 0
    txg: 0
    pool_guid: 3936
    hostname: 'nas'
    guid: 17
    vdev_tree:
        type: 'mirror'
        guid: 14
        children[0]:
            type: 'disk'
            guid: 16
            path: '/dev/sdd1'
        children[1]:
            type: 'disk'
            guid: 17
            path: '/dev/sdb1'
    create_txg: 0
";

    #[test]
    fn a_label_tells_pool_and_members() {
        let found = read(LABEL);
        let [label] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((label.pool.as_str(), label.pool_guid.as_str()), ("backup", "3936"));
        assert_eq!((label.txg, label.guid.as_deref()), (Some(0), Some("17")));
        assert_eq!(label.members.len(), 2);
        assert_eq!(label.place(), Some("/dev/sdb1"));
        let unnamed = read(&LABEL.replace("device: /dev/sdb1\n", ""));
        assert_eq!(unnamed.first().and_then(|label| label.place()), Some("/dev/sdb1"));
        assert_eq!(read(&format!("{LABEL}{LABEL}")).len(), 2);
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in "((version|name|guid|path|txg|device): ?['0-9a-z/]{0,6}\n| ){0,40}", at in 0..LABEL.len()) {
            let _ignored = (read(&text), LABEL.get(..at).map(read));
        }
    }
}
