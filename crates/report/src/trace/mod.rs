//! Traces as text for a terminal and as JSON: what one holds, and its miss-ratio curve.

mod curve;
mod info;

pub(crate) use curve::CurveAnswer;
pub(crate) use curve::knee_of;
pub use curve::{CurveHead, curve_csv, curve_json, curve_text};
pub(crate) use info::InfoAnswer;
pub use info::{TraceHead, info_json, info_text};
