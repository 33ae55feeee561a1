//! The dashboard on a screen: a terminal's, or one of text.

use ratatui::backend::TestBackend;
use ratatui::layout::Rect;
use ratatui::{Frame, Terminal};

use crate::dashboard::Dashboard;
use crate::panels::{Sheet, edges};

/// The largest picture.
const COLUMNS_MAX: u16 = 500;
const ROWS_MAX: u16 = 200;

impl Dashboard {
    /// Returns the screen as text, for where there is no terminal.
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
            let cells = (0..area.width).filter_map(|x| buffer.cell((x, y)));
            let line: String = cells.map(ratatui::buffer::Cell::symbol).collect();
            line.trim_end().to_owned() + "\n"
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

/// Returns what is between the first line and the last.
pub(crate) fn body(area: Rect) -> Rect {
    Rect { y: area.y + 1.min(area.height), height: area.height.saturating_sub(2), ..area }
}
