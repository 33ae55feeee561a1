//! The first line, which says what is looked at, and the last one with its keys.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::dashboard::{Dashboard, Key};
use crate::format::{self, beginning, width};
use crate::rates::Rates;

/// A key as the last line has it: what is pressed, what it does, and which it is.
pub(crate) type Hint = (&'static str, &'static str, Key);

/// The keys, those first that stay where there is no room for all.
const HINTS: [Hint; 9] = [
    ("q", "quit", Key::Char('q')),
    ("?", "help", Key::Char('?')),
    ("w", "window", Key::Char('w')),
    ("space", "pause", Key::Char(' ')),
    ("s", "sort", Key::Char('s')),
    ("r", "reverse", Key::Char('r')),
    ("t", "table", Key::Char('t')),
    ("←", "back", Key::Left),
    ("tab", "panel", Key::Tab),
];
/// Columns between two of them.
const GAP: usize = 2;

/// Returns the keys that fit, each with where it begins and how wide it is.
pub(crate) fn hints(board: &Dashboard, columns: usize) -> Vec<(usize, usize, Hint)> {
    let mut x = board.end.as_deref().map_or(0, |why| width(why) + GAP);
    let mut placed = Vec::new();
    for hint in HINTS {
        let wide = width(hint.0) + 1 + width(hint.1);
        if x + wide > columns {
            break;
        }
        placed.push((x, wide, hint));
        x += wide + GAP;
    }
    placed
}

pub(crate) fn footer(board: &Dashboard, area: Rect) -> Line<'static> {
    let columns = usize::from(area.width);
    let mut spans = Vec::new();
    if let Some(why) = &board.end {
        spans.push(Span::styled(beginning(why, columns), board.palette.title()));
    }
    for (_, _, (key, what, _)) in hints(board, columns) {
        if !spans.is_empty() {
            spans.push(Span::raw(" ".repeat(GAP)));
        }
        spans.push(Span::styled(key, board.palette.key()));
        spans.push(Span::styled(format!(" {what}"), board.palette.dim()));
    }
    Line::from(spans)
}

pub(crate) fn header(board: &Dashboard, rates: Option<&Rates>, columns: usize) -> Line<'static> {
    let now = board.history.now();
    let place = now.iter().flat_map(|now| [&now.place, &now.activity]);
    let parts: Vec<&str> =
        place.chain([&board.title]).map(String::as_str).filter(|part| !part.is_empty()).collect();
    let mut right = Vec::new();
    if board.is_held() {
        right.push("paused".to_owned());
    }
    match board.history.behind() {
        0 => {}
        1 => right.push("1 reading back".to_owned()),
        steps => right.push(format!("{steps} readings back")),
    }
    if !board.pace.is_empty() {
        right.push(board.pace.clone());
    }
    match rates {
        Some(rates) => right.push(format!("over {}", format::seconds(rates.step.seconds))),
        None => right.push("waiting for a second reading".to_owned()),
    }
    // What was measured stays; a long title is cut.
    let right = beginning(&right.join(" · "), columns);
    let left = beginning(&parts.join(" · "), columns.saturating_sub(width(&right) + 1));
    let gap = " ".repeat(columns.saturating_sub(width(&left) + width(&right)));
    Line::from(vec![
        Span::styled(left, board.palette.title()),
        Span::raw(gap),
        Span::styled(right, board.palette.dim()),
    ])
}
