//! Bytes, nanoseconds, rates and ratios: parsed, printed and computed with checks; how text of others
//! is shown, and which name was meant.
//!
//! Every other crate speaks in these types, so that a size is never mistaken for a count and a
//! percentage is never printed where nothing was measured. Not a general unit library: only what
//! the experiment needs, base 1024 for sizes, integer nanoseconds for time.

mod bytes;
mod likeness;
mod nanos;
mod number;
mod rate;
mod ratio;
mod visible;

pub use bytes::Bytes;
pub use likeness::{likeness, nearest, nearest_by};
pub use nanos::Nanos;
pub use number::ParseUnitError;
pub use rate::Rate;
pub use ratio::Ratio;
pub use visible::{is_hidden, visible, visible_json, visible_lines, visible_page, visible_path};
