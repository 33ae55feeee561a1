//! Colours, where the terminal and its owner want them; bold and reversed text else.

use ratatui::style::{Color, Modifier, Style};

/// How things are set off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Palette {
    colour: bool,
}

impl Palette {
    /// Returns a palette with colours, or without any.
    #[must_use]
    pub const fn new(colour: bool) -> Self {
        Self { colour }
    }

    fn of(self, colour: Color) -> Style {
        if self.colour { Style::new().fg(colour) } else { Style::new() }
    }

    /// Headings and what is named.
    pub(crate) fn title(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// What explains and is not a figure.
    pub(crate) fn dim(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// From memory.
    pub(crate) fn arc(self) -> Style {
        self.of(Color::Green)
    }

    /// From a cache device.
    pub(crate) fn l2arc(self) -> Style {
        self.of(Color::Cyan)
    }

    /// From the disks.
    pub(crate) fn disks(self) -> Style {
        self.of(Color::Yellow)
    }

    /// What hurts.
    pub(crate) fn bad(self) -> Style {
        self.of(Color::Red).add_modifier(Modifier::BOLD)
    }

    /// Lines around panels.
    pub(crate) fn border(self) -> Style {
        self.of(Color::DarkGray)
    }
}
