//! A borderless table: columns two spaces apart, the first left-aligned, the others right-aligned; tables of
//! words, with all columns left-aligned; paragraphs.
//!
//! Not a general table library: colour codes take no room here, a head may stand over a pair of
//! columns, a column in which nothing stands takes no room, and no line ends in spaces.

mod html;
mod markdown;
mod split;

use arcwright_units::visible;
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};
use unicode_width::UnicodeWidthStr as _;

pub(crate) use markdown::escaped;

/// The meaning of a cell, shown as colour where colour is wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Nothing special.
    #[default]
    Plain,
    /// A heading.
    Strong,
    /// Secondary figures.
    Faint,
    /// Clearly better.
    Good,
    /// Clearly worse.
    Bad,
    /// Something to take note of.
    Warn,
}

impl Tone {
    const fn code(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Strong => Some("1"),
            Self::Faint => Some("2"),
            Self::Good => Some("32"),
            Self::Bad => Some("31"),
            Self::Warn => Some("33"),
        }
    }

    /// Returns `text` in this tone.
    pub(crate) fn paint(self, text: &str, colour: bool) -> String {
        match self.code() {
            Some(code) if colour && !text.is_empty() => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            _ => text.to_owned(),
        }
    }
}

/// Text with a tone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) text: String,
    pub(crate) tone: Tone,
}

impl Cell {
    pub(crate) fn new(text: impl Into<String>, tone: Tone) -> Self {
        Self { text: visible(&text.into()).into_owned(), tone }
    }

    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self::new(text, Tone::Plain)
    }
}

/// A table under construction.
#[derive(Debug, Default)]
pub(crate) struct Table {
    lines: Vec<Line>,
}

#[derive(Debug)]
enum Line {
    Cells(Vec<Cell>),
    /// The first head stands over the first column, every other one over the next two.
    Heads(Vec<Cell>),
    Span(Cell),
    Rule,
}

const GAP: &str = "  ";

impl Table {
    pub(crate) fn cells(&mut self, cells: Vec<Cell>) {
        self.lines.push(Line::Cells(cells));
    }

    /// Adds heads of which all but the first stand over two columns.
    pub(crate) fn heads_of_pairs(&mut self, heads: Vec<Cell>) {
        self.lines.push(Line::Heads(heads));
    }

    /// Adds a line that does not take part in the columns.
    pub(crate) fn span(&mut self, cell: Cell) {
        self.lines.push(Line::Span(cell));
    }

    pub(crate) fn rule(&mut self) {
        self.lines.push(Line::Rule);
    }

    /// Drops the columns in which no line but the first says anything, the first column aside.
    ///
    /// A zero is a measurement and says something, except in the columns `zero_is_silent`.
    pub(crate) fn drop_silent_columns(&mut self, zero_is_silent: &[usize]) {
        let used: Vec<bool> = (0..self.widths().len())
            .map(|column| {
                let silent_zero = zero_is_silent.contains(&column);
                let said = |line: &Line| match line {
                    Line::Cells(cells) => cells
                        .get(column)
                        .is_some_and(|cell| says_something(&cell.text, silent_zero)),
                    Line::Heads(_) | Line::Span(_) | Line::Rule => false,
                };
                column == 0 || self.lines.iter().skip(1).any(said)
            })
            .collect();
        for line in &mut self.lines {
            if let Line::Cells(cells) = line {
                let mut kept = used.iter();
                cells.retain(|_| kept.next().copied().unwrap_or(true));
            }
        }
    }

    pub(crate) fn render(&self, colour: bool) -> String {
        let widths = self.widths();
        let mut text = String::new();
        for line in &self.lines {
            let line = match line {
                Line::Rule => "─".repeat(total(&widths)),
                Line::Span(cell) => cell.tone.paint(&cell.text, colour),
                Line::Cells(cells) => render_cells(cells, &widths, colour),
                Line::Heads(heads) => render_cells(heads, &widths_of_pairs(&widths), colour),
            };
            text.push_str(&line);
            text.push('\n');
        }
        text
    }

    /// Returns the width of the whole table.
    pub(crate) fn width(&self) -> usize {
        total(&self.widths())
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths: Vec<usize> = Vec::new();
        for line in &self.lines {
            let Line::Cells(cells) = line else { continue };
            widths.resize(widths.len().max(cells.len()), 0);
            for (width, cell) in widths.iter_mut().zip(cells) {
                *width = (*width).max(cell.text.width());
            }
        }
        self.make_room_for_heads(&mut widths);
        widths
    }

    /// Widens the first column of every pair whose head is wider than the pair.
    fn make_room_for_heads(&self, widths: &mut [usize]) {
        for line in &self.lines {
            let Line::Heads(heads) = line else { continue };
            let pairs = widths_of_pairs(widths);
            let firsts = widths.iter_mut().enumerate().filter(|(at, _)| *at == 0 || at % 2 == 1);
            for (((_, width), pair), head) in firsts.zip(pairs).zip(heads) {
                *width += head.text.width().saturating_sub(pair);
            }
        }
    }
}

fn total(widths: &[usize]) -> usize {
    let shown = widths.iter().filter(|width| **width > 0);
    shown.map(|width| width + GAP.len()).sum::<usize>().saturating_sub(GAP.len())
}

/// Returns the width of the first column and of every pair of columns after it.
fn widths_of_pairs(widths: &[usize]) -> Vec<usize> {
    let Some((first, rest)) = widths.split_first() else {
        return Vec::new();
    };
    std::iter::once(*first).chain(rest.chunks(2).map(total)).collect()
}

fn render_cells(cells: &[Cell], widths: &[usize], colour: bool) -> String {
    let mut line = String::new();
    let shown = cells.iter().zip(widths).filter(|(_, width)| **width > 0);
    for (column, (cell, width)) in shown.enumerate() {
        let padding = " ".repeat(width.saturating_sub(cell.text.width()));
        let painted = cell.tone.paint(&cell.text, colour);
        if column == 0 {
            line.push_str(&painted);
            line.push_str(&padding);
        } else {
            line.push_str(GAP);
            line.push_str(&padding);
            line.push_str(&painted);
        }
    }
    line.trim_end_matches(' ').to_owned()
}

fn says_something(text: &str, zero_is_silent: bool) -> bool {
    match text {
        "" | "-" => false,
        "0" | "0 B" => !zero_is_silent,
        _ => true,
    }
}

/// A cell is cut here: what is longer is no value that anybody set, and all of it is in the other forms.
const CELL_CHARS_MAX: usize = 160;

/// Returns rows under a header, all cells at the left edge of columns as wide as their widest cell.
#[must_use]
pub fn columns(header: &[&str], rows: &[Vec<String>]) -> String {
    let cut = |cell: &String| {
        let shown = visible(cell);
        let end = shown.char_indices().nth(CELL_CHARS_MAX);
        match end.and_then(|(end, _)| shown.get(..end)) {
            Some(beginning) => format!("{beginning}…"),
            None => shown.into_owned(),
        }
    };
    let head = header.iter().map(|head| (*head).to_owned()).collect();
    let rows = rows.iter().map(|row| row.iter().map(cut).collect());
    let lines: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    let widths = left_widths(&lines);
    let line = |cells: &Vec<String>| at_left(cells, &widths).trim_end().to_owned() + "\n";
    lines.iter().map(line).collect()
}

/// Returns the width of the widest cell of each column.
pub(crate) fn left_widths<Row: AsRef<[String]>>(lines: &[Row]) -> Vec<usize> {
    let mut widths: Vec<usize> = Vec::new();
    for cells in lines.iter().map(AsRef::as_ref) {
        widths.resize(widths.len().max(cells.len()), 0);
        for (width, cell) in widths.iter_mut().zip(cells) {
            *width = (*width).max(cell.width());
        }
    }
    widths
}

/// Returns cells in columns of these widths, each at its left edge, a gap after each.
pub(crate) fn at_left(cells: &[String], widths: &[usize]) -> String {
    let mut line = String::new();
    for (cell, width) in cells.iter().zip(widths) {
        line.push_str(cell);
        line.push_str(&" ".repeat(width.saturating_sub(cell.width())));
        line.push_str(GAP);
    }
    line
}

/// A paragraph is cut here: nobody reads more, and a machine's own words may be of any length.
const PARAGRAPH_CHARS_MAX: usize = 4000;

/// Returns `text` in lines of at most `width`, the first after `lead`, the others indented alike.
pub(crate) fn wrapped(lead: &str, text: &str, width: usize) -> String {
    if let Some((end, _)) = text.char_indices().nth(PARAGRAPH_CHARS_MAX) {
        let (shown, rest) = text.split_at(end);
        let more = rest.chars().count();
        return wrapped_whole(lead, &format!("{shown}… ({more} characters more)"), width);
    }
    wrapped_whole(lead, text, width)
}

fn wrapped_whole(lead: &str, text: &str, width: usize) -> String {
    let (lead, indent) = (visible(lead), " ".repeat(lead.width()));
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        return format!("{lead}\n");
    }
    let options = Options::new(width)
        .initial_indent(&lead)
        .subsequent_indent(&indent)
        .break_words(false)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit);
    // A figure and its sign stay on one line.
    let text = visible(&words.join(" ")).replace(" %", "\u{a0}%");
    textwrap::fill(&text, options).replace("\u{a0}%", " %") + "\n"
}

#[cfg(test)]
mod tests {
    use super::{Cell, Table, Tone, columns, wrapped};

    fn table() -> Table {
        let mut table = Table::default();
        let line = |words: [&str; 3]| words.iter().map(|word| Cell::plain(*word)).collect();
        table.cells(line(["Phase", "arm ä", "none"]));
        table.rule();
        table.cells(line(["a", "1.0", "-"]));
        table
    }

    #[test]
    fn figures_are_right_aligned_and_no_line_ends_in_spaces() {
        assert_eq!(
            table().render(false),
            "\
Phase  arm ä  none
──────────────────
a        1.0     -
"
        );
    }

    #[test]
    fn silent_columns_can_be_dropped() {
        let mut table = table();
        table.drop_silent_columns(&[]);
        assert_eq!(table.render(false), "Phase  arm ä\n────────────\na        1.0\n");
    }

    #[test]
    fn a_head_stands_over_its_pair_and_empty_columns_take_no_room() {
        let mut table = Table::default();
        let line = |words: &[&str]| words.iter().map(|word| Cell::plain(*word)).collect();
        table.heads_of_pairs(line(&["p", "first", "second arm"]));
        table.cells(line(&["a", "1", "", "2", "+100 %"]));
        assert_eq!(table.render(false), "p  first  second arm\na      1   2  +100 %\n");
    }

    #[test]
    fn colour_takes_no_room() {
        let mut table = table();
        table.cells(vec![Cell::plain("b"), Cell::new("2", Tone::Good)]);
        assert!(table.render(true).ends_with("b          \u{1b}[32m2\u{1b}[0m\n"));
    }

    #[test]
    fn names_cannot_steer_the_terminal() {
        assert_eq!(Cell::plain("a\u{1b}[2Jb\n").text, "a\\x1b[2Jb\\n");
        assert_eq!(wrapped("\u{7}", "a\u{1b}[2J", 80), "\\x07a\\x1b[2J\n");
    }

    #[test]
    fn long_text_is_wrapped_under_its_start() {
        assert_eq!(wrapped("- ", "one two three", 9), "- one two\n  three\n");
        let long = wrapped("", &"ä ".repeat(3000), 80);
        assert!(long.ends_with("… (2000 characters more)\n"), "{long}");
    }

    #[test]
    fn columns_of_words_line_up() {
        let rows = vec![vec!["a".to_owned(), "“b”".to_owned(), "c".to_owned()]];
        assert_eq!(columns(&["name", "x", "y"], &rows), "name  x    y\na     “b”  c\n");
    }

    #[test]
    fn a_cell_of_any_length_is_shown_as_far_as_it_fits() {
        for length in [160, 161, 65_535, 65_536, 1 << 20] {
            let rows = vec![vec!["é".repeat(length), "b".to_owned()], vec!["a".into(), "b".into()]];
            let widest =
                columns(&["name", "x"], &rows).lines().map(|line| line.chars().count()).max();
            assert_eq!(widest, Some(if length > 160 { 164 } else { 163 }), "{length}");
        }
    }
}
