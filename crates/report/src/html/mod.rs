//! Reports as one file of HTML that asks for nothing else: the question and its answer, charts with their figures as
//! tables, findings with commands to copy. In light and dark, on telephones, on paper.
//!
//! ```text
//!   Outcome, Advice ─ run, compare, doctor ─> Caption, drawing, table ─ figure ─> page
//!                                              chart ─ svg, axis ─┘
//! ```
//!
//! Text from outside goes through [`escaped`](crate::markup::escaped), which the writer of tags calls itself.

mod axis;
mod chart;
mod compare;
mod curve;
mod doctor;
mod figure;
mod page;
mod reads;
mod recording;
mod run;
mod svg;
mod whatif;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_answers;
#[cfg(test)]
mod tests_of_recordings;

pub use compare::compare_html;
pub use curve::{curve_html, curve_svg};
pub use doctor::doctor_html;
pub use reads::reads_html;
pub use recording::{RECORDING_COLUMNS, RecordingPage, recording_html};
pub use run::{ChartKind, ChartMissing, chart_svg, run_html};
pub use whatif::{advise_html, whatif_html};
