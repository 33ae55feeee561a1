//! Throughput over time: what programs read and write, and what of it disks and cache devices deliver.
//!
//! Two charts with axes of their own. In the one of reads the areas stand on each other, disks below, so that what is left
//! below the programs' line is what the ARC gave. A column of dots is a reading, or the mean of several where the window
//! is wider than the chart. Where nothing is known there is no dot.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use ratatui::widgets::canvas::{Canvas, Context, Line as Stroke};

use super::{Need, Sheet};
use crate::format;
use crate::rates::Step;
use crate::text::{Part, flow};

/// Columns between the charts, and of an axis: `1.50 GiB/s ┤`.
const GAP: u16 = 2;
const AXIS: u16 = 11;
/// Rows of a chart's plot, and its columns.
const PLOT_LEAST: u16 = 4;
const PLOT_BEST: u16 = 8;
const PLOT_WIDE_MIN: u16 = 10;
/// Rows of the time below it.
const TIME: u16 = 1;
/// Below this one chart stands alone.
const TWO_CHARTS: u16 = 2 * (AXIS + PLOT_WIDE_MIN) + GAP;
/// No axis ends below this; bytes per second.
const SCALE_LEAST: f64 = 1024.0 * 1024.0;
/// Columns of dots in a column of the screen.
const DOTS: u16 = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Read,
    Written,
}

/// One line or area of a chart.
#[derive(Debug, Clone)]
struct Series {
    name: &'static str,
    style: Style,
    sign: char,
    now: Option<f64>,
    values: Vec<Option<f64>>,
}

pub(super) fn need(sheet: &Sheet<'_>, columns: u16) -> Need {
    let others = TIME + legend_rows(sheet, columns);
    Need { least: others + PLOT_LEAST, best: others + PLOT_BEST, growth: 3, most: u16::MAX }
}

fn halves(area: Rect) -> Vec<(Direction, Rect)> {
    if area.width < TWO_CHARTS {
        return vec![(Direction::Read, area)];
    }
    let half = (area.width - GAP) / 2;
    let right = Rect { x: area.x + half + GAP, width: area.width - half - GAP, ..area };
    vec![(Direction::Read, Rect { width: half, ..area }), (Direction::Written, right)]
}

fn legend_rows(sheet: &Sheet<'_>, columns: u16) -> u16 {
    let area = Rect { x: 0, y: 0, width: columns, height: 1 };
    let rows = halves(area).into_iter().map(|(direction, area)| {
        flow(legend(&series(sheet, direction, &[])), usize::from(area.width)).len()
    });
    u16::try_from(rows.max().unwrap_or(1)).unwrap_or(1)
}

pub(super) fn draw(sheet: &Sheet<'_>, frame: &mut Frame<'_>, area: Rect) {
    let rows = legend_rows(sheet, area.width);
    for (direction, half) in halves(area) {
        let plot = Rect {
            x: half.x + AXIS.min(half.width),
            y: half.y + rows.min(half.height),
            width: half.width.saturating_sub(AXIS),
            height: half.height.saturating_sub(rows + TIME),
        };
        let steps = sheet.board.history.steps(usize::from(plot.width * DOTS));
        let (mut bins, mut each) = binned(&steps, usize::from(plot.width * DOTS));
        if sheet.board.end.is_some() {
            (bins, each) = stretched(bins, each, usize::from(plot.width * DOTS));
        }
        let series = series(sheet, direction, &bins);
        let lines = flow(legend(&series), usize::from(half.width));
        frame.render_widget(Paragraph::new(lines), Rect { height: rows.min(half.height), ..half });
        if plot.height == 0 || plot.width < PLOT_WIDE_MIN {
            continue;
        }
        let end = format::scale(highest(&series, direction), SCALE_LEAST);
        axis(sheet, frame, (half, plot), end);
        times(sheet, frame, plot, each);
        let chart = Chart { series: &series, direction, end };
        chart.draw(frame, plot, sheet.board.palette.has_colour());
    }
}

/// Puts neighbours together until there are at most so many; returns the seconds of each as well.
fn binned(steps: &[Step], most: usize) -> (Vec<Step>, f64) {
    let together = steps.len().div_ceil(most.max(1)).max(1);
    let mut bins: Vec<Step> = steps.rchunks(together).map(mean).collect();
    bins.reverse();
    let known: Vec<f64> = bins.iter().map(|bin| bin.seconds).filter(|time| *time > 0.0).collect();
    let count = u32::try_from(known.len()).unwrap_or(u32::MAX);
    let each = known.iter().sum::<f64>() / f64::from(count.max(1));
    (bins, each)
}

/// Repeats what a few readings say until the chart is full, as no more will come.
fn stretched(bins: Vec<Step>, each: f64, most: usize) -> (Vec<Step>, f64) {
    let times = most / bins.len().max(1);
    if times < 2 {
        return (bins, each);
    }
    let all = bins.iter().flat_map(|bin| std::iter::repeat_n(*bin, times));
    (all.collect(), each / float(times))
}

/// Returns the mean over the time of several steps; none where none of them knows.
fn mean(steps: &[Step]) -> Step {
    let of = |value: fn(&Step) -> Option<f64>| {
        let known =
            steps.iter().filter_map(|step| Some((value(step)? * step.seconds, step.seconds)));
        let (sum, time) = known.fold((0.0, 0.0), |all, one| (all.0 + one.0, all.1 + one.1));
        (time > 0.0).then(|| sum / time)
    };
    Step {
        seconds: steps.iter().map(|step| step.seconds).sum(),
        read: of(|step| step.read),
        written: of(|step| step.written),
        l2_read: of(|step| step.l2_read),
        disks_read: of(|step| step.disks_read),
        disks_written: of(|step| step.disks_written),
        ..Step::default()
    }
}

/// Returns what is drawn: programs, and below them devices, the lowest last.
fn series(sheet: &Sheet<'_>, direction: Direction, bins: &[Step]) -> Vec<Series> {
    let palette = sheet.board.palette;
    let now = sheet.rates.as_ref().map(|rates| rates.step).unwrap_or_default();
    let made = |name, style, sign, value: fn(&Step) -> Option<f64>| Series {
        name,
        style,
        sign,
        now: value(&now),
        values: bins.iter().map(value).collect(),
    };
    match direction {
        Direction::Written => vec![
            made("written by programs", palette.programs(), '━', |step| step.written),
            made("disks", palette.disks(), '▒', |step| step.disks_written),
        ],
        Direction::Read => {
            let mut all = vec![made("read by programs", palette.arc(), '━', |step| step.read)];
            if sheet.has_l2arc() {
                all.push(made("L2ARC", palette.l2arc(), '▓', |step| step.l2_read));
            }
            all.push(made("disks", palette.disks(), '▒', |step| step.disks_read));
            all
        }
    }
}

fn legend(series: &[Series]) -> Vec<Part> {
    let part = |it: &Series| {
        (Some((it.sign, it.style)), format!("{} {:<10}", it.name, format::rate(it.now)))
    };
    series.iter().map(part).collect()
}

/// Returns the tops of areas that stand on each other, from the highest to the lowest.
fn stacked(series: &[Series]) -> Vec<Vec<Option<f64>>> {
    let mut below: Vec<Option<f64>> = Vec::new();
    let mut tops: Vec<Vec<Option<f64>>> = Vec::new();
    for it in series.iter().skip(1).rev() {
        let sum = |(index, value): (usize, &Option<f64>)| {
            let under = below.get(index).copied().flatten();
            value.map(|value| value + under.unwrap_or(0.0)).or(under)
        };
        below = it.values.iter().enumerate().map(sum).collect();
        tops.push(below.clone());
    }
    tops.reverse();
    tops
}

fn highest(series: &[Series], direction: Direction) -> f64 {
    let programs = series.first().map(|it| it.values.clone()).unwrap_or_default();
    let areas = match direction {
        Direction::Read => stacked(series),
        Direction::Written => series.iter().skip(1).map(|it| it.values.clone()).collect(),
    };
    areas.into_iter().chain([programs]).flatten().flatten().fold(0.0, f64::max)
}

/// Writes the axis of bytes per second: its end, parts of it where there is room, nothing.
fn axis(sheet: &Sheet<'_>, frame: &mut Frame<'_>, (half, plot): (Rect, Rect), end: f64) {
    let style = sheet.board.palette.border();
    let parts: u16 = match plot.height {
        0..5 => 1,
        5..13 => 2,
        _ => 4,
    };
    let last = plot.height.saturating_sub(1);
    for row in 0..plot.height {
        // Of the parts the one whose place is nearest to this row.
        let part = (0..=parts).find(|part| (last * part + parts / 2) / parts == row);
        let label = match part {
            Some(part) if part == parts => "0".to_owned(),
            Some(part) => format::rate(Some(end * f64::from(parts - part) / f64::from(parts))),
            None => String::new(),
        };
        let sign = if label.is_empty() { '│' } else { '┤' };
        let line = Line::from(vec![
            Span::styled(format!("{label:>10}"), sheet.board.palette.dim()),
            Span::styled(sign.to_string(), style),
        ]);
        let place = Rect { x: half.x, y: plot.y + row, width: AXIS, height: 1 };
        frame.render_widget(line, place);
    }
}

/// Writes the time: how long ago the chart begins, half of it where there is room, now.
fn times(sheet: &Sheet<'_>, frame: &mut Frame<'_>, plot: Rect, each: f64) {
    if each <= 0.0 {
        return;
    }
    let span = each * f64::from(plot.width * DOTS);
    let whole = |time: f64| if time < 10.0 { time } else { time.round() };
    let now = if sheet.board.history.behind() == 0 { "now" } else { "then" };
    let begin = format!("-{}", format::seconds(whole(span)));
    let middle = format!("-{}", format::seconds(whole(span / 2.0)));
    let style = sheet.board.palette.dim();
    let row = Rect { y: plot.y + plot.height, height: 1, ..plot };
    let begin_wide = u16::try_from(begin.len()).unwrap_or(u16::MAX);
    let middle_wide = u16::try_from(middle.len()).unwrap_or(u16::MAX);
    frame.render_widget(Line::styled(begin, style), row);
    let x = (plot.width / 2).saturating_sub(middle_wide / 2);
    if x > begin_wide + 2 && x + middle_wide + 6 < plot.width {
        let place = Rect { x: plot.x + x, width: middle_wide, ..row };
        frame.render_widget(Line::styled(middle, style), place);
    }
    frame.render_widget(Line::styled(now, style).right_aligned(), row);
}

/// What is drawn within the axes.
struct Chart<'a> {
    series: &'a [Series],
    direction: Direction,
    /// The end of the axis; bytes per second.
    end: f64,
}

impl Chart<'_> {
    fn draw(&self, frame: &mut Frame<'_>, plot: Rect, has_colour: bool) {
        let Some(programs) = self.series.first() else { return };
        let dots = usize::from(plot.width * DOTS);
        let colour = |it: &Series| it.style.fg.unwrap_or(Color::Reset);
        let tops = stacked(self.series);
        let canvas = Canvas::default()
            .marker(Marker::Braille)
            .x_bounds([0.0, float(dots.saturating_sub(1))])
            .y_bounds([0.0, self.end])
            .paint(|context| {
                let first = float(dots.saturating_sub(programs.values.len()));
                if self.direction == Direction::Read && has_colour {
                    area(context, (&programs.values, first), colour(programs), 1);
                }
                for (it, top) in self.series.iter().skip(1).zip(&tops) {
                    // Without colours the upper area is told by every other column.
                    let every = if it.sign == '▓' && !has_colour { 2 } else { 1 };
                    area(context, (top, first), colour(it), every);
                }
                if self.direction == Direction::Written || !has_colour {
                    curve(context, (&programs.values, first), colour(programs));
                }
            });
        frame.render_widget(canvas, plot);
    }
}

fn area(
    context: &mut Context<'_>,
    (values, first): (&[Option<f64>], f64),
    color: Color,
    every: usize,
) {
    for (index, value) in values.iter().enumerate().step_by(every) {
        if let Some(y2) = value.filter(|value| *value > 0.0) {
            let x = first + float(index);
            context.draw(&Stroke { x1: x, y1: 0.0, x2: x, y2, color });
        }
    }
}

fn curve(context: &mut Context<'_>, (values, first): (&[Option<f64>], f64), color: Color) {
    for (index, value) in values.iter().enumerate() {
        let Some(y2) = *value else { continue };
        let before = index.checked_sub(1).and_then(|before| values.get(before).copied().flatten());
        let x2 = first + float(index);
        let (x1, y1) = before.map_or((x2, y2), |before| (x2 - 1.0, before));
        context.draw(&Stroke { x1, y1, x2, y2, color });
    }
}

fn float(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::{Series, binned, stacked, stretched};
    use crate::rates::Step;
    use ratatui::style::Style;

    #[test]
    fn bins_are_means_over_time_and_the_last_is_full() {
        let step = |seconds: f64, read| Step { seconds, read, ..Step::default() };
        let steps = [step(1.0, Some(9.0)), step(1.0, Some(1.0)), step(3.0, Some(5.0))];
        let (bins, each) = binned(&steps, 2);
        let values: Vec<_> = bins.iter().map(|bin| bin.read.map(f64::to_bits)).collect();
        assert_eq!(values, [Some(9.0_f64.to_bits()), Some(4.0_f64.to_bits())]);
        assert!((each - 2.5).abs() < 1e-9);
        assert_eq!(binned(&[step(1.0, None)], 5).0[0].read, None, "unknown is no zero");
        assert!(binned(&[], 5).0.is_empty());
        let (stretched, each) = stretched(bins, each, 9);
        assert_eq!(stretched.len(), 8, "as often as all of them fit");
        assert!((each - 2.5 / 4.0).abs() < 1e-9);
    }

    #[test]
    fn areas_stand_on_each_other_and_the_unknown_adds_nothing() {
        let series = |values: &[Option<f64>]| Series {
            name: "",
            style: Style::new(),
            sign: ' ',
            now: None,
            values: values.to_vec(),
        };
        let tops = stacked(&[
            series(&[]),
            series(&[Some(1.0), None, None]),
            series(&[Some(2.0), Some(5.0), None]),
        ]);
        let bits =
            |top: &[Option<f64>]| top.iter().map(|it| it.map(f64::to_bits)).collect::<Vec<_>>();
        assert_eq!(bits(&tops[0]), bits(&[Some(3.0), Some(5.0), None]));
        assert_eq!(bits(&tops[1]), bits(&[Some(2.0), Some(5.0), None]));
    }
}
