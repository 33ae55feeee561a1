//! The L2ARC: what it holds and serves, what feeding it costs.

use arcwright_units::Bytes;
use ratatui::text::Line;

use super::{Need, Sheet};
use crate::counts::Count;
use crate::format;
use crate::text::{Item, grid, grid_rows};

/// Columns of a label.
const LABEL: usize = 7;
/// Rows where there is little room.
const LEAST: u16 = 3;

pub(super) fn need(sheet: &Sheet<'_>, columns: u16) -> Need {
    let rows = grid_rows(items(sheet).len(), LABEL, usize::from(columns));
    let best = u16::try_from(rows).unwrap_or(LEAST);
    Need { least: best.min(LEAST), best, ..Need::default() }
}

pub(super) fn lines(sheet: &Sheet<'_>, columns: u16) -> Vec<Line<'static>> {
    if !sheet.has_l2arc() {
        return vec![Line::styled("no cache device", sheet.board.palette.dim())];
    }
    grid(&items(sheet), LABEL, usize::from(columns), sheet.board.palette)
}

/// Returns what is said, the most important first.
fn items(sheet: &Sheet<'_>) -> Vec<Item> {
    let Some(now) = sheet.board.history.now() else { return Vec::new() };
    let rates = sheet.rates.clone().unwrap_or_default();
    let bytes = |size: Count| {
        size.map_or_else(|| format::ABSENT.to_owned(), |size| Bytes(size).to_string())
    };
    let day = rates.l2_write.map(|rate| rate * 86_400.0);
    vec![
        ("holds", bytes(now.l2.size)),
        ("hits", format::share(rates.l2.hit_ratio)),
        ("read", format::rate(rates.step.l2_read)),
        ("of", format::per_second(rates.l2.per_s)),
        ("fed", format::rate(rates.l2_write)),
        ("a day", day.map_or_else(|| format::ABSENT.to_owned(), format::size)),
        ("on disk", bytes(now.l2.allocated)),
        ("headers", bytes(now.l2.headers)),
    ]
}
