//! What is wrong with a trace, and where.

/// What is wrong with a trace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("record {record}, at byte {offset}: {problem}")]
pub struct TraceError {
    /// The record or line, from 1.
    pub record: u64,
    /// Where it begins, in bytes of the unpacked trace.
    pub offset: u64,
    /// What is wrong with it, and what was expected.
    pub problem: String,
}
