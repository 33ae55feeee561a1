//! Extras of the scenario that change what stands between a client and the disks: volumes, compression, links, dRAID and others.

use arcwright_scenario::{Disk, Scenario, System};
use arcwright_units::Bytes;

/// Their short names in the table of checks, and what an owner reads.
const EXTRAS: [(&str, &str); 10] = [
    ("datasets", "several datasets"),
    ("volume", "volumes"),
    ("compression", "compression"),
    ("small", "small blocks of files on special vdevs"),
    ("shared", "disks that share a device"),
    ("link", "disks behind a link"),
    ("fill", "a pool that other files fill"),
    ("encryption", "encryption"),
    ("shingled", "shingled disks"),
    ("draid", "dRAID"),
];
/// Arms and phases with one below which nothing is said of it: as many as a range needs at least.
const CHECKS_MIN: usize = 12;

/// Which of them an experiment has, by their places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Extras([bool; EXTRAS.len()]);

impl Extras {
    pub(super) fn of(scenario: &Scenario, system: &System) -> Self {
        let pool = &system.pool;
        Self([
            pool.datasets.iter().any(|it| it.kind.is_files()),
            pool.datasets.iter().any(|it| !it.kind.is_files()),
            pool.compresses() && scenario.has_compressible(),
            pool.special_small_blocks != Bytes::ZERO,
            shares_a_device(pool.disks().filter_map(|disk| disk.part_of.as_deref())),
            pool.disks().any(|disk| disk.link.is_some()),
            pool.disks().any(|disk| disk.taken != Bytes::ZERO),
            pool.encrypts(),
            pool.disks().filter_map(Disk::device).any(|device| device.is_shingled()),
            pool.has_draid(),
        ])
    }

    /// Returns how many of them only one of the two has.
    pub(super) fn apart(self, other: Self) -> usize {
        self.0.iter().zip(other.0).filter(|(one, another)| **one != *another).count()
    }

    /// Returns those that too few of `others` have.
    pub(super) fn outside(self, others: impl Iterator<Item = Self> + Clone) -> Vec<String> {
        let own = self.0.iter().zip(EXTRAS).enumerate().filter(|(_, (has, _))| **has);
        let rare = own.filter_map(|(place, (_, (_, what)))| {
            let count = others.clone().filter(|other| other.0.get(place) == Some(&true)).count();
            (count < CHECKS_MIN).then(|| what.to_owned())
        });
        rare.collect()
    }

    /// Returns them as the table of checks has them.
    pub(super) fn text(self) -> String {
        let own = self.0.iter().zip(EXTRAS).filter(|(has, _)| **has);
        own.map(|(_, (name, _))| name).collect::<Vec<_>>().join(" ")
    }

    /// Reads what [`Self::text`] wrote; none where one is not known.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut extras = Self::default();
        for name in text.split(' ').filter(|name| !name.is_empty()) {
            let place = EXTRAS.iter().position(|(known, _)| *known == name)?;
            *extras.0.get_mut(place)? = true;
        }
        Some(extras)
    }
}

/// Returns whether two parts are of one device; a part alone on its device is a disk like any other.
fn shares_a_device<'a>(devices: impl Iterator<Item = &'a str>) -> bool {
    let mut devices: Vec<&str> = devices.collect();
    devices.sort_unstable();
    devices.windows(2).any(|pair| matches!(pair, [one, other] if one == other))
}

#[cfg(test)]
mod tests {
    use super::{CHECKS_MIN, EXTRAS, Extras, shares_a_device};

    #[test]
    fn a_part_alone_shares_nothing() {
        for (devices, shares) in [("", false), ("a", false), ("a b", false), ("a b a", true)] {
            assert_eq!(shares_a_device(devices.split(' ').filter(|it| !it.is_empty())), shares);
        }
    }

    #[test]
    fn extras_are_read_as_they_are_written() {
        let all: Vec<&str> = EXTRAS.iter().map(|(name, _)| *name).collect();
        for text in ["", "link", "datasets link", "small shared fill", &all.join(" ")] {
            assert_eq!(Extras::parse(text).unwrap().text(), text);
        }
        assert_eq!(Extras::parse("link raid5"), None);
    }

    #[test]
    fn what_was_hardly_ever_checked_is_outside() {
        let link = Extras::parse("link").unwrap();
        let checked = |count: usize| {
            let with = std::iter::repeat_n(link, count);
            link.outside(with.chain([Extras::default(), Extras::default()]))
        };
        assert_eq!(checked(CHECKS_MIN - 1), ["disks behind a link"]);
        assert!(checked(CHECKS_MIN).is_empty());
        assert_eq!(link.apart(Extras::parse("link fill").unwrap()), 1);
        assert_eq!(link.apart(Extras::parse("fill").unwrap()), 2);
    }
}
