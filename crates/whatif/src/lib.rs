//! What changes would bring for a load: memory, an L2ARC, a log device, parameters, releases, tried in all combinations
//! on an engine, and ranked.
//!
//! ```text
//!   scenario, or a machine as one ─┐
//!   axes, each with some values   ─┴─> Grid: an arm for each combination ──> an engine ──> WhatIf: rows by what they save
//! ```
//!
//! ```
//! use arcwright_model::Model;
//! use arcwright_scenario::{Engine, RunRequest, Scenario, Unwatched};
//! use arcwright_units::Bytes;
//! use arcwright_whatif::{Axis, Grid, WhatIf, WhatIfQuestion};
//!
//! const FILE: &str = r#"
//! title = "A film, again and again"
//! system = { zfs = "2.3.2", memory = "1GiB", pool = { data = ["hdd-nas-7200"] } }
//! file = [{ name = "film.mkv", size = "1GiB" }]
//! phase = [
//!   { name = "first read", clients = [{ read = "film.mkv", io = "1MiB" }] },
//!   { name = "second read", clients = [{ read = "film.mkv", io = "1MiB" }] },
//! ]
//! "#;
//! let question = WhatIfQuestion {
//!     scenario: Scenario::parse(FILE, "film.toml").unwrap(),
//!     arm: None,
//!     phases: vec!["second read".to_owned()],
//!     axes: vec![Axis::Memory(vec![Bytes::gib(4)])],
//! };
//! let grid = Grid::of(question).unwrap();
//! let request = RunRequest { scenario: grid.scenario.clone(), repeats: 1 };
//! let outcome = Model::default().run(&request, &mut Unwatched).unwrap();
//! let answer = WhatIf::of(&grid, &outcome, 24.0).unwrap();
//! assert_eq!(answer.chosen().name, "4 GiB of memory");
//! ```

mod axis;
mod found;
mod grid;
mod price;
mod purchases;
mod rank;
mod row;
mod usual;

pub use axis::Axis;
pub use found::WhatIf;
pub use grid::{Grid, WhatIfQuestion};
pub use price::Prices;
pub use purchases::{Purchases, waiting};
pub use row::Row;
pub use usual::{Usual, memory_curve};

use arcwright_ssd::SsdError;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WhatIfError {
    /// Nothing to try was named.
    #[error("nothing to try; say --memory, --l2arc, --log, --try or --release")]
    Nothing,
    /// Too many combinations.
    #[error("{count} combinations; at most {most} are tried")]
    TooMany {
        /// How many were asked for.
        count: usize,
        /// How many may be.
        most: usize,
    },
    /// An arm or a phase that the scenario lacks.
    #[error(transparent)]
    Place(#[from] SsdError),
    /// The run was stopped before it was of use.
    #[error("the run ended before the pool as it is and one change were both done")]
    Unfinished,
}
