//! The terminal dashboard: what the caches do, second by second.
//!
//! ```text
//!   machine, capture, model, lab ── Update ──> Dashboard ── draw ──> terminal
//!                                                  ^──── keys ─────────┘
//! ```
//!
//! Whoever watches hands over [`Moment`]s, readings of all counters; the dashboard keeps a history and
//! shows rates between two of them. It does not know where they come from. Not a reader of files and not
//! a judge: findings are handed over in words.

mod dashboard;
mod history;
mod moment;
mod palette;
mod panel;
mod panels;
mod rates;
mod screen;
mod terminal;
mod words;

pub use dashboard::{Dashboard, Key, Reaction};
pub use moment::{DeviceCount, Moment, Notice, Update, Weight};
pub use palette::Palette;
pub use terminal::{Pace, show};
