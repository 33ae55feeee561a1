//! Which blocks a cache may hold, or what else holds for some of them: by their kind, and by their dataset where there are several.

use super::arc::Kind;
use crate::ids::BlockId;
use crate::pool::blocks::Blocks;

/// What `primarycache` or `secondarycache` lets in.
#[derive(Debug, Clone)]
pub(crate) struct Admission {
    /// Data and metadata of the pool's own dataset.
    by_kind: [bool; 2],
    /// Every block, where files are in other datasets; otherwise nothing.
    by_block: Vec<bool>,
}

impl Admission {
    /// Lets in the same of all datasets.
    pub(crate) const fn by_kind(by_kind: [bool; 2]) -> Self {
        Self { by_kind, by_block: Vec::new() }
    }

    /// Lets in data and metadata of each file as `of_files` says, and of everything else as `by_kind` does.
    pub(crate) fn of(by_kind: [bool; 2], of_files: &[[bool; 2]], blocks: &Blocks) -> Self {
        if of_files.iter().all(|of_file| *of_file == by_kind) {
            return Self::by_kind(by_kind);
        }
        let [data, metadata] = by_kind;
        let mut by_block = vec![data; blocks.metadata_from.place()];
        by_block.resize(blocks.len(), metadata);
        let mut set = |first: BlockId, end: usize, admits: bool| {
            by_block.get_mut(first.place()..end).into_iter().flatten().for_each(|it| *it = admits);
        };
        let next = blocks.files.iter().skip(1).map(|file| file.first_indirect.place());
        let ends = next.chain([blocks.indirect_until.place()]);
        for ((file, [data, metadata]), end) in blocks.files.iter().zip(of_files).zip(ends) {
            set(file.first, file.first.place() + file.count as usize, *data);
            set(file.first_indirect, end, *metadata);
        }
        Self { by_kind, by_block }
    }

    /// Lets in what this one does not.
    pub(crate) fn reversed(mut self) -> Self {
        self.by_kind = self.by_kind.map(|admits| !admits);
        self.by_block.iter_mut().for_each(|admits| *admits = !*admits);
        self
    }

    /// Says whether a block of a kind is let in.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "there are two kinds")]
    pub(crate) fn admits(&self, block: BlockId, kind: Kind) -> bool {
        self.by_block.get(block.place()).copied().unwrap_or(self.by_kind[kind as usize])
    }
}
