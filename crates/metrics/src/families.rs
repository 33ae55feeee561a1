//! Series by their families, in a fixed order and each of them once.

use std::collections::BTreeMap;

use arcwright_units::visible;

use crate::family::{Family, Number};

/// Characters of a label's value; names of ZFS are shorter, texts of strangers may not be.
const LABEL_MAX: usize = 512;

/// Labels of a series, by name.
pub(crate) type Labels = Vec<(&'static str, String)>;

/// Metric families with their series.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Families {
    by_name: BTreeMap<&'static str, Series>,
}

/// The series of one family.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Series {
    pub(crate) family: Family,
    pub(crate) by_labels: BTreeMap<Labels, Number>,
}

impl Families {
    /// Adds a series; its labels are sorted by name. An empty label is left out, as Prometheus takes the two for
    /// the same; of two series with the same labels the first stays.
    pub(crate) fn add(&mut self, family: &Family, labels: &[(&'static str, &str)], number: Number) {
        if !number.is_finite() {
            return;
        }
        let series = self
            .by_name
            .entry(family.name)
            .or_insert_with(|| Series { family: *family, by_labels: BTreeMap::new() });
        let told = labels.iter().filter(|(_, value)| !value.is_empty());
        let mut labels: Labels = told.map(|(name, value)| (*name, shown(value))).collect();
        labels.sort_by_key(|(name, _)| *name);
        series.by_labels.entry(labels).or_insert(number);
    }

    /// Adds a series where there is a value.
    pub(crate) fn add_some(
        &mut self,
        family: &Family,
        labels: &[(&'static str, &str)],
        number: Option<Number>,
    ) {
        if let Some(number) = number {
            self.add(family, labels, number);
        }
    }

    /// Returns the families that have a series, by name.
    pub fn families(&self) -> impl Iterator<Item = &Family> {
        self.by_name.values().map(|series| &series.family)
    }

    pub(crate) fn series(&self) -> impl Iterator<Item = &Series> {
        self.by_name.values()
    }
}

/// Returns a label's value with everything that steers a terminal written out, and its end cut off where it is far
/// too long.
fn shown(value: &str) -> String {
    let value = visible(value);
    match value.char_indices().nth(LABEL_MAX) {
        Some((end, _)) => value.chars().take(LABEL_MAX).chain(['…']).take(end + 1).collect(),
        None => value.into_owned(),
    }
}
