//! Which libraries Debian's archive holds, and what each needs that this machine may lack.

/// A library as Debian packages it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packaged {
    /// The version as it is named here.
    pub(super) version: &'static str,
    /// The releases that hold it; the last of them is searched too for what it depends on.
    pub(super) suites: &'static [&'static str],
    /// Its own packages, all of one version.
    pub(super) packages: &'static [&'static str],
    /// The C library and all else that it is linked with, for machines whose own is older.
    pub(super) runtime: &'static [&'static str],
}

/// What a library of Debian 13 is linked with, and what a Rust program needs beside it.
const TRIXIE: &[&str] =
    &["libc6", "libgcc-s1", "libblkid1", "libcap2", "libudev1", "libuuid1", "zlib1g"];

/// The archive's libraries, oldest behaviour first, and the OpenSolaris code of about 2010 as a daemon last.
pub(super) const PACKAGED: [Packaged; 6] = [
    Packaged {
        version: "2.0.3",
        suites: &["bullseye"],
        packages: &["libzpool4linux", "libnvpair3linux", "libuutil3linux", "libzfs4linux"],
        runtime: &[],
    },
    Packaged {
        version: "2.1.11",
        suites: &["bookworm"],
        packages: &["libzpool5linux", "libnvpair3linux", "libuutil3linux", "libzfs4linux"],
        runtime: &[],
    },
    Packaged {
        version: "2.3.2",
        suites: &["bookworm-backports", "bookworm"],
        packages: &["libzpool6linux", "libnvpair3linux"],
        runtime: &[],
    },
    Packaged {
        version: "2.3.9",
        suites: &["trixie"],
        packages: &["libzpool6linux", "libnvpair3linux"],
        runtime: TRIXIE,
    },
    Packaged {
        version: "2.4.4",
        suites: &["trixie-backports", "trixie"],
        packages: &["libzpool7linux", "libnvpair3linux"],
        runtime: TRIXIE,
    },
    Packaged {
        version: "zfs-fuse-0.7.0",
        suites: &["bookworm"],
        packages: &["zfs-fuse", "libfuse2"],
        runtime: &[],
    },
];

/// Versions that can be fetched, oldest behaviour first and the daemon last.
pub const KNOWN: [&str; PACKAGED.len()] =
    ["2.0.3", "2.1.11", "2.3.2", "2.3.9", "2.4.4", "zfs-fuse-0.7.0"];

/// Returns what the archive holds of `version`.
pub(super) fn packaged(version: &str) -> Option<&'static Packaged> {
    PACKAGED.iter().find(|packaged| packaged.version == version)
}

#[cfg(test)]
mod tests {
    use super::{KNOWN, PACKAGED};

    #[test]
    fn every_version_known_has_its_packages() {
        assert_eq!(PACKAGED.map(|packaged| packaged.version), KNOWN);
    }
}
