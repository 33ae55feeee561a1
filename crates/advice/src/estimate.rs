//! How much the model may be asked.

/// Whether the model may be asked what a remedy would bring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Estimate {
    /// Yes, and about the machine's own load, which takes seconds to find.
    WithOwnLoad,
    /// Yes, in the cases that remedies are for: part of a second.
    WithModel,
    /// No: counters alone.
    CountersOnly,
}
