//! What the colours and marks of a drawing mean, in as many lines as its width asks for.

use crate::html::svg::{Area, Drawing, LABEL, width_of};

/// How something is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// An area of this class.
    Area(&'static str),
    /// The same, hatched.
    Hatched(&'static str),
    /// A line of this class.
    Line(&'static str),
    /// A line with two ends.
    Whisker,
    /// A figure that somebody reported.
    Diamond(&'static str),
    /// A dot of this class.
    Dot(&'static str),
}

const SIZE: f64 = 12.0;
const LINE: f64 = 18.0;

/// Draws a legend from `top` on; returns where it ends.
pub(crate) fn draw(drawing: &mut Drawing, top: f64, entries: &[(Mark, &str)]) -> f64 {
    let (mut x, mut y) = (0.0, top);
    for (mark, text) in entries {
        let width = SIZE + 6.0 + width_of(text, LABEL);
        if x > 0.0 && x + width > drawing.width {
            (x, y) = (0.0, y + LINE);
        }
        show(drawing, *mark, (x, y));
        drawing.label("muted", (x + SIZE + 6.0, y + 10.5), text);
        x += width + 14.0;
    }
    if entries.is_empty() { top } else { y + LINE }
}

fn show(drawing: &mut Drawing, mark: Mark, (x, y): (f64, f64)) {
    let middle = y + SIZE / 2.0;
    let square = Area { x: x + 0.5, y: y + 0.5, width: SIZE - 1.0, height: SIZE - 1.0 };
    match mark {
        Mark::Area(class) => drawing.area(class, square),
        Mark::Hatched(class) => {
            drawing.area(class, square);
            hatch(drawing, square);
        }
        Mark::Line(class) => drawing.line(class, (x, middle), (x + SIZE, middle)),
        Mark::Whisker => whisker(drawing, (x, x + SIZE), middle),
        Mark::Diamond(class) => drawing.diamond(class, (x + SIZE / 2.0, middle), 5.0),
        Mark::Dot(class) => dot(drawing, class, (x + SIZE / 2.0, middle)),
    }
}

/// Draws from where to where a figure may lie.
pub(crate) fn whisker(drawing: &mut Drawing, (from, to): (f64, f64), y: f64) {
    // A halo of the paper's colour, so that it is seen on a bar as well.
    for class in ["halo", "whisker"] {
        drawing.line(class, (from, y), (to, y));
        for x in [from, to] {
            drawing.line(class, (x, y - 4.0), (x, y + 4.0));
        }
    }
}

/// Draws a dot.
pub(crate) fn dot(drawing: &mut Drawing, class: &str, (x, y): (f64, f64)) {
    let path = format!(
        "M{} {}a5 5 0 1 0 10 0a5 5 0 1 0 -10 0Z",
        crate::html::svg::number(x - 5.0),
        crate::html::svg::number(y)
    );
    drawing.path(class, &path);
}

/// Hatches an area, which tells it from others where colours do not.
pub(crate) fn hatch(drawing: &mut Drawing, area: Area) {
    const APART: f64 = 4.0;
    let mut path = crate::html::svg::Path::new();
    let mut along = APART / 2.0;
    while along < area.width + area.height {
        // From the upper or right edge down to the left or lower one.
        let upper = (area.x + along.min(area.width), area.y + (along - area.width).max(0.0));
        let lower = (area.x + (along - area.height).max(0.0), area.y + along.min(area.height));
        path.to(upper);
        path.line(lower);
        along += APART;
    }
    drawing.path("hatch", path.text());
}
