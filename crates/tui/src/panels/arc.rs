//! The ARC: accesses by class, what of them missed, and the share that hit, with its history.
//!
//! A share is of something: beside it stands how many there were, and where there were hardly any, their number stands in
//! its place. A prefetch that misses has read ahead, as it should, so it has no share at all.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Sparkline;

use super::{Need, Sheet};
use crate::counts::KINDS;
use crate::format;
use crate::layout::ARC_COLUMNS;
use crate::rates::{Accesses, Step};

/// Columns of a class's name, how many, how many missed, and the share of hits.
const NAME: usize = 17;
const RATE: usize = 9;
const MISSES: usize = 8;
const RATIO: usize = 9;
/// The fewest columns of a history, and of the blanks before it.
const HISTORY_MIN: u16 = 10;
const BLANKS: u16 = 2;
/// Rows of a history beyond which it says nothing more.
const HISTORY_ROWS_MAX: u16 = 6;
/// Rows of the classes.
pub(super) const CLASSES: u16 = 4;
/// A share of fewer accesses than this is no share yet.
const FEW: u64 = 20;
/// A share's whole, for the history.
const WHOLE: f64 = 1000.0;

pub(super) fn need(columns: u16) -> Need {
    let has_history = columns >= ARC_COLUMNS + BLANKS + HISTORY_MIN;
    let growth = if has_history { 2 } else { 0 };
    Need { least: CLASSES, best: CLASSES + 2, growth, most: CLASSES * HISTORY_ROWS_MAX + 2 }
}

/// Returns what the columns are, for the panel's title or a line of its own.
pub(super) fn head() -> String {
    format!("{:>RATE$}{:>MISSES$}{:>RATIO$}", "accesses", "misses", "hits")
}

pub(super) fn draw(sheet: &Sheet<'_>, frame: &mut Frame<'_>, area: Rect) {
    let has_head = area.height > CLASSES;
    let has_sum = area.height > CLASSES + 1;
    let history = Rect {
        x: area.x + (ARC_COLUMNS + BLANKS).min(area.width),
        width: area.width.saturating_sub(ARC_COLUMNS + BLANKS),
        ..area
    };
    let history = Some(history).filter(|history| history.width >= HISTORY_MIN);
    let steps = sheet.board.history.steps(history.map_or(0, |area| usize::from(area.width)));
    let mut left = area;
    if has_head {
        heads(sheet, frame, (area, history), &steps);
        left = below(left, 1);
    }
    let rows = left.height - u16::from(has_sum);
    for kind in 0..KINDS.len() {
        let index = u16::try_from(kind).unwrap_or(CLASSES);
        let height = rows / CLASSES + u16::from(index < rows % CLASSES);
        if height == 0 {
            return;
        }
        frame.render_widget(class(sheet, kind), Rect { height: 1, ..left });
        if let Some(history) = history {
            // A blank line tells tall ones apart.
            let own = height - u16::from(height > 2);
            spark(sheet, frame, (Rect { y: left.y, height: own, ..history }, kind), &steps);
        }
        left = below(left, height);
    }
    if has_sum {
        frame.render_widget(sum(sheet), Rect { height: 1, ..left });
    }
}

fn below(area: Rect, rows: u16) -> Rect {
    Rect { y: area.y + rows, height: area.height.saturating_sub(rows), ..area }
}

fn heads(
    sheet: &Sheet<'_>,
    frame: &mut Frame<'_>,
    (area, history): (Rect, Option<Rect>),
    steps: &[Step],
) {
    let style = sheet.board.palette.dim();
    let figures = format!("{:NAME$}{}", "", head());
    frame.render_widget(Line::styled(figures, style), Rect { height: 1, ..area });
    let Some(history) = history else { return };
    let time: f64 = steps.iter().map(|step| step.seconds).sum();
    let what = "hits; prefetch: reads ahead";
    let titles = [format!("{what}; over {}", format::seconds(time.round())), what.to_owned()];
    let fits = |title: &String| format::width(title) <= usize::from(history.width);
    let title = titles.into_iter().find(fits).unwrap_or_else(|| "history".to_owned());
    frame.render_widget(Line::styled(title, style), Rect { height: 1, ..history });
}

fn class(sheet: &Sheet<'_>, kind: usize) -> Line<'static> {
    let name = KINDS.get(kind).map_or("", |kind| kind.1);
    let palette = sheet.board.palette;
    let now = of(sheet.rates.as_ref().map(|rates| rates.step), kind);
    let (text, style) = match (is_prefetch(kind), now.count()) {
        (true, Some(1..)) => ("ahead".to_owned(), palette.dim()),
        (false, Some(count @ 1..)) if count < FEW => {
            (format!("{} of {count}", now.hits.unwrap_or(0)), palette.dim())
        }
        (false, Some(1..)) => (format::share(now.hit_ratio), palette.title()),
        _ => (format::ABSENT.to_owned(), palette.dim()),
    };
    Line::from(vec![
        Span::raw(format!("{name:<NAME$}")),
        Span::raw(format!("{:>RATE$}", format::per_second(now.per_s))),
        Span::raw(format!("{:>MISSES$}", format::per_second(now.misses_per_s))),
        Span::styled(format!("{text:>RATIO$}"), style),
    ])
}

fn is_prefetch(kind: usize) -> bool {
    KINDS.get(kind).is_some_and(|kind| kind.0.starts_with("prefetch"))
}

fn of(step: Option<Step>, kind: usize) -> Accesses {
    step.and_then(|step| step.kinds.get(kind).copied()).unwrap_or_default()
}

/// Draws the history: shares of hits, and of prefetches how many read ahead, against the most of them.
fn spark(sheet: &Sheet<'_>, frame: &mut Frame<'_>, (area, kind): (Rect, usize), steps: &[Step]) {
    let palette = sheet.board.palette;
    let value = |step: &Step| match is_prefetch(kind) {
        true => of(Some(*step), kind).misses_per_s.filter(|rate| *rate > 0.0),
        false => of(Some(*step), kind).hit_ratio,
    };
    let most = match is_prefetch(kind) {
        true => steps.iter().filter_map(value).fold(0.0, f64::max),
        false => 1.0,
    };
    // What is there is seen, however little it is.
    let least = WHOLE / f64::from(8 * area.height.max(1));
    let scaled = |step: &Step| {
        value(step).map(|value| format::whole((value / most * WHOLE).clamp(least, WHOLE)))
    };
    let blanks = usize::from(area.width).saturating_sub(steps.len());
    let data = std::iter::repeat_n(None, blanks).chain(steps.iter().map(scaled));
    let style = if is_prefetch(kind) { palette.disks() } else { palette.arc() };
    let line = Sparkline::default()
        .data(data.collect::<Vec<Option<u64>>>())
        .max(format::whole(WHOLE))
        .style(style);
    frame.render_widget(line, area);
}

fn sum(sheet: &Sheet<'_>) -> Line<'static> {
    let kinds = sheet.rates.as_ref().map(|rates| rates.step.kinds).unwrap_or_default();
    let all = |of: fn(&Accesses) -> Option<f64>| {
        kinds.iter().filter_map(of).reduce(|one, other| one + other)
    };
    Line::from(format!(
        "{:<NAME$}{:>RATE$}{:>MISSES$}",
        "all",
        format::per_second(all(|kind| kind.per_s)),
        format::per_second(all(|kind| kind.misses_per_s)),
    ))
}
