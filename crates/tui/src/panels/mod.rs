//! The parts of the screen: what each says, and its title.

mod arc;
pub(crate) mod edges;
mod findings;
mod help;
mod l2arc;
mod memory;
mod tables;
mod throughput;
mod writes;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Borders, Paragraph};

use crate::dashboard::Dashboard;
use crate::layout::{ARC_COLUMNS, Edges, Need, Needs, Place, places};
use crate::panel::Panel;
use crate::rates::Rates;
use crate::table::PlacedColumn;

/// Rows of a table besides its head, where there is little room.
const TABLE_ROWS_LEAST: u16 = 2;
/// The same, before other panels grow.
const TABLE_ROWS_BEST: u16 = 8;

#[cfg(test)]
pub(crate) use help::TEXT as HELP_TEXT;

/// What panels are drawn from.
pub(crate) struct Sheet<'a> {
    pub(crate) board: &'a Dashboard,
    pub(crate) rates: Option<Rates>,
}

/// Panels of a screen, and the line below them.
pub(crate) struct Screen {
    pub(crate) places: Vec<Place>,
    pub(crate) edges: Edges,
    worst: Option<(Line<'static>, Rect)>,
}

impl<'a> Sheet<'a> {
    pub(crate) fn of(board: &'a Dashboard) -> Self {
        Self { board, rates: board.history.window() }
    }

    /// Says whether there is a cache device, or something of one.
    fn has_l2arc(&self) -> bool {
        let has_size = self.board.history.now().is_some_and(|now| now.l2.size > Some(0));
        let mut devices = self.rates.iter().flat_map(|rates| &rates.devices);
        has_size || devices.any(|device| device.role == "cache")
    }

    /// Returns where everything is between the first line and the last.
    pub(crate) fn screen(&self, body: Rect) -> Screen {
        let edges = Edges::of(body);
        if let Some(panel) = self.board.focus {
            let place = Place { panel, area: body, tabs: Vec::new() };
            return Screen { places: vec![place], edges, worst: None };
        }
        let placed = places(self, body);
        let has_findings = placed.iter().any(|place| place.panel == Panel::Findings);
        let worst = findings::worst(self, body.width).filter(|_| !has_findings && body.height > 1);
        let Some(line) = worst else { return Screen { places: placed, edges, worst: None } };
        let above = Rect { height: body.height - 1, ..body };
        let row = Rect { y: above.bottom(), height: 1, ..body };
        Screen { places: places(self, above), edges, worst: Some((line, row)) }
    }

    /// Draws everything between the first line and the last.
    pub(crate) fn draw(&self, frame: &mut Frame<'_>, body: Rect) {
        if self.board.help {
            frame.render_widget(Paragraph::new(help::lines(self.board.palette)), body);
            return;
        }
        let screen = self.screen(body);
        for place in &screen.places {
            let inside = screen.edges.inside(place.area);
            frame.render_widget(self.block(place, screen.edges), place.area);
            self.draw_panel(place.panel, frame, inside);
        }
        if let Some((line, row)) = screen.worst {
            frame.render_widget(line, row);
        }
    }

    fn draw_panel(&self, panel: Panel, frame: &mut Frame<'_>, area: Rect) {
        let size = (area.width, area.height);
        let lines = match panel {
            Panel::Throughput => return throughput::draw(self, frame, area),
            Panel::Arc => return arc::draw(self, frame, area),
            Panel::Memory => memory::lines(self, area.width),
            Panel::L2arc => l2arc::lines(self, area.width),
            Panel::Writes => writes::lines(self, size),
            Panel::Findings => findings::lines(self, size),
            Panel::Pools | Panel::Datasets | Panel::Processes | Panel::Devices => {
                let size = (usize::from(area.width), usize::from(area.height));
                let table = tables::table(self, panel);
                table.lines(self.board.state(panel), size, self.board.palette)
            }
        };
        frame.render_widget(Paragraph::new(lines), area);
    }

    /// Returns the columns of a table, where they are inside a panel so wide.
    pub(crate) fn placed_columns(&self, table: Panel, columns: usize) -> Vec<PlacedColumn> {
        tables::table(self, table).placed(columns)
    }

    fn block(&self, place: &Place, edges: Edges) -> Block<'static> {
        let palette = self.board.palette;
        let titles = titles(self.board, place);
        let spans = titles.into_iter().map(|(_, text, style)| Span::styled(text, style));
        let title = Line::from(spans.collect::<Vec<_>>());
        let room = usize::from(place.area.width).saturating_sub(title.width() + 4);
        let aside = self.aside(place, edges).filter(|aside| aside.width() <= room);
        let block = match edges {
            Edges::Rule => Block::new().borders(Borders::TOP),
            Edges::Frame => Block::new().borders(Borders::ALL).border_type(BorderType::Rounded),
        };
        let block = block.title(title).border_style(palette.border());
        match aside {
            Some(aside) => block.title(aside.right_aligned()),
            None => block,
        }
    }

    /// Returns what stands at the right of a title.
    fn aside(&self, place: &Place, edges: Edges) -> Option<Line<'static>> {
        let palette = self.board.palette;
        let inside = edges.inside(place.area);
        match place.panel {
            // Where there is no row for it; each word stays above its column.
            Panel::Arc if inside.height <= arc::CLASSES => {
                let end = place.area.right().saturating_sub(edges.corner());
                let rest = end.saturating_sub(inside.x + ARC_COLUMNS);
                let rule = Span::styled("─".repeat(usize::from(rest)), palette.border());
                Some(Line::from(vec![Span::styled(arc::head(), palette.dim()), rule]))
            }
            Panel::Pools | Panel::Datasets | Panel::Processes | Panel::Devices => {
                let table = tables::table(self, place.panel);
                let shown = table.shown(self.board.state(place.panel), usize::from(inside.height));
                let (rows, now) = (table.rows.len(), self.board.history.now());
                let more = match place.panel {
                    Panel::Datasets => now.map_or(0, |now| now.datasets_more),
                    Panel::Processes => {
                        let rates = self.rates.as_ref();
                        rates.and_then(|rates| rates.processes.as_ref()).map_or(0, |it| it.more)
                    }
                    _ => 0,
                };
                let more = if more > 0 { format!(", {more} more not kept") } else { String::new() };
                let is_part = shown.len() < rows || !more.is_empty();
                is_part.then(|| {
                    let text = format!(" {}–{} of {rows}{more} ", shown.start + 1, shown.end);
                    Line::styled(text, palette.dim())
                })
            }
            _ => None,
        }
    }
}

/// Returns the words of a panel's title: itself, or the tables that share its room.
pub(crate) fn titles(board: &Dashboard, place: &Place) -> Vec<(Panel, String, Style)> {
    let palette = board.palette;
    if place.tabs.len() > 1 {
        let tab = |panel: &Panel| {
            let style = if *panel == place.panel { palette.selected() } else { palette.dim() };
            (*panel, format!(" {} ", panel.title()), style)
        };
        return place.tabs.iter().map(tab).collect();
    }
    let is_table = place.panel.table().is_some();
    let style = match is_table && board.table == Some(place.panel) {
        true => palette.selected(),
        false => palette.title(),
    };
    vec![(place.panel, format!("{} ", place.panel.title()), style)]
}

impl Needs for Sheet<'_> {
    fn need(&self, panel: Panel, columns: u16) -> Need {
        match panel {
            Panel::Throughput => throughput::need(self, columns),
            Panel::Arc => arc::need(columns),
            Panel::Memory => memory::need(self, columns),
            Panel::L2arc => l2arc::need(self, columns),
            Panel::Writes => writes::need(self, columns),
            Panel::Findings => findings::need(self),
            Panel::Pools | Panel::Datasets | Panel::Processes | Panel::Devices => {
                let rows = tables::table(self, panel).rows.len();
                let rows = u16::try_from(rows).unwrap_or(u16::MAX - 1).max(1);
                Need {
                    least: 1 + rows.min(TABLE_ROWS_LEAST),
                    best: 1 + rows.min(TABLE_ROWS_BEST),
                    growth: u16::from(rows > TABLE_ROWS_BEST),
                    most: 1 + rows,
                }
            }
        }
    }

    fn tables(&self) -> Vec<Panel> {
        self.board.shown_tables()
    }

    fn selected(&self) -> Panel {
        self.board.selected()
    }

    fn has(&self, panel: Panel) -> bool {
        match panel {
            Panel::L2arc => self.has_l2arc(),
            Panel::Findings => !self.board.notices.is_empty(),
            _ => true,
        }
    }
}
