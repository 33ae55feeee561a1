//! The dashboard on a screen: a terminal's, or one of text.

use ratatui::backend::TestBackend;
use ratatui::buffer::Cell;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use ratatui::{Frame, Terminal};

use crate::dashboard::Dashboard;
use crate::panels::{Sheet, edges};

/// What a terminal takes for text and ground exchanged.
const REVERSED: &str = "\u{1b}[7m";
/// The largest picture.
const COLUMNS_MAX: u16 = 500;
const ROWS_MAX: u16 = 200;

impl Dashboard {
    /// Returns the screen as text, for where there is no terminal; with colours where the palette has some.
    #[must_use]
    pub fn picture(&self, (columns, rows): (u16, u16)) -> String {
        let area = Rect { x: 0, y: 0, width: columns.min(COLUMNS_MAX), height: rows.min(ROWS_MAX) };
        let mut terminal = match Terminal::new(TestBackend::new(area.width, area.height)) {
            Ok(terminal) => terminal,
            Err(never) => match never {},
        };
        match terminal.draw(|frame| self.draw(frame)) {
            Ok(_) => {}
            Err(never) => match never {},
        }
        let buffer = terminal.backend().buffer();
        let lines = (0..area.height).map(|y| {
            let cells: Vec<&Cell> = (0..area.width).filter_map(|x| buffer.cell((x, y))).collect();
            let is_empty = |cell: &Cell| cell.symbol() == " " && !looks(cell).contains(REVERSED);
            let end = cells.iter().rposition(|cell| !is_empty(cell)).map_or(0, |last| last + 1);
            let cells = cells.into_iter().take(end);
            let line = match self.palette.has_colour() {
                true => painted(cells),
                false => cells.map(Cell::symbol).collect(),
            };
            line + "\n"
        });
        lines.collect()
    }

    /// Draws it; on a screen too small for anything, as much as there is room for.
    pub fn draw(&self, frame: &mut Frame<'_>) {
        let area: Rect = frame.area();
        if area.width == 0 || area.height == 0 {
            return;
        }
        let sheet = Sheet::of(self);
        let header = edges::header(self, sheet.rates.as_ref(), usize::from(area.width));
        frame.render_widget(header, Rect { height: 1, ..area });
        if area.height > 1 {
            let row = Rect { y: area.bottom() - 1, height: 1, ..area };
            frame.render_widget(edges::footer(self, area), row);
        }
        let body = body(area);
        if body.height > 0 {
            sheet.draw(frame, body);
        }
    }
}

/// Returns cells as a terminal takes them, those that look alike behind one mark.
fn painted<'a>(cells: impl Iterator<Item = &'a Cell>) -> String {
    let mut line = String::new();
    let mut look = String::new();
    for cell in cells {
        let next = looks(cell);
        if next != look {
            line.push_str("\u{1b}[0m");
            line.push_str(&next);
            look = next;
        }
        line.push_str(cell.symbol());
    }
    if !look.is_empty() {
        line.push_str("\u{1b}[0m");
    }
    line
}

/// Returns how a cell looks, as a terminal takes it, each part by itself; nothing where it is plain.
fn looks(cell: &Cell) -> String {
    let style = cell.style();
    let has = |modifier| style.add_modifier.contains(modifier);
    let modifiers = [
        (Modifier::BOLD, "\u{1b}[1m"),
        (Modifier::DIM, "\u{1b}[2m"),
        (Modifier::REVERSED, REVERSED),
    ];
    let mut look: String = modifiers
        .into_iter()
        .filter(|(modifier, _)| has(*modifier))
        .map(|(_, code)| code)
        .collect();
    let colour = match style.fg {
        Some(Color::Black) => "\u{1b}[30m",
        Some(Color::Red) => "\u{1b}[31m",
        Some(Color::Green) => "\u{1b}[32m",
        Some(Color::Yellow) => "\u{1b}[33m",
        Some(Color::Blue) => "\u{1b}[34m",
        Some(Color::Magenta) => "\u{1b}[35m",
        Some(Color::Cyan) => "\u{1b}[36m",
        Some(Color::Gray) => "\u{1b}[37m",
        Some(Color::DarkGray) => "\u{1b}[90m",
        Some(Color::LightRed) => "\u{1b}[91m",
        Some(Color::LightGreen) => "\u{1b}[92m",
        Some(Color::LightYellow) => "\u{1b}[93m",
        Some(Color::LightBlue) => "\u{1b}[94m",
        Some(Color::LightMagenta) => "\u{1b}[95m",
        Some(Color::LightCyan) => "\u{1b}[96m",
        Some(Color::White) => "\u{1b}[97m",
        // The palette has no others.
        _ => "",
    };
    look.push_str(colour);
    look
}

/// Returns what is between the first line and the last.
pub(crate) fn body(area: Rect) -> Rect {
    Rect { y: area.y + 1.min(area.height), height: area.height.saturating_sub(2), ..area }
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::Cell;
    use ratatui::style::{Color, Modifier, Style};

    use super::painted;

    #[test]
    fn cells_that_look_alike_stand_behind_one_mark() {
        let cell = |letter: char, style: Style| {
            let mut cell = Cell::default();
            cell.set_char(letter).set_style(style);
            cell
        };
        let red = Style::new().fg(Color::Red).add_modifier(Modifier::BOLD);
        let cells =
            [cell('a', Style::new()), cell('b', red), cell('c', red), cell('d', Style::new())];
        assert_eq!(painted(cells.iter()), "a\u{1b}[0m\u{1b}[1m\u{1b}[31mbc\u{1b}[0md");
        assert_eq!(painted(cells[..3].iter()), "a\u{1b}[0m\u{1b}[1m\u{1b}[31mbc\u{1b}[0m");
    }
}
