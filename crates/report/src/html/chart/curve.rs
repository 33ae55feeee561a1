//! What caches of growing sizes find: a line for each size of L2ARC, with the range of the simulation and the knee.

use arcwright_units::Bytes;

use super::legend::{self, Mark};
use crate::html::svg::{Drawing, LABEL, Path, Point, width_of};

/// A size with what it finds, as shares of one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spot {
    pub(crate) size: Bytes,
    pub(crate) hits: f64,
    pub(crate) range: Option<[f64; 2]>,
}

/// A line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CurveLine {
    pub(crate) name: String,
    pub(crate) spots: Vec<Spot>,
}

/// What is drawn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CurveDrawing {
    pub(crate) lines: Vec<CurveLine>,
    /// Beyond this size more brings little.
    pub(crate) knee: Option<Bytes>,
    /// What is there already.
    pub(crate) here: Option<Bytes>,
}

/// Classes of lines; more lines than these take the last again.
const CLASSES: [&str; 4] = ["of-arc", "of-l2arc", "of-disks", "of-more"];
const LEFT: f64 = 44.0;
const RIGHT: f64 = 14.0;
const PLOT: f64 = 240.0;
/// Room above the plot for what a mark is called.
const HEAD: f64 = 22.0;

/// Where sizes and shares are.
struct Scale {
    /// Doublings of the first size.
    from: f64,
    doublings: f64,
    width: f64,
    top: f64,
}

impl Scale {
    fn x(&self, size: Bytes) -> f64 {
        LEFT + (log2(size) - self.from) / self.doublings * (self.width - LEFT - RIGHT)
    }

    fn y(&self, share: f64) -> f64 {
        self.top + (1.0 - share.clamp(0.0, 1.0)) * PLOT
    }

    fn at(&self, size: Bytes, share: f64) -> Point {
        (self.x(size), self.y(share))
    }
}

fn log2(size: Bytes) -> f64 {
    libm::log2(size.0.max(1) as f64)
}

/// Draws curves of a width.
pub(crate) fn draw(curve: &CurveDrawing, width: f64) -> Drawing {
    let mut drawing = Drawing::new(width);
    let sizes = || curve.lines.iter().flat_map(|line| line.spots.iter().map(|spot| spot.size));
    let (Some(first), Some(last)) = (sizes().min(), sizes().max()) else { return drawing };
    let named: Vec<(Mark, &str)> = curve
        .lines
        .iter()
        .enumerate()
        .map(|(number, line)| (Mark::Line(class(number)), line.name.as_str()))
        .collect();
    let top = legend::draw(&mut drawing, 2.0, &named) + HEAD;
    let (from, to) = (log2(first), log2(last));
    let scale = Scale { from, doublings: (to - from).max(1e-9), width, top };
    grid(&mut drawing, &scale, (first, last));
    for (number, line) in curve.lines.iter().enumerate() {
        band(&mut drawing, &scale, line);
        let mut path = Path::new();
        for (at, spot) in line.spots.iter().enumerate() {
            let point = scale.at(spot.size, spot.hits);
            if at == 0 { path.to(point) } else { path.line(point) }
        }
        drawing.path(class(number), path.text());
    }
    let marks = [(curve.knee, "knee"), (curve.here, "as it is")];
    for (size, what) in marks {
        if let Some(size) = size.filter(|size| (first..=last).contains(size)) {
            mark(&mut drawing, &scale, (size, what));
        }
    }
    drawing.height = top + PLOT + 24.0;
    drawing
}

fn class(number: usize) -> &'static str {
    CLASSES.get(number).or(CLASSES.last()).copied().unwrap_or_default()
}

/// Draws the lines of both scales, with their figures.
fn grid(drawing: &mut Drawing, scale: &Scale, (first, last): (Bytes, Bytes)) {
    let (left, right, bottom) = (LEFT, scale.width - RIGHT, scale.top + PLOT);
    for quarter in 0..=4_u8 {
        let share = f64::from(quarter) / 4.0;
        let y = scale.y(share);
        drawing.line("grid", (left, y), (right, y));
        drawing.label("muted end", (left - 6.0, y + 4.0), &format!("{:.0} %", share * 100.0));
    }
    let mut free_from = f64::NEG_INFINITY;
    let mut power = first.0.max(1).next_power_of_two();
    while power <= last.0 {
        let x = scale.x(Bytes(power));
        drawing.line("grid", (x, scale.top), (x, bottom));
        let text = Bytes(power).to_string();
        let half = width_of(&text, LABEL) / 2.0;
        if x - half > free_from && x + half <= scale.width {
            drawing.label("muted middle", (x, bottom + 15.0), &text);
            free_from = x + half + 8.0;
        }
        let Some(next) = power.checked_mul(2) else { return };
        power = next;
    }
}

/// Draws between what a line may lie.
fn band(drawing: &mut Drawing, scale: &Scale, line: &CurveLine) {
    let ranged = || line.spots.iter().filter_map(|spot| Some((spot.size, spot.range?)));
    if !ranged().any(|(_, [low, high])| high - low > 1e-4) {
        return;
    }
    let mut path = Path::new();
    for (at, (size, [_, high])) in ranged().enumerate() {
        let point = scale.at(size, high);
        if at == 0 { path.to(point) } else { path.line(point) }
    }
    let back: Vec<Point> = ranged().map(|(size, [low, _])| scale.at(size, low)).collect();
    back.into_iter().rev().for_each(|point| path.line(point));
    path.close();
    drawing.path("band", path.text());
}

/// Draws a size that means something, with what it is.
fn mark(drawing: &mut Drawing, scale: &Scale, (size, what): (Bytes, &str)) {
    let x = scale.x(size);
    drawing.line("mark", (x, scale.top - 4.0), (x, scale.top + PLOT));
    let text = format!("{what}: {size}");
    let half = width_of(&text, LABEL) / 2.0;
    let x = x.clamp(half, scale.width - half);
    // Two marks that are close to each other stand above each other.
    let y = if what == "knee" { scale.top - 8.0 } else { scale.top + PLOT - 8.0 };
    drawing.label("mark-name middle", (x, y), &text);
}
