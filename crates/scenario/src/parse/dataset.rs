//! Datasets beside the pool's own, volumes among them, and what arms change of them.

use arcwright_tunables::Version;
use arcwright_units::Bytes;

use super::pool::PROPERTIES;
use super::section::Section;
use super::tree::{Kind, Node};
use super::{at_most, files, pool, unique};
use crate::dataset::{DatasetKind, DatasetSpec, Properties};
use crate::error::{Checked, Fault};
use crate::experiment::{FileSpec, Scenario};
use crate::system::System;

/// Most datasets beside the pool's own.
const DATASETS_MAX: usize = 255;
/// What a volume says beside its properties.
const VOLUME_KEYS: [&str; 3] = ["name", "size", "compressratio"];
/// `ZVOL_DEFAULT_BLOCKSIZE`: up to 2.1, and from 2.2 on (include/sys/fs/zfs.h).
const VOLBLOCKSIZES: [Bytes; 2] = [Bytes::kib(8), Bytes::kib(16)];

/// What a scenario says about datasets.
#[derive(Debug, Default)]
pub(crate) struct Datasets<'a> {
    pub(crate) all: Vec<DatasetSpec>,
    /// What volumes hold, each with the place that asks for it.
    pub(crate) volumes: Vec<(FileSpec, &'a Node)>,
}

/// Reads every `[[dataset]]` and every `[[zvol]]`, as `zfs` makes them.
pub(crate) fn read<'a>(
    nodes: &[Node],
    volumes: &'a [Node],
    zfs: Option<Version>,
) -> Checked<Datasets<'a>> {
    at_most(nodes, DATASETS_MAX, "datasets")?;
    at_most(volumes, DATASETS_MAX - nodes.len(), "datasets, volumes included")?;
    let mut read = Datasets::default();
    for node in nodes {
        let section = node.section("[[dataset]]", &[&["name"][..], &PROPERTIES].concat())?;
        let properties = pool::properties(&section)?;
        read.add(&section, node, (DatasetKind::Files, properties))?;
    }
    for node in volumes {
        let section = node.section("[[zvol]]", &[&VOLUME_KEYS[..], &of_volume()].concat())?;
        let mut properties = volume_properties(&section)?;
        let [old, new] = VOLBLOCKSIZES;
        let usual = if zfs >= Version::parse("2.2") { new } else { old };
        properties.recordsize.get_or_insert(usual);
        let name = read.add(&section, node, (DatasetKind::Volume, properties))?;
        let size = section.need("size", "size = \"100GiB\"")?.size_above_zero()?;
        let compressratio_percent = section.maybe("compressratio", files::compressratio)?;
        let (recordsize, dataset) = (None, Some(name.clone()));
        let file = FileSpec { name, size, recordsize, dataset, compressratio_percent };
        read.volumes.push((file, node));
    }
    Ok(read)
}

impl Datasets<'_> {
    /// Adds a dataset whose name is in `section`; returns the name.
    fn add(
        &mut self,
        section: &Section<'_>,
        node: &Node,
        (kind, properties): (DatasetKind, Properties),
    ) -> Checked<String> {
        let name = section.need("name", "name = \"vms\"")?.short_name()?.to_owned();
        unique(node, &name, self.all.iter().map(|it| it.name.as_str()), "dataset or volume")?;
        self.all.push(DatasetSpec { name: name.clone(), kind, properties });
        Ok(name)
    }
}

/// Returns the properties of a volume: those of a dataset, with `volblocksize` in the place of `recordsize`.
fn of_volume() -> [&'static str; PROPERTIES.len()] {
    PROPERTIES.map(|name| if name == "recordsize" { "volblocksize" } else { name })
}

/// Reads the properties of a volume.
fn volume_properties(section: &Section<'_>) -> Checked<Properties> {
    let block = section.maybe("volblocksize", pool::recordsize)?;
    Ok(Properties { recordsize: block, ..pool::properties(section)? })
}

/// Reads what an arm changes: a table of datasets by name.
pub(crate) fn changes(node: &Node, datasets: &[DatasetSpec]) -> Checked<Vec<DatasetSpec>> {
    let Kind::Table(entries) = &node.kind else {
        return Err(node.wrong("a table, written { vms = { sync = \"disabled\" } }"));
    };
    let change = |entry: &Node| {
        let known = find(&entry.name, datasets);
        let known = known
            .map_err(|text| missing(Fault::at(&entry.key_span, text), &entry.name, datasets))?;
        let properties = match known.kind {
            DatasetKind::Files => {
                pool::properties(&entry.section("a dataset of an arm", &PROPERTIES)?)
            }
            DatasetKind::Volume => {
                volume_properties(&entry.section("a volume of an arm", &of_volume())?)
            }
        };
        Ok(DatasetSpec { properties: properties?, ..known.clone() })
    };
    entries.iter().map(change).collect()
}

/// Returns the dataset that a file names.
pub(crate) fn named<'a>(node: &Node, datasets: &'a [DatasetSpec]) -> Checked<&'a DatasetSpec> {
    let name = node.text()?;
    let found = find(name, datasets).map_err(|text| missing(node.fault(text), name, datasets))?;
    match found.kind {
        DatasetKind::Files => Ok(found),
        DatasetKind::Volume => {
            let fault = node.fault(format!("“{name}” is a volume, and holds no files"));
            Err(fault.help(format!("let clients read and write it by its name: read = \"{name}\"")))
        }
    }
}

/// Refuses a volume that is no whole number of its blocks, in any arm; `nodes` are the places of the arms.
pub(crate) fn check_volumes<'a>(
    scenario: &Scenario,
    volumes: &[(FileSpec, &Node)],
    nodes: impl Iterator<Item = &'a Node> + Clone,
) -> Checked<()> {
    for (file, node) in volumes {
        let check = |place: &Node, block: Bytes| match file.size.0 % block.0 {
            0 => Ok(()),
            rest => {
                let message = format!(
                    "“{}” has {} bytes, which is no multiple of its volblocksize, {block}",
                    file.name, file.size.0
                );
                let more = Bytes(file.size.0.saturating_add(block.0 - rest));
                Err(place.fault(message).help(format!("write size = \"{}B\"", more.0)))
            }
        };
        check(node, scenario.system.pool.properties_of(file).recordsize)?;
        for (arm, place) in scenario.arms.iter().zip(nodes.clone()) {
            check(place, scenario.system_of(arm).pool.properties_of(file).recordsize)?;
        }
    }
    Ok(())
}

/// Refuses encryption in any arm whose version has none, or whose processor file does not say what it costs.
pub(crate) fn check_encryption<'a>(
    scenario: &Scenario,
    nodes: impl Iterator<Item = &'a Node>,
) -> Checked<()> {
    let mut arms = scenario.arms.iter().zip(nodes);
    arms.try_for_each(|(arm, place)| check_cipher(place, &scenario.system_of(arm)))
}

fn check_cipher(place: &Node, system: &System) -> Checked<()> {
    if !system.pool.encrypts() {
        return Ok(());
    }
    if Version::parse(&system.zfs) < Version::parse("0.8") {
        let message = format!("OpenZFS {} has no encryption, which came with 0.8", system.zfs);
        return Err(place.fault(message).help("leave encryption out, or write a later version"));
    }
    match system.cpu_figures {
        Some(figures) if figures.cipher.is_none() => {
            let message = format!("{} does not say what encryption costs", system.cpu);
            Err(place.fault(message).help("write cipher_bytes_per_sec = 1_000_000_000 in it"))
        }
        _ => Ok(()),
    }
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
