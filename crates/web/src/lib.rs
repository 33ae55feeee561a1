//! What the browser page asks of arcwright: texts in, JSON out.
//!
//! ```text
//!   page (web/*.js) ──worker──> exports (wasm32 alone) ──> diagnose   pasted text, files  ─> findings
//!                                                    ├──> form       what was picked     ─> scenario file
//!                                                    ├──> changes    sliders             ─> arms and answers
//!                                                    └──> run        scenario file       ─> result
//! ```
//!
//! The same crates answer as in the program, so that an answer is the same to the last digit. Nothing here
//! knows of a browser: what is left to `exports` is to hand texts over.
//!
//! ```
//! use arcwright_web::{Form, diagnose_text};
//!
//! let said = diagnose_text("  pool: tank\n state: ONLINE\nerrors: No known data errors\n").unwrap();
//! assert!(said.json.contains("\"output_version\""));
//! assert!(diagnose_text("nothing of ZFS").is_err());
//! let file = Form::default().scenario_file().unwrap();
//! assert!(file.contains("[system.pool]"));
//! ```

mod changes;
mod choices;
mod diagnosis;
mod error;
#[cfg(target_arch = "wasm32")]
pub mod exports;
mod form;
mod live;
mod loads;
mod prediction;
mod reference;

pub use changes::{Changes, DeviceChange, with_changes};
pub use choices::{Choices, choices};
pub use diagnosis::{Diagnosis, diagnose_files, diagnose_text, findings_page};
pub use error::PageError;
pub use form::{Form, PoolLayout};
pub use live::{
    DiskPoint, LivePoint, LiveReading, OpenedReadings, RATIOS, RecordedReadings, RecordedRun,
    SERIES, SeriesUnit, columns,
};
pub use prediction::{Effort, PagePrediction, PlannedRun, PredictionPage, Sizing, predict};
pub use reference::{Reference, reference};
