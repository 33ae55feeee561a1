//! Rules about datasets.

pub(super) mod atime;
pub(super) mod checksum_off;
pub(super) mod cipher;
pub(super) mod compression;
pub(super) mod dedup;
pub(super) mod dedup_simulated;
pub(super) mod direct_io;
pub(super) mod fio_record;
pub(super) mod padding;
pub(super) mod primarycache;
pub(super) mod recordsize;
pub(super) mod snapshots;
