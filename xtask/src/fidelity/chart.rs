//! The board as a picture: every arm and phase as a dot, its error along the line.

use std::fmt::Write as _;

/// One row of dots.
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) unit: &'static str,
    /// Errors, model less lab.
    pub(super) errors: Vec<f64>,
    /// The aim for the mean and for 95 % of the cases.
    pub(super) aims: (f64, Option<f64>),
    /// What the right edge stands for.
    pub(super) edge: f64,
}

const WIDTH: f64 = 900.0;
const LEFT: f64 = 170.0;
const RIGHT: f64 = 20.0;
const ROW: f64 = 110.0;
const TOP: f64 = 50.0;

/// Draws the rows one below the other; errors beyond an edge are drawn on it as triangles.
pub(super) fn svg(title: &str, rows: &[Row]) -> String {
    let height = TOP + ROW * rows.len() as f64 + 10.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"20\" y=\"28\" font-size=\"16\" font-weight=\"bold\">{title}</text>\n"
    );
    for (number, row) in rows.iter().enumerate() {
        draw(&mut out, row, TOP + ROW * number as f64);
    }
    out.push_str("</svg>\n");
    out
}

fn draw(out: &mut String, row: &Row, top: f64) {
    let (middle, half) = ((LEFT + WIDTH - RIGHT) / 2.0, (WIDTH - RIGHT - LEFT) / 2.0);
    let x = |error: f64| middle + (error / row.edge).clamp(-1.0, 1.0) * half;
    let bottom = top + ROW - 30.0;
    let band = |out: &mut String, aim: f64, fill: &str| {
        let (from, to) = (x(-aim), x(aim));
        // Writing into a string cannot fail.
        let _ = writeln!(
            out,
            "<rect x=\"{from:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{fill}\"/>",
            to - from,
            bottom - top
        );
    };
    if let Some(most) = row.aims.1 {
        band(out, most, "#eef5ea");
    }
    band(out, row.aims.0, "#d3e8c8");
    let mean =
        row.errors.iter().map(|error| error.abs()).sum::<f64>() / row.errors.len().max(1) as f64;
    for (line, text) in [
        row.name.to_owned(),
        format!("mean {mean:.2} {}", row.unit),
        format!("aim {} {}", row.aims.0, row.unit),
    ]
    .iter()
    .enumerate()
    {
        let y = top + 26.0 + 18.0 * line as f64;
        let weight = if line == 0 { "bold" } else { "normal" };
        let _ = writeln!(out, "<text x=\"20\" y=\"{y:.1}\" font-weight=\"{weight}\">{text}</text>");
    }
    for (place, error) in row.errors.iter().enumerate() {
        let (cx, cy) = (x(*error), top + 8.0 + (place * 37 % 64) as f64);
        let _ = if error.abs() > row.edge {
            let tip = cx + 7.0 * error.signum();
            writeln!(
                out,
                "<path d=\"M{cx:.1} {:.1} L{tip:.1} {cy:.1} L{cx:.1} {:.1} Z\" fill=\"#b2182b\"/>",
                cy - 4.0,
                cy + 4.0
            )
        } else {
            writeln!(
                out,
                "<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"3\" fill=\"#2166ac\" fill-opacity=\"0.55\"/>"
            )
        };
    }
    let _ = writeln!(
        out,
        "<line x1=\"{middle}\" y1=\"{top:.1}\" x2=\"{middle}\" y2=\"{bottom:.1}\" stroke=\"black\"/>"
    );
    for part in [-1.0, -0.5, 0.0, 0.5, 1.0] {
        let (at, y) = (x(part * row.edge), bottom + 15.0);
        let anchor = if part > 0.9 { "end" } else { "middle" };
        let _ = writeln!(
            out,
            "<text x=\"{at:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"#555\">{:+} {}</text>",
            part * row.edge,
            row.unit
        );
    }
}

#[cfg(test)]
mod tests {
    use super::{Row, svg};

    #[test]
    fn every_error_has_its_mark() {
        let row = Row {
            name: "x",
            unit: "%",
            errors: vec![0.0, 1.0, -50.0],
            aims: (1.0, None),
            edge: 10.0,
        };
        let picture = svg("t", &[row]);
        assert_eq!(picture.matches("<circle").count(), 2);
        assert_eq!(picture.matches("<path").count(), 1);
        assert!(picture.contains("mean 17.00 %"));
    }
}
