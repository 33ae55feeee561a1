//! One request of a trace, as every format is read.

use arcwright_units::Nanos;

/// What was asked of a device, a file or a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// When, from the first request on; zero throughout in a format without times.
    pub time: Nanos,
    /// The first byte, or the object's number: see [`super::Addressing`].
    pub place: u64,
    /// Bytes; zero where the format does not say.
    pub bytes: u32,
    /// Which device or file, as an index into the names that the reader found.
    pub volume: u32,
    /// What was done.
    pub kind: RequestKind,
}

/// What a request does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RequestKind {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It waits until what was written is on stable storage.
    Flush,
    /// It gives the room back.
    Trim,
}

impl RequestKind {
    /// All kinds, in the order in which they are shown.
    pub const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Flush, Self::Trim];

    /// Returns the name that our own files use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Flush => "flush",
            Self::Trim => "trim",
        }
    }

    /// Returns the kind that a word of a text format means; none where it means no request.
    #[must_use]
    pub fn of(word: &[u8]) -> Option<Self> {
        const SPELLED: [(&str, RequestKind); 21] = [
            ("read", RequestKind::Read),
            ("r", RequestKind::Read),
            ("rs", RequestKind::Read),
            ("get", RequestKind::Read),
            ("gets", RequestKind::Read),
            ("0", RequestKind::Read),
            ("write", RequestKind::Write),
            ("w", RequestKind::Write),
            ("ws", RequestKind::Write),
            ("set", RequestKind::Write),
            ("add", RequestKind::Write),
            ("put", RequestKind::Write),
            ("update", RequestKind::Write),
            ("1", RequestKind::Write),
            ("flush", RequestKind::Flush),
            ("sync", RequestKind::Flush),
            ("fsync", RequestKind::Flush),
            ("trim", RequestKind::Trim),
            ("discard", RequestKind::Trim),
            ("delete", RequestKind::Trim),
            ("d", RequestKind::Trim),
        ];
        let found = SPELLED.iter().find(|(name, _)| word.eq_ignore_ascii_case(name.as_bytes()));
        found.map(|(_, kind)| *kind)
    }
}

/// What the place of a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Addressing {
    /// A byte on a device or in a file; neighbours are near each other.
    Bytes,
    /// The number of an object, which says nothing about its neighbours.
    Objects,
}
