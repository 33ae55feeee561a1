//! Devices by name: a profile that comes with the program, a name of `[devices]`, or a file beside the scenario.
//!
//! `"8 x NAME"` stands for eight of them.

use std::cell::{Cell, RefCell};

use arcwright_device::{DeviceProfile, profile_names};
use arcwright_units::Bytes;

use super::beside::{is_path, text_of};
use super::section::Section;
use super::tree::{Kind, Node};
use super::{Fetch, link};
use crate::disk::{DeviceText, Disk, LinkSpec};
use crate::error::{Checked, Fault};
use crate::system::PoolSpec;

/// Most disks in one vdev or list; raidz takes no more than 255 (module/zcommon/zfs_namecheck and vdev_raidz.c).
pub(crate) const DISKS_MAX: usize = 255;
/// Most disks that a scenario names, in its pool and in what arms replace: a few words may stand for many.
const DISKS_OF_ALL_MAX: usize = 65_536;
/// Most names in `[devices]`.
const NAMES_MAX: usize = 255;
/// Most bytes of device files in all disks: a result holds the file for each of them.
const FILE_BYTES_OF_ALL_MAX: usize = 64 << 20;

/// The devices that a scenario can name.
pub(crate) struct Devices<'a> {
    fetch: Fetch<'a>,
    /// The links that they may be behind.
    links: Vec<LinkSpec>,
    /// What the names of `[devices]` stand for.
    named: Vec<(String, Known)>,
    /// Device files read so far, by path.
    files: RefCell<Vec<(String, Known)>>,
    /// Disks so far, and bytes of their device files.
    count: Cell<usize>,
    file_bytes: Cell<usize>,
}

/// A kind of device.
#[derive(Clone)]
struct Known {
    /// A disk of it; of a device that is shared, a part of it, which still needs a size.
    disk: Disk,
    capacity: Bytes,
}

impl Known {
    /// Returns whether it is one device, of which each use is a part.
    fn is_shared(&self) -> bool {
        self.disk.part_of.is_some()
    }
}

impl<'a> Devices<'a> {
    /// Reads `[devices]`, which may be behind `links`; `fetch` returns the text of a file beside the scenario.
    pub(crate) fn read(
        node: Option<&Node>,
        links: Vec<LinkSpec>,
        fetch: Fetch<'a>,
    ) -> Checked<Self> {
        let (count, file_bytes) = (Cell::new(0), Cell::new(0));
        let mut devices =
            Self { fetch, links, named: Vec::new(), files: RefCell::default(), count, file_bytes };
        let Some(node) = node else { return Ok(devices) };
        let Kind::Table(entries) = &node.kind else {
            let wrong = node.wrong("a table");
            return Err(wrong.help("write for example devices = { big = \"hdd-enterprise-7200\" }"));
        };
        if entries.len() > NAMES_MAX {
            return Err(node.fault(format!("[devices] has at most {NAMES_MAX} names")));
        }
        for entry in entries {
            devices.check_name(entry)?;
            let known = devices.named_by(entry)?;
            devices.named.push((entry.name.clone(), known));
        }
        Ok(devices)
    }

    /// Returns whether disks may share one of them.
    pub(crate) fn any_is_shared(&self) -> bool {
        self.named.iter().any(|(_, known)| known.is_shared())
    }

    /// Returns the disks that a text or a table stands for: one, or several of a kind.
    pub(crate) fn disks(&self, node: &Node) -> Checked<Vec<Disk>> {
        let (count, disk) = match &node.kind {
            Kind::Text(text) => {
                let (count, known) = self.counted(node, text)?;
                check_part(node, count, &known.disk)?;
                (count, known.disk)
            }
            Kind::Table(_) => self.table(node)?,
            _ => {
                let fault = node.wrong("a device");
                return Err(
                    fault.help("write \"hdd-nas-7200\" or { device = \"…\", size = \"…\" }")
                );
            }
        };
        self.admit(node, count, &disk)?;
        Ok(vec![disk; count])
    }

    /// Refuses more disks than anybody has.
    pub(crate) fn admit(&self, node: &Node, count: usize, disk: &Disk) -> Checked<()> {
        let all = self.count.get().saturating_add(count);
        let file = disk.definition.as_ref().map_or(0, DeviceText::size);
        let bytes = self.file_bytes.get().saturating_add(count.saturating_mul(file));
        self.count.set(all);
        self.file_bytes.set(bytes);
        if all > DISKS_OF_ALL_MAX {
            let message = format!("a scenario names at most {DISKS_OF_ALL_MAX} disks in all");
            return Err(node.fault(message).help("write several scenarios"));
        }
        if bytes > FILE_BYTES_OF_ALL_MAX {
            let message = "so many disks with device files make a result too large";
            return Err(node.fault(message).help("write shorter device files, or fewer disks"));
        }
        Ok(())
    }

    /// Reads a name of `[devices]`: what it stands for.
    fn named_by(&self, entry: &Node) -> Checked<Known> {
        let (known, size) = match &entry.kind {
            Kind::Text(text) => (refuse_shared(entry, self.known(entry, text)?)?, None),
            _ => {
                let section = entry.section("a device", &["device", "size", "shared", "link"])?;
                let device = section.need("device", "device = \"nvme-consumer\"")?;
                let known = self.behind(&section, self.known(device, device.text()?)?)?;
                if section.maybe("shared", Node::flag)?.unwrap_or(false) {
                    return shared(entry, &section, known);
                }
                let size = section.maybe("size", Node::size_above_zero)?;
                check_size(section.get("size"), size, &known)?;
                (refuse_shared(device, known)?, size)
            }
        };
        let mut disk = Disk { size: size.or(known.disk.size), ..known.disk };
        if disk.definition.is_some() {
            disk.profile.clone_from(&entry.name);
        }
        Ok(Known { disk, capacity: size.unwrap_or(known.capacity) })
    }

    /// Puts a device behind the link that `section` names, if it does.
    fn behind(&self, section: &Section<'_>, known: Known) -> Checked<Known> {
        let Some(node) = section.get("link") else { return Ok(known) };
        if let Some(name) = &known.disk.part_of {
            let fault = node.fault(format!("“{name}” is one device that disks share"));
            return Err(fault.help("write its link where it is named, in [devices]"));
        }
        let link = Some(link::named(node, &self.links)?);
        Ok(Known { disk: Disk { link, ..known.disk }, ..known })
    }

    /// Refuses a name that would hide another device, or that reads like something else.
    fn check_name(&self, entry: &Node) -> Checked<()> {
        let name = entry.name.as_str();
        let wrong =
            |message: String, help: &str| Err(Fault::at(&entry.key_span, message).help(help));
        if profile_names().contains(&name) {
            return wrong(
                format!("a device that comes with arcwright is called “{name}”"),
                "choose another name",
            );
        }
        if name.trim().is_empty() || is_path(name) || repeated(name).is_some() {
            return wrong(
                format!("“{name}” is no name for a device"),
                "write a plain word, such as big",
            );
        }
        Ok(())
    }

    /// Reads `{ device = …, size = … }`: how many of which.
    fn table(&self, node: &Node) -> Checked<(usize, Disk)> {
        let section = node.section("a disk", &["device", "size", "link"])?;
        let device = section.need("device", "device = \"nvme-consumer\"")?;
        let (count, known) = self.counted(device, device.text()?)?;
        let known = self.behind(&section, known)?;
        let size = section.maybe("size", Node::size_above_zero)?;
        check_size(section.get("size"), size, &known)?;
        let disk = Disk { size: size.or(known.disk.size), ..known.disk };
        check_part(node, count, &disk)?;
        Ok((count, disk))
    }

    /// Reads `NAME` or `8 x NAME`.
    fn counted(&self, node: &Node, text: &str) -> Checked<(usize, Known)> {
        let is_name = |name: &str| {
            self.named.iter().any(|(known, _)| known == name) || profile_names().contains(&name)
        };
        match repeated(text).filter(|_| !is_name(text)) {
            None => Ok((1, self.known(node, text)?)),
            Some((0, _)) => Err(node.fault(format!("“{text}” stands for no disk"))),
            Some((count, _)) if count > DISKS_MAX => Err(node.fault(format!(
                "“{text}” stands for {count} disks, and a list has at most {DISKS_MAX}"
            ))),
            Some((count, name)) => Ok((count, self.known(node, name)?)),
        }
    }

    /// Returns the device of a name.
    fn known(&self, node: &Node, name: &str) -> Checked<Known> {
        if let Some((_, known)) = self.named.iter().find(|(other, _)| other == name) {
            return Ok(known.clone());
        }
        if is_path(name) {
            return self.file(node, name);
        }
        let Some(profile) = arcwright_device::profile(name) else {
            let mut known = profile_names();
            known.extend(self.named.iter().map(|(name, _)| name.as_str()));
            return Err(node
                .fault(format!("no device profile is called “{name}”"))
                .nearest(name, &known));
        };
        Ok(Known { disk: Disk::of(name, None), capacity: profile.capacity() })
    }

    /// Returns the device of a file beside the scenario.
    fn file(&self, node: &Node, path: &str) -> Checked<Known> {
        if let Some((_, known)) = self.files.borrow().iter().find(|(other, _)| other == path) {
            return Ok(known.clone());
        }
        let text = text_of(node, path, "device", self.fetch)?;
        let profile = DeviceProfile::parse(path, &text).map_err(|error| {
            let fault = node.fault(format!("{path} is no device file: {}", error.reason));
            fault.help("docs/guide/scenario-file.md shows one; arcwright's own have the same form")
        })?;
        let disk = Disk { definition: Some(text.into()), ..Disk::of(path, None) };
        let known = Known { disk, capacity: profile.capacity() };
        self.files.borrow_mut().push((path.to_owned(), known.clone()));
        Ok(known)
    }
}

/// Returns the device that a name stands for when disks share it.
fn shared(entry: &Node, section: &Section<'_>, known: Known) -> Checked<Known> {
    if let Some(size) = section.get("size") {
        let fault = size.fault(format!("“{}” is shared as a whole", entry.name));
        return Err(fault.help("give each part its size where it is used"));
    }
    let Known { mut disk, capacity } = refuse_shared(entry, known)?;
    if disk.size.is_some() {
        let message =
            format!("“{}” is shared, and cannot be a part of a device itself", entry.name);
        return Err(entry.fault(message));
    }
    if disk.definition.is_some() {
        disk.profile.clone_from(&entry.name);
    }
    disk.part_of = Some(entry.name.clone());
    Ok(Known { disk, capacity })
}

/// Refuses a name that stands for a device that is shared: it has one name.
fn refuse_shared(node: &Node, known: Known) -> Checked<Known> {
    match known.disk.part_of {
        Some(name) => Err(node
            .fault(format!("“{name}” is one device that disks share"))
            .help("use its name in the pool, or name the profile")),
        None => Ok(known),
    }
}

/// Refuses a part of a shared device without a size, and several of one.
fn check_part(node: &Node, count: usize, disk: &Disk) -> Checked<()> {
    let Some(name) = &disk.part_of else { return Ok(()) };
    let example = format!("{{ device = \"{name}\", size = \"16GiB\" }}");
    if count > 1 {
        let message = format!("“{name}” is one device, not {count}");
        return Err(node.fault(message).help(format!("write each part of it: {example}")));
    }
    if disk.size.is_none() {
        let message = format!("disks share “{name}”, and this one does not say how much it takes");
        return Err(node.fault(message).help(format!("write {example}")));
    }
    Ok(())
}

/// Refuses a pool whose disks take more of a shared device than there is.
pub(crate) fn check_parts(node: &Node, pool: &PoolSpec) -> Checked<()> {
    let mut shared: Vec<(&str, Bytes, Bytes)> = Vec::new();
    for disk in pool.disks() {
        let Some(name) = disk.part_of.as_deref() else { continue };
        let size = Bytes(disk.size.unwrap_or(Bytes::ZERO).0.saturating_add(disk.taken.0));
        match shared.iter_mut().find(|(known, _, _)| *known == name) {
            Some((_, taken, _)) => *taken = Bytes(taken.0.saturating_add(size.0)),
            None => {
                let capacity = disk.device().map_or(Bytes::ZERO, |profile| profile.capacity());
                shared.push((name, size, capacity));
            }
        }
    }
    match shared.iter().find(|(_, taken, capacity)| taken > capacity) {
        None => Ok(()),
        Some((name, taken, capacity)) => {
            let message = format!("the parts of “{name}” take {taken}, and it has {capacity}");
            Err(node.fault(message).help("make them smaller together"))
        }
    }
}

/// Refuses a part that is larger than the device.
fn check_size(node: Option<&Node>, size: Option<Bytes>, known: &Known) -> Checked<()> {
    match (node, size) {
        (Some(node), Some(size)) if size > known.capacity => {
            let (profile, capacity) = (&known.disk.profile, known.capacity);
            Err(node.fault(format!("{size} exceeds the size of {profile}, {capacity}")))
        }
        _ => Ok(()),
    }
}

/// Reads `8 x NAME` (or `8 × NAME`): how many, and of what.
fn repeated(text: &str) -> Option<(usize, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit()).filter(|end| *end > 0)?;
    let (number, rest) = text.split_at(end);
    let name = rest.trim_start().strip_prefix(['x', '×'])?.trim();
    // What has more digits than a number can hold is more than a list can hold.
    Some((number.parse().unwrap_or(usize::MAX), name))
}

#[cfg(test)]
mod tests {
    use super::repeated;

    #[test]
    fn a_count_stands_before_its_name() {
        let check = |text: &str, expected: Option<(usize, &str)>| {
            assert_eq!(repeated(text), expected, "{text}");
        };
        check("8 x hdd-nas-7200", Some((8, "hdd-nas-7200")));
        check("8x hdd", Some((8, "hdd")));
        check("12 × hdd", Some((12, "hdd")));
        check(" 2 x 8tb ", Some((2, "8tb")));
        check("0 x hdd", Some((0, "hdd")));
        check("99999999999999999999 x hdd", Some((usize::MAX, "hdd")));
        for name in ["hdd-nas-7200", "8tb", "x", "8", "", "8 hdd", "-8 x hdd"] {
            check(name, None);
        }
    }
}
