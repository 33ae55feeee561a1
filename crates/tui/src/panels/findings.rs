//! What was found, in the words of whoever judged.

use ratatui::text::{Line, Span};

use super::{Need, Sheet};
use crate::format::{beginning, width};
use crate::sample::{Notice, NoticeSeverity};

pub(super) fn need(sheet: &Sheet<'_>) -> Need {
    let best = u16::try_from(sheet.board.notices.len()).unwrap_or(u16::MAX);
    Need { least: best.min(1), best, ..Need::default() }
}

/// Returns the findings, the worst first; what there is no room for is counted.
pub(super) fn lines(sheet: &Sheet<'_>, (columns, rows): (u16, u16)) -> Vec<Line<'static>> {
    let palette = sheet.board.palette;
    if sheet.board.notices.is_empty() {
        return vec![Line::styled("no findings so far", palette.dim())];
    }
    if rows == 1 && sheet.board.notices.len() > 1 {
        return first(sheet, columns).into_iter().collect();
    }
    let mut notices: Vec<&Notice> = sheet.board.notices.iter().collect();
    notices.sort_by_key(|notice| notice.severity);
    let (columns, rows) = (usize::from(columns), usize::from(rows));
    let shown = if notices.len() > rows { rows.saturating_sub(1) } else { rows };
    let mut lines: Vec<Line<'static>> =
        notices.iter().take(shown).map(|notice| line(sheet, notice, columns)).collect();
    let more = notices.len().saturating_sub(shown);
    if more > 0 && rows > 0 {
        lines.push(Line::styled(format!("  {more} more: 9"), palette.dim()));
    }
    lines
}

/// Returns the worst finding that is no good news, for where findings have no room of their own.
pub(super) fn worst(sheet: &Sheet<'_>, columns: u16) -> Option<Line<'static>> {
    let matters = |notice: &Notice| notice.severity != NoticeSeverity::Fine;
    first(sheet, columns).filter(|_| sheet.board.notices.iter().any(matters))
}

/// Returns the worst finding, and how many there are besides.
fn first(sheet: &Sheet<'_>, columns: u16) -> Option<Line<'static>> {
    let first = sheet.board.notices.iter().min_by_key(|notice| notice.severity)?;
    let key = match sheet.board.notices.len() {
        1 => " (9)".to_owned(),
        count => format!(" (9: {} more)", count - 1),
    };
    let mut made = line(sheet, first, usize::from(columns).saturating_sub(width(&key)));
    made.push_span(Span::styled(key, sheet.board.palette.dim()));
    Some(made)
}

fn line(sheet: &Sheet<'_>, notice: &Notice, columns: usize) -> Line<'static> {
    let palette = sheet.board.palette;
    let (sign, style) = match notice.severity {
        NoticeSeverity::Hurts => ("! ", palette.bad()),
        NoticeSeverity::Look => ("· ", palette.disks()),
        NoticeSeverity::Fine => ("  ", palette.arc()),
    };
    let text = beginning(&notice.text, columns.saturating_sub(2));
    Line::from(vec![Span::styled(sign, style), Span::raw(text)])
}
