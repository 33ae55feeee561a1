//! A drawing: lines, areas and labels in SVG, whose colours are classes of the page's style.
//!
//! Not a chart library: what is drawn where is up to the charts. A drawing has a title and a description, which is what
//! somebody hears who cannot see it.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthChar as _;

use super::page::GENERATOR;
use crate::markup::Markup;

/// A point, in pixels from the upper left corner.
pub(crate) type Point = (f64, f64);

/// A rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Area {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Area {
    pub(crate) fn right(&self) -> f64 {
        self.x + self.width
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.y + self.height
    }
}

/// What a drawing says in words.
#[derive(Debug, Clone, Default)]
pub(crate) struct Described {
    /// One on a page, to which its texts' ids are joined.
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) description: String,
}

/// A drawing in the making.
#[derive(Debug, Clone)]
pub(crate) struct Drawing {
    pub(crate) width: f64,
    pub(crate) height: f64,
    body: Markup,
}

/// Size of a label that fits beside others, in pixels.
pub(crate) const LABEL: f64 = 12.0;

impl Drawing {
    pub(crate) fn new(width: f64) -> Self {
        Self { width, height: 0.0, body: Markup::new() }
    }

    pub(crate) fn line(&mut self, class: &str, from: Point, to: Point) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(number);
        let ends = [("class", class), ("x1", &x1), ("y1", &y1), ("x2", &x2), ("y2", &y2)];
        self.body.empty("line", &ends);
    }

    pub(crate) fn area(&mut self, class: &str, area: Area) {
        let [x, y] = [area.x, area.y].map(number);
        let [width, height] = [area.width, area.height].map(|size| number(size.max(0.0)));
        let sides =
            [("class", class), ("x", &x), ("y", &y), ("width", &width), ("height", &height)];
        self.body.empty("rect", &sides);
    }

    pub(crate) fn path(&mut self, class: &str, path: &str) {
        self.body.empty("path", &[("class", class), ("d", path)]);
    }

    /// Adds a label whose class says which of its ends, or that its middle, is at the point.
    pub(crate) fn label(&mut self, class: &str, at: Point, text: &str) {
        let [x, y] = [at.0, at.1].map(number);
        self.body.element("text", &[("class", class), ("x", &x), ("y", &y)], text);
    }

    /// Adds a label that is cut where it has no more room, and tells its whole text to a pointer.
    pub(crate) fn label_within(&mut self, class: &str, at: Point, (text, room): (&str, f64)) {
        let shown = fitted(text, room, LABEL);
        if shown == text {
            return self.label(class, at, text);
        }
        let [x, y] = [at.0, at.1].map(number);
        self.body.open("text", &[("class", class), ("x", &x), ("y", &y)]);
        self.body.element("title", &[], text);
        self.body.text(&shown);
        self.body.close("text");
    }

    /// Adds a mark of two pixels less than its place, for a figure that somebody reported.
    pub(crate) fn diamond(&mut self, class: &str, at: Point, half: f64) {
        let (x, y) = at;
        let mut path = Path::new();
        path.to((x, y - half));
        [(x + half, y), (x, y + half), (x - half, y)]
            .into_iter()
            .for_each(|point| path.line(point));
        path.close();
        self.path(class, path.text());
    }

    /// Returns a drawing with others below it, two beside each other.
    pub(crate) fn tiled(above: &Self, tiles: &[&Self]) -> Self {
        const GAP: f64 = 24.0;
        let mut all = Self::new(above.width);
        all.put(above, (0.0, 0.0));
        let mut top = above.height + GAP / 2.0;
        for pair in tiles.chunks(2) {
            let mut x = 0.0;
            for tile in pair {
                all.put(tile, (x, top));
                x += (above.width + GAP) / 2.0;
            }
            top += pair.iter().map(|tile| tile.height).fold(0.0, f64::max) + GAP;
        }
        all.height = top;
        all
    }

    /// Puts another drawing at a place.
    fn put(&mut self, other: &Self, (x, y): Point) {
        let shift = format!("translate({} {})", number(x), number(y));
        self.body.wrap("g", &[("transform", &shift)], &other.body);
    }

    /// Returns the drawing for a page.
    pub(crate) fn on_page(&self, described: &Described) -> Markup {
        self.svg(described, None)
    }

    /// Returns the drawing as a file of its own, in this style.
    pub(crate) fn alone(&self, described: &Described, style: &'static str) -> Markup {
        self.svg(described, Some(style))
    }

    fn svg(&self, described: &Described, style: Option<&'static str>) -> Markup {
        const NAMESPACE: &str = "http://www.w3.org/2000/svg";
        let [width, height] = [self.width, self.height].map(number);
        let view = format!("0 0 {width} {height}");
        let Described { id, title, description } = described;
        let [title_id, description_id] = ["title", "text"].map(|of| format!("{id}-{of}"));
        let labels = format!("{title_id} {description_id}");
        let mut svg = Markup::new();
        let shared = [
            ("class", "chart"),
            ("role", "img"),
            ("aria-labelledby", &labels),
            ("viewBox", &view),
            ("width", &width),
            ("height", &height),
        ];
        match style {
            None => svg.open("svg", &shared),
            Some(_) => svg.open("svg", &[&[("xmlns", NAMESPACE)], shared.as_slice()].concat()),
        }
        svg.element("title", &[("id", &title_id)], title);
        svg.element("desc", &[("id", &description_id)], description);
        if let Some(style) = style {
            svg.element("metadata", &[], GENERATOR);
            svg.open("style", &[]);
            svg.verbatim(style);
            svg.close("style");
            svg.empty("rect", &[("class", "paper"), ("width", "100%"), ("height", "100%")]);
        }
        svg.add(&self.body);
        svg.close("svg");
        svg
    }
}

/// A path in the making.
#[derive(Debug, Clone, Default)]
pub(crate) struct Path {
    text: String,
    /// The height that the last step has come to.
    height: Option<String>,
}

impl Path {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn to(&mut self, point: Point) {
        self.command("M", point);
    }

    pub(crate) fn line(&mut self, point: Point) {
        self.command("L", point);
    }

    /// Goes to a point as a step does: along, then up or down.
    pub(crate) fn step(&mut self, (x, y): Point) {
        let y = number(y);
        if self.height.as_ref() != Some(&y) {
            let _ = write!(self.text, "V{y}");
            self.height = Some(y);
        }
        let _ = write!(self.text, "H{}", number(x));
    }

    pub(crate) fn close(&mut self) {
        self.text.push('Z');
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    fn command(&mut self, command: &str, (x, y): Point) {
        // Writing into a string cannot fail.
        let y = number(y);
        let _ = write!(self.text, "{command}{} {y}", number(x));
        self.height = Some(y);
    }
}

/// Prints a coordinate to a tenth of a pixel.
pub(crate) fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_owned)
}

/// Returns the width of a text of this size in the usual fonts, rather too much than too little.
pub(crate) fn width_of(text: &str, size: f64) -> f64 {
    text.chars().map(letter_width).sum::<f64>() * size
}

/// Returns the width of a letter for a size of 1, by the metrics of a wide font (DejaVu Sans), rounded up.
fn letter_width(letter: char) -> f64 {
    match letter {
        'i' | 'j' | 'l' | '\'' | '|' => 0.29,
        ' ' | '.' | ',' | ':' | ';' | 'f' | 't' | 'r' | 'I' | '/' | '-' | '(' | ')' => 0.42,
        'm' | 'M' | 'W' | '%' | '@' | '…' => 1.0,
        'w' | '+' | '=' | '<' | '>' | '~' | '±' | '×' => 0.84,
        '0'..='9' | 'a'..='z' | '_' => 0.64,
        // Letters of other scripts may be two columns wide.
        letter => 0.8 * letter.width().unwrap_or(1).max(1) as f64,
    }
}

/// Returns as much of a text as there is room for, with an ellipsis where that is not all.
pub(crate) fn fitted(text: &str, room: f64, size: f64) -> String {
    if width_of(text, size) <= room {
        return text.to_owned();
    }
    let mut shown = String::new();
    for letter in text.chars() {
        shown.push(letter);
        if width_of(&shown, size) + width_of("…", size) > room {
            shown.pop();
            break;
        }
    }
    shown.trim_end().to_owned() + "…"
}

#[cfg(test)]
mod tests {
    use super::{fitted, number, width_of};

    #[test]
    fn a_label_has_no_more_than_its_room() {
        for room in [0.0, 10.0, 37.0, 80.0, 500.0] {
            let shown = fitted("first read of the library", room, 12.0);
            assert!(width_of(&shown, 12.0) <= room.max(width_of("…", 12.0)), "{shown}");
        }
        assert_eq!(fitted("first", 100.0, 12.0), "first");
    }

    #[test]
    fn coordinates_are_short() {
        for (value, text) in [(1.0, "1"), (1.25, "1.2"), (-0.04, "-0"), (12.34, "12.3")] {
            assert_eq!(number(value), text);
        }
    }
}
