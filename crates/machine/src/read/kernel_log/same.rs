//! Which disk of the kernel is which device of a pool: a failed request is reported twice, once by the block
//! layer with the disk's name, once by ZFS with the name that the pool has for it.
//!
//! ```text
//! I/O error, dev sdp, sector 1665922784            the disk from its beginning, in 512 bytes
//! zio pool=tank vdev=…/ata-X-part1 … offset=852951416832     1665920736 of them, from the partition's
//! ```
//!
//! ZFS on Linux begins its partition at sector 2048; a pool on whole disks begins at 0. One request that
//! both tell of is enough, if no other disk has one there.

use std::collections::BTreeMap;

use super::device_word;

/// Requests that are remembered; a log has seldom more.
const REQUESTS_MAX: usize = 1 << 16;
const SECTOR_BYTES: u64 = 512;
/// Where a pool's part of a disk may begin.
const BEGINNINGS: [u64; 2] = [2048, 0];

/// Requests that failed, as both tell of them.
#[derive(Debug, Default)]
pub(super) struct Requests {
    /// Disks by the sector that failed; none where two disks failed there.
    disks: BTreeMap<u64, Option<String>>,
    /// Devices of pools with where they failed.
    devices: Vec<(String, u64)>,
}

impl Requests {
    /// Remembers the request that a line of the block layer tells of.
    pub(super) fn block(&mut self, said: &str) {
        let words = said.split_once(", dev ").map(|(_, rest)| rest);
        let found = words.and_then(|rest| Some((device_word(rest)?, number(rest, ", sector ")?)));
        if let Some((disk, sector)) = found.filter(|_| self.disks.len() < REQUESTS_MAX) {
            let known = self.disks.entry(sector).or_insert_with(|| Some(disk.to_owned()));
            *known = known.take().filter(|known| known == disk);
        }
    }

    /// Remembers the request that ZFS tells of.
    pub(super) fn zio(&mut self, device: &str, said: &str) {
        let offset = number(said, " offset=").filter(|_| self.devices.len() < REQUESTS_MAX);
        self.devices.extend(offset.map(|offset| (device.to_owned(), offset / SECTOR_BYTES)));
    }

    /// Returns the disk that each device of a pool is, where one request says so and none says another.
    pub(super) fn disks(&self) -> BTreeMap<&str, &str> {
        let mut found: BTreeMap<&str, Option<&str>> = BTreeMap::new();
        for (device, sector) in &self.devices {
            let at = |begin: &u64| self.disks.get(&sector.checked_add(*begin)?)?.as_deref();
            for disk in BEGINNINGS.iter().filter_map(at) {
                let known = found.entry(device).or_insert(Some(disk));
                *known = known.filter(|known| *known == disk);
            }
        }
        found.into_iter().filter_map(|(device, disk)| Some((device, disk?))).collect()
    }
}

fn number(text: &str, before: &str) -> Option<u64> {
    let (_, rest) = text.split_once(before)?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest.get(..end)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::Requests;

    fn check(lines: &[&str], expected: &[(&str, &str)]) {
        let mut requests = Requests::default();
        for line in lines {
            match super::super::zio(line) {
                Some((_, device)) => requests.zio(device, line),
                None => requests.block(line),
            }
        }
        let found: Vec<(&str, &str)> = requests.disks().into_iter().collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_request_that_both_tell_of_names_the_disk() {
        let block = "I/O error, dev sdp, sector 4096 op 0x0:(READ) flags 0x700";
        let zio = "zio pool=tank vdev=/dev/disk/by-id/ata-X-part1 error=5 type=1 offset=1048576 size=4096";
        check(&[block, zio], &[("ata-X-part1", "sdp")]);
        check(&[zio, block], &[("ata-X-part1", "sdp")]);
        let bare = "zio pool=tank vdev=/dev/mapper/one error=5 type=1 offset=2097152 size=512";
        check(&[block, bare], &[("one", "sdp")]);
    }

    #[test]
    fn what_two_disks_could_be_is_none() {
        let zio = "zio pool=tank vdev=/dev/x1 error=5 type=1 offset=1048576 size=4096";
        let a = "critical medium error, dev sda, sector 4096";
        let b = "critical medium error, dev sdb, sector 4096";
        check(&[a, b, zio], &[]);
        let other = "zio pool=tank vdev=/dev/x1 error=5 type=1 offset=3145728 size=4096";
        check(&[a, "I/O error, dev sdb, sector 8192", zio, other], &[]);
        check(&["I/O error, dev sda, sector 99999999999999999999", zio], &[]);
        check(&["zio pool=t vdev=/dev/x error=5 offset=18446744073709551615"], &[]);
    }
}
