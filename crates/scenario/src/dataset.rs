//! Datasets: their properties, and what each sets itself.

use arcwright_units::Bytes;
use serde::{Deserialize, Serialize};

/// A dataset beside the pool's own: it inherits what it does not set, but for the size of a volume's blocks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
#[schemars(rename = "Dataset")]
pub struct DatasetSpec {
    /// Its name, unique in the scenario.
    pub name: String,
    /// What it holds.
    #[serde(default, skip_serializing_if = "DatasetKind::is_files")]
    pub kind: DatasetKind,
    /// What it sets itself.
    pub properties: Properties,
}

/// What a dataset holds.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum DatasetKind {
    /// Files.
    #[default]
    Files,
    /// One volume, a zvol: a block device, whose contents stand in the scenario as a file of its name.
    Volume,
}

impl DatasetKind {
    /// Says whether it holds files.
    #[must_use]
    pub const fn is_files(&self) -> bool {
        matches!(self, Self::Files)
    }
}

/// The properties of a dataset, inherited ones included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatasetProperties {
    /// What it holds.
    pub kind: DatasetKind,
    /// `recordsize`; of a volume `volblocksize`.
    pub recordsize: Bytes,
    /// `compression`.
    pub compression: Compression,
    /// `encryption`.
    pub encryption: Encryption,
    /// `primarycache`.
    pub primarycache: CacheContent,
    /// `secondarycache`.
    pub secondarycache: CacheContent,
    /// `sync`.
    pub sync: SyncMode,
    /// `logbias`.
    pub logbias: Logbias,
    /// `special_small_blocks`; 0 for none.
    pub special_small_blocks: Bytes,
}

/// Properties that a dataset sets, or that an arm replaces.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct Properties {
    /// `recordsize`; of a volume `volblocksize`.
    pub recordsize: Option<Bytes>,
    /// `compression`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compression: Option<Compression>,
    /// `encryption`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encryption: Option<Encryption>,
    /// `primarycache`.
    pub primarycache: Option<CacheContent>,
    /// `secondarycache`.
    pub secondarycache: Option<CacheContent>,
    /// `sync`.
    pub sync: Option<SyncMode>,
    /// `logbias`.
    pub logbias: Option<Logbias>,
    /// `special_small_blocks`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub special_small_blocks: Option<Bytes>,
}

impl Properties {
    /// Takes over what others set.
    pub(crate) fn replace(&mut self, others: &Self) {
        self.recordsize = others.recordsize.or(self.recordsize);
        self.compression = others.compression.or(self.compression);
        self.encryption = others.encryption.or(self.encryption);
        self.primarycache = others.primarycache.or(self.primarycache);
        self.secondarycache = others.secondarycache.or(self.secondarycache);
        self.sync = others.sync.or(self.sync);
        self.logbias = others.logbias.or(self.logbias);
        self.special_small_blocks = others.special_small_blocks.or(self.special_small_blocks);
    }
}

/// Which writes wait for stable storage (`sync`).
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum SyncMode {
    /// Those that ask for it.
    #[default]
    Standard,
    /// All.
    Always,
    /// None, whatever they ask for.
    Disabled,
}

/// What synchronous writes are written for (`logbias`).
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Logbias {
    /// To be answered soon: by the log device, if there is one.
    #[default]
    Latency,
    /// To spare the log device: data goes to its place at once.
    Throughput,
}

/// What a cache may hold of a dataset (`primarycache`, `secondarycache`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CacheContent {
    /// Data and metadata.
    All,
    /// Metadata only.
    Metadata,
    /// Nothing.
    None,
}

/// Encryption of a dataset.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize,
)]
pub enum Encryption {
    /// Stored in the clear.
    #[default]
    #[serde(rename = "off")]
    Off,
    /// What `encryption=on` stands for since 0.8.4.
    #[serde(rename = "aes-256-gcm")]
    Aes256Gcm,
}

impl Encryption {
    /// Says whether it is off.
    #[must_use]
    pub const fn is_off(&self) -> bool {
        matches!(self, Self::Off)
    }
}

/// Compression of a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compression {
    /// Stored as it is.
    Off,
    /// LZ4.
    Lz4,
}
