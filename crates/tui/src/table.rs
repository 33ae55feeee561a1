//! Tables of the dashboard: columns as there is room for, rows sorted and scrolled.
//!
//! The first column is a name and takes what the figures leave; figures come by their `rank`, those of the highest first.
//! A column without a word in any row is left out.
//! A row is never half shown: what is above and below is said in the panel's title.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::format::{ABSENT, end, padded, width};
use crate::palette::Palette;

/// A column of figures or words.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    pub(crate) title: &'static str,
    /// The columns of the screen that its widest value needs, and its title with the sign of the order.
    pub(crate) wide: usize,
    /// Of columns that do not all fit, those of a higher rank go first.
    pub(crate) rank: u8,
}

/// A figure, or a word.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cell {
    pub(crate) text: String,
    /// What it is sorted by; words are sorted as such.
    pub(crate) value: Option<f64>,
    pub(crate) style: Style,
}

impl Cell {
    pub(crate) fn word(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// Returns a figure as `print` writes it.
    pub(crate) fn figure(value: Option<f64>, print: fn(Option<f64>) -> String) -> Self {
        Self { text: print(value), value, ..Self::default() }
    }

    pub(crate) fn styled(self, style: Style) -> Self {
        Self { style, ..self }
    }
}

/// How rows are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sort {
    /// The index of the column; 0 is the name.
    pub(crate) column: usize,
    pub(crate) order: Order,
}

/// Which rows stand first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    SmallestFirst,
    LargestFirst,
}

impl Order {
    const fn reversed(self) -> Self {
        match self {
            Self::SmallestFirst => Self::LargestFirst,
            Self::LargestFirst => Self::SmallestFirst,
        }
    }
}

/// What its owner has chosen of a table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TableState {
    /// None: as the table comes, the busiest or the most important first.
    pub(crate) sort: Option<Sort>,
    /// Rows that are above.
    pub(crate) above: usize,
}

impl TableState {
    /// Sorts by a column, or the other way round by the one that it is sorted by.
    pub(crate) fn sort_by(&mut self, column: usize) {
        self.sort = Some(match self.sort {
            Some(sort) if sort.column == column => Sort { order: sort.order.reversed(), ..sort },
            // Of names the first letter, of figures the largest is looked for.
            _ if column == 0 => Sort { column, order: Order::SmallestFirst },
            _ => Sort { column, order: Order::LargestFirst },
        });
        self.above = 0;
    }

    /// Goes on to the next of so many columns, and behind the last one to none.
    pub(crate) fn next_column(&mut self, columns: usize) {
        let next = self.sort.map_or(0, |sort| sort.column + 1);
        self.sort = None;
        if next < columns {
            self.sort_by(next);
        }
    }

    pub(crate) fn reverse(&mut self) {
        match self.sort {
            Some(sort) => self.sort_by(sort.column),
            None => self.sort_by(0),
        }
    }

    pub(crate) fn scroll(&mut self, rows: isize) {
        self.above = self.above.saturating_add_signed(rows);
    }
}

/// A table as it is now.
#[derive(Debug, Default)]
pub(crate) struct Table {
    pub(crate) columns: &'static [Column],
    pub(crate) rows: Vec<Vec<Cell>>,
    /// What stands where there are no rows.
    pub(crate) empty: &'static str,
}

/// The fewest columns of a name, and the most that a figure is moved away from the one before it.
const NAME_MIN: usize = 10;
const SPREAD_MAX: usize = 6;

/// A column on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PlacedColumn {
    /// Its index in the table.
    pub(crate) index: usize,
    /// Where it begins in the panel.
    pub(crate) x: usize,
    pub(crate) wide: usize,
}

impl Table {
    /// Returns the columns that fit into a panel so wide, and where they are.
    pub(crate) fn placed(&self, columns: usize) -> Vec<PlacedColumn> {
        let says = |index: &usize| {
            let mut cells = self.rows.iter().filter_map(|row| row.get(*index));
            self.rows.is_empty() || cells.any(|cell| !cell.text.is_empty())
        };
        let mut ranks: Vec<usize> = (1..self.columns.len()).filter(says).collect();
        let column = |index: usize| self.columns.get(index).copied();
        ranks.sort_by_key(|index| column(*index).map(|it| std::cmp::Reverse(it.rank)));
        let mut room = columns.saturating_sub(NAME_MIN);
        let mut fitting = Vec::new();
        for index in ranks {
            let wide = column(index).map_or(0, |it| it.wide + 1);
            if wide > room {
                break;
            }
            room -= wide;
            fitting.push(index);
        }
        fitting.sort_unstable();
        let longest = self.rows.iter().filter_map(|row| row.first()).map(|name| width(&name.text));
        let longest = longest.max().unwrap_or(0).max(NAME_MIN);
        let spare = room.saturating_sub(longest - NAME_MIN);
        let spread = (spare / fitting.len().max(1)).min(SPREAD_MAX);
        let name = NAME_MIN.min(columns) + room - spread * fitting.len();
        let mut x = name;
        let mut placed = vec![PlacedColumn { index: 0, x: 0, wide: name }];
        for index in fitting {
            let wide = column(index).map_or(0, |it| it.wide + 1) + spread;
            placed.push(PlacedColumn { index, x, wide });
            x += wide;
        }
        placed
    }

    /// Sorts the rows; those without a figure stand last, equal ones as they were.
    pub(crate) fn sort(&mut self, sort: Sort) {
        let cell = |row: &[Cell]| row.get(sort.column).cloned().unwrap_or_default();
        let is_known = |cell: &Cell| cell.value.is_some() || cell.text != ABSENT;
        self.rows.sort_by(|one, other| {
            let (one, other) = (cell(one), cell(other));
            let by = match (one.value, other.value) {
                (Some(one), Some(other)) => one.total_cmp(&other),
                _ => one.text.cmp(&other.text),
            };
            let by = if sort.order == Order::LargestFirst { by.reverse() } else { by };
            is_known(&other).cmp(&is_known(&one)).then(by)
        });
    }

    /// Returns the rows that are shown: how many are above, and how many there are room for.
    pub(crate) fn shown(&self, state: TableState, lines: usize) -> std::ops::Range<usize> {
        let room = lines.saturating_sub(1);
        let above = state.above.min(self.rows.len().saturating_sub(room));
        above..(above + room).min(self.rows.len())
    }

    /// Returns the head and the rows that fit.
    pub(crate) fn lines(
        &self,
        state: TableState,
        (columns, lines): (usize, usize),
        palette: Palette,
    ) -> Vec<Line<'static>> {
        if self.rows.is_empty() {
            return vec![Line::styled(self.empty, palette.dim())];
        }
        let placed = self.placed(columns);
        let sign = |column: usize| match state.sort {
            Some(sort) if sort.column != column => "",
            Some(Sort { order: Order::LargestFirst, .. }) => "▼",
            Some(Sort { order: Order::SmallestFirst, .. }) => "▲",
            None => "",
        };
        let head = placed.iter().map(|column| {
            let title = self.columns.get(column.index).map_or("", |it| it.title);
            let sign = sign(column.index);
            let style = if sign.is_empty() { palette.dim() } else { palette.title() };
            Span::styled(aligned(&format!("{title}{sign}"), *column), style)
        });
        let mut made = vec![Line::from(head.collect::<Vec<_>>())];
        for row in self.rows.get(self.shown(state, lines)).unwrap_or_default() {
            let spans = placed.iter().map(|column| {
                let cell = row.get(column.index).cloned().unwrap_or_default();
                Span::styled(aligned(&cell.text, *column), cell.style)
            });
            made.push(Line::from(spans.collect::<Vec<_>>()));
        }
        made.truncate(lines);
        made
    }
}

/// Returns a text in its column: a name at the left, a figure at the right.
fn aligned(text: &str, column: PlacedColumn) -> String {
    let text = end(text, column.wide);
    match column.index {
        0 => padded(&text, column.wide),
        _ => format!("{}{text}", " ".repeat(column.wide.saturating_sub(width(&text)))),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Cell, Column, Order, Sort, Table, TableState};
    use crate::format;
    use crate::palette::Palette;

    const COLUMNS: [Column; 4] = [
        Column { title: "", wide: 0, rank: 9 },
        Column { title: "read", wide: 11, rank: 3 },
        Column { title: "role", wide: 6, rank: 1 },
        Column { title: "busy", wide: 9, rank: 2 },
    ];

    fn table(rows: &[(&str, Option<f64>)]) -> Table {
        let row = |(name, read): &(&str, Option<f64>)| {
            let read = Cell::figure(*read, format::rate);
            vec![Cell::word(name), read, Cell::word("data"), Cell::word("-")]
        };
        Table { columns: &COLUMNS, rows: rows.iter().map(row).collect(), empty: "none" }
    }

    fn check(table: &Table, expected: &[&str]) {
        let names: Vec<&str> = table.rows.iter().map(|row| row[0].text.as_str()).collect();
        assert_eq!(names, expected);
    }

    #[test]
    fn rows_without_a_figure_stand_last_in_both_orders() {
        let mut table = table(&[("a", None), ("b", Some(2.0)), ("c", Some(30.0))]);
        table.sort(Sort { column: 1, order: Order::LargestFirst });
        check(&table, &["c", "b", "a"]);
        table.sort(Sort { column: 1, order: Order::SmallestFirst });
        check(&table, &["b", "c", "a"]);
        table.sort(Sort { column: 0, order: Order::LargestFirst });
        check(&table, &["c", "b", "a"]);
    }

    #[test]
    fn keys_go_through_all_columns_and_back_to_none() {
        let mut state = TableState::default();
        let mut seen = Vec::new();
        for _ in 0..5 {
            state.next_column(4);
            seen.push(state.sort.map(|sort| sort.column));
        }
        assert_eq!(seen, [Some(0), Some(1), Some(2), Some(3), None]);
        state.sort_by(1);
        let largest = state.sort;
        state.reverse();
        assert_ne!(state.sort, largest);
        state.sort_by(1);
        assert_eq!(state.sort, largest);
    }

    #[test]
    fn columns_go_by_their_rank_where_there_is_no_room() {
        let titles = |columns: usize| {
            let table = table(&[("a", None)]);
            let placed = table.placed(columns);
            placed.iter().map(|it| COLUMNS[it.index].title).collect::<Vec<_>>()
        };
        assert_eq!(titles(60), ["", "read", "role", "busy"]);
        assert_eq!(titles(32), ["", "read", "busy"]);
        assert_eq!(titles(22), ["", "read"]);
        assert_eq!(titles(21), [""]);
    }

    proptest! {
        #[test]
        fn rows_fit_whole_at_every_width(
            columns in 0usize..250,
            lines in 0usize..30,
            count in 0usize..40,
            above in 0usize..50,
        ) {
            let long = "tank/a/very/long/name/of/a/dataset".repeat(3);
            let rows: Vec<_> = (0..count).map(|n| (if n % 2 == 0 { "a" } else { long.as_str() }, Some(n as f64))).collect();
            let table = table(&rows);
            let state = TableState { above, ..TableState::default() };
            let made = table.lines(state, (columns, lines), Palette::new(false));
            prop_assert!(count == 0 || made.len() <= lines);
            if count > 0 {
                for line in &made {
                    prop_assert!(line.width() <= columns, "{}", line);
                }
                prop_assert_eq!(made.len().saturating_sub(1), table.shown(state, lines).len());
            }
        }
    }
}
