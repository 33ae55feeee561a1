//! Outcomes as text for a terminal, as Markdown, as lines for scripts and spreadsheets, and as JSON.
//!
//! Everything here takes a value and returns text; nothing prints, and nothing looks at the
//! terminal: width and colour are options that the caller decides on.
//!
//! ```
//! use arcwright_report::{columns, spoken};
//! use arcwright_units::Nanos;
//!
//! assert_eq!(spoken(Nanos::secs(3 * 3600)), "3 hours");
//! // Columns of results are named once, for `-H` and for the help.
//! assert!(arcwright_report::COLUMNS.iter().any(|column| column.name == "arm"));
//! assert!(arcwright_report::from_json("{").is_err());
//! # let _ = columns;
//! ```

mod advise;
mod advise_fleet;
mod answer;
mod clients;
mod compare;
mod doctor;
mod doctor_machine;
mod figures;
mod files;
mod fleet;
mod harmless;
mod hidden;
mod html;
mod json;
mod markdown;
mod markup;
mod other_loads;
mod page;
mod pair;
mod phases;
mod ranges;
mod reads;
mod recording;
mod schema;
mod speed;
mod ssd;
mod table;
mod tabs;
mod text;
mod trace;
pub mod tune;
mod version;
mod whatif;
mod who;

#[cfg(test)]
mod fixture;
pub use advise::{Advised, AdvisedStep, advise_json, advise_text};
pub use advise_fleet::{AdvisedMachine, advise_fleet_json, advise_fleet_text};
pub use clients::ClientRows;
pub use doctor::{Detail, DoctorOptions, doctor_heading, doctor_text, spoken};
pub use doctor_machine::{DOCTOR_COLUMNS, doctor_json, doctor_tabs};
pub use figures::Precision;
pub use files::{RecordedFiles, files_json, files_text};
pub use fleet::{FLEET_COLUMNS, FleetRow, Worst, fleet_json, fleet_tabs, fleet_text};
pub use harmless::harmless_json;
pub use hidden::Hidden;
pub use html::{
    ChartKind, ChartMissing, RECORDING_COLUMNS, RecordingPage, advise_html, chart_svg,
    compare_html, curve_html, curve_svg, doctor_html, reads_html, recording_html, run_html,
    whatif_html,
};
pub use json::{ReadError, from_json, to_json};
pub use markdown::markdown;
pub use page::{ArmOfPage, PhaseOfPage, ResultPage, SourcesOfPage, TextsOfPage, result_page};
pub use pair::pair;
pub use reads::{reads_json, reads_text};
pub use recording::{RecordingHead, recording_json, recording_text};
pub use schema::{NamedSchema, schemas};
pub use ssd::{ssd_json, ssd_text};
pub use table::columns;
pub use tabs::{COLUMNS, Column, comma_separated, tab_separated};
pub use text::{TextOptions, text};
pub use trace::{CurveHead, TraceHead, curve_csv, curve_json, curve_text, info_json, info_text};
pub use version::FormVersion;
pub use whatif::{whatif_json, whatif_text};
pub use who::{Usage, who_json, who_text};
