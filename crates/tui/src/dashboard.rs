//! The dashboard: what it knows, and what keys do; `screen.rs` shows it.

use arcwright_units::visible;

use crate::history::History;
use crate::palette::Palette;
use crate::panel::{Panel, TABLES};
use crate::sample::{Notice, Update};
use crate::table::TableState;

/// A key, as far as the dashboard knows keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// A character.
    Char(char),
    /// An arrow.
    Left,
    /// An arrow.
    Right,
    /// An arrow.
    Up,
    /// An arrow.
    Down,
    /// A page of a table.
    PageUp,
    /// A page of a table.
    PageDown,
    /// A table's first row.
    Home,
    /// A table's last row.
    End,
    /// The next panel.
    Tab,
    /// The panel before.
    BackTab,
    /// Out of help or of one panel; else the end.
    Escape,
}

/// What a key asks of whoever shows the dashboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reaction {
    /// Nothing more than to draw anew.
    Draw,
    /// To end.
    Quit,
    /// To go on twice as fast, where time can be hurried.
    Faster,
    /// To go on half as fast.
    Slower,
    /// To take the mouse, or to leave it to the terminal.
    Mouse,
}

/// Rows that a page key goes.
const PAGE: isize = 10;

/// The dashboard.
#[derive(Debug)]
pub struct Dashboard {
    pub(crate) title: String,
    pub(crate) palette: Palette,
    pub(crate) history: History,
    pub(crate) notices: Vec<Notice>,
    /// Why nothing more comes.
    pub(crate) end: Option<String>,
    /// How fast time goes, in words; empty where it goes as it does.
    pub(crate) pace: String,
    /// The panel that fills the screen.
    pub(crate) focus: Option<Panel>,
    pub(crate) help: bool,
    /// What its owner has chosen of each table, in the order of [`TABLES`].
    pub(crate) tables: [TableState; TABLES.len()],
    /// The table that keys go to; where there is room for one, it is this one.
    pub(crate) table: Option<Panel>,
}

impl Dashboard {
    /// Returns a dashboard of `title`: which machine, which run.
    #[must_use]
    pub fn new(title: String, palette: Palette) -> Self {
        Self {
            title: visible(&title).into_owned(),
            palette,
            history: History::default(),
            notices: Vec::new(),
            end: None,
            pace: String::new(),
            focus: None,
            help: false,
            tables: [TableState::default(); TABLES.len()],
            table: None,
        }
    }

    /// Takes something new to show; names that could steer the terminal are written out.
    pub fn take(&mut self, update: Update) {
        let shown = |text: &mut String| *text = visible(text).into_owned();
        match update {
            Update::Sample(mut moment) => {
                shown(&mut moment.place);
                shown(&mut moment.activity);
                for device in &mut moment.devices {
                    shown(&mut device.name);
                    shown(&mut device.detail);
                    shown(&mut device.role);
                }
                moment.queues.iter_mut().for_each(|queue| shown(&mut queue.name));
                self.history.push(&moment);
            }
            Update::Notices(mut notices) => {
                notices.iter_mut().for_each(|notice| shown(&mut notice.text));
                self.notices = notices;
            }
            Update::End(why) | Update::Failed(why) => self.end = Some(visible(&why).into_owned()),
        }
    }

    /// Says in words how fast time goes.
    pub fn set_pace(&mut self, pace: String) {
        self.pace = pace;
    }

    /// Returns whether its owner looks at a moment that is over; new readings do not move it.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.history.is_held()
    }

    /// Does what a key asks for.
    pub fn press(&mut self, key: Key) -> Reaction {
        match key {
            Key::Char('q') => return Reaction::Quit,
            Key::Char('m') => return Reaction::Mouse,
            Key::Char('+' | '=') => return Reaction::Faster,
            Key::Char('-') => return Reaction::Slower,
            Key::Escape if self.help => self.help = false,
            Key::Escape if self.focus.is_some() => self.focus = None,
            Key::Escape => return Reaction::Quit,
            Key::Char('?' | 'h') => self.help = !self.help,
            Key::Char(' ' | 'p') => self.history.hold(!self.history.is_held()),
            Key::Char('w') => self.history.next_width(),
            Key::Left => self.history.shift(1),
            Key::Right => self.history.shift(-1),
            Key::Tab => {
                self.fill_with(Panel::after(self.focus).filter(|next| self.is_there(*next)));
            }
            Key::BackTab => {
                let before = Panel::before(self.focus);
                let is_there = before.is_none_or(|before| self.is_there(before));
                self.fill_with(if is_there { before } else { Panel::before(before) });
            }
            Key::Char(digit @ '0'..='9') => self.fill_with(Panel::numbered(digit)),
            key => self.press_for_table(key),
        }
        Reaction::Draw
    }

    /// Says whether there is anything that a panel could show; processes are not listed everywhere.
    fn is_there(&self, panel: Panel) -> bool {
        panel != Panel::Processes || self.shown_tables().contains(&panel)
    }

    /// Gives the whole screen to a panel, or to all of them.
    pub(crate) fn fill_with(&mut self, panel: Option<Panel>) {
        self.focus = panel;
        self.table = panel.filter(|panel| panel.table().is_some()).or(self.table);
    }

    /// Does what a key asks of the table that keys go to.
    fn press_for_table(&mut self, key: Key) {
        let table = self.selected();
        if key == Key::Char('t') {
            let next = self.shown_tables().into_iter().skip_while(|it| *it != table).nth(1);
            self.table = next.or_else(|| self.shown_tables().first().copied());
            self.focus = self.focus.and(self.table);
            return;
        }
        let columns = table.columns().len();
        let Some(state) = self.state_mut(table) else { return };
        match key {
            Key::Char('s') => state.next_column(columns),
            Key::Char('r') => state.reverse(),
            Key::Up => state.scroll(-1),
            Key::Down => state.scroll(1),
            Key::PageUp => state.scroll(-PAGE),
            Key::PageDown => state.scroll(PAGE),
            Key::Home => state.above = 0,
            Key::End => state.above = usize::MAX,
            _ => {}
        }
        self.stop_at_the_end(table);
    }

    /// Keeps a table from being scrolled past its last row, so that one key brings it back.
    pub(crate) fn stop_at_the_end(&mut self, table: Panel) {
        let rows = self.history.window().map_or(0, |rates| match table {
            Panel::Pools => rates.pools.len(),
            Panel::Datasets => rates.datasets.len(),
            Panel::Processes => rates.processes.map_or(0, |table| table.rows.len()),
            _ => rates.devices.len(),
        });
        if let Some(state) = self.state_mut(table) {
            state.above = state.above.min(rows.saturating_sub(1));
        }
    }

    /// Returns the tables that have rows, or the disks where none has.
    pub(crate) fn shown_tables(&self) -> Vec<Panel> {
        let now = self.history.now();
        let has_rows = |table: &Panel| match table {
            Panel::Pools => now.is_some_and(|now| !now.pools.is_empty()),
            Panel::Datasets => now.is_some_and(|now| !now.datasets.is_empty()),
            Panel::Processes => now.is_some_and(|now| now.processes.is_some()),
            _ => true,
        };
        TABLES.into_iter().filter(has_rows).collect()
    }

    /// Returns the table that keys go to.
    pub(crate) fn selected(&self) -> Panel {
        let shown = self.shown_tables();
        let chosen = self.table.filter(|table| shown.contains(table));
        chosen.unwrap_or(Panel::Devices)
    }

    /// Returns what was chosen of a table.
    pub(crate) fn state(&self, table: Panel) -> TableState {
        table.table().and_then(|index| self.tables.get(index)).copied().unwrap_or_default()
    }

    pub(crate) fn state_mut(&mut self, table: Panel) -> Option<&mut TableState> {
        self.tables.get_mut(table.table()?)
    }
}

#[cfg(test)]
mod tests;
