//! Whether a drive is known to be of no pool.
//!
//! A pool may call a drive by any of its links, so that a name that is not in its list says nothing by itself. Where all
//! of its devices have names of one kind, the kernel's or by model and serial number, it does.

use arcwright_machine::{Drive, Machine, Pool, below_dev};

use crate::rules::pool_state;

/// Names below `/dev/disk/by-id` that end with the drive's serial number.
const BY_SERIAL: [&str; 2] = ["ata-", "nvme-"];
/// A serial number is at least so long; a shorter text may stand in any name.
const SERIAL_CHARS_MIN: usize = 6;

/// Returns whether no pool has a drive: all of their devices were read, and each of them is another drive.
pub(super) fn is_of_no_pool(machine: &Machine, drive: &Drive) -> bool {
    let pools = &machine.pools;
    let is_read = |pool: &Pool| {
        !pool.vdevs.is_empty() && pool.strays.is_empty() && !pool.errors_beside.lacks_lines
    };
    let mut leaves = pools.iter().flat_map(pool_state::leaves);
    !pools.is_empty()
        && pools.iter().all(is_read)
        && leaves.all(|(_, leaf)| is_another(machine, drive, &leaf.name))
}

/// Returns whether a device of a pool is known to be another drive than this.
fn is_another(machine: &Machine, drive: &Drive, leaf: &str) -> bool {
    let leads_to = machine.drive_of(leaf);
    if leads_to.is_some_and(|of| of.name == drive.name) {
        return false;
    }
    let name = below_dev(leaf);
    let id = name.trim_start_matches("disk/by-id/");
    let serial = drive.serial.as_deref().filter(|serial| serial.len() >= SERIAL_CHARS_MIN);
    if BY_SERIAL.iter().any(|lead| id.starts_with(lead)) {
        return serial.is_some_and(|serial| !id.contains(serial));
    }
    let own = family(&drive.name);
    own.is_some() && own == family(name)
}

/// Returns the kind of a name of the kernel: all drives behind one driver have names of one kind.
fn family(name: &str) -> Option<&'static str> {
    const FAMILIES: [&str; 8] = ["nvme", "nvd", "nda", "ada", "xvd", "da", "sd", "vd"];
    let family = FAMILIES.iter().find(|family| name.starts_with(**family))?;
    let rest = name.strip_prefix(family)?;
    let lettered = matches!(*family, "sd" | "vd" | "xvd");
    let is_name = match lettered {
        true => {
            let letters = rest.trim_end_matches(|c: char| c.is_ascii_digit());
            (1..=3).contains(&letters.len()) && letters.bytes().all(|c| c.is_ascii_lowercase())
        }
        false => rest.starts_with(|c: char| c.is_ascii_digit()),
    };
    is_name.then_some(*family)
}

#[cfg(test)]
mod tests {
    use super::{Machine, is_of_no_pool};
    use arcwright_machine::{Drive, Sources};

    fn check(leaves: &str, name: &str, serial: Option<&str>, expected: bool) {
        let text = format!(
            "  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME        STATE     READ WRITE CKSUM\n\
             \ttank        ONLINE       0     0     0\n\t  mirror-0  ONLINE       0     0     0\n\
             {leaves}\nerrors: No known data errors\n"
        );
        let mut machine = Machine::read(&Sources::recognize(&text));
        let serial = serial.map(str::to_owned);
        let drive = Drive { name: name.to_owned(), serial, ..Drive::default() };
        machine.drives.push(drive.clone());
        assert_eq!(is_of_no_pool(&machine, &drive), expected, "{name} {leaves}");
    }

    #[test]
    fn a_drive_is_of_no_pool_where_all_devices_are_named_like_it() {
        let leaves = |one: &str, other: &str| {
            let row = |name: &str| format!("\t    {name}     ONLINE       0     0     0\n");
            row(one) + &row(other)
        };
        check(&leaves("sda", "sdb"), "sdc", None, true);
        check(&leaves("sda", "sdb"), "sdb", None, false);
        check(&leaves("sda1", "sdb1"), "sdb", None, false);
        check(&leaves("sda", "sdb"), "nvme0n1", None, false);
        check(&leaves("wwn-0x5000c500a1b2c3d4", "sdb"), "sdc", None, false);
        check(&leaves("bay1", "bay2"), "sdc", None, false);
        let by_id = leaves("ata-EXAMPLE_X_EXAMPLE0001", "ata-EXAMPLE_X_EXAMPLE0002");
        check(&by_id, "sdc", None, false);
        check(&by_id, "sdc", Some("EXAMPLE0003"), true);
        check(&by_id, "sdc", Some("EXAMPLE0002"), false);
    }
}
