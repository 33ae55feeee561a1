//! Sliders as arms: what is changed of the reference arm, each alone and all of it together, and what is asked of them.
//!
//! The scenario's first answer says what matters: its measure, in its phase. Every arm that is added is compared with
//! the first arm in that, so that the file says the same in the program.

use arcwright_scenario::{Measure, Scenario};
use arcwright_units::Bytes;
use serde::{Deserialize, Serialize};
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, value};

use crate::error::PageError;
use crate::prediction::parse;

/// What is changed; what is absent stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Changes {
    /// Installed memory: `64GiB`.
    pub memory: Option<String>,
    /// The cache device.
    pub cache: Option<DeviceChange>,
    /// The log device.
    pub log: Option<DeviceChange>,
    /// How far a stream reads ahead: `off`, or a size.
    pub prefetch: Option<String>,
    /// Whether the L2ARC takes and serves prefetched blocks (`l2arc_noprefetch=0`).
    pub streams: bool,
}

/// A device, and how much of it is used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceChange {
    /// Its profile.
    pub device: String,
    /// The part that is used: `120GB`; `none` takes away what is there.
    pub size: String,
}

/// A change: what it is called, and the keys of an arm that it sets.
#[derive(Debug, Clone)]
struct Change {
    name: String,
    /// Keys of the arm.
    keys: Vec<(&'static str, Item)>,
    /// Parameters.
    tunables: Vec<(&'static str, toml_edit::Value)>,
}

/// Returns a scenario file with the arms and answers that `changes` add.
///
/// # Errors
/// What is wrong with the file, or with a size.
pub fn with_changes(file: &str, changes: &Changes) -> Result<String, PageError> {
    let scenario = parse(file)?;
    let single = changes.single()?;
    if single.is_empty() {
        return Ok(file.to_owned());
    }
    let mut document: DocumentMut =
        file.parse().map_err(|error: toml_edit::TomlError| PageError::new(error.message()))?;
    let mut arms = tables(&mut document, "arm")?;
    if arms.is_empty() {
        let mut first = Table::new();
        first.insert("name", value("as it is"));
        arms.push(first);
    }
    let reference = arms.get(0).cloned().unwrap_or_default();
    let first = reference.get("name").and_then(Item::as_str).unwrap_or_default().to_owned();
    let mut answers = tables(&mut document, "answer")?;
    for change in together(single) {
        let name = free_name(&arms, &change.name);
        answers.extend(answer(&scenario, &name, &first));
        arms.push(change.arm(&reference, &name));
    }
    document.insert("arm", Item::ArrayOfTables(arms));
    document.insert("answer", Item::ArrayOfTables(answers));
    Ok(document.to_string())
}

impl Changes {
    /// Returns each change alone.
    fn single(&self) -> Result<Vec<Change>, PageError> {
        let mut all = Vec::new();
        if let Some(memory) = &self.memory {
            let size = size(memory)?;
            let keys = vec![("memory", value(memory.as_str()))];
            all.push(Change { name: format!("{size} of memory"), keys, tunables: Vec::new() });
        }
        if let Some(cache) = &self.cache {
            let name = cache.name("L2ARC")?;
            all.push(Change {
                name,
                keys: vec![("cache", cache.list())],
                tunables: self.streaming(),
            });
        } else if self.streams {
            let name = "l2arc_noprefetch=0".to_owned();
            all.push(Change { name, keys: Vec::new(), tunables: self.streaming() });
        }
        if let Some(log) = &self.log {
            let name = log.name("log device")?;
            all.push(Change { name, keys: vec![("log", log.list())], tunables: Vec::new() });
        }
        if let Some(prefetch) = &self.prefetch {
            all.push(ahead(prefetch)?);
        }
        Ok(all)
    }

    fn streaming(&self) -> Vec<(&'static str, toml_edit::Value)> {
        if self.streams { vec![("l2arc_noprefetch", 0.into())] } else { Vec::new() }
    }
}

/// Returns the change of how far streams read ahead.
fn ahead(prefetch: &str) -> Result<Change, PageError> {
    let keys = Vec::new();
    if prefetch == "off" {
        let tunables = vec![("zfs_prefetch_disable", 1.into())];
        return Ok(Change { name: "prefetch off".to_owned(), keys, tunables });
    }
    let size = size(prefetch)?;
    let tunables = vec![("zfetch_max_distance", prefetch.into())];
    Ok(Change { name: format!("prefetch up to {size}"), keys, tunables })
}

impl DeviceChange {
    fn is_none(&self) -> bool {
        self.size == "none"
    }

    fn name(&self, what: &str) -> Result<String, PageError> {
        match self.is_none() {
            true => Ok(format!("no {what}")),
            false => Ok(format!("{what} of {}", shown(&self.size)?)),
        }
    }

    /// Returns a list of this one device, as `cache` and `log` take it; an empty one takes them away.
    fn list(&self) -> Item {
        if self.is_none() {
            return value(Array::new());
        }
        let mut device = InlineTable::new();
        device.insert("device", self.device.as_str().into());
        device.insert("size", self.size.as_str().into());
        let mut list = Array::new();
        list.push(device);
        value(list)
    }
}

impl Change {
    /// Returns the arm: the reference with this change.
    fn arm(self, reference: &Table, name: &str) -> Table {
        let mut arm = reference.clone();
        // Where the reference stands in the file is no place for another one.
        arm.set_position(None);
        arm.decor_mut().set_prefix("\n");
        arm.insert("name", value(name));
        for (key, item) in self.keys {
            arm.insert(key, item);
        }
        for (parameter, setting) in self.tunables {
            let item = arm.entry("tunables").or_insert_with(|| value(InlineTable::new()));
            if let Some(table) = item.as_table_like_mut() {
                table.insert(parameter, value(setting));
            }
        }
        arm
    }
}

/// Returns each change, and all of them together where there are several.
fn together(mut single: Vec<Change>) -> Vec<Change> {
    if single.len() > 1 {
        let all = Change {
            name: "all changes".to_owned(),
            keys: single.iter().flat_map(|change| change.keys.clone()).collect(),
            tunables: single.iter().flat_map(|change| change.tunables.clone()).collect(),
        };
        single.push(all);
    }
    single
}

/// Returns the tables of a list, whichever way the file writes it, and takes the list out.
fn tables(document: &mut DocumentMut, key: &str) -> Result<ArrayOfTables, PageError> {
    match document.remove(key) {
        None => Ok(ArrayOfTables::new()),
        Some(item) => item
            .into_array_of_tables()
            .map_err(|_| PageError::new(&format!("“{key}” is not a list of tables"))),
    }
}

fn free_name(arms: &ArrayOfTables, name: &str) -> String {
    let is_taken =
        |name: &str| arms.iter().any(|arm| arm.get("name").and_then(Item::as_str) == Some(name));
    let mut free = name.to_owned();
    while is_taken(&free) {
        free.push_str(" (yours)");
    }
    free
}

/// Returns what is asked of an arm: the measure of the scenario's first answer, in its phase.
fn answer(scenario: &Scenario, arm: &str, reference: &str) -> Option<Table> {
    let first = scenario.answers.first();
    let phase = match first {
        Some(answer) => answer.place.phase.clone(),
        None => scenario.phases.last()?.name.clone(),
    };
    let measure = first.map(|answer| answer.measure).unwrap_or_default();
    let [better, worse] = sentences(measure);
    let mut table = Table::new();
    table.decor_mut().set_prefix("\n");
    table.insert("arm", value(arm));
    table.insert("against", value(reference));
    table.insert("phase", value(phase.as_str()));
    table.insert("measure", value(measure.name()));
    table.insert("better", value(format!("{arm}: {better} in “{phase}”.")));
    table.insert(
        "same",
        value(format!("{arm}: no difference in “{phase}”, {{here}} and {{there}}.")),
    );
    table.insert("worse", value(format!("{arm}: {worse} in “{phase}”.")));
    Some(table)
}

/// Returns what is said where an arm does better, and where it does worse.
const fn sentences(measure: Measure) -> [&'static str; 2] {
    match measure {
        Measure::Throughput => [
            "{times} times as fast, {here} instead of {there}",
            "slower, {here} instead of {there}",
        ],
        Measure::Operations => {
            ["more, {here} instead of {there}", "less, {here} instead of {there}"]
        }
        Measure::ArcHits | Measure::MetadataHits => {
            ["more hits, {here} instead of {there}", "fewer hits, {here} instead of {there}"]
        }
        Measure::SyncLatency | Measure::SyncLatencyP99 => [
            "a synchronous write takes {here} instead of {there}",
            "a synchronous write takes longer, {here} instead of {there}",
        ],
        Measure::LogBytes => [
            "the log holds {here} instead of {there}",
            "the log holds more, {here} instead of {there}",
        ],
        Measure::DiskReads => [
            "the disks read {here} instead of {there}",
            "the disks read more, {here} instead of {there}",
        ],
    }
}

fn size(text: &str) -> Result<Bytes, PageError> {
    Bytes::parse(text).map_err(|error| PageError::new(&format!("“{text}”: {error}")))
}

/// Returns a size as it was picked: `120GB` is what is written on a drive.
fn shown(text: &str) -> Result<String, PageError> {
    size(text)?;
    let unit = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit);
    Ok(format!("{} {unit}", number.trim()))
}

#[cfg(test)]
mod tests {
    use arcwright_model::Model;
    use arcwright_scenario::{Engine as _, GALLERY};

    use super::{Changes, DeviceChange, with_changes};
    use crate::form::Form;
    use crate::prediction::parse;

    fn device(device: &str, size: &str) -> Option<DeviceChange> {
        Some(DeviceChange { device: device.to_owned(), size: size.to_owned() })
    }

    fn all() -> Changes {
        Changes {
            memory: Some("64GiB".to_owned()),
            cache: device("nvme-consumer", "500GB"),
            log: device("nvme-plp", "16GB"),
            prefetch: Some("off".to_owned()),
            streams: true,
        }
    }

    #[test]
    fn nothing_changed_is_the_file_as_it_was() {
        let file = Form::default().scenario_file().unwrap();
        assert_eq!(with_changes(&file, &Changes::default()).unwrap(), file);
    }

    #[test]
    fn each_change_is_an_arm_and_all_together_are_one_more() {
        let file = Form::default().scenario_file().unwrap();
        let scenario = parse(&with_changes(&file, &all()).unwrap()).unwrap();
        let names: Vec<&str> = scenario.arms.iter().map(|arm| arm.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "as it is",
                "64 GiB of memory",
                "L2ARC of 500 GB",
                "log device of 16 GB",
                "prefetch off",
                "all changes"
            ]
        );
        assert_eq!(scenario.answers.len(), names.len());
        let every = scenario.arms.last().unwrap();
        assert!(every.memory.is_some() && every.cache.is_some() && every.log.is_some());
        assert_eq!(every.tunables.len(), 2);
    }

    #[test]
    fn every_scenario_of_the_gallery_takes_every_change() {
        for entry in GALLERY {
            let changed = with_changes(entry.text, &all()).unwrap();
            let scenario =
                parse(&changed).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
            let before = parse(entry.text).unwrap();
            assert_eq!(scenario.arms.len(), before.arms.len() + 5, "{}", entry.name);
            Model::default().check(&scenario).unwrap();
        }
    }

    #[test]
    fn a_device_that_is_there_is_taken_away() {
        let entry = arcwright_scenario::GalleryScenario::find("steam-library").unwrap();
        let changes = Changes { cache: device("nvme-consumer", "none"), ..Changes::default() };
        let scenario = parse(&with_changes(entry.text, &changes).unwrap()).unwrap();
        let last = scenario.arms.last().unwrap();
        assert_eq!((last.name.as_str(), last.cache.as_deref()), ("no L2ARC", Some(&[][..])));
    }

    #[test]
    fn a_size_that_is_none_is_refused() {
        let file = Form::default().scenario_file().unwrap();
        let changes = Changes { memory: Some("many".to_owned()), ..Changes::default() };
        assert!(with_changes(&file, &changes).unwrap_err().message.contains("many"));
    }
}
