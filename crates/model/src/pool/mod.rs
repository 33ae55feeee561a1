//! What is in the pool: the blocks of files and of trees, how they came to lie where they are, and where
//! new ones go.

pub(crate) mod allocate;
pub(crate) mod blocks;
pub(crate) mod compressed;
pub(crate) mod layout;
pub(crate) mod small;
pub(crate) mod trees;
