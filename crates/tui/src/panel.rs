//! Which parts the screen has, and in which order keys go through them.

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

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Arc => "1 ARC",
            Self::Sources => "2 where reads come from",
            Self::L2arc => "3 L2ARC",
            Self::Log => "4 intent log",
            Self::Devices => "5 devices",
            Self::Findings => "6 findings",
        }
    }
}
