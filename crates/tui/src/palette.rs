//! Colours, where the terminal and its owner want them; bold and reversed text else.
//!
//! Only the terminal's own sixteen, which its owner chose to be legible on a dark or a light ground.

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

    pub(crate) const fn has_colour(self) -> bool {
        self.colour
    }

    fn of(self, colour: Color) -> Style {
        if self.colour { Style::new().fg(colour) } else { Style::new() }
    }

    /// Headings and what is named, in the colour of text even within a line.
    pub(crate) fn title(self) -> Style {
        Style::new().fg(Color::Reset).add_modifier(Modifier::BOLD)
    }

    /// What explains and is not a figure.
    pub(crate) fn dim(self) -> Style {
        Style::new().fg(Color::Reset).add_modifier(Modifier::DIM)
    }

    /// What keys go to.
    pub(crate) fn selected(self) -> Style {
        self.title().add_modifier(Modifier::REVERSED)
    }

    /// A key that may be pressed, or clicked.
    pub(crate) fn key(self) -> Style {
        self.of(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    /// From memory.
    pub(crate) fn arc(self) -> Style {
        self.of(Color::Green)
    }

    /// Metadata in memory.
    pub(crate) fn metadata(self) -> Style {
        self.of(Color::Magenta)
    }

    /// From a cache device.
    pub(crate) fn l2arc(self) -> Style {
        self.of(Color::Cyan)
    }

    /// From the disks, and to them.
    pub(crate) fn disks(self) -> Style {
        self.of(Color::Yellow)
    }

    /// What programs have.
    pub(crate) fn programs(self) -> Style {
        self.of(Color::LightBlue)
    }

    /// What hurts.
    pub(crate) fn bad(self) -> Style {
        self.of(Color::Red).add_modifier(Modifier::BOLD)
    }

    /// Lines around panels, and axes.
    pub(crate) fn border(self) -> Style {
        self.of(Color::DarkGray)
    }
}
