//! Who asks the ARC for a block, and what is found.

/// What a read found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// The data is there.
    Hit,
    /// The data is on its way for somebody else.
    InFlight,
    /// The data must be read from the pool.
    FromPool,
    /// The data must be read from the L2ARC.
    FromL2,
}

/// Who asks for a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asker {
    Client,
    /// Ahead of a client that may come.
    Prefetcher,
    /// A write that covers the block in part, ahead of itself.
    PartOfWrite,
}
