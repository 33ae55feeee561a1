//! Writes the trees of a scenario into the pool's image, as if a program had copied them there.
//!
//! Every name, dnode and directory block is the library's own work ([`crate::zpool::znode`]). What a
//! transaction group holds depends on the tree alone, so that every image of it is the same.

use arcwright_units::Bytes;
use arcwright_workload::{Stream, TreeFiles};

use super::contents::{TXG, fill, shorten};
use crate::LabError;
use crate::zpool::object;
use crate::zpool::znode::{Dataset, Kind, Location, Znode};

/// The most files of one transaction group, however small they are.
const GROUP_FILES: u64 = 4096;
/// The most time between two files, as times of creation tell it; 7 ms on average.
const BETWEEN_FILES_NS: u64 = 14_000_000;

/// Writes trees into a dataset.
pub(super) struct TreeWriter<'a> {
    /// The dataset.
    pub(super) dataset: Dataset<'a>,
    /// The dataset's `recordsize`.
    pub(super) recordsize: Bytes,
    /// What LZ4 makes of the next tree, in hundredths.
    pub(super) percent: Option<u32>,
    /// What contents and times of creation are drawn from.
    pub(super) random: Stream,
}

impl TreeWriter<'_> {
    /// Writes `tree` and returns the object of its root; `told` hears of bytes written.
    ///
    /// # Errors
    /// [`LabError::Zfs`] with the library's error number.
    pub(super) fn populate(
        &mut self,
        tree: &TreeFiles,
        told: &mut dyn FnMut(u64),
    ) -> Result<u64, LabError> {
        let mut time = 0;
        let root = self.dataset.create(Kind::Directory, None, time)?;
        let mut pending = (0, 0);
        for number in 0..tree.directories() {
            let name = TreeFiles::directory_name(number);
            let directory = self.dataset.create(
                Kind::Directory,
                Some(Location { parent: &root, name: &name }),
                time,
            )?;
            for file in tree.files_in(number) {
                time += self.random.below(BETWEEN_FILES_NS);
                let size = tree.size(file);
                self.file(&directory, &TreeFiles::file_name(file), size, time)?;
                pending = (pending.0 + size.0, pending.1 + 1);
                if pending.0 >= TXG.0 || pending.1 >= GROUP_FILES {
                    object::sync(self.dataset.functions, self.dataset.objset);
                    told(pending.0);
                    pending = (0, 0);
                }
            }
        }
        object::sync(self.dataset.functions, self.dataset.objset);
        told(pending.0);
        Ok(root.number)
    }

    fn file(
        &mut self,
        directory: &Znode<'_>,
        name: &str,
        size: Bytes,
        time: u64,
    ) -> Result<(), LabError> {
        let file =
            self.dataset.create(Kind::File, Some(Location { parent: directory, name }), time)?;
        let record = usize::try_from(self.recordsize.0).unwrap_or(0);
        let mut buffer = vec![0u8; record.min(usize::try_from(size.0).unwrap_or(record))];
        let mut offset = 0;
        while offset < size.0 {
            let part = buffer.len().min(usize::try_from(size.0 - offset).unwrap_or(0));
            let (part, _) = buffer.split_at_mut(part);
            fill(part, &mut self.random);
            shorten(part, self.percent);
            file.append(offset, part, self.recordsize, time)?;
            offset += part.len() as u64;
        }
        Ok(())
    }
}
