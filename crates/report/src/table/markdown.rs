//! Tables as Markdown, as GitHub and most forums read them.

use super::{Cell, Line, Table};

impl Table {
    /// Returns the table as Markdown: a pair of columns under one head becomes one column.
    pub(crate) fn markdown(&self) -> String {
        let is_paired = self.lines.iter().any(|line| matches!(line, Line::Heads(_)));
        let mut rows: Vec<Vec<String>> = Vec::new();
        for line in &self.lines {
            match line {
                Line::Heads(cells) => rows.push(texts_of(cells, 1)),
                Line::Cells(cells) => rows.push(texts_of(cells, if is_paired { 2 } else { 1 })),
                Line::Span(cell) => rows.push(vec![escaped(cell.text.trim())]),
                Line::Rule => {}
            }
        }
        let width = rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut text = String::new();
        for (at, mut row) in rows.into_iter().enumerate() {
            // A row of its own, or one that others below belong to.
            if let (Some(first), true) = (row.first_mut(), at > 0 && self.begins_group(at)) {
                *first = format!("**{first}**");
            }
            row.resize(width, String::new());
            text.extend(["| ", &row.join(" | "), " |\n"]);
            if at == 0 {
                text.extend(["|:--", &"|--:".repeat(width.saturating_sub(1)), "|\n"]);
            }
        }
        text
    }

    /// Says whether the row `at`, rules aside, stands at the left edge.
    fn begins_group(&self, at: usize) -> bool {
        let mut rows = self.lines.iter().filter(|line| !matches!(line, Line::Rule));
        match rows.nth(at) {
            Some(Line::Span(_)) => true,
            Some(Line::Cells(cells)) => {
                cells.first().is_some_and(|cell| !cell.text.starts_with(' '))
            }
            _ => false,
        }
    }
}

/// Returns the first cell, and the others joined by so many at a time, for Markdown.
fn texts_of(cells: &[Cell], at_a_time: usize) -> Vec<String> {
    let Some((first, rest)) = cells.split_first() else { return Vec::new() };
    let joined = |cells: &[Cell]| {
        let texts: Vec<&str> = cells.iter().map(|cell| cell.text.trim()).collect();
        escaped(texts.join(" ").trim())
    };
    std::iter::once(escaped(first.text.trim())).chain(rest.chunks(at_a_time).map(joined)).collect()
}

/// Returns text that means in Markdown what it says: nothing of it is a link, an image, a tag or a column.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let inside = before.is_alphanumeric() && rest.peek().is_some_and(|c| c.is_alphanumeric());
        let speaks = match c {
            // Within a name, as in l2arc_noprefetch, it is a letter.
            '_' => !inside,
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '|' | '#' | '~' | '&' | '$' | '@' => true,
            '!' => rest.peek() == Some(&'['),
            // What looks like an address becomes a link without being asked.
            ':' => rest.peek() == Some(&'/'),
            _ => false,
        };
        out.extend(speaks.then_some('\\'));
        out.push(c);
        before = c;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn names_stay_readable() {
        let check = |text: &str, expected: &str| assert_eq!(escaped(text), expected);
        check("l2arc_noprefetch=0", "l2arc_noprefetch=0");
        check("_x_ 1 * 2", "\\_x\\_ 1 \\* 2");
        check("1 GiB/s (+3 %)", "1 GiB/s (+3 %)");
    }
}
