//! What the author of a field report measured, kept beside what an engine finds.

use serde::{Deserialize, Serialize};

/// Reported figures, shown beside the results.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct Reported {
    /// Unit of every figure: `MiB/s`, `MB/s`, `%`.
    pub unit: String,
    /// One figure per arm and phase, as far as the report gives them, in file order.
    pub figures: Vec<Figure>,
}

/// One reported figure.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct Figure {
    /// Name of the arm.
    pub arm: String,
    /// Name of the phase.
    pub phase: String,
    /// The figure in the report's unit.
    pub value: f64,
}
