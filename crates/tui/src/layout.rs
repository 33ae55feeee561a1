//! Where panels are: how they share the rows and columns of any screen.
//!
//! Panels stand in bands one below the other; where the screen is wide, in two stacks of bands. A band has the fewest rows
//! with which it says something whole, and the most that it has something to say in. Bands get their fewest in order of
//! their rank until there are no rows for another, then a row more for each table, then their most; what is left goes to
//! those that grow. A band that does not get its fewest is not there, so that no panel is half shown.

use ratatui::layout::Rect;

use crate::panel::Panel;

/// Rows inside a panel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Need {
    pub(crate) least: u16,
    pub(crate) best: u16,
    /// Its part of what is left, as long as it has fewer than `most`.
    pub(crate) growth: u16,
    pub(crate) most: u16,
}

/// How panels are set apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edges {
    /// A line above, with the title.
    Rule,
    /// A line around.
    Frame,
}

impl Edges {
    /// Returns those for a screen.
    pub(crate) const fn of(body: Rect) -> Self {
        if body.width >= 100 && body.height >= 30 { Self::Frame } else { Self::Rule }
    }

    /// Returns the rows that they take.
    pub(crate) const fn rows(self) -> u16 {
        match self {
            Self::Rule => 1,
            Self::Frame => 2,
        }
    }

    /// Returns the columns before a title.
    pub(crate) const fn corner(self) -> u16 {
        match self {
            Self::Rule => 0,
            Self::Frame => 1,
        }
    }

    const fn columns(self) -> u16 {
        match self {
            Self::Rule => 0,
            // A blank inside each line.
            Self::Frame => 4,
        }
    }

    /// Returns what is inside.
    pub(crate) fn inside(self, area: Rect) -> Rect {
        let x = (self.columns() / 2).min(area.width);
        Rect {
            x: area.x + x,
            y: area.y + 1.min(area.height),
            width: area.width.saturating_sub(self.columns()),
            height: area.height.saturating_sub(self.rows()),
        }
    }
}

/// A panel on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) panel: Panel,
    pub(crate) area: Rect,
    /// Tables that share its room; it is one of them. Empty where each has its own.
    pub(crate) tabs: Vec<Panel>,
}

/// Least columns for two panels side by side, and for two stacks of them.
const PAIRS: u16 = 72;
const STACKS: u16 = 150;
/// Least rows for two stacks.
const STACKS_ROWS: u16 = 30;
/// Columns between two panels without frames.
const GAP: u16 = 2;
/// Columns inside the panel of the ARC at least: its figures.
pub(crate) const ARC_COLUMNS: u16 = 43;

/// What the layout asks of whoever draws panels.
pub(crate) trait Needs {
    /// Returns the rows that a panel so wide inside has something to say in.
    fn need(&self, panel: Panel, columns: u16) -> Need;
    /// Returns the tables that have rows.
    fn tables(&self) -> Vec<Panel>;
    /// Returns the table that is shown where there is room for one.
    fn selected(&self) -> Panel;
    /// Says whether a panel has anything to say.
    fn has(&self, panel: Panel) -> bool;
}

/// Returns where all panels are that fit.
pub(crate) fn places(needs: &dyn Needs, body: Rect) -> Vec<Place> {
    let edges = Edges::of(body);
    if body.width >= STACKS && body.height >= STACKS_ROWS {
        // The figures on the right do not gain from more.
        let right = (body.width * 2 / 5).min(100);
        let left = Rect { width: body.width - right, ..body };
        let right = Rect { x: body.x + left.width, width: right, ..body };
        let mut left_stack = Stack::new(needs, edges, left);
        left_stack.add(&[Panel::Throughput]);
        left_stack.add_tables();
        let mut right_stack = Stack::new(needs, edges, right);
        for panel in [Panel::Arc, Panel::Memory, Panel::L2arc, Panel::Writes, Panel::Findings] {
            right_stack.add(&[panel]);
        }
        return left_stack.places().into_iter().chain(right_stack.places()).collect();
    }
    let mut stack = Stack::new(needs, edges, body);
    stack.add(&[Panel::Throughput]);
    if body.width >= PAIRS {
        stack.add(&[Panel::Arc, Panel::Memory]);
        stack.add(&[Panel::L2arc, Panel::Writes]);
    } else {
        for panel in [Panel::Arc, Panel::Memory, Panel::L2arc, Panel::Writes] {
            stack.add(&[panel]);
        }
    }
    stack.add_tables();
    stack.add(&[Panel::Findings]);
    stack.places()
}

/// Panels beside each other.
struct Band {
    panels: Vec<(Panel, Rect)>,
    need: Need,
    tabs: Vec<Panel>,
}

/// Bands one below the other.
struct Stack<'a> {
    needs: &'a dyn Needs,
    edges: Edges,
    area: Rect,
    bands: Vec<Band>,
}

impl<'a> Stack<'a> {
    fn new(needs: &'a dyn Needs, edges: Edges, area: Rect) -> Self {
        Self { needs, edges, area, bands: Vec::new() }
    }

    /// Adds panels beside each other, those of them that have anything to say.
    fn add(&mut self, panels: &[Panel]) {
        let panels: Vec<Panel> = panels.iter().copied().filter(|it| self.needs.has(*it)).collect();
        let mut need = Need::default();
        let mut placed = Vec::new();
        for (panel, area) in panels.iter().zip(self.split(&panels)) {
            let columns = self.edges.inside(area).width;
            let own = self.needs.need(*panel, columns);
            need.least = need.least.max(own.least);
            need.best = need.best.max(own.best);
            need.growth = need.growth.max(own.growth);
            need.most = need.most.max(own.most);
            placed.push((*panel, area));
        }
        if !placed.is_empty() {
            self.bands.push(Band { panels: placed, need, tabs: Vec::new() });
        }
    }

    /// Adds all tables below each other where the others then have their most, else one with tabs.
    fn add_tables(&mut self) {
        let tables = self.needs.tables();
        let columns = self.edges.inside(self.area).width;
        let edges = self.edges.rows();
        let rows = |table: &Panel| self.needs.need(*table, columns).least + edges;
        let others: u16 = self.bands.iter().map(|band| band.need.best + edges).sum();
        let fits = |tables: &[Panel]| {
            let all: u16 = tables.iter().map(rows).sum();
            others.saturating_add(all) <= self.area.height
        };
        let selected = self.needs.selected();
        // Processes are the first to go: they are of the whole machine, and a key away.
        let is_of_pools = |table: &Panel| *table != Panel::Processes;
        let fewer: Vec<Panel> = tables.iter().copied().filter(is_of_pools).collect();
        let shown = [&tables, &fewer].into_iter().find(|shown| fits(shown));
        if let Some(shown) = shown.filter(|shown| shown.contains(&selected)).cloned() {
            shown.iter().for_each(|table| self.add(&[*table]));
            return;
        }
        self.add(&[selected]);
        if let Some(band) = self.bands.last_mut() {
            band.tabs = tables;
        }
    }

    /// Returns how panels beside each other share the columns.
    fn split(&self, panels: &[Panel]) -> Vec<Rect> {
        if panels.len() < 2 {
            return vec![self.area];
        }
        let gap = if self.edges == Edges::Rule { GAP } else { 0 };
        let half = (self.area.width - gap) / 2;
        let left = match panels.first() {
            Some(Panel::Arc) => half.max(ARC_COLUMNS + self.edges.columns()),
            _ => half,
        };
        let right = left + gap;
        let beside = Rect {
            x: self.area.x + right,
            width: self.area.width.saturating_sub(right),
            ..self.area
        };
        vec![Rect { width: left, ..self.area }, beside]
    }

    fn places(self) -> Vec<Place> {
        let edges = self.edges.rows();
        let mut left = self.area.height;
        let mut rows: Vec<Option<u16>> = vec![None; self.bands.len()];
        for index in by_rank(&self.bands) {
            let Some((band, rows)) = self.bands.get(index).zip(rows.get_mut(index)) else {
                continue;
            };
            let least = band.need.least + edges;
            if least <= left {
                *rows = Some(least);
                left -= least;
            }
        }
        for (band, rows) in self.bands.iter().zip(&mut rows) {
            let is_table = band.panels.iter().any(|(panel, _)| panel.table().is_some());
            let can_use = |rows: &&mut u16| **rows < band.need.best + edges;
            if let Some(rows) = rows.as_mut().filter(can_use).filter(|_| is_table && left > 0) {
                *rows += 1;
                left -= 1;
            }
        }
        for index in by_rank(&self.bands) {
            let Some((band, Some(rows))) = self.bands.get(index).zip(rows.get_mut(index)) else {
                continue;
            };
            let more = (band.need.best + edges).saturating_sub(*rows).min(left);
            *rows += more;
            left -= more;
        }
        grow(&self.bands, &mut rows, edges, left);
        let mut y = self.area.y;
        let mut places = Vec::new();
        for (band, height) in self.bands.into_iter().zip(rows) {
            let Some(height) = height else { continue };
            for (panel, area) in band.panels {
                let area = Rect { y, height, ..area };
                places.push(Place { panel, area, tabs: band.tabs.clone() });
            }
            y += height;
        }
        places
    }
}

/// Gives what is left, row by row, to the one that has got the least for its part; to the first where none grows any more.
fn grow(bands: &[Band], rows: &mut [Option<u16>], edges: u16, left: u16) {
    let mut given: Vec<u16> = vec![0; bands.len()];
    for _ in 0..left {
        let can_grow = |(index, rows): (usize, &Option<u16>)| {
            let need = bands.get(index)?.need;
            let given = given.get(index).copied()?;
            let grows = need.growth > 0 && (*rows)? < need.most.saturating_add(edges);
            grows.then(|| (u32::from(given) * 1000 / u32::from(need.growth), index))
        };
        let next = rows.iter().enumerate().filter_map(can_grow).min();
        let index = next.map(|(_, index)| index).or_else(|| rows.iter().position(Option::is_some));
        let Some(index) = index else { return };
        if let Some((Some(rows), given)) = rows.get_mut(index).zip(given.get_mut(index)) {
            *rows += 1;
            *given += 1;
        }
    }
}

/// Returns the bands in the order in which they get rows.
fn by_rank(bands: &[Band]) -> Vec<usize> {
    let rank = |index: &usize| {
        bands.get(*index).and_then(|band| band.panels.first()).map(|(panel, _)| match panel {
            Panel::Throughput => 0,
            Panel::Devices | Panel::Processes | Panel::Datasets | Panel::Pools => 1,
            Panel::Arc => 2,
            Panel::Memory => 3,
            Panel::Writes => 4,
            Panel::L2arc => 5,
            Panel::Findings => 6,
        })
    };
    let mut order: Vec<usize> = (0..bands.len()).collect();
    order.sort_by_key(rank);
    order
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ratatui::layout::Rect;

    use super::{Edges, Need, Needs, places};
    use crate::panel::{Panel, TABLES};

    /// A screen on which every panel wants the same.
    struct Same {
        need: Need,
        tables: usize,
    }

    impl Needs for Same {
        fn need(&self, _panel: Panel, _columns: u16) -> Need {
            self.need
        }
        fn tables(&self) -> Vec<Panel> {
            TABLES.into_iter().rev().take(self.tables).collect()
        }
        fn selected(&self) -> Panel {
            Panel::Devices
        }
        fn has(&self, _panel: Panel) -> bool {
            true
        }
    }

    proptest! {
        #[test]
        fn panels_are_whole_apart_from_each_other_and_fill_the_screen(
            width in 1u16..260, height in 1u16..80, least in 1u16..12, more in 0u16..9, growth in 0u16..3, tables in 1usize..4,
        ) {
            let body = Rect { x: 0, y: 1, width, height };
            let need = Need { least, best: least + more, growth, most: least + 2 * more };
            let placed = places(&Same { need, tables }, body);
            let edges = Edges::of(body);
            for (index, place) in placed.iter().enumerate() {
                prop_assert!(body.union(place.area) == body, "{place:?} is outside");
                prop_assert!(edges.inside(place.area).height >= least, "{place:?} is half shown");
                for other in placed.iter().skip(index + 1) {
                    prop_assert!(!place.area.intersects(other.area), "{place:?} {other:?}");
                }
            }
            if height >= least + edges.rows() {
                let bottom = placed.iter().map(|place| place.area.bottom()).max();
                prop_assert_eq!(bottom, Some(body.bottom()));
            }
        }
    }
}
