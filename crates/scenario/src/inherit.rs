//! What holds for a file: what its dataset sets, and what that inherits from the pool's own.

use arcwright_units::Bytes;
use arcwright_workload::{Client, Durability};

use crate::dataset::{Compression, DatasetKind, DatasetProperties, DatasetSpec, SyncMode};
use crate::experiment::{FileSpec, Scenario};
use crate::system::{PoolSpec, System, VdevLayout};

impl PoolSpec {
    /// Returns the properties of the pool's own dataset.
    #[must_use]
    pub const fn properties(&self) -> DatasetProperties {
        DatasetProperties {
            kind: DatasetKind::Files,
            recordsize: self.recordsize,
            compression: self.compression,
            encryption: self.encryption,
            primarycache: self.primarycache,
            secondarycache: self.secondarycache,
            sync: self.sync,
            logbias: self.logbias,
            special_small_blocks: self.special_small_blocks,
        }
    }

    /// Says whether any of its datasets compresses.
    #[must_use]
    pub fn compresses(&self) -> bool {
        let others = self.datasets.iter().map(|it| it.properties_in(self).compression);
        others.chain([self.compression]).any(|it| it != Compression::Off)
    }

    /// Says whether any of its vdevs is dRAID.
    #[must_use]
    pub fn has_draid(&self) -> bool {
        self.data.iter().any(|vdev| matches!(vdev.layout, VdevLayout::Draid { .. }))
    }

    /// Says whether any of its datasets is encrypted.
    #[must_use]
    pub fn encrypts(&self) -> bool {
        let others = self.datasets.iter().map(|it| it.properties_in(self).encryption);
        others.chain([self.encryption]).any(|it| !it.is_off())
    }

    /// Returns the properties that a file has: those of its dataset, and its own record size.
    #[must_use]
    pub fn properties_of(&self, file: &FileSpec) -> DatasetProperties {
        let name = file.dataset.as_ref();
        let dataset = name.and_then(|name| self.datasets.iter().find(|it| it.name == *name));
        let theirs = dataset.map_or_else(|| self.properties(), |it| it.properties_in(self));
        DatasetProperties { recordsize: file.recordsize.unwrap_or(theirs.recordsize), ..theirs }
    }
}

impl DatasetSpec {
    /// Returns its properties in a pool, inherited ones included.
    #[must_use]
    pub fn properties_in(&self, pool: &PoolSpec) -> DatasetProperties {
        let (own, theirs) = (&self.properties, pool.properties());
        DatasetProperties {
            kind: self.kind,
            recordsize: own.recordsize.unwrap_or(theirs.recordsize),
            compression: own.compression.unwrap_or(theirs.compression),
            encryption: own.encryption.unwrap_or(theirs.encryption),
            primarycache: own.primarycache.unwrap_or(theirs.primarycache),
            secondarycache: own.secondarycache.unwrap_or(theirs.secondarycache),
            sync: own.sync.unwrap_or(theirs.sync),
            logbias: own.logbias.unwrap_or(theirs.logbias),
            special_small_blocks: own.special_small_blocks.unwrap_or(theirs.special_small_blocks),
        }
    }
}

impl Scenario {
    /// Says whether it says of anything that it compresses, wherever that is stored.
    #[must_use]
    pub fn has_compressible(&self) -> bool {
        let files = self.files.iter().map(|file| file.compressratio_percent);
        let trees = self.trees.iter().map(|tree| tree.compressratio_percent);
        files.chain(trees).flatten().any(|percent| percent > 100)
    }

    /// Returns the record size of the file that a client works on, in the pool of an arm.
    #[must_use]
    pub fn recordsize_of(&self, client: &Client, system: &System) -> Bytes {
        self.properties_for(client, system).recordsize
    }

    /// Returns what holds for what a client works on; trees are in the pool's own dataset.
    fn properties_for(&self, client: &Client, system: &System) -> DatasetProperties {
        let (file, pool) = (self.files.iter().find(|file| file.name == client.file), &system.pool);
        file.map_or_else(|| pool.properties(), |file| pool.properties_of(file))
    }

    /// Says whether writes of a client go to the intent log and are waited for there.
    #[must_use]
    pub fn waits_for_log(&self, client: &Client, system: &System) -> bool {
        let waits = match self.properties_for(client, system).sync {
            SyncMode::Standard => client.durability != Durability::Later,
            SyncMode::Always => true,
            SyncMode::Disabled => false,
        };
        client.action.writes() && waits
    }
}
