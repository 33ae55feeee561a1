//! A table that is wider than the terminal, as several narrower ones below each other.

use super::{GAP, Line, Table};

impl Table {
    /// Returns the table as few tables as fit into `width`, about equally wide, each with the first column.
    ///
    /// Heads over pairs of columns are not split: a table with them is returned as it is.
    pub(crate) fn split(self, width: usize) -> Vec<Self> {
        let widths = self.widths();
        let has_pairs = self.lines.iter().any(|line| matches!(line, Line::Heads(_)));
        if has_pairs || self.width() <= width {
            return vec![self];
        }
        let few = parts(&widths, width);
        // Narrower ones, as long as they are no more: one with a single column below a full one looks lost.
        let narrower = (1..=width).rev().map(|width| parts(&widths, width));
        let even = narrower.take_while(|parts| parts.len() == few.len()).last().unwrap_or(few);
        even.iter().map(|columns| self.with(columns)).collect()
    }

    /// Returns the table with some of its columns alone.
    fn with(&self, columns: &[usize]) -> Self {
        let line = |line: &Line| match line {
            Line::Cells(cells) => {
                let cells = columns.iter().filter_map(|column| cells.get(*column));
                Line::Cells(cells.cloned().collect())
            }
            Line::Heads(heads) => Line::Heads(heads.clone()),
            Line::Span(cell) => Line::Span(cell.clone()),
            Line::Rule => Line::Rule,
        };
        Self { lines: self.lines.iter().map(line).collect() }
    }
}

/// Returns which columns stand together, the first in each part, where no part shall be wider than `width`.
fn parts(widths: &[usize], width: usize) -> Vec<Vec<usize>> {
    let first = widths.first().copied().unwrap_or(0);
    let mut parts: Vec<Vec<usize>> = Vec::new();
    let mut used = usize::MAX;
    for (column, own) in widths.iter().enumerate().skip(1) {
        let wider = used.saturating_add(own + GAP.len());
        match parts.last_mut().filter(|_| wider <= width) {
            Some(part) => {
                part.push(column);
                used = wider;
            }
            None => {
                parts.push(vec![0, column]);
                used = first + GAP.len() + own;
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::super::{Cell, Table};
    use super::parts;

    #[test]
    fn columns_stand_together_as_far_as_they_fit() {
        let check = |widths: &[usize], width, expected: &[&[usize]]| {
            assert_eq!(parts(widths, width), expected, "{widths:?} in {width}");
        };
        check(&[4, 4, 4, 4], 22, &[&[0, 1, 2, 3]]);
        check(&[4, 4, 4, 4], 21, &[&[0, 1, 2], &[0, 3]]);
        check(&[4, 9, 9], 3, &[&[0, 1], &[0, 2]]);
        check(&[4], 3, &[]);
    }

    #[test]
    fn a_table_that_is_too_wide_is_split_evenly() {
        let mut table = Table::default();
        for line in [["arm", "one", "two", "three", "four"], ["a", "1", "2", "3", "4"]] {
            table.cells(line.map(Cell::plain).to_vec());
        }
        let shown = |width: usize, table: Table| -> Vec<String> {
            table.split(width).iter().map(|part| part.render(false)).collect()
        };
        let expected = ["arm  one  two\na      1    2\n", "arm  three  four\na        3     4\n"];
        assert_eq!(shown(20, table), expected);
    }
}
