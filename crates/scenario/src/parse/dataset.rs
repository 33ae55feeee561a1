//! Datasets beside the pool's own, and what arms change of them.

use super::tree::{Kind, Node};
use super::{at_most, pool, unique};
use crate::dataset::DatasetSpec;
use crate::error::{Checked, Fault};

/// Most datasets beside the pool's own.
const DATASETS_MAX: usize = 255;
const KEYS: [&str; 6] = ["name", "recordsize", "primarycache", "secondarycache", "sync", "logbias"];
/// What an arm may say about a dataset.
const PROPERTIES: &[&str] = KEYS.split_at(1).1;

/// Reads every `[[dataset]]`.
pub(crate) fn read(nodes: &[Node]) -> Checked<Vec<DatasetSpec>> {
    at_most(nodes, DATASETS_MAX, "datasets")?;
    let mut datasets: Vec<DatasetSpec> = Vec::new();
    for node in nodes {
        let section = node.section("[[dataset]]", &KEYS)?;
        let name = section.need("name", "name = \"vms\"")?.short_name()?.to_owned();
        unique(node, &name, datasets.iter().map(|it| it.name.as_str()), "dataset")?;
        datasets.push(DatasetSpec { name, properties: pool::properties(&section)? });
    }
    Ok(datasets)
}

/// Reads what an arm changes: a table of datasets by name.
pub(crate) fn changes(node: &Node, datasets: &[DatasetSpec]) -> Checked<Vec<DatasetSpec>> {
    let Kind::Table(entries) = &node.kind else {
        return Err(node.wrong("a table, written { vms = { sync = \"disabled\" } }"));
    };
    let change = |entry: &Node| {
        let known = find(&entry.name, datasets);
        let name = known
            .map_err(|text| missing(Fault::at(&entry.key_span, text), &entry.name, datasets))?;
        let section = entry.section("a dataset of an arm", PROPERTIES)?;
        Ok(DatasetSpec { name: name.name.clone(), properties: pool::properties(&section)? })
    };
    entries.iter().map(change).collect()
}

/// Returns the dataset that a file names.
pub(crate) fn named<'a>(node: &Node, datasets: &'a [DatasetSpec]) -> Checked<&'a DatasetSpec> {
    let name = node.text()?;
    find(name, datasets).map_err(|text| missing(node.fault(text), name, datasets))
}

fn find<'a>(name: &str, datasets: &'a [DatasetSpec]) -> Result<&'a DatasetSpec, String> {
    let found = datasets.iter().find(|dataset| dataset.name == name);
    found.ok_or_else(|| format!("no dataset is called “{name}”"))
}

/// Adds to a fault what there is instead.
fn missing(fault: Box<Fault>, name: &str, datasets: &[DatasetSpec]) -> Box<Fault> {
    let known: Vec<&str> = datasets.iter().map(|dataset| dataset.name.as_str()).collect();
    match known.is_empty() {
        true => fault.help(format!("write [[dataset]] with name = \"{name}\"")),
        false => fault.nearest(name, &known),
    }
}
