//! What speaks against the load that a prediction rests on.

use schemars::JsonSchema;
use serde::Serialize;

/// What speaks against a machine's load; nothing where the load is one that somebody wrote down.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Doubts {
    /// What of the machine the model does not count as the machine did, in sentences.
    pub apart: Vec<String>,
    /// What the load takes as given and no counter tells, in sentences.
    pub assumed: Vec<String>,
    /// Of a trace, one in so many places was simulated, and the other loads are other places of it; absent where all were, and
    /// where the load is that of a machine's counters.
    pub one_place_in: Option<u64>,
}
