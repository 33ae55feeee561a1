//! dRAID vdevs: `{ draid2 = ["11 x hdd-nas-7200"], data = 4, spares = 1 }`.

use arcwright_tunables::Version;

use super::device::Devices;
use super::pool::{disks, refuse_twice};
use super::section::Section;
use super::tree::Node;
use crate::error::Checked;
use crate::experiment::Scenario;
use crate::system::{VdevLayout, VdevSpec};

/// What may stand beside its disks: data disks of a group, and spares.
pub(super) const DATA: &str = "data";
pub(super) const SPARES: &str = "spares";

const DISKS_MAX: usize = VdevLayout::DRAID_DISKS_MAX;
const SPARES_MAX: u64 = VdevLayout::DRAID_SPARES_MAX as u64;
/// Data disks of a group where none are said and the vdev has as many (`zpool create`).
const DATA_DEFAULT: usize = 8;

/// Returns the parity of a kind of dRAID by its name.
pub(super) fn parity_of(kind: &str) -> Option<u8> {
    let digits = kind.strip_prefix("draid")?;
    digits.parse().ok().filter(|parity| (1..=3).contains(parity))
}

/// Refuses what only dRAID has beside another kind of vdev.
pub(super) fn refuse_keys(section: &Section<'_>) -> Checked<()> {
    match [DATA, SPARES].iter().find_map(|key| section.get(key)) {
        None => Ok(()),
        Some(node) => {
            let fault = node.fault(format!("only dRAID has “{}”", node.name));
            Err(fault.help("write draid1, draid2 or draid3 as its kind, or leave it out"))
        }
    }
}

/// Reads a dRAID vdev.
pub(super) fn vdev(
    section: &Section<'_>,
    (entry, parity): (&Node, u8),
    devices: &Devices<'_>,
) -> Checked<VdevSpec> {
    let disks = disks(entry, devices)?;
    let count = disks.len();
    if count > DISKS_MAX {
        return Err(entry.fault(format!("dRAID takes at most {DISKS_MAX} disks, not {count}")));
    }
    let spares = section.maybe(SPARES, spares)?.unwrap_or(0);
    let taken = usize::from(parity) + usize::from(spares);
    let data = match section.maybe(DATA, data)? {
        Some(data) => data,
        None => {
            let left = count.saturating_sub(taken).min(DATA_DEFAULT);
            u8::try_from(left).unwrap_or(u8::MAX)
        }
    };
    let data = data.max(1);
    let layout = VdevLayout::Draid { parity, data, spares };
    let least = layout.fewest_disks();
    if count < least {
        let name = &entry.name;
        let message = format!(
            "{name} with {data} data disks in a group and {spares} spares takes at least {least} disks, not {count}"
        );
        return Err(entry.fault(message));
    }
    refuse_twice(entry, &disks)?;
    Ok(VdevSpec { layout, disks })
}

/// Refuses dRAID in any arm whose version has none.
pub(super) fn check_version<'a>(
    scenario: &Scenario,
    nodes: impl Iterator<Item = &'a Node>,
) -> Checked<()> {
    for (arm, place) in scenario.arms.iter().zip(nodes) {
        let system = scenario.system_of(arm);
        if system.pool.has_draid() && Version::parse(&system.zfs) < Version::parse("2.1") {
            let message = format!("OpenZFS {} has no dRAID, which came with 2.1", system.zfs);
            return Err(place.fault(message).help("write raidz, or a later version"));
        }
    }
    Ok(())
}

fn spares(node: &Node) -> Checked<u8> {
    let number = node.whole()?;
    let fits = u8::try_from(number).ok().filter(|_| number <= SPARES_MAX);
    fits.ok_or_else(|| node.must(&format!("not be above {SPARES_MAX}")))
}

fn data(node: &Node) -> Checked<u8> {
    let number = node.whole_above_zero()?;
    u8::try_from(number).map_err(|_| node.must(&format!("not be above {DISKS_MAX}")))
}
