//! What an SSD may be, and how it is divided for that.

use arcwright_units::Bytes;
use schemars::JsonSchema;
use serde::Serialize;

/// Part of an SSD that is left free, in percent: cells that nobody fills are room for its own moving of data.
const FREE_PERCENT: u64 = 10;
/// Room for growth of what lies on a special vdev, in percent.
const GROWTH_PERCENT: u64 = 150;
/// The most that headers of a full cache may take of the ARC, in percent: what they take, blocks do not have.
const HEADERS_PERCENT: f64 = 25.0;
/// A partition ends at a whole one.
const STEP: Bytes = Bytes::mib(256);

/// What an SSD is used as.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Roles {
    /// The intent log (SLOG).
    pub log: bool,
    /// Metadata, and small blocks where a dataset says so.
    pub special: bool,
    /// The L2ARC.
    pub cache: bool,
    /// Of two SSDs each has a role of its own; else both are divided alike.
    pub apart: bool,
}

impl Roles {
    /// All that are worth a try, what is simplest first.
    pub(crate) const ALL: [Self; 8] = [
        Self::new(false, false, false),
        Self::new(true, false, false),
        Self::new(false, false, true),
        Self { apart: true, ..Self::new(true, false, true) },
        Self::new(true, false, true),
        Self::new(false, true, false),
        Self::new(false, true, true),
        Self::new(true, true, true),
    ];

    const fn new(log: bool, special: bool, cache: bool) -> Self {
        Self { log, special, cache, apart: false }
    }

    /// Returns how many there are.
    #[must_use]
    pub fn count(self) -> usize {
        [self.log, self.special, self.cache].into_iter().filter(|role| *role).count()
    }

    /// Returns what it is called: `log + cache`, `nothing`.
    #[must_use]
    pub fn name(self) -> String {
        let all = [(self.log, "log"), (self.special, "special"), (self.cache, "cache")];
        let names: Vec<&str> =
            all.into_iter().filter(|(has, _)| *has).map(|(_, name)| name).collect();
        match (names.is_empty(), self.apart) {
            (true, _) => "nothing".to_owned(),
            (false, true) => names.join(", "),
            (false, false) => names.join(" + "),
        }
    }

    /// Returns which of so many SSDs has a role, by its name.
    pub(crate) fn has(self, role: &str, ssds: usize) -> Vec<usize> {
        match (self.apart, role) {
            (true, "log") => vec![0],
            (true, _) => vec![1],
            (false, _) => (0..ssds).collect(),
        }
    }
}

/// What a role needs, as far as that is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    pub(crate) log: Bytes,
    /// What would lie on a special vdev; none where nobody counted.
    pub(crate) special: Option<Bytes>,
}

/// The partitions of each SSD; of two, both are divided alike.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Split {
    /// The log.
    pub log: Option<Bytes>,
    /// The special vdev.
    pub special: Option<Bytes>,
    /// The cache.
    pub cache: Option<Bytes>,
    /// What is left free, of the SSD of which less is.
    pub free: Bytes,
}

impl Split {
    /// Divides an SSD of `size`; none where what it is to be does not fit.
    pub(crate) fn of(roles: Roles, size: Bytes, needs: Needs) -> Option<Self> {
        let mut left = Bytes(size.0 / 100 * (100 - FREE_PERCENT));
        let mut take = |wanted: Bytes| {
            let part = Bytes(wanted.0.div_ceil(STEP.0) * STEP.0);
            (part <= left).then(|| {
                left = left.saturating_sub(part);
                part
            })
        };
        let log = if roles.log { Some(take(needs.log)?) } else { None };
        if roles.apart {
            // The other SSD is the cache's alone.
            let cache = whole(Bytes(size.0 / 100 * (100 - FREE_PERCENT)));
            return Some(Self {
                log,
                special: None,
                cache: Some(cache),
                free: size.saturating_sub(cache),
            });
        }
        let rest =
            Bytes(size.0 / 100 * (100 - FREE_PERCENT)).saturating_sub(log.unwrap_or_default());
        let special = match (roles.special, needs.special, roles.cache) {
            (false, _, _) => None,
            (true, Some(need), _) => Some(take(Bytes(need.0 / 100 * GROWTH_PERCENT).max(STEP))?),
            (true, None, true) => Some(take(Bytes(rest.0 / 2))?),
            (true, None, false) => Some(take(whole(rest))?),
        };
        let rest = rest.saturating_sub(special.unwrap_or_default());
        let cache =
            if roles.cache { Some(take(whole(rest)).filter(|part| part.0 > 0)?) } else { None };
        let used: Bytes = [log, special, cache].into_iter().flatten().sum();
        Some(Self { log, special, cache, free: size.saturating_sub(used) })
    }
}

impl Split {
    /// Returns the partitions with a cache whose headers take no more than a part of the ARC, and whether that is less
    /// than there was; `of_byte` is what each byte of it takes there, none where that is not known, and so many SSDs have
    /// the same partitions.
    pub(crate) fn within(self, of_byte: Option<f64>, (arc, ssds): (Bytes, usize)) -> (Self, bool) {
        let (Some(cache), Some(of_byte)) = (self.cache, of_byte.filter(|of_byte| *of_byte > 0.0))
        else {
            return (self, false);
        };
        let most = arc.0 as f64 * HEADERS_PERCENT / 100.0 / of_byte / ssds.max(1) as f64;
        let most = whole(Bytes::of_f64(most)).max(STEP);
        if most >= cache {
            return (self, false);
        }
        let free = self.free + cache.saturating_sub(most);
        (Self { cache: Some(most), free, ..self }, true)
    }
}

fn whole(size: Bytes) -> Bytes {
    Bytes(size.0 / STEP.0 * STEP.0)
}

#[cfg(test)]
mod tests {
    use arcwright_units::Bytes;
    use proptest::prelude::*;

    use super::{Needs, Roles, STEP, Split};

    #[test]
    fn an_ssd_is_divided() {
        let check = |roles: Roles, need: Option<u64>, expected: [Option<u64>; 3]| {
            let needs = Needs { log: Bytes::gib(2), special: need.map(Bytes::gib) };
            let split = Split::of(roles, Bytes::gib(100), needs).unwrap();
            assert_eq!(
                [split.log, split.special, split.cache],
                expected.map(|it| it.map(Bytes::gib))
            );
        };
        let [nothing, log, cache, apart, log_cache, special, special_cache, all] = Roles::ALL;
        check(nothing, None, [None, None, None]);
        check(log, None, [Some(2), None, None]);
        check(cache, None, [None, None, Some(90)]);
        check(apart, None, [Some(2), None, Some(90)]);
        check(log_cache, None, [Some(2), None, Some(88)]);
        check(special, None, [None, Some(90), None]);
        check(special_cache, None, [None, Some(45), Some(45)]);
        check(all, Some(20), [Some(2), Some(30), Some(58)]);
    }

    #[test]
    fn a_cache_is_no_larger_than_its_headers_allow() {
        let split =
            Split { cache: Some(Bytes::gib(800)), free: Bytes::gib(90), ..Split::default() };
        let check = |of_byte: Option<f64>, arc: u64, ssds: usize, expected: u64| {
            let (found, is_bound) = split.within(of_byte, (Bytes::gib(arc), ssds));
            assert_eq!(found.cache, Some(Bytes::gib(expected)), "{of_byte:?}, {arc} GiB, {ssds}");
            assert_eq!(is_bound, expected < 800);
            assert_eq!(found.cache.unwrap() + found.free, Bytes::gib(890));
        };
        // 96 bytes for each block of 12 KiB are 1/128: a quarter of 16 GiB is enough for 512 GiB.
        check(Some(1.0 / 128.0), 16, 1, 512);
        check(Some(1.0 / 128.0), 16, 2, 256);
        check(Some(1.0 / 128.0), 64, 1, 800);
        check(None, 1, 1, 800);
    }

    proptest! {
        #[test]
        fn parts_are_whole_and_leave_a_tenth(
            roles in 0..8usize,
            size in (2u64 << 30)..(64 << 40),
            log in 0u64..(16 << 30),
            special in proptest::option::of(0u64..(8 << 40)),
        ) {
            let needs = Needs { log: Bytes(log), special: special.map(Bytes) };
            let Some(split) = Split::of(Roles::ALL[roles], Bytes(size), needs) else { return Ok(()) };
            let parts = [split.log, split.special, split.cache];
            let used: Bytes = parts.into_iter().flatten().sum();
            if !Roles::ALL[roles].apart {
                prop_assert_eq!(used + split.free, Bytes(size));
            }
            prop_assert!(split.free.0 >= size / 10, "{:?}", split);
            for part in parts.into_iter().flatten() {
                prop_assert_eq!(part.0 % STEP.0, 0);
            }
        }
    }
}
