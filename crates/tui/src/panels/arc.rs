//! The ARC: hit ratios by class with their history, and its size.

use arcwright_units::Bytes;
use ratatui::text::{Line, Span};

use super::{Sheet, bar};
use crate::format;
use crate::rates::KINDS;

/// Columns of a class's name, its ratio and its rate.
const NAME: usize = 18;
const RATIO: usize = 9;
const RATE: usize = 10;

pub(super) fn lines(sheet: &Sheet<'_>) -> Vec<Line<'static>> {
    let mut lines: Vec<Line<'static>> = (0..KINDS.len()).map(|kind| class(sheet, kind)).collect();
    lines.push(size(sheet));
    lines
}

fn class(sheet: &Sheet<'_>, kind: usize) -> Line<'static> {
    let name = KINDS.get(kind).map_or("", |kind| kind.1);
    let of = |rates: &crate::rates::Rates| rates.kinds.get(kind).copied().unwrap_or_default();
    let now = sheet.rates.as_ref().map(of).unwrap_or_default();
    let series: Vec<Option<f64>> =
        sheet.steps.iter().map(|rates| of(rates.as_ref()?).hit_ratio).collect();
    let width = sheet.width.saturating_sub(NAME + RATIO + RATE + 2);
    let palette = sheet.board.palette;
    let ratio = format::share(now.hit_ratio);
    Line::from(vec![
        Span::raw(format!("{name:<NAME$}")),
        Span::styled(format!("{ratio:>RATIO$}"), palette.title()),
        Span::raw(format!("{:>RATE$}  ", format::per_second(now.per_s))),
        Span::styled(format::spark(&series, width), palette.arc()),
    ])
}

fn size(sheet: &Sheet<'_>) -> Line<'static> {
    let Some(now) = sheet.board.history.now() else { return Line::default() };
    let print = |size: Option<u64>| {
        size.map_or_else(|| format::ABSENT.to_owned(), |size| Bytes(size).to_string())
    };
    let ghosts = sheet.rates.as_ref().and_then(|rates| rates.ghost_hits);
    let lost = ghosts.filter(|ghosts| *ghosts >= 0.5);
    let parts = [
        Some(format!("size {} of {}", print(now.size), print(now.target))),
        (now.target != now.target_max).then(|| format!("at most {}", print(now.target_max))),
        now.metadata.map(|metadata| format!("metadata {}", Bytes(metadata))),
        lost.map(|lost| format!("{} ghost hits", format::per_second(Some(lost)))),
    ];
    let text = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let width = sheet.width.saturating_sub(text.chars().count() + 1).min(20);
    let share = |size: u64| f64::from(u32::try_from(size >> 20).unwrap_or(u32::MAX));
    let (full, most) = (share(now.size.unwrap_or(0)), share(now.target_max.unwrap_or(0)));
    let mut spans = vec![Span::raw(format!("{text} "))];
    let palette = sheet.board.palette;
    spans.extend(bar(
        &[(full, palette.arc(), '█'), ((most - full).max(0.0), palette.dim(), '░')],
        width,
    ));
    Line::from(spans)
}
