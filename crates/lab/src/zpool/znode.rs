//! Files and directories as the file system keeps them: objects with a name in a directory and
//! attributes in the dnode's bonus area.
//!
//! `libzpool` has no file system (the ZPL), so what it asks of the DMU is asked here, call for call
//! (`zfs_zget`, `zfs_mknode` and `zfs_link_create`, `zfs_read`, `zfs_write`): the same holds,
//! transactions and dirtied bonus areas. Attributes are laid out as the ZPL lays them out, so that
//! dnodes compress as they do in life. Left out: the time of the last access (`atime=off`), quotas, the
//! intent log, and the inodes that a kernel keeps: what is closed is not held any more.

use std::ffi::c_int;
use std::ptr::NonNull;

use arcwright_units::Bytes;

use crate::LabError;
pub(crate) use crate::zpool::attributes::Kind;
use crate::zpool::attributes::{Attributes, CTIME, MTIME, WORDS};
use crate::zpool::functions::{Buffer, Functions, Handle};
use crate::zpool::object::{READ_PREFETCH, TYPE_FILE, assign};
use crate::zpool::pool::{TAG, check};

/// `DMU_OT_DIRECTORY_CONTENTS`.
const TYPE_DIRECTORY: c_int = 20;
/// `DMU_OT_SA`: the bonus area holds system attributes.
const TYPE_ATTRIBUTES: c_int = 44;
/// `DMU_NEW_OBJECT`.
const NEW_OBJECT: u64 = u64::MAX;

/// What a file system is asked through.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dataset<'a> {
    pub(crate) functions: &'a Functions,
    pub(crate) objset: Handle,
}

// SAFETY: the library's objects are made for use by many threads.
unsafe impl Send for Dataset<'_> {}
// SAFETY: as above.
unsafe impl Sync for Dataset<'_> {}

/// A new entry of a directory.
#[derive(Debug, Clone, Copy)]
struct Entry<'a> {
    name: &'a str,
    number: u64,
    kind: Kind,
    /// When it was made.
    time: u64,
}

/// Where a new file or directory gets its entry: under which name in which directory.
#[derive(Clone, Copy)]
pub(crate) struct Location<'a> {
    pub(crate) parent: &'a Znode<'a>,
    pub(crate) name: &'a str,
}

/// An open file or directory: its dnode and its bonus area are held.
#[derive(Debug)]
pub(crate) struct Znode<'a> {
    pub(crate) dataset: Dataset<'a>,
    pub(crate) number: u64,
    dnode: Handle,
    bonus: NonNull<Buffer>,
}

// SAFETY: the library's objects are made for use by many threads.
unsafe impl Send for Znode<'_> {}

impl Drop for Znode<'_> {
    fn drop(&mut self) {
        let functions = self.dataset.functions;
        // SAFETY: both were held by `open`, and nothing is done with them after this.
        unsafe {
            (functions.object.dmu_buf_rele)(self.bonus.as_ptr(), TAG.as_ptr());
            (functions.object.dnode_rele)(self.dnode, TAG.as_ptr());
        }
    }
}

impl<'a> Dataset<'a> {
    /// Opens object `number`, reading its dnode if need be: what `stat` costs, since all that it tells
    /// stands in the bonus area.
    ///
    /// # Errors
    /// [`LabError::Zfs`] with the library's error number.
    pub(crate) fn open(self, number: u64) -> Result<Znode<'a>, LabError> {
        let mut dnode: Handle = std::ptr::null_mut();
        let mut bonus: *mut Buffer = std::ptr::null_mut();
        // SAFETY: the dataset is owned; the library writes the handles, and a dnode whose bonus area
        // cannot be held is let go.
        unsafe {
            let code = (self.functions.object.dnode_hold)(
                self.objset,
                number,
                TAG.as_ptr(),
                &raw mut dnode,
            );
            check(code, "opening a file")?;
            let hold = self.functions.object.dmu_bonus_hold_by_dnode;
            let code = hold(dnode, TAG.as_ptr(), &raw mut bonus, READ_PREFETCH);
            let held = check(code, "reading a file's attributes").and_then(|()| {
                let lost = || LabError::Worker { what: "lost a bonus area".to_owned() };
                NonNull::new(bonus).ok_or_else(lost)
            });
            if held.is_err() {
                (self.functions.object.dnode_rele)(dnode, TAG.as_ptr());
            }
            held.map(|bonus| Znode { dataset: self, number, dnode, bonus })
        }
    }

    /// Asks for the dnode of object `number` to be read, without waiting for it, as `readdir` does.
    pub(crate) fn prefetch(self, number: u64) {
        // `ZIO_PRIORITY_SYNC_READ`
        const SYNC_READ: c_int = 0;
        // SAFETY: the dataset is owned; the library refuses numbers that are out of range.
        unsafe {
            let object = &self.functions.object;
            match object.dmu_prefetch_dnode {
                Some(prefetch) => prefetch(self.objset, number, SYNC_READ),
                None => (object.dmu_prefetch)(self.objset, number, 0, 0, 0, SYNC_READ),
            }
        }
    }

    /// Creates an empty file or directory at `location`, in a transaction of its own, and leaves it open; a
    /// directory without one is the root of a tree.
    ///
    /// # Errors
    /// [`LabError::Zfs`] with the library's error number.
    pub(crate) fn create(
        self,
        kind: Kind,
        location: Option<Location<'_>>,
        time: u64,
    ) -> Result<Znode<'a>, LabError> {
        let functions = self.functions;
        let attributes = Attributes::new(
            kind,
            location.map_or_else(|| 0, |location| location.parent.number),
            time,
        );
        let size = c_int::try_from(size_of::<Attributes>()).unwrap_or(0);
        // SAFETY: the dataset is owned and the parent open; a transaction is made, assigned and
        // committed as dmu.h asks.
        unsafe {
            let tx = (functions.tx.dmu_tx_create)(self.objset);
            (functions.tx.dmu_tx_hold_bonus)(tx, NEW_OBJECT);
            if kind == Kind::Directory {
                (functions.tx.dmu_tx_hold_zap)(tx, NEW_OBJECT, 0, std::ptr::null());
            }
            if let Some(Location { parent, name }) = location {
                parent.hold_for_entry(tx, name);
            }
            assign(functions, tx)?;
            let number = match kind {
                Kind::File => (functions.object.dmu_object_alloc)(
                    self.objset,
                    TYPE_FILE,
                    0,
                    TYPE_ATTRIBUTES,
                    size,
                    tx,
                ),
                Kind::Directory => (functions.zap.zap_create_norm)(
                    self.objset,
                    0,
                    TYPE_DIRECTORY,
                    TYPE_ATTRIBUTES,
                    size,
                    tx,
                ),
            };
            let made = self.open(number).and_then(|made| {
                made.set(&attributes, tx);
                if let Some(Location { parent, name }) = location {
                    parent.enter(Entry { name, number, kind, time }, tx)?;
                }
                Ok(made)
            });
            (functions.tx.dmu_tx_commit)(tx);
            made
        }
    }
}

impl Znode<'_> {
    /// Reads `target.len()` bytes at `offset`, which lie within the file.
    ///
    /// # Errors
    /// [`LabError::Zfs`] with the library's error number.
    pub(crate) fn read(&self, offset: u64, target: &mut [u8]) -> Result<(), LabError> {
        let size = target.len() as u64;
        let place = target.as_mut_ptr().cast();
        let read = self.dataset.functions.object.dmu_read_by_dnode;
        // SAFETY: the dnode is held; the buffer is the caller's.
        let code = unsafe { read(self.dnode, offset, size, place, READ_PREFETCH) };
        check(code, "reading a file")
    }

    /// Appends `source` at `offset`, the present end of the file, record by record: each in a
    /// transaction of its own. A file's only block grows with it until it is a record.
    ///
    /// # Errors
    /// [`LabError::Zfs`] with the library's error number.
    pub(crate) fn append(
        &self,
        offset: u64,
        source: &[u8],
        recordsize: Bytes,
        time: u64,
    ) -> Result<(), LabError> {
        let end = offset + source.len() as u64;
        let (mut at, mut rest) = (offset, source);
        while !rest.is_empty() {
            let room = recordsize.0 - at % recordsize.0;
            let size = rest.len().min(usize::try_from(room).unwrap_or(usize::MAX));
            let (part, later) = rest.split_at(size);
            let block = (at < recordsize.0).then(|| end.min(recordsize.0));
            self.append_part(at, part, block, time)?;
            at += size as u64;
            rest = later;
        }
        Ok(())
    }

    fn append_part(
        &self,
        at: u64,
        part: &[u8],
        block: Option<u64>,
        time: u64,
    ) -> Result<(), LabError> {
        let functions = self.dataset.functions;
        let size = c_int::try_from(part.len()).unwrap_or(c_int::MAX);
        let mut attributes = self.attributes();
        attributes.set_size(at + part.len() as u64);
        attributes.touch(MTIME, time);
        attributes.touch(CTIME, time);
        // SAFETY: the dataset is owned and the dnode held; a transaction is made, assigned and
        // committed as dmu.h asks.
        unsafe {
            let tx = (functions.tx.dmu_tx_create)(self.dataset.objset);
            (functions.tx.dmu_tx_hold_bonus_by_dnode)(tx, self.dnode);
            (functions.tx.dmu_tx_hold_write_by_dnode)(tx, self.dnode, at, size);
            assign(functions, tx)?;
            let grown = block.map_or(0, |block| {
                let grow = functions.object.dmu_object_set_blocksize;
                grow(self.dataset.objset, self.number, block, 0, tx)
            });
            let (bytes, size) = (part.as_ptr().cast(), part.len() as u64);
            if grown == 0 {
                let write = functions.object.dmu_write_by_dnode;
                write(self.dnode, at, size, bytes, tx, READ_PREFETCH);
                self.set(&attributes, tx);
            }
            (functions.tx.dmu_tx_commit)(tx);
            check(grown, "setting the block size of a file")
        }
    }

    fn attributes(&self) -> Attributes {
        let mut words = [0u64; WORDS];
        // SAFETY: the bonus area is held; it has room for at most its size.
        unsafe {
            let buffer = self.bonus.as_ptr();
            let size = size_of::<Attributes>().min(usize::try_from((*buffer).size).unwrap_or(0));
            let bytes = words.as_mut_ptr().cast::<u8>();
            std::ptr::copy_nonoverlapping((*buffer).bytes, bytes, size);
        }
        Attributes { words }
    }

    /// Replaces the attributes.
    ///
    /// # Safety
    /// `tx` is assigned and holds this object's bonus area.
    unsafe fn set(&self, attributes: &Attributes, tx: Handle) {
        // SAFETY: the caller's promise; the bonus area is held, and has room for at most its size.
        unsafe {
            let buffer = self.bonus.as_ptr();
            (self.dataset.functions.object.dmu_buf_will_dirty)(buffer, tx);
            let size = size_of::<Attributes>().min(usize::try_from((*buffer).size).unwrap_or(0));
            let bytes = attributes.words.as_ptr().cast::<u8>();
            std::ptr::copy_nonoverlapping(bytes, (*buffer).bytes, size);
        }
    }

    /// Holds what a new entry called `name` will change.
    ///
    /// # Safety
    /// `tx` is not assigned yet.
    unsafe fn hold_for_entry(&self, tx: Handle, name: &str) {
        let functions = self.dataset.functions;
        let name = crate::zpool::nvlist::text(name);
        // SAFETY: the caller's promise; the name is NUL-terminated.
        unsafe {
            (functions.tx.dmu_tx_hold_zap)(tx, self.number, 1, name.as_ptr());
            (functions.tx.dmu_tx_hold_bonus_by_dnode)(tx, self.dnode);
        }
    }

    /// Puts an entry into this directory.
    ///
    /// # Safety
    /// `tx` is assigned and was given to [`Znode::hold_for_entry`].
    unsafe fn enter(&self, entry: Entry<'_>, tx: Handle) -> Result<(), LabError> {
        let Entry { name, number, kind, time } = entry;
        // The type stands in the four highest bits, as `readdir` tells it (`DT_REG`, `DT_DIR`).
        let kind: u64 = if kind == Kind::File { 8 } else { 4 };
        let entry = number | kind << 60;
        let name = crate::zpool::nvlist::text(name);
        let mut attributes = self.attributes();
        attributes.set_size(attributes.size() + 1);
        attributes.touch(MTIME, time);
        attributes.touch(CTIME, time);
        // SAFETY: the caller's promise; the name is NUL-terminated and the value one number.
        unsafe {
            let add = self.dataset.functions.zap.zap_add;
            let value = (&raw const entry).cast();
            let (objset, directory) = (self.dataset.objset, self.number);
            let code = add(objset, directory, name.as_ptr(), 8, 1, value, tx);
            check(code, "adding a name to a directory")?;
            self.set(&attributes, tx);
        }
        Ok(())
    }
}
