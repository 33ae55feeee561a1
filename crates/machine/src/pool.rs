//! A pool: what it is made of, how full it is, how it is set.

use std::collections::BTreeMap;

use arcwright_units::Bytes;

/// An imported pool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pool {
    /// Its name.
    pub name: String,
    /// `ONLINE`, `DEGRADED`, ….
    pub state: Option<String>,
    /// What `zpool status` says of a scrub or resilver.
    pub scan: Option<String>,
    /// What `zpool status` says is wrong with it, in its words.
    pub status: Option<String>,
    /// What `zpool status` says of damaged files: `No known data errors`.
    pub errors: Option<String>,
    /// Properties by name as `zpool get -Hp all` prints them: `ashift`, `capacity`, `fragmentation`.
    pub properties: BTreeMap<String, String>,
    /// Top-level vdevs.
    pub vdevs: Vec<Vdev>,
}

/// A vdev, and below it what it is made of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vdev {
    /// `mirror-0`, `sda1`, `/dev/disk/by-id/…`, as `zpool status` names it.
    pub name: String,
    /// What the pool uses it for.
    pub class: Class,
    /// How it is built.
    pub layout: Layout,
    /// `ONLINE`, `FAULTED`, …; none where it was not told.
    pub state: Option<String>,
    /// Errors of reading, writing and checksums.
    pub errors: Option<[u64; 3]>,
    /// What `zpool list -v` says of its space.
    pub space: Option<Space>,
    /// What it is made of; empty for a leaf.
    pub children: Vec<Self>,
}

/// The space of a vdev.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Space {
    /// All of it.
    pub size: Option<Bytes>,
    /// Taken.
    pub allocated: Option<Bytes>,
    /// Left.
    pub free: Option<Bytes>,
    /// How much of what is free is in small pieces, in percent of a scale of its own.
    pub fragmentation_pct: Option<u64>,
}

/// What the pool uses a vdev for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Contents.
    #[default]
    Data,
    /// The intent log (SLOG).
    Log,
    /// The L2ARC.
    Cache,
    /// Metadata and small blocks.
    Special,
    /// The table of deduplication.
    Dedup,
    /// A spare disk.
    Spare,
}

/// How a vdev is built.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Layout {
    /// A disk, a partition, a file.
    #[default]
    Leaf,
    /// Copies.
    Mirror,
    /// Parity over its members.
    Raidz {
        /// Members that may fail.
        parity: u8,
    },
    /// Parity with distributed spares.
    Draid {
        /// Members that may fail.
        parity: u8,
    },
    /// A disk being replaced, or a spare standing in.
    Replacing,
}

impl Vdev {
    /// Returns the leaves below it, itself when it is one.
    #[must_use]
    pub fn leaves(&self) -> Vec<&Self> {
        if self.children.is_empty() {
            return vec![self];
        }
        self.children.iter().flat_map(Self::leaves).collect()
    }
}

impl Pool {
    /// Returns the top-level vdevs of a class.
    pub fn of_class(&self, class: Class) -> impl Iterator<Item = &Vdev> {
        self.vdevs.iter().filter(move |vdev| vdev.class == class)
    }

    /// Returns a property as a number; none when it is absent or not one (`-`).
    #[must_use]
    pub fn number(&self, property: &str) -> Option<u64> {
        let text = self.properties.get(property)?;
        text.trim_end_matches(['%', 'x']).parse().ok()
    }
}
