//! The L2ARC: what it holds and serves, what feeding it costs.

use arcwright_units::Bytes;
use ratatui::text::Line;

use super::Sheet;
use crate::format;

pub(super) fn lines(sheet: &Sheet<'_>) -> Vec<Line<'static>> {
    let Some(now) = sheet.board.history.now() else { return vec![Line::default(); 3] };
    let Some(size) = now.l2_size.filter(|_| now.l2_size > Some(0) || has_cache(sheet)) else {
        let words = Line::styled("no cache device, or it is empty", sheet.board.palette.dim());
        return vec![words, Line::default(), Line::default()];
    };
    let bytes = |size: Option<u64>| {
        size.map_or_else(|| format::ABSENT.to_owned(), |size| Bytes(size).to_string())
    };
    let rates = sheet.rates.clone().unwrap_or_default();
    let day = rates.l2_write.map(|rate| rate * 86_400.0);
    vec![
        Line::from(format!(
            "holds {} in {}, headers {}",
            Bytes(size),
            bytes(now.l2_allocated),
            bytes(now.l2_headers)
        )),
        Line::from(format!(
            "hits {} of {}, read {}",
            format::share(rates.l2.hit_ratio),
            format::per_second(rates.l2.per_s),
            format::rate(rates.l2_read)
        )),
        Line::from(format!(
            "fed {}, {} per day",
            format::rate(rates.l2_write),
            day.map_or_else(|| format::ABSENT.to_owned(), format::size)
        )),
    ]
}

fn has_cache(sheet: &Sheet<'_>) -> bool {
    sheet.rates.iter().flat_map(|rates| &rates.devices).any(|device| device.role == "cache")
}
