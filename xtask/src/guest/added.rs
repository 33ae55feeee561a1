//! Programs of Debian's that the guest lacks: from the machine's own package sources, unpacked into the cache with the
//! libraries that they need, and laid over the guest's root with each job, so that they cost no new guest.

use std::fs;
use std::path::{Path, PathBuf};

use super::{cache, root};

/// A program with its package.
#[derive(Debug)]
pub(super) struct Added {
    package: &'static str,
    program: &'static str,
}

/// What makes partitions.
pub(super) const PARTITIONS: Added = Added { package: "gdisk", program: "sbin/sgdisk" };
/// What traces accesses to files; LLVM among its libraries, 180 MB. Guests of the layout [`TRACED`] alone have it, and more
/// memory for it.
pub(super) const TRACER: Added = Added { package: "bpftrace", program: "bin/bpftrace" };
pub(super) const TRACED: &str = "traced";

impl Added {
    /// Finds or brings it; returns a folder to be laid over the guest's root.
    pub(super) fn provide(&self) -> anyhow::Result<PathBuf> {
        cache::provide(self.package, |draft| self.bring(draft))
    }

    fn bring(&self, draft: &Path) -> anyhow::Result<String> {
        let tree = draft.join("work/tree");
        let version = super::packages::unpacked(self.package, "", &tree)?;
        root::add_programs(&[self.program], &tree, draft)?;
        fs::remove_dir_all(draft.join("work"))?;
        Ok(cache::name(&format!("debian-{}", self.package), &version))
    }
}
