//! Bytes, nanoseconds, rates and ratios: parsed, printed and computed with checks; how text of others
//! is shown, and which name was meant.
//!
//! Every other crate speaks in these types, so that a size is never mistaken for a count and a
//! percentage is never printed where nothing was measured. Not a general unit library: only what
//! the experiment needs, sizes of base 1024 and 1000, integer nanoseconds for time.
//!
//! ```
//! use arcwright_units::{Bytes, Nanos, Ratio};
//!
//! assert_eq!(Bytes::parse("8GiB"), Ok(Bytes::gib(8)));
//! assert_eq!(Bytes::parse("8").unwrap_err().to_string(), "“8” has no unit; write for example “8MiB”");
//! assert_eq!(Ratio::new(3, 4).to_string(), "75.0 %");
//! assert_eq!(Ratio::new(0, 0).to_string(), "n/a");
//! assert!(Nanos::millis(2) < Nanos::secs(1));
//! ```

mod bytes;
mod cut;
mod likeness;
mod nanos;
mod number;
mod rate;
mod ratio;
mod shell;
mod unit;
mod visible;

pub use bytes::{Bytes, is_decimal, show_decimal};
pub use cut::{cut_after, cut_before};
pub use likeness::{likeness, nearest, nearest_by};
pub use nanos::Nanos;
pub use number::ParseUnitError;
pub use rate::Rate;
pub use ratio::Ratio;
pub use shell::{shell, shell_word};
pub use visible::{is_hidden, visible, visible_json, visible_lines, visible_page, visible_path};
