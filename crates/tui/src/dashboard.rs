//! The dashboard: what it knows, and what keys do; `screen.rs` shows it.

use arcwright_units::visible;

use crate::history::History;
use crate::palette::Palette;
use crate::panel::Panel;
use crate::sample::{Notice, Update};

/// A key, as far as the dashboard knows keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// A character.
    Char(char),
    /// An arrow.
    Left,
    /// An arrow.
    Right,
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
}

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
            Key::Tab => self.focus = Panel::after(self.focus),
            Key::BackTab => self.focus = Panel::before(self.focus),
            Key::Char(digit @ '0'..='9') => self.focus = Panel::numbered(digit),
            Key::Char(_) => {}
        }
        Reaction::Draw
    }
}

#[cfg(test)]
mod tests;
