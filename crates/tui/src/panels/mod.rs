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
use crate::panel::Panel;
use crate::rates::Rates;

impl Panel {
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
    let rates = board.history.window();
    let header = header(board, rates.as_ref(), usize::from(area.width));
    frame.render_widget(header, row(0));
    if area.height < 2 {
        return;
    }
    frame.render_widget(footer(board), row(area.height - 1));
    let body = Rect { y: area.y + 1, height: area.height - 2, ..area };
    if board.help {
        frame.render_widget(Paragraph::new(help::lines(board.palette)), body);
        return;
    }
    let steps = board.history.steps(usize::from(area.width));
    let mut sheet = Sheet { board, rates, steps, width: 0 };
    for (panel, lines, place) in places(board, &mut sheet, body) {
        let block = Block::new()
            .borders(Borders::TOP)
            .title(Span::styled(format!("{} ", panel.title()), board.palette.title()))
            .border_style(board.palette.border());
        frame.render_widget(Paragraph::new(lines).block(block), place);
    }
}

/// A panel's lines, and where they are drawn.
type Placed = (Panel, Vec<Line<'static>>, Rect);

/// Says which panel is drawn where; what does not fit is left out, the last first.
fn places(board: &Dashboard, sheet: &mut Sheet<'_>, body: Rect) -> Vec<Placed> {
    let mut made = |panel: Panel, width: u16| {
        sheet.width = usize::from(width);
        panel.lines(sheet)
    };
    if let Some(panel) = board.focus {
        return vec![(panel, made(panel, body.width), body)];
    }
    let mut column = Column { placed: Vec::new(), body, y: body.y };
    for panel in [Panel::Arc, Panel::Sources] {
        column.put(panel, made(panel, body.width), 0);
    }
    if body.width >= TWO_COLUMNS {
        let half = (body.width - GAP) / 2;
        let rest = body.width - half - GAP;
        column.put_pair(
            [(Panel::L2arc, made(Panel::L2arc, half)), (Panel::Log, made(Panel::Log, rest))],
            half,
        );
    } else {
        column.put(Panel::L2arc, made(Panel::L2arc, body.width), 0);
    }
    let findings = made(Panel::Findings, body.width);
    let kept = if board.notices.is_empty() { 0 } else { rows(&findings).min(FINDINGS) };
    let kept = if column.left() > kept + BORDER { kept } else { 0 };
    column.put(Panel::Devices, made(Panel::Devices, body.width), kept);
    if !board.notices.is_empty() {
        column.put(Panel::Findings, findings, 0);
    }
    column.placed
}

/// Panels one below the other, as long as there is room.
struct Column {
    placed: Vec<Placed>,
    body: Rect,
    /// The first free row.
    y: u16,
}

impl Column {
    fn left(&self) -> u16 {
        self.body.y + self.body.height - self.y
    }

    /// Puts a panel below the others, as much of it as there is room for above `kept` rows.
    fn put(&mut self, panel: Panel, lines: Vec<Line<'static>>, kept: u16) {
        let height = rows(&lines).min(self.left() - kept);
        if height > BORDER {
            self.placed.push((panel, lines, Rect { y: self.y, height, ..self.body }));
            self.y += height;
        }
    }

    /// Puts two panels side by side, the first of them `half` wide.
    fn put_pair(&mut self, pair: [(Panel, Vec<Line<'static>>); 2], half: u16) {
        let [(left, left_lines), (right, right_lines)] = pair;
        let height = rows(&left_lines).max(rows(&right_lines)).min(self.left());
        if height > BORDER {
            let place = Rect { y: self.y, height, width: half, ..self.body };
            let beside = half + GAP;
            let other = Rect { x: place.x + beside, width: self.body.width - beside, ..place };
            self.placed.extend([(left, left_lines, place), (right, right_lines, other)]);
            self.y += height;
        }
    }
}

/// Returns the rows of a panel with its title.
fn rows(lines: &[Line<'_>]) -> u16 {
    BORDER + u16::try_from(lines.len()).unwrap_or(u16::MAX - BORDER)
}

fn header(board: &Dashboard, rates: Option<&Rates>, width: usize) -> Line<'static> {
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
    match rates {
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
