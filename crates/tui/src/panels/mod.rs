//! The parts of the screen, from the top down, and how they share its rows.

mod arc;
mod devices;
mod findings;
mod help;
mod l2arc;
mod log;
mod sources;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Paragraph};

use crate::dashboard::Dashboard;
use crate::rates::Rates;

/// A part of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Panel {
    Arc,
    Sources,
    L2arc,
    Log,
    Devices,
    Findings,
}

const ORDER: [Panel; 6] =
    [Panel::Arc, Panel::Sources, Panel::L2arc, Panel::Log, Panel::Devices, Panel::Findings];

impl Panel {
    /// Returns the one that fills the screen after `focus`; none when all share it again.
    pub(crate) fn after(focus: Option<Self>) -> Option<Self> {
        let next = focus.map_or(0, |panel| panel.number() + 1);
        ORDER.get(next).copied()
    }

    pub(crate) fn before(focus: Option<Self>) -> Option<Self> {
        match focus {
            None => ORDER.last().copied(),
            Some(panel) => ORDER.get(panel.number().checked_sub(1)?).copied(),
        }
    }

    /// Returns the one with the number on the screen; 0 stands for all.
    pub(crate) fn numbered(digit: char) -> Option<Self> {
        let number = usize::try_from(digit.to_digit(10)?).ok()?;
        ORDER.get(number.checked_sub(1)?).copied()
    }

    fn number(self) -> usize {
        ORDER.iter().position(|panel| *panel == self).unwrap_or(0)
    }

    fn title(self) -> &'static str {
        match self {
            Self::Arc => "1 ARC",
            Self::Sources => "2 where reads come from",
            Self::L2arc => "3 L2ARC",
            Self::Log => "4 intent log",
            Self::Devices => "5 devices",
            Self::Findings => "6 findings",
        }
    }

    fn lines(self, sheet: &Sheet<'_>) -> Vec<Line<'static>> {
        match self {
            Self::Arc => arc::lines(sheet),
            Self::Sources => sources::lines(sheet),
            Self::L2arc => l2arc::lines(sheet),
            Self::Log => log::lines(sheet),
            Self::Devices => devices::lines(sheet),
            Self::Findings => findings::lines(sheet),
        }
    }
}

/// What a panel is drawn from.
pub(crate) struct Sheet<'a> {
    board: &'a Dashboard,
    rates: Option<Rates>,
    /// The last steps up to the window's end.
    steps: Vec<Option<Rates>>,
    /// Columns inside the panel.
    width: usize,
}

/// Rows of a panel's border: the line with its title.
const BORDER: u16 = 1;
/// Columns between two panels.
const GAP: u16 = 2;
/// Rows that findings have for certain, their title among them.
const FINDINGS: u16 = 4;
/// Least columns for two panels side by side.
const TWO_COLUMNS: u16 = 72;

/// Draws the whole screen.
pub(crate) fn draw(board: &Dashboard, frame: &mut Frame<'_>, area: Rect) {
    let row = |y: u16| Rect { y: area.y + y, height: 1, ..area };
    frame.render_widget(header(board, usize::from(area.width)), row(0));
    if area.height < 2 {
        return;
    }
    frame.render_widget(footer(board), row(area.height - 1));
    let body = Rect { y: area.y + 1, height: area.height - 2, ..area };
    if board.help {
        frame.render_widget(Paragraph::new(help::lines(board.palette)), body);
        return;
    }
    let rates = board.history.window();
    let steps = board.history.steps(usize::from(area.width));
    let mut sheet = Sheet { board, rates, steps, width: 0 };
    for (panel, place) in places(board, &mut sheet, body) {
        sheet.width = usize::from(place.width);
        let block = Block::new()
            .borders(Borders::TOP)
            .title(Span::styled(format!("{} ", panel.title()), board.palette.title()))
            .border_style(board.palette.border());
        frame.render_widget(Paragraph::new(panel.lines(&sheet)).block(block), place);
    }
}

/// Says which panel is drawn where; what does not fit is left out, the last first.
fn places(board: &Dashboard, sheet: &mut Sheet<'_>, body: Rect) -> Vec<(Panel, Rect)> {
    if let Some(panel) = board.focus {
        return vec![(panel, body)];
    }
    let mut found = Vec::new();
    let mut y = body.y;
    let bottom = body.y + body.height;
    sheet.width = usize::from(body.width);
    let rows = |panel: Panel, sheet: &Sheet<'_>| {
        BORDER + u16::try_from(panel.lines(sheet).len()).unwrap_or(u16::MAX - BORDER)
    };
    let last =
        if board.notices.is_empty() { 0 } else { rows(Panel::Findings, sheet).min(FINDINGS) };
    let mut put = |panel: Panel, x: u16, width: u16, height: u16, y: u16| {
        found.push((panel, Rect { x, y, width, height }));
    };
    for panel in [Panel::Arc, Panel::Sources] {
        let height = rows(panel, sheet).min(bottom - y);
        if height > BORDER {
            put(panel, body.x, body.width, height, y);
            y += height;
        }
    }
    let height = rows(Panel::L2arc, sheet).max(rows(Panel::Log, sheet)).min(bottom - y);
    if height > BORDER && body.width >= TWO_COLUMNS {
        let half = (body.width - GAP) / 2;
        put(Panel::L2arc, body.x, half, height, y);
        put(Panel::Log, body.x + half + GAP, body.width - half - GAP, height, y);
        y += height;
    } else if height > BORDER {
        put(Panel::L2arc, body.x, body.width, height, y);
        y += height;
    }
    let spare = if bottom - y > last + BORDER { last } else { 0 };
    let height = rows(Panel::Devices, sheet).min(bottom - y - spare);
    if height > BORDER {
        put(Panel::Devices, body.x, body.width, height, y);
        y += height;
    }
    let height = bottom - y;
    if !board.notices.is_empty() && height > BORDER {
        put(Panel::Findings, body.x, body.width, height.min(rows(Panel::Findings, sheet)), y);
    }
    found
}

fn header(board: &Dashboard, width: usize) -> Line<'static> {
    let now = board.history.now();
    let place = now.iter().flat_map(|now| [&now.place, &now.activity]);
    let parts: Vec<&str> =
        place.chain([&board.title]).map(String::as_str).filter(|part| !part.is_empty()).collect();
    let mut right = Vec::new();
    if board.is_held() {
        right.push("held".to_owned());
    }
    match board.history.behind() {
        0 => {}
        1 => right.push("1 reading back".to_owned()),
        steps => right.push(format!("{steps} readings back")),
    }
    if !board.pace.is_empty() {
        right.push(board.pace.clone());
    }
    match board.history.window() {
        Some(rates) => right.push(format!("over {}", seconds(rates.seconds))),
        None => right.push("waiting for a second reading".to_owned()),
    }
    let (left, right) = (parts.join(" · "), right.join(" · "));
    // The figures on the right stay; a long title is cut.
    let room = width.saturating_sub(right.chars().count() + 1);
    let left = if left.chars().count() > room {
        left.chars().take(room.saturating_sub(1)).chain(['…']).collect()
    } else {
        left
    };
    let used = left.chars().count() + right.chars().count();
    let gap = " ".repeat(width.saturating_sub(used).max(1));
    Line::from(vec![
        Span::styled(left, board.palette.title()),
        Span::raw(gap),
        Span::styled(right, board.palette.dim()),
    ])
}

fn footer(board: &Dashboard) -> Line<'static> {
    let keys = "q quit  space hold  ←→ back, on  w window  tab, 1-6 one panel, 0 all  ? help";
    let text = match &board.end {
        Some(why) => format!("{why}  ·  {keys}"),
        None => keys.to_owned(),
    };
    Line::styled(text, board.palette.dim())
}

/// Prints a time in seconds: `1 s`, `12:05`.
fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 60.0 && (s - s.round()).abs() < 0.05 => format!("{s:.0} s"),
        s if s < 60.0 => format!("{s:.1} s"),
        s => {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a float saturates, and it is not negative"
            )]
            let whole = s.round() as u64;
            format!("{}:{:02} min", whole / 60, whole % 60)
        }
    }
}

/// Returns a bar of `width` blocks cut into shares.
fn bar(shares: &[(f64, ratatui::style::Style, char)], width: usize) -> Vec<Span<'static>> {
    let whole: f64 = shares.iter().map(|share| share.0).sum();
    if whole <= 0.0 || width == 0 {
        return vec![Span::raw(" ".repeat(width))];
    }
    let mut end = 0.0;
    let mut from = 0;
    let mut spans = Vec::new();
    for (share, style, sign) in shares {
        end += share / whole * f64::from(u16::try_from(width).unwrap_or(u16::MAX));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at most the width"
        )]
        let to = (end.round() as usize).min(width).max(from);
        spans.push(Span::styled(sign.to_string().repeat(to - from), *style));
        from = to;
    }
    spans
}
