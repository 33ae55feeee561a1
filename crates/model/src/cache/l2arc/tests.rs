//! The feed's pace, and how large a pass is.

use arcwright_scenario::{ArcLimits, feed_rng};
use arcwright_tunables::Version;
use arcwright_units::{Bytes, Nanos};

use super::{L2arc, Pass};
use crate::cache::arc::{ArcCache, ArcSpec};
use crate::ids::{BlockId, LeafId};
use crate::versions::behaviour::Behaviour;
use crate::versions::settings::Settings;

/// The L2ARC of a version on one device, and its ARC.
fn l2arc(version: &str, device: Bytes) -> (L2arc, ArcCache) {
    let version = Version::parse(version);
    let (behaviour, settings) = (Behaviour::of(version), Settings::defaults(version));
    let limits = ArcLimits { min: Bytes::gib(1), max: Bytes::gib(1) };
    let arc = ArcCache::new(ArcSpec {
        sizes: &[128 << 10; 4],
        metadata_from: BlockId(4),
        lengths_from: BlockId(4),
        lengths: &[],
        behaviour: &behaviour,
        settings,
        limits,
        cores: 4,
        seed: 1,
    });
    let mut l2arc = L2arc::new(4, settings.l2arc, behaviour, feed_rng(1));
    l2arc.add(LeafId(0), device.0);
    (l2arc, arc)
}

/// docs/model/l2arc.md#feed-pace: 200 ms after a pass that wrote more than half of its target, else 1 s.
#[test]
fn a_pass_that_wrote_more_than_half_is_followed_after_200_ms() {
    let check = |version: &str, wrote: u64, expected_ms: u64| {
        let (l2arc, mut arc) = l2arc(version, Bytes::gib(64));
        let (began, target) = (Nanos::secs(10), 16 << 20);
        let pass = Pass { leaf: LeafId(0), writes: Vec::new(), target, wrote, began };
        let next = l2arc.finish(&mut arc, &pass, began + Nanos::millis(3));
        assert_eq!(next, began + Nanos::millis(expected_ms), "{version}, {wrote} bytes");
    };
    for version in ["2.1.11", "2.2.2", "2.3.2"] {
        check(version, 0, 1000);
        check(version, 8 << 20, 1000);
        check(version, (8 << 20) + 1, 200);
        check(version, 16 << 20, 200);
    }
}

/// docs/model/l2arc.md#header-memory: a pass is skipped while small headers take more than their part of the ARC,
/// and the feed looks again after a second, however fast it was.
#[test]
fn a_pass_that_is_skipped_is_followed_after_a_second() {
    for version in ["2.1.11", "2.2.2", "2.3.2"] {
        let (mut l2arc, mut arc) = l2arc(version, Bytes::gib(64));
        let now = Nanos::secs(10);
        assert!(l2arc.feed(&mut arc, now).is_some(), "{version}");
        arc.take_l2_only(u64::from(u32::MAX));
        assert_eq!(l2arc.feed(&mut arc, now), None, "{version}");
        assert_eq!((l2arc.feeds, l2arc.abort_lowmem), (1, 1), "{version}");
        assert_eq!(l2arc.retry(now), now + Nanos::SECOND, "{version}");
    }
}

/// docs/model/l2arc.md#size-of-a-feed-pass: `l2arc_write_max` and the boost; with the log blocks that the
/// smallest buffers would need, and at most a quarter of the device, where the version counts those.
#[test]
fn a_pass_is_as_large_as_its_version_has_it() {
    let check = |version: &str, device: Bytes, expected: u64| {
        let (l2arc, _) = l2arc(version, device);
        assert_eq!(l2arc.target(), expected, "{version} on {device}");
    };
    check("2.1.11", Bytes::gib(64), 16 << 20);
    check("2.1.11", Bytes::mib(32), 16 << 20);
    // 32768 sectors of 512 bytes in blocks of 1022 are 33 log blocks of 64 KiB.
    check("2.2.2", Bytes::gib(64), (16 << 20) + 33 * (64 << 10));
    // 131072 of them are 129.
    check("2.3.2", Bytes::gib(64), (64 << 20) + 129 * (64 << 10));
    // A small device keeps no log, and is filled a quarter at a time from 2.2.3 on: of what lies behind the
    // first 4 MiB and 4 KiB, in whole sectors of 4 KiB.
    check("2.2.2", Bytes::mib(128), 16 << 20);
    check("2.3.2", Bytes::mib(128), (31 << 20) - (128 << 10));
    // The labels at its end make one of 1 GiB a small one; one of half a MiB more has a log block for each 63 entries.
    check("2.3.2", Bytes::gib(1), 64 << 20);
    check("2.3.2", Bytes(Bytes::gib(1).0 + (512 << 10)), (64 << 20) + 2081 * (64 << 10));
}
