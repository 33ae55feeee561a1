//! Panels over time: the phases stand beside each other, each as wide as its longest arm asks for, at the same place in
//! every panel.

use arcwright_scenario::Series;
use arcwright_units::{Bytes, Nanos};

use crate::html::axis;
use crate::html::svg::{Area, Drawing, LABEL, width_of};

/// A phase in the panels of all arms.
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    pub(crate) phase: String,
    pub(crate) x: f64,
    pub(crate) width: f64,
    /// The longest that it took in any arm.
    most_ns: f64,
}

/// Pixels between two phases.
const GAP: f64 = 10.0;
/// Share of the width that a short phase has at least.
const SHARE_MIN: f64 = 0.16;

/// Returns where phases are that took at most so long, in this part of a panel.
pub(crate) fn slots(phases: &[(String, Nanos)], (left, right): (f64, f64)) -> Vec<Slot> {
    let longest: f64 = phases.iter().map(|(_, span)| span.0 as f64).sum::<f64>().max(1.0);
    let share = |span: &Nanos| (span.0 as f64 / longest).max(SHARE_MIN);
    let all: f64 = phases.iter().map(|(_, span)| share(span)).sum();
    let room = right - left - GAP * (phases.len().saturating_sub(1)) as f64;
    let mut x = left;
    let slot = |(phase, span): &(String, Nanos)| {
        let width = room * share(span) / all.max(f64::MIN_POSITIVE);
        let slot = Slot { phase: phase.clone(), x, width, most_ns: (span.0 as f64).max(1.0) };
        x += width + GAP;
        slot
    };
    phases.iter().map(slot).collect()
}

impl Slot {
    /// Returns where an instant is, counted from the start of the phase.
    pub(crate) fn at(&self, ns: f64) -> f64 {
        self.x + (ns / self.most_ns).clamp(0.0, 1.0) * self.width
    }

    pub(crate) fn right(&self) -> f64 {
        self.x + self.width
    }

    /// Draws the frame of a plot with its times below.
    pub(crate) fn frame(&self, drawing: &mut Drawing, (top, bottom): (f64, f64), has_times: bool) {
        drawing.line("base", (self.x, bottom), (self.right(), bottom));
        drawing.line("edge", (self.x, top), (self.x, bottom));
        if !has_times {
            return;
        }
        const ROOM_OF_TICK: f64 = 44.0;
        let mut free_from = f64::NEG_INFINITY;
        for (ns, text) in axis::times(self.most_ns, (self.width / ROOM_OF_TICK).max(1.0)) {
            let x = self.at(ns);
            let half = width_of(&text, LABEL) / 2.0;
            let shown = x.clamp(self.x, (self.right() - half).max(self.x));
            // The first is where the phase begins, and is left-aligned with it.
            let (class, from, to) = match ns > 0.0 {
                true => ("muted middle", shown - half, shown + half),
                false => ("muted", self.x, self.x + half * 2.0),
            };
            if from > free_from && to <= self.right() + GAP / 2.0 {
                drawing.line("tick", (x, bottom), (x, bottom + 3.0));
                drawing.label(class, (if ns > 0.0 { shown } else { self.x }, bottom + 14.0), &text);
                free_from = to + 4.0;
            }
        }
    }

    /// Returns the part of a panel that is this phase's.
    pub(crate) fn area(&self, (top, bottom): (f64, f64)) -> Area {
        Area { x: self.x, y: top, width: self.width, height: bottom - top }
    }

    /// Returns the steps of a series, as many as can be told apart.
    pub(crate) fn steps(&self, series: &Series) -> Steps {
        self.steps_of(series, 2.0)
    }

    /// Returns the steps of a series, each so many pixels wide at least.
    pub(crate) fn steps_of(&self, series: &Series, pixels_min: f64) -> Steps {
        let drawn = series.duration_ns.0 as f64 / self.most_ns * self.width;
        Steps::of(series, (drawn / pixels_min).max(4.0))
    }
}

/// The steps of a series, several of them joined to one.
#[derive(Debug, Clone)]
pub(crate) struct Steps {
    /// How many of the series are one.
    each: usize,
    /// Where they end, in nanoseconds from the start.
    pub(crate) ends: Vec<f64>,
}

impl Steps {
    /// Returns at most about so many steps of a series.
    pub(crate) fn of(series: &Series, count_max: f64) -> Self {
        let count = series.bytes.len();
        let mut each = 1;
        while count as f64 / each as f64 > count_max {
            each += 1;
        }
        let (interval, whole) = (series.interval_ns.0 as f64, series.duration_ns.0 as f64);
        let end = |number: usize| ((number * each) as f64 * interval).min(whole);
        let mut ends: Vec<f64> = (1..=count.div_ceil(each)).map(end).collect();
        // What is left over at the end is too short for a rate of its own.
        if let [.., before, last] = ends.as_slice()
            && last - before < interval * each as f64 / 4.0
        {
            let last = *last;
            ends.pop();
            if let Some(end) = ends.last_mut() {
                *end = last;
            }
        }
        Self { each, ends }
    }

    /// Returns how much there was in each step.
    pub(crate) fn sums(&self, column: impl Iterator<Item = u64>) -> Vec<f64> {
        let mut sums = vec![0.0; self.ends.len()];
        let last = self.ends.len().saturating_sub(1);
        for (number, value) in column.enumerate() {
            if let Some(sum) = sums.get_mut((number / self.each).min(last)) {
                *sum += value as f64;
            }
        }
        sums
    }

    /// Returns how much there was per second in each step.
    pub(crate) fn rates(&self, column: &[Bytes]) -> Vec<f64> {
        let sums = self.sums(column.iter().map(|bytes| bytes.0));
        sums.into_iter().zip(self.spans()).map(|(sum, span)| sum / span * 1e9).collect()
    }

    /// Returns how much there was at the end of each step.
    pub(crate) fn levels(&self, column: &[Bytes]) -> Vec<f64> {
        let last = self.ends.len().saturating_sub(1);
        let at = |number: usize| {
            let at = if number == last { column.len() } else { (number + 1) * self.each };
            at.checked_sub(1).and_then(|at| column.get(at)).map_or(0.0, |bytes| bytes.0 as f64)
        };
        (0..self.ends.len()).map(at).collect()
    }

    /// Returns how long each step is, in nanoseconds.
    pub(crate) fn spans(&self) -> Vec<f64> {
        let starts = std::iter::once(&0.0).chain(&self.ends);
        self.ends.iter().zip(starts).map(|(end, start)| (end - start).max(1.0)).collect()
    }
}

#[cfg(test)]
mod tests {
    use arcwright_units::Nanos;

    use super::slots;

    #[test]
    fn phases_stand_side_by_side_and_short_ones_are_seen() {
        let phases = [("long", 3600), ("short", 1), ("other", 1800)];
        let phases = phases.map(|(name, secs)| (name.to_owned(), Nanos::secs(secs)));
        let all = slots(&phases, (50.0, 330.0));
        assert!(all.windows(2).all(|pair| pair[0].right() < pair[1].x));
        assert!(all[1].width > 30.0 && all[0].width > all[2].width);
        assert!((all[2].right() - 330.0).abs() < 0.01);
    }
}
