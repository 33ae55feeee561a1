//! The terminal dashboard: what the caches do, second by second.
//!
//! ```text
//!   machine, capture, model, lab ── Update ──> Dashboard ── draw ──> terminal
//!                                                  ^──── keys ─────────┘
//! ```
//!
//! Whoever watches hands over [`DashboardSample`]s, readings of all counters; the dashboard keeps a history and
//! shows rates between two of them. It does not know where they come from. Not a reader of files and not
//! a judge: findings are handed over in words.

mod dashboard;
mod format;
mod history;
mod palette;
mod panel;
mod panels;
mod rates;
mod sample;
mod screen;
mod terminal;

pub use dashboard::{Dashboard, Key, Reaction};
pub use palette::Palette;
pub use sample::{DashboardSample, DeviceCount, Notice, NoticeSeverity, Update};
pub use terminal::{Pace, show};
