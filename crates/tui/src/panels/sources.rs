//! Where reads come from: memory, cache devices, disks.

use ratatui::text::{Line, Span};

use super::{Sheet, bar};
use crate::format;

pub(super) fn lines(sheet: &Sheet<'_>) -> Vec<Line<'static>> {
    let Some(rates) = &sheet.rates else { return vec![Line::default(); 2] };
    let (l2, disks) = (rates.l2_read.unwrap_or(0.0), rates.disks_read());
    // What programs read and no device delivered came from memory; disks also deliver parity, gaps
    // and what is read ahead, so this may be a little low.
    let memory = rates.read.map(|read| (read - l2 - disks.unwrap_or(0.0)).max(0.0));
    let palette = sheet.board.palette;
    let parts = [
        ("ARC", memory, palette.arc(), '█'),
        ("L2ARC", rates.l2_read, palette.l2arc(), '▓'),
        ("disks", disks, palette.disks(), '▒'),
    ];
    let shares = parts.map(|(_, rate, style, sign)| (rate.unwrap_or(0.0), style, sign));
    let mut words = Vec::new();
    for (name, rate, style, sign) in parts {
        words.push(Span::styled(format!("{sign} "), style));
        words.push(Span::raw(format!("{name} {}   ", format::rate(rate))));
    }
    vec![Line::from(bar(&shares, sheet.width)), Line::from(words)]
}
