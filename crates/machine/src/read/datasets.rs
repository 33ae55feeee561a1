//! `zfs get -Hp all`, `zfs list` and their JSON forms (2.3+): file systems and volumes with their
//! properties. What `get` says counts more, for a list says not where a value is from.

use std::collections::BTreeMap;

use arcwright_units::Bytes;
use serde_json::Value;

use super::properties::{fields, plain};
use crate::machine::{Dataset, Machine};
use crate::nicenum;
use crate::sources::Sources;

const TEXT: &str = "commands/zfs-get";
const JSON: [&str; 2] = ["commands/zfs-get-json", "commands/zfs-list-json"];
const LIST: &str = "commands/zfs-list";
/// Titles of `zfs list` that are not a property's own name (`zfs_prop.c`).
const TITLES: [(&str, &str); 18] = [
    ("AVAIL", "available"),
    ("REFER", "referenced"),
    ("RATIO", "compressratio"),
    ("REFRATIO", "refcompressratio"),
    ("RECSIZE", "recordsize"),
    ("COMPRESS", "compression"),
    ("VOLBLOCK", "volblocksize"),
    ("LUSED", "logicalused"),
    ("LREFER", "logicalreferenced"),
    ("RESERV", "reservation"),
    ("REFRESERV", "refreservation"),
    ("USEDSNAP", "usedbysnapshots"),
    ("USEDDS", "usedbydataset"),
    ("USEDREFRESERV", "usedbyrefreservation"),
    ("USEDCHILD", "usedbychildren"),
    ("RDONLY", "readonly"),
    ("DNSIZE", "dnodesize"),
    ("REDUND_MD", "redundant_metadata"),
];
/// Titles of which a line must have one: no other table has them.
const TELLING: [&str; 14] = [
    "REFER",
    "MOUNTPOINT",
    "RECSIZE",
    "COMPRESS",
    "RATIO",
    "VOLSIZE",
    "VOLBLOCK",
    "SYNC",
    "ATIME",
    "PRIMARYCACHE",
    "SECONDARYCACHE",
    "LOGBIAS",
    "LUSED",
    "USEDDS",
];

/// What changes as a dataset is written: a later list that has other values is of another moment, and what it leaves out
/// was so before.
const SPACE: [&str; 9] = [
    "used",
    "available",
    "referenced",
    "usedbysnapshots",
    "usedbydataset",
    "usedbyrefreservation",
    "usedbychildren",
    "logicalused",
    "logicalreferenced",
];

type Properties = BTreeMap<String, (String, String)>;

/// Most datasets that are read, snapshots included; each takes a kilobyte at least.
const DATASETS_MAX: usize = 100_000;

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    let mut all: BTreeMap<String, Properties> = BTreeMap::new();
    if let Some(text) = sources.text(TEXT) {
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match fields(line) {
                Some(["NAME", "PROPERTY", ..]) => {}
                Some([name, ..]) if all.len() >= DATASETS_MAX && !all.contains_key(name) => {}
                Some([name, property, value, source]) => {
                    let pair = (value.to_owned(), source.trim_end().to_owned());
                    all.entry(name.to_owned()).or_default().insert(property.to_owned(), pair);
                }
                None => machine.garbled(
                    TEXT,
                    format!(
                        "line {}: expected “dataset property value source”, found “{line}”",
                        index + 1
                    ),
                ),
            }
        }
    }
    for name in JSON {
        let Some(text) = sources.text(name) else { continue };
        match super::json(text) {
            Ok(json) => add_json(&mut all, &json),
            Err(error) => machine.garbled(name, error),
        }
    }
    add_list(&mut all, sources.text(LIST).unwrap_or_default());
    if all.len() >= DATASETS_MAX {
        machine
            .garbled(TEXT, format!("more than {DATASETS_MAX} datasets, the others are left out"));
    }
    add_snapshots(machine, &all);
    // Snapshots and bookmarks have little that caches depend on.
    let live = all.into_iter().filter(|(name, _)| !name.contains(['@', '#']));
    machine.datasets = live.map(|(name, properties)| Dataset { name, properties }).collect();
}

/// Adds up what snapshots hold.
fn add_snapshots(machine: &mut Machine, all: &BTreeMap<String, Properties>) {
    let bytes = |properties: &Properties, name: &str| {
        let (text, _) = properties.get(name)?;
        let text = text.replacen(',', ".", 1);
        nicenum::binary(&text).and_then(nicenum::whole)
    };
    for (name, properties) in all {
        let Some((dataset, _)) = name.split_once('@') else { continue };
        let Some(held) = bytes(properties, "used") else { continue };
        let known = machine.snapshots.entry(dataset.to_owned()).or_default();
        known.count = known.count.saturating_add(1);
        known.held = Bytes(known.held.0.saturating_add(held));
        known.refers = known.refers.max(bytes(properties, "referenced").map(Bytes));
    }
}

/// Returns the properties that the titles of `zfs list` name; none for any other line.
pub(crate) fn titles(line: &str) -> Option<Vec<String>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let title = |word: &&str| {
        word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase() || matches!(c, '_' | '@'))
    };
    let foreign = ["SIZE", "TYPE", "PROPERTY", "ALLOC", "FREE", "RO"];
    let own = words.first() == Some(&"NAME")
        && words.iter().all(title)
        && (words.iter().any(|word| TELLING.contains(word)) || words == ["NAME", "USED", "AVAIL"])
        && !words.iter().any(|word| foreign.contains(word));
    let property = |word: &&str| {
        let known = TITLES.iter().find(|(title, _)| title == word);
        known.map_or_else(|| word.to_ascii_lowercase(), |(_, property)| (*property).to_owned())
    };
    own.then(|| words.iter().map(property).collect())
}

/// Adds what `zfs list` says, where nothing better did; of several lists the last that has a dataset counts.
fn add_list(all: &mut BTreeMap<String, Properties>, text: &str) {
    let mut own: BTreeMap<String, Properties> = BTreeMap::new();
    read_list(&mut own, text);
    for (name, properties) in own {
        let known = all.entry(name).or_default();
        for (property, told) in properties {
            known.entry(property).or_insert(told);
        }
    }
}

fn read_list(all: &mut BTreeMap<String, Properties>, text: &str) {
    let mut columns: Vec<String> = Vec::new();
    for line in text.lines() {
        if let Some(found) = titles(line) {
            columns = found;
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let (Some(name), Some(last)) = (words.first(), columns.len().checked_sub(1)) else {
            continue;
        };
        let is_name = |c: char| c.is_alphanumeric() || "-_.:/@#% {}()".contains(c);
        if !name.starts_with(char::is_alphanumeric) || !name.chars().all(is_name) {
            continue;
        }
        // Only a path or a date at the end may hold spaces.
        let spaced = words.len() > columns.len();
        let may_be_spaced =
            columns.last().is_some_and(|last| matches!(last.as_str(), "mountpoint" | "creation"));
        if words.len() < columns.len() || spaced && !may_be_spaced {
            continue;
        }
        let cells = columns.iter().enumerate().skip(1).map(|(index, column)| {
            let rest = words.get(index..).unwrap_or_default();
            let cell = if index == last {
                rest.join(" ")
            } else {
                rest.first().copied().unwrap_or("-").to_owned()
            };
            (column, cell)
        });
        let cells: Vec<(&String, String)> = cells.filter(|(_, cell)| cell != "-").collect();
        let known = all.entry((*name).to_owned()).or_default();
        let differs = |(column, cell): &(&String, String)| {
            SPACE.contains(&column.as_str())
                && known.get(*column).is_some_and(|(before, _)| !is_alike(before, cell))
        };
        if cells.iter().any(differs) {
            known.retain(|property, _| !SPACE.contains(&property.as_str()));
        }
        for (column, cell) in cells {
            known.insert(column.clone(), (cell, "-".to_owned()));
        }
    }
}

/// Says whether two sizes are the same but for their rounding.
fn is_alike(one: &str, other: &str) -> bool {
    let [one, other] = [one, other].map(|text| nicenum::binary(&text.replacen(',', ".", 1)));
    one.zip(other).is_none_or(|(one, other)| (one - other).abs() <= one.max(other) / 50.0)
}

fn add_json(all: &mut BTreeMap<String, Properties>, json: &Value) {
    let datasets = json.get("datasets").and_then(Value::as_object);
    for (name, entry) in datasets.into_iter().flatten() {
        let known = all.entry(name.clone()).or_default();
        let properties = entry.get("properties").and_then(Value::as_object);
        for (property, what) in properties.into_iter().flatten() {
            let Some(value) = what.get("value").map(plain) else { continue };
            known.entry(property.clone()).or_insert((value, source(what)));
        }
    }
}

/// Returns where a value is from in the words of the text form.
fn source(what: &Value) -> String {
    let field = |name: &str| what.get("source")?.get(name)?.as_str();
    match (field("type"), field("data")) {
        (Some("INHERITED"), Some(from)) => format!("inherited from {from}"),
        (Some("NONE") | None, _) => "-".to_owned(),
        (Some(kind), _) => kind.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Machine, collect, titles};
    use crate::sources::{Source, Sources};

    fn property(texts: &[(&str, &str)], dataset: &str, name: &str) -> Option<String> {
        let text = |(name, text): &(&str, &str)| {
            (format!("commands/{name}"), Source::Text((*text).to_owned()))
        };
        let mut machine = Machine::default();
        collect(
            &Sources { texts: texts.iter().map(text).collect(), ..Sources::default() },
            &mut machine,
        );
        assert_eq!(machine.problems, []);
        let found = machine.datasets.into_iter().find(|known| known.name == dataset)?;
        found.properties.get(name).map(|(value, _)| value.clone())
    }

    const LIST: &str = "NAME         USED  AVAIL  REFER  MOUNTPOINT\n\
                        tank         1.5T   500G    96K  /mnt/my tank\n\
                        tank@monday     0      -    96K  -\n\
                        tank/vm        1T   500G     1T  -\n";

    #[test]
    fn a_list_tells_by_its_titles() {
        let of = |dataset, name| property(&[("zfs-list", LIST)], dataset, name);
        assert_eq!(of("tank", "available").as_deref(), Some("500G"));
        assert_eq!(of("tank", "mountpoint").as_deref(), Some("/mnt/my tank"));
        assert_eq!((of("tank/vm", "mountpoint"), of("tank@monday", "used")), (None, None));
        let chosen = "NAME  RECSIZE  COMPRESS  SYNC\ntank  16K  lz4  disabled\n";
        let of = |name| property(&[("zfs-list", chosen)], "tank", name);
        assert_eq!(
            (of("recordsize").as_deref(), of("sync").as_deref()),
            (Some("16K"), Some("disabled"))
        );
    }

    #[test]
    fn a_later_list_takes_nothing_from_an_earlier_moment() {
        let space = |available: &str, used: &str| {
            format!("NAME  AVAIL  USED  USEDDS\ntank  {available}  {used}  0\n")
        };
        let of =
            |later: &str, name| property(&[("zfs-list", &format!("{LIST}{later}"))], "tank", name);
        assert_eq!(of(&space("500G", "1.5T"), "referenced").as_deref(), Some("96K"));
        assert_eq!(of(&space("537109999999", "1.50T"), "referenced").as_deref(), Some("96K"));
        assert_eq!(of(&space("500G", "1.7T"), "referenced"), None);
        assert_eq!(of(&space("500G", "1.7T"), "used").as_deref(), Some("1.7T"));
        assert_eq!(of(&space("500G", "1.7T"), "mountpoint").as_deref(), Some("/mnt/my tank"));
    }

    #[test]
    fn what_get_says_counts_more() {
        let get = "tank\tused\t1649267441664\t-\n";
        let found = property(&[("zfs-list", LIST), ("zfs-get", get)], "tank", "used");
        assert_eq!(found.as_deref(), Some("1649267441664"));
    }

    #[test]
    fn tables_of_other_tools_are_none() {
        for line in [
            "NAME SIZE ALLOC FREE CAP HEALTH",
            "NAME PROPERTY VALUE SOURCE",
            "NAME TYPE SIZE USED PRIO",
        ] {
            assert_eq!(titles(line), None, "{line}");
        }
    }
}
