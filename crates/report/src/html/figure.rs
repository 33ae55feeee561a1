//! A chart on a page: what it shows, the drawing, and the same as a table for who cannot see it or wants the figures.

use super::chart::{NARROW, WIDE};
use super::svg::{Described, Drawing};
use crate::markup::Markup;

/// Figures in rows, the first cell of each its name.
#[derive(Debug, Clone, Default)]
pub(crate) struct DataTable {
    pub(crate) heads: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
    /// How many columns from the left are names.
    pub(crate) names: usize,
}

impl DataTable {
    /// Returns a table without rows, whose first so many columns are names.
    pub(crate) fn new(names: usize, heads: &[&str]) -> Self {
        let heads = heads.iter().map(|head| (*head).to_owned()).collect();
        Self { heads, rows: Vec::new(), names }
    }

    /// Leaves columns out in which nothing stands.
    pub(crate) fn without_empty(mut self) -> Self {
        let says = |text: &String| !text.is_empty() && text != crate::figures::ABSENT;
        let is_used: Vec<bool> = (0..self.heads.len())
            .map(|at| self.rows.iter().any(|row| row.get(at).is_some_and(says)))
            .collect();
        let keep = |row: &mut Vec<String>| {
            let mut used = is_used.iter().copied();
            row.retain(|_| used.next() == Some(true));
        };
        keep(&mut self.heads);
        self.rows.iter_mut().for_each(keep);
        self
    }

    pub(crate) fn markup(&self, caption: &str) -> Markup {
        let mut table = Markup::new();
        let region = [("class", "scroll"), ("role", "region"), ("tabindex", "0")];
        table.open("div", &[region.as_slice(), &[("aria-label", caption)]].concat());
        table.open("table", &[]);
        table.element("caption", &[], caption);
        table.open("thead", &[]);
        table.open("tr", &[]);
        for (at, head) in self.heads.iter().enumerate() {
            let class = if at < self.names { "text" } else { "number" };
            table.element("th", &[("scope", "col"), ("class", class)], head);
        }
        table.close("tr");
        table.close("thead");
        table.open("tbody", &[]);
        for row in &self.rows {
            table.open("tr", &[]);
            for (at, cell) in row.iter().enumerate() {
                match at {
                    0 => table.element("th", &[("scope", "row")], cell),
                    at if at < self.names => table.element("td", &[("class", "text")], cell),
                    _ => table.element("td", &[], cell),
                }
            }
            table.close("tr");
        }
        table.close("tbody");
        table.close("table");
        table.close("div");
        table
    }
}

/// What stands with a chart.
#[derive(Debug, Clone)]
pub(crate) struct Caption {
    /// Where links lead to.
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    /// How to read it.
    pub(crate) lead: String,
    /// What it shows, for who cannot see it.
    pub(crate) description: String,
}

/// Panels of the same phases.
#[derive(Debug, Clone)]
pub(crate) struct PanelGroup {
    /// The phases.
    pub(crate) title: String,
    /// One for each arm.
    pub(crate) panels: Vec<(String, Drawing)>,
}

/// Returns a chart that is drawn for wide and for narrow windows.
pub(crate) fn chart(caption: &Caption, draw: &dyn Fn(f64) -> Drawing, table: &Markup) -> Markup {
    let mut inner = Markup::new();
    for (class, width) in [("wide", WIDE), ("narrow", NARROW)] {
        let described = Described {
            id: format!("{}-{class}", caption.id),
            title: caption.title.to_owned(),
            description: caption.description.clone(),
        };
        inner.wrap("div", &[("class", class)], &draw(width).on_page(&described));
    }
    figure(caption, &inner, table)
}

/// Returns panels beside each other, with a legend above them.
pub(crate) fn panels(
    caption: &Caption,
    legend: &dyn Fn(f64) -> Drawing,
    panels: &[PanelGroup],
    table: &Markup,
) -> Markup {
    let mut inner = Markup::new();
    inner.open("div", &[("class", "legend")]);
    for (class, width) in [("wide", WIDE), ("narrow", NARROW)] {
        let described = Described {
            id: format!("{}-legend-{class}", caption.id),
            title: "Legend".to_owned(),
            description: format!("What the colours and lines of “{}” mean.", caption.title),
        };
        inner.wrap("div", &[("class", class)], &legend(width).on_page(&described));
    }
    inner.close("div");
    for (at, group) in panels.iter().enumerate() {
        if panels.len() > 1 {
            inner.element("h3", &[("class", "of-panels")], &group.title);
        }
        inner.open("div", &[("class", "panels")]);
        for (number, (name, drawing)) in group.panels.iter().enumerate() {
            let described = Described {
                id: format!("{}-{at}-{number}", caption.id),
                title: format!("{}, {}: {name}", caption.title, group.title),
                description: caption.description.clone(),
            };
            inner.add(&drawing.on_page(&described));
        }
        inner.close("div");
    }
    figure(caption, &inner, table)
}

fn figure(caption: &Caption, inner: &Markup, table: &Markup) -> Markup {
    let mut markup = Markup::new();
    markup.open("figure", &[("id", caption.id)]);
    markup.open("figcaption", &[]);
    markup.element("h2", &[], caption.title);
    if !caption.lead.is_empty() {
        markup.element("p", &[("class", "lead")], &caption.lead);
    }
    markup.close("figcaption");
    markup.add(inner);
    markup.open("details", &[]);
    markup.element("summary", &[], "The same as a table");
    markup.add(table);
    markup.close("details");
    markup.close("figure");
    markup
}
