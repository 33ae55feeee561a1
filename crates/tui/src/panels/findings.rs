//! What was found, in the words of whoever judged.

use ratatui::text::{Line, Span};

use super::Sheet;
use crate::sample::NoticeSeverity;

pub(super) fn lines(sheet: &Sheet<'_>) -> Vec<Line<'static>> {
    let palette = sheet.board.palette;
    if sheet.board.notices.is_empty() {
        return vec![Line::styled("no findings so far", palette.dim())];
    }
    let mut notices: Vec<_> = sheet.board.notices.iter().collect();
    notices.sort_by_key(|notice| notice.severity);
    let line = |notice: &&crate::sample::Notice| {
        let (sign, style) = match notice.severity {
            NoticeSeverity::Hurts => ("! ", palette.bad()),
            NoticeSeverity::Look => ("· ", palette.disks()),
            NoticeSeverity::Fine => ("  ", palette.arc()),
        };
        Line::from(vec![Span::styled(sign, style), Span::raw(notice.text.clone())])
    };
    notices.iter().map(line).collect()
}
