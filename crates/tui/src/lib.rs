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
//!
//! ```
//! use arcwright_tui::{Dashboard, Key, Notice, NoticeSeverity, Palette, Reaction, Update};
//!
//! let mut board = Dashboard::new("nas, OpenZFS 2.3.2".to_owned(), Palette::new(false));
//! let text = "metadata does not fit into the ARC".to_owned();
//! board.take(Update::Notices(vec![Notice { severity: NoticeSeverity::Hurts, text }]));
//! assert_eq!(board.press(Key::Char('?')), Reaction::Draw);
//! assert_eq!(board.press(Key::Char('q')), Reaction::Quit);
//! ```
//!
//! [`show`] draws it on the terminal and hands it the keys and the mouse.

mod counts;
mod dashboard;
mod format;
mod history;
mod layout;
mod palette;
mod panel;
mod panels;
mod pointer;
mod rates;
mod sample;
mod screen;
mod table;
mod terminal;
mod text;

pub use dashboard::{Dashboard, Key, Reaction};
pub use palette::Palette;
pub use pointer::{Pointer, PointerAction};
pub use sample::{DashboardSample, Notice, NoticeSeverity, PoolSample, QueueSample, Update};
pub use terminal::{Pace, show};
