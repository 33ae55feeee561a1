//! The mouse: what a click or the wheel does at a place of the screen.
//!
//! Where things are is computed anew from what is shown, as for drawing.

use ratatui::layout::Rect;

use crate::dashboard::{Dashboard, Reaction};
use crate::layout::Place;
use crate::panel::Panel;
use crate::panels::{self, Sheet, edges};
use crate::screen::body;

/// The mouse at a place of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pointer {
    /// From the left, 0 is the first.
    pub column: u16,
    /// From above, 0 is the first.
    pub row: u16,
    /// What it does there.
    pub action: PointerAction,
}

/// What the mouse does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointerAction {
    /// The first button is pressed.
    Click,
    /// The wheel turns away from its owner.
    WheelUp,
    /// The wheel turns towards its owner.
    WheelDown,
}

/// Rows that one turn of the wheel goes.
const WHEEL: isize = 3;

/// What is at a place.
enum Target {
    Title(Panel),
    Tab(Panel),
    Head(Panel, usize),
    Table(Panel),
}

impl Dashboard {
    /// Does what the mouse asks for on a screen of so many columns and rows.
    pub fn point(&mut self, pointer: Pointer, (columns, rows): (u16, u16)) -> Reaction {
        let area = Rect { x: 0, y: 0, width: columns, height: rows };
        let is_click = pointer.action == PointerAction::Click;
        if is_click && rows > 1 && pointer.row + 1 == rows {
            let x = usize::from(pointer.column);
            let hints = edges::hints(self, usize::from(columns));
            let hit = hints.into_iter().find(|(from, wide, _)| (*from..from + wide).contains(&x));
            return hit.map_or(Reaction::Draw, |(_, _, (_, _, key))| self.press(key));
        }
        if self.help {
            self.help &= !is_click;
            return Reaction::Draw;
        }
        match (self.target(pointer, area), pointer.action) {
            (Some(Target::Table(table) | Target::Head(table, _)), PointerAction::WheelUp) => {
                self.turn(table, -WHEEL);
            }
            (Some(Target::Table(table) | Target::Head(table, _)), PointerAction::WheelDown) => {
                self.turn(table, WHEEL);
            }
            (Some(Target::Head(table, column)), PointerAction::Click) => {
                self.table = Some(table);
                self.state_mut(table).into_iter().for_each(|state| state.sort_by(column));
            }
            (Some(Target::Tab(table) | Target::Table(table)), PointerAction::Click) => {
                self.table = Some(table);
            }
            (Some(Target::Title(panel)), PointerAction::Click) => {
                let is_full = self.focus == Some(panel);
                self.fill_with((!is_full).then_some(panel));
            }
            (Some(Target::Title(_) | Target::Tab(_)) | None, _) => {}
        }
        Reaction::Draw
    }

    fn turn(&mut self, table: Panel, rows: isize) {
        self.state_mut(table).into_iter().for_each(|state| state.scroll(rows));
        self.stop_at_the_end(table);
    }

    fn target(&self, pointer: Pointer, area: Rect) -> Option<Target> {
        let sheet = Sheet::of(self);
        let screen = sheet.screen(body(area));
        let (x, y) = (pointer.column, pointer.row);
        let place = screen.places.iter().find(|place| place.area.contains((x, y).into()))?;
        if y == place.area.y {
            return self.title(place, (x, screen.edges.corner()));
        }
        place.panel.table()?;
        let inside = screen.edges.inside(place.area);
        if y == inside.y {
            let x = usize::from(x.checked_sub(inside.x)?);
            let columns = sheet.placed_columns(place.panel, usize::from(inside.width));
            let hit = columns.into_iter().find(|it| (it.x..it.x + it.wide).contains(&x));
            return hit.map(|column| Target::Head(place.panel, column.index));
        }
        Some(Target::Table(place.panel))
    }

    /// Returns which of a title's words is at `x`: another table, or the panel itself.
    fn title(&self, place: &Place, (x, corner): (u16, u16)) -> Option<Target> {
        let mut end = usize::from(place.area.x) + usize::from(corner);
        for (panel, text, _) in panels::titles(self, place) {
            end += crate::format::width(&text);
            if usize::from(x) < end && panel != place.panel {
                return Some(Target::Tab(panel));
            }
            if usize::from(x) < end {
                break;
            }
        }
        Some(Target::Title(place.panel))
    }
}
