//! What troubles of a device are called, and what they come of; not a rule itself.

use arcwright_machine::{Pool, Trouble, TroubleKind};

use crate::rules::pool_state;
use crate::view::View;

/// Returns whether failed requests are known to have reached ZFS: its own lines are in the log, or a pool has counted some.
pub(super) fn reached_zfs(view: &View<'_>, all: &[&Trouble]) -> bool {
    let counted =
        |pool: &Pool| pool_state::told(pool).iter().any(|(_, leaf)| leaf.error_sum() > Some(0));
    let is_of_zfs = |trouble: &&Trouble| {
        trouble.pool.is_some()
            || trouble.kind >= TroubleKind::Recorded && trouble.kind <= TroubleKind::Late
    };
    all.iter().any(is_of_zfs) || view.machine.pools.iter().any(counted)
}

/// Returns what a device did, behind its name.
pub(super) const fn says(kind: TroubleKind) -> &'static str {
    match kind {
        TroubleKind::Broken => "reports that its own hardware fails",
        TroubleKind::Unreadable => "has sectors that it cannot read",
        TroubleKind::Gone => "disappeared",
        TroubleKind::Failed => "failed requests",
        TroubleKind::Slow => "did not answer in time",
        TroubleKind::Transfer => "had corrupted transfers",
        TroubleKind::Recorded => "failed requests of ZFS",
        TroubleKind::Marked => "was taken for failed or failing by its errors",
        TroubleKind::WrongData => "returned data with wrong checksums",
        TroubleKind::Late => "took very long for requests of ZFS",
        TroubleKind::Limited => "has a link that is held at a lower speed",
    }
}

/// Returns what that comes of.
pub(super) const fn cause(kind: TroubleKind) -> &'static str {
    match kind {
        TroubleKind::Broken => {
            "The drive answered with an error of its own hardware, or has no spare sectors left: \
             that is no matter of cable or controller."
        }
        TroubleKind::Unreadable => {
            "A disk retries an unreadable sector for seconds; more usually follow."
        }
        TroubleKind::Gone => {
            "The device left the bus: suspect the cable, its power, an enclosure or bridge (USB), \
             or the device."
        }
        TroubleKind::Failed => {
            "Requests came back with errors. Whether the device, its link or its power is at fault, these lines alone do not tell."
        }
        TroubleKind::Recorded => {
            "ZFS records each request that a device failed; records outlive what `zpool clear` \
             resets, and go when the module is loaded anew."
        }
        TroubleKind::Marked => {
            "ZFS counted more errors than it bears in some minutes, and set the state of the device. Where that \
             did not outlast a restart, the cause may be outside of the disk: cable, port, controller, memory."
        }
        TroubleKind::WrongData => {
            "Wrong checksums alone often come from a cable, a controller or memory; where another copy was \
             right, ZFS repaired it."
        }
        TroubleKind::Late => {
            "Requests took longer than zio_slow_io_ms, 30 seconds unless set: suspect a disk that retries a \
             sector, its cable, or power."
        }
        TroubleKind::Limited => {
            "The driver lowers the speed after errors of transfer, which then stand above; a \
             setting (libata.force) or the port itself may do so as well. One disk rarely fills \
             even the slower link."
        }
        TroubleKind::Slow => {
            "The link was reset or a command was aborted: suspect a disk that retries a sector, \
             the cable, or power."
        }
        TroubleKind::Transfer => {
            "Link checksums failed between disk and controller: nearly always the cable, its plug \
             or the port."
        }
    }
}
