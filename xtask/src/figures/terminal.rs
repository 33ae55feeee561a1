//! What commands print, as a picture of a terminal; several are shown one after the other, without a script.

use std::fmt::Write as _;
use std::num::NonZero;

use vt100::{Cell, Color, Parser};

/// Characters of a screen, and lines of it.
const COLUMNS: NonZero<u16> = NonZero::new(100).unwrap();
const ROWS: NonZero<u16> = NonZero::new(32).unwrap();
/// A character and a line, in pixels.
const WIDTH: f64 = 8.43;
const HEIGHT: f64 = 18.0;
/// Room around the text, and the bar of the window.
const MARGIN: f64 = 16.0;
const BAR: f64 = 30.0;
/// How long a screen is shown.
const SECONDS: usize = 7;
/// The sixteen colours of a terminal, on a dark ground.
const COLOURS: [&str; 16] = [
    "#3b4252", "#ff7b72", "#7ee787", "#f2cc60", "#79c0ff", "#d2a8ff", "#76e3ea", "#d0d7de",
    "#8b949e", "#ffa198", "#aff5b4", "#f8e3a1", "#a5d6ff", "#e2c5ff", "#b3f0ff", "#ffffff",
];
const INK: &str = "#d0d7de";
const PAPER: &str = "#0d1117";

/// A terminal after a command.
#[derive(Debug)]
pub(super) struct Screen {
    lines: Vec<Vec<Run>>,
    command: String,
}

/// Characters in a row that look the same.
#[derive(Debug, PartialEq, Eq)]
struct Run {
    column: u16,
    text: String,
    look: Look,
}

/// How a character looks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Look {
    ink: Option<String>,
    paper: Option<String>,
    bold: bool,
    dim: bool,
}

impl Screen {
    /// Returns the first lines of what a command printed, behind the command.
    pub(super) fn of(command: &str, printed: &str) -> Self {
        let mut parser = Parser::new(ROWS, COLUMNS, 0);
        parser.process(format!("\x1b[32m$\x1b[0m \x1b[1marcwright {command}\x1b[0m").as_bytes());
        for line in printed.lines().take(usize::from(ROWS.get()) - 1) {
            // How long it took is another time each time.
            let line = line.split(", took ").next().unwrap_or(line);
            parser.process(format!("\r\n{line}").as_bytes());
        }
        let screen = parser.screen();
        let line = |row| {
            let cells =
                (0..COLUMNS.get()).filter_map(|column| Some((column, screen.cell(row, column)?)));
            runs(cells)
        };
        Self { lines: (0..ROWS.get()).map(line).collect(), command: command.to_owned() }
    }

    fn draw(&self) -> String {
        let mut svg = String::new();
        for (row, runs) in (0_u16..).zip(&self.lines) {
            let y = f64::from(row).mul_add(HEIGHT, BAR + MARGIN);
            for run in runs {
                let x = f64::from(run.column).mul_add(WIDTH, MARGIN);
                let width = WIDTH
                    * f64::from(u16::try_from(run.text.chars().count()).unwrap_or(COLUMNS.get()));
                if let Some(paper) = &run.look.paper {
                    let _ = write!(
                        svg,
                        r#"<rect x="{x:.2}" y="{y:.1}" width="{width:.2}" height="{HEIGHT}" fill="{paper}"/>"#
                    );
                }
                let base = y + HEIGHT - 5.0;
                let ink = run.look.ink.as_deref().unwrap_or(INK);
                let bold = if run.look.bold { r#" font-weight="700""# } else { "" };
                let dim = if run.look.dim { r#" opacity="0.65""# } else { "" };
                let text = escaped(&run.text);
                let _ = writeln!(
                    svg,
                    r#"<text x="{x:.2}" y="{base:.1}" textLength="{width:.2}" fill="{ink}"{bold}{dim}>{text}</text>"#
                );
            }
        }
        svg
    }
}

/// Puts characters together that look the same; blanks at the end of a line are left out.
fn runs<'a>(cells: impl Iterator<Item = (u16, &'a Cell)>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (column, cell) in cells {
        let (look, text) = (look(cell), cell.contents());
        let text = if text.is_empty() { " " } else { text };
        match runs.last_mut() {
            Some(run) if run.look == look => run.text.push_str(text),
            _ => runs.push(Run { column, text: text.to_owned(), look }),
        }
    }
    for run in runs.iter_mut().filter(|run| run.look.paper.is_none()) {
        let blanks = run.text.len() - run.text.trim_start().len();
        run.column += u16::try_from(blanks).unwrap_or_default();
        run.text = run.text.trim().to_owned();
    }
    runs.retain(|run| !run.text.is_empty());
    runs
}

fn look(cell: &Cell) -> Look {
    let (ink, paper) = (colour(cell.fgcolor()), colour(cell.bgcolor()));
    let (bold, dim) = (cell.bold(), cell.dim());
    if cell.inverse() {
        let (ink, paper) = (paper.unwrap_or(PAPER.to_owned()), ink.unwrap_or(INK.to_owned()));
        return Look { ink: Some(ink), paper: Some(paper), bold, dim };
    }
    Look { ink, paper, bold, dim }
}

/// Returns a colour; none is that of the terminal.
fn colour(colour: Color) -> Option<String> {
    match colour {
        Color::Default => None,
        Color::Idx(number) => Some(indexed(number)),
        Color::Rgb(red, green, blue) => Some(format!("#{red:02x}{green:02x}{blue:02x}")),
    }
}

/// Returns a colour of the 256: sixteen of the terminal's, a cube of six steps a side, a row of greys.
fn indexed(number: u8) -> String {
    if let Some(colour) = COLOURS.get(usize::from(number)) {
        return (*colour).to_owned();
    }
    if number >= 232 {
        let grey = 8 + 10 * (number - 232);
        return format!("#{grey:02x}{grey:02x}{grey:02x}");
    }
    let step = |part: u8| if part == 0 { 0 } else { 55 + 40 * part };
    let cube = number - 16;
    format!("#{:02x}{:02x}{:02x}", step(cube / 36), step(cube / 6 % 6), step(cube % 6))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Returns screens as one picture that shows one after the other, over and over.
///
/// Who wants less motion, and what shows no animation, sees the first.
pub(super) fn recording(screens: &[Screen]) -> String {
    let width = f64::from(COLUMNS.get()).mul_add(WIDTH, 2.0 * MARGIN);
    let height = f64::from(ROWS.get()).mul_add(HEIGHT, BAR + 2.0 * MARGIN);
    let commands: Vec<&str> = screens.iter().map(|screen| screen.command.as_str()).collect();
    let said = escaped(&commands.join("; arcwright "));
    let mut svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0} {height:.0}" width="{width:.0}" height="{height:.0}" role="img"><title>arcwright {said}</title>"#
    );
    let _ = write!(
        svg,
        "<style>text{{font:14px ui-monospace,Menlo,Consolas,monospace;white-space:pre}}{}</style>",
        motion(screens.len())
    );
    let _ = write!(svg, r#"<rect width="100%" height="100%" rx="8" fill="{PAPER}"/>"#);
    for (at, fill) in [(20, "#ff5f57"), (40, "#febc2e"), (60, "#28c840")] {
        let _ = write!(svg, r#"<circle cx="{at}" cy="18" r="6" fill="{fill}"/>"#);
    }
    for (number, screen) in screens.iter().enumerate() {
        let _ = writeln!(svg, "\n<g class=\"s s{number}\">\n{}</g>", screen.draw());
    }
    svg + "</svg>\n"
}

/// Returns the rules that show each of some screens in its turn.
fn motion(screens: usize) -> String {
    if screens < 2 {
        return String::new();
    }
    let whole = screens * SECONDS;
    let part = 100 / screens;
    let mut css = format!(
        "g.s:not(.s0){{visibility:hidden}}@media (prefers-reduced-motion:no-preference){{\
         g.s{{animation:turn {whole}s step-end infinite}}"
    );
    for number in 0..screens {
        let _ = write!(css, "g.s{number}{{animation-delay:{}s}}", number * SECONDS);
    }
    let _ =
        write!(css, "}}@keyframes turn{{0%{{visibility:visible}}{part}%{{visibility:hidden}}}}");
    css
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(printed: &str) -> Vec<(u16, String)> {
        let screen = Screen::of("x", printed);
        screen.lines[1].iter().map(|run| (run.column, run.text.clone())).collect()
    }

    #[test]
    fn looks_part_a_line() {
        let red = texts("  a \x1b[31mb\x1b[0m c");
        assert_eq!(red, [(2, "a".to_owned()), (4, "b".to_owned()), (6, "c".to_owned())]);
    }

    #[test]
    fn text_stays_text() {
        let svg = recording(&[Screen::of("x", "<script>&\n")]);
        assert!(svg.contains("&lt;script&gt;&amp;") && !svg.contains("<script"), "{svg}");
    }

    #[test]
    fn times_are_left_out() {
        assert_eq!(texts("model, took 1.90 s"), [(0, "model".to_owned())]);
    }

    #[test]
    fn every_indexed_colour_is_one() {
        for number in 0..=255 {
            let colour = indexed(number);
            assert!(colour.len() == 7 && colour.starts_with('#'), "{number}: {colour}");
        }
    }
}
