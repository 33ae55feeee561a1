//! How much memory the ARC may take when nobody says otherwise (docs/model/arc.md#target-limits).

use arcwright_units::Bytes;

use crate::Version;

/// Returns the default of `zfs_arc_max`, which the kernel derives from the installed memory.
///
/// Linux up to 2.2: half the memory. Linux from 2.3.0, and FreeBSD in every version: the larger of
/// 5/8 of the memory and all but 1 GiB (FreeBSD 8 to 12 take that of the kernel's address space,
/// which is taken to be as large as the memory here). Never below `arc_c_min` (arc.c, 2.2.10).
#[must_use]
pub fn default_arc_max(version: Version, freebsd: bool, memory: Bytes) -> Bytes {
    let smallest = (memory.0 / 32).max(Bytes::mib(32).0);
    let most = (memory.0 / 8 * 5).max(memory.saturating_sub(Bytes::gib(1)).0);
    let roomy = freebsd || version.is_legacy_freebsd() || version >= first_roomy();
    Bytes(if roomy { most } else { memory.0 / 2 }.max(smallest))
}

/// The first version that takes more than half of the memory on Linux.
fn first_roomy() -> Version {
    Version::openzfs(2, 3, 0)
}

#[cfg(test)]
mod tests {
    use arcwright_units::Bytes;

    use super::default_arc_max;
    use crate::Version;

    fn check(version: &str, freebsd: bool, memory: Bytes, expected: Bytes) {
        let version = Version::parse(version).unwrap();
        assert_eq!(default_arc_max(version, freebsd, memory), expected, "{version} {memory}");
    }

    #[test]
    fn linux_takes_half_until_2_3() {
        check("0.6.5", false, Bytes::gib(16), Bytes::gib(8));
        check("2.2.7", false, Bytes::gib(16), Bytes::gib(8));
        check("2.3", false, Bytes::gib(16), Bytes::gib(15));
        check("2.3", false, Bytes::gib(2), Bytes::mib(1280));
    }

    #[test]
    fn freebsd_leaves_a_gib() {
        check("freebsd-8", true, Bytes::gib(8), Bytes::gib(7));
        check("2.1.5", true, Bytes::gib(8), Bytes::gib(7));
        check("2.1.5", true, Bytes::gib(2), Bytes::mib(1280));
    }

    #[test]
    fn a_tiny_machine_keeps_the_smallest_arc() {
        check("2.1.5", false, Bytes::mib(32), Bytes::mib(32));
        check("2.1.5", false, Bytes::ZERO, Bytes::mib(32));
    }
}
