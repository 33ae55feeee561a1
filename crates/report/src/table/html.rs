//! Tables on a page of HTML: the same lines, with their names as heads of rows.

use super::{Cell, Line, Table, Tone};
use crate::markup::Markup;

impl Table {
    /// Returns the table; a pair of columns under one head becomes one column. `caption` says what it is of.
    pub(crate) fn html(&self, caption: &str) -> Markup {
        let is_paired = self.lines.iter().any(|line| matches!(line, Line::Heads(_)));
        let at_a_time = if is_paired { 2 } else { 1 };
        let columns = self.lines.iter().map(|line| match line {
            Line::Heads(cells) => cells.len(),
            Line::Cells(cells) => 1 + cells.len().saturating_sub(1).div_ceil(at_a_time),
            Line::Span(_) | Line::Rule => 1,
        });
        let columns = columns.max().unwrap_or(1).to_string();
        let mut html = Markup::new();
        let region =
            [("class", "scroll"), ("role", "region"), ("tabindex", "0"), ("aria-label", caption)];
        html.open("div", &region);
        html.open("table", &[]);
        html.element("caption", &[], caption);
        for (at, line) in self.lines.iter().enumerate() {
            match line {
                Line::Heads(cells) => head(&mut html, cells),
                Line::Cells(cells) if at == 0 => head(&mut html, cells),
                Line::Cells(cells) => row(&mut html, cells, at_a_time),
                Line::Span(cell) => {
                    html.open("tr", &[("class", "group")]);
                    let whole = [("scope", "row"), ("colspan", columns.as_str())];
                    html.element("th", &whole, cell.text.trim());
                    html.close("tr");
                }
                Line::Rule => {}
            }
        }
        html.close("tbody");
        html.close("table");
        html.close("div");
        html
    }
}

fn head(html: &mut Markup, cells: &[Cell]) {
    html.open("thead", &[]);
    html.open("tr", &[]);
    for (at, cell) in cells.iter().enumerate() {
        let class = if at == 0 { "text" } else { "number" };
        html.element("th", &[("scope", "col"), ("class", class)], cell.text.trim());
    }
    html.close("tr");
    html.close("thead");
    html.open("tbody", &[]);
}

fn row(html: &mut Markup, cells: &[Cell], at_a_time: usize) {
    let Some((name, rest)) = cells.split_first() else { return };
    // What belongs to the row above stands in a little.
    let class = if name.text.starts_with(' ') { "part" } else { "whole" };
    html.open("tr", &[("class", class)]);
    html.element("th", &[("scope", "row")], name.text.trim());
    for cells in rest.chunks(at_a_time) {
        html.open("td", &[]);
        for (at, cell) in cells.iter().filter(|cell| !cell.text.trim().is_empty()).enumerate() {
            if at > 0 {
                html.text(" ");
            }
            match cell.tone {
                Tone::Good => html.element("span", &[("class", "good")], cell.text.trim()),
                Tone::Bad => html.element("span", &[("class", "bad")], cell.text.trim()),
                _ => html.text(cell.text.trim()),
            }
        }
        html.close("td");
    }
    html.close("tr");
}
