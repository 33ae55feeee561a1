//! `zpool status -j` (2.3+): the same as the text, asked for where the text is not there.
//!
//! Classes are keys beside `vdevs` (`logs`, `l2cache`, `special`, `dedup`, `spares`); numbers are
//! texts unless `--json-int` was given.

use serde_json::Value;

use super::properties::{plain, pool_named};
use super::status::{class_of, layout_of};
use crate::machine::Machine;
use crate::nicenum;
use crate::pool::{Class, Layout, Vdev};
use crate::sources::Sources;

const JSON: &str = "commands/zpool-status-json";
const CLASSES: [&str; 5] = ["dedup", "special", "logs", "l2cache", "spares"];
/// Deeper than this no pool is; a file that claims so is not one.
const DEPTH_MAX: usize = 16;

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    let Some(text) = sources.text(JSON) else { return };
    let json = match super::json(text) {
        Ok(json) => json,
        Err(error) => return machine.garbled(JSON, error),
    };
    let Some(pools) = json.get("pools").and_then(Value::as_object) else {
        return machine.garbled(JSON, "there is no key “pools”");
    };
    for (key, entry) in pools {
        let field = |name: &str| entry.get(name).map(plain);
        let name = field("name").unwrap_or_else(|| key.clone());
        let Some(pool) = pool_named(&mut machine.pools, &name) else { break };
        if !pool.vdevs.is_empty() {
            continue;
        }
        pool.state = pool.state.take().or_else(|| field("state"));
        pool.status = pool.status.take().or_else(|| field("status").filter(|text| text != "OK"));
        pool.action = pool.action.take().or_else(|| field("action"));
        pool.scan = pool.scan.take().or_else(|| scan(entry));
        pool.data_errors = pool.data_errors.or_else(|| count(entry, "error_count"));
        if pool.damaged.is_empty() {
            pool.damaged = damaged(entry);
        }
        pool.vdevs = all_vdevs(entry);
    }
}

/// Returns a number, rounded or not.
fn count(of: &Value, name: &str) -> Option<u64> {
    of.get(name).map(plain).and_then(|text| nicenum::binary(&text)).and_then(nicenum::whole)
}

/// Returns what `-v` lists (`errors_nvlist`, `zpool_main.c` 2.3); one text is why there is no list.
fn damaged(entry: &Value) -> Vec<String> {
    let list = entry.get("errlist").and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn scan(entry: &Value) -> Option<String> {
    let field = |name: &str| entry.get("scan_stats")?.get(name).map(plain);
    Some(format!("{} {}", field("function")?, field("state")?).to_ascii_lowercase())
}

fn all_vdevs(entry: &Value) -> Vec<Vdev> {
    let root = entry.get("vdevs").and_then(Value::as_object);
    let tops = root.into_iter().flatten().flat_map(|(name, vdev)| {
        match vdev.get("vdev_type").and_then(Value::as_str) {
            None | Some("root") => children(vdev, Class::Data, 0),
            Some(_) => vec![of_json(name, vdev, Class::Data, 0)],
        }
    });
    let classes = CLASSES.iter().flat_map(|key| {
        let class = class_of(key).unwrap_or_default();
        let members = entry.get(key).and_then(Value::as_object);
        let members = members.into_iter().flatten();
        members.map(move |(name, vdev)| of_json(name, vdev, class, 0)).collect::<Vec<_>>()
    });
    tops.chain(classes).collect()
}

fn children(vdev: &Value, class: Class, depth: usize) -> Vec<Vdev> {
    let below = vdev.get("vdevs").and_then(Value::as_object).filter(|_| depth < DEPTH_MAX);
    let below = below.into_iter().flatten();
    below.map(|(name, vdev)| of_json(name, vdev, class, depth + 1)).collect()
}

fn of_json(key: &str, vdev: &Value, class: Class, depth: usize) -> Vdev {
    let field = |name: &str| vdev.get(name).map(plain);
    let count = |name: &str| count(vdev, name);
    let errors = (count("read_errors"), count("write_errors"), count("checksum_errors"));
    let name = field("name").unwrap_or_else(|| key.to_owned());
    let children = children(vdev, class, depth);
    Vdev {
        layout: if children.is_empty() { Layout::Leaf } else { layout_of(&name) },
        name: field("path").filter(|_| children.is_empty()).unwrap_or(name),
        class,
        state: field("state").map(|state| state.replace("HEALTHY", "ONLINE")),
        errors: match errors {
            (Some(read), Some(write), Some(checksum)) => Some([read, write, checksum]),
            _ => None,
        },
        slow_ios: count("slow_ios"),
        note: note(vdev),
        children,
        ..Vdev::default()
    }
}

/// Returns in the words of the text what stands behind the row there (`fill_vdev_info`,
/// `zpool_main.c` 2.3).
fn note(vdev: &Value) -> Option<String> {
    let field = |name: &str| vdev.get(name).map(plain);
    let sectors = || {
        let (configured, native) =
            (count(vdev, "configured_ashift")?, count(vdev, "physical_ashift")?);
        let bytes = |ashift: u64| 1_u64.checked_shl(u32::try_from(ashift).ok()?);
        let (configured, native) = (bytes(configured)?, bytes(native)?);
        (configured < native)
            .then(|| format!("block size: {configured}B configured, {native}B native"))
    };
    field("was").map(|path| format!("was {path}")).or_else(|| field("aux")).or_else(sectors)
}

#[cfg(test)]
mod tests {
    use super::{JSON, Machine, collect};
    use crate::pool::{Class, Layout};
    use crate::sources::{Source, Sources};

    const STATUS: &str = r#"{"output_version":{"command":"zpool status","vers_major":0,"vers_minor":1},
        "pools":{"tank":{"name":"tank","state":"ONLINE","vdevs":{"tank":{"name":"tank",
        "vdev_type":"root","state":"ONLINE","vdevs":{"raidz1-0":{"name":"raidz1-0","vdev_type":"raidz",
        "state":"ONLINE","read_errors":"0","write_errors":"0","checksum_errors":"1.5K","vdevs":{
        "sda":{"name":"sda","vdev_type":"disk","path":"/dev/sda1","state":"ONLINE"},
        "sdb":{"name":"sdb","vdev_type":"disk","path":"/dev/sdb1","state":"ONLINE"}}}}}},
        "logs":{"sdc":{"name":"sdc","vdev_type":"disk","path":"/dev/sdc1","state":"ONLINE"}},
        "l2cache":{"sdd":{"name":"sdd","vdev_type":"disk","path":"/dev/sdd1","state":"ONLINE",
        "read_errors":0,"write_errors":0,"checksum_errors":0}}}}}"#;

    fn machine(text: &str) -> Machine {
        let mut sources = Sources::default();
        sources.texts.insert(JSON.to_owned(), Source::Text(text.to_owned()));
        let mut machine = Machine::default();
        collect(&sources, &mut machine);
        machine
    }

    #[test]
    fn the_tree_is_that_of_the_text() {
        let machine = machine(STATUS);
        assert_eq!(machine.problems, []);
        let tank = &machine.pools[0];
        assert_eq!(tank.vdevs.len(), 3);
        assert_eq!(tank.vdevs[0].layout, Layout::Raidz { parity: 1 });
        assert_eq!(tank.vdevs[0].errors, Some([0, 0, 1536]));
        assert_eq!(tank.vdevs[0].children[1].name, "/dev/sdb1");
        assert_eq!(tank.of_class(Class::Log).count(), 1);
        assert_eq!(tank.of_class(Class::Cache).next().unwrap().errors, Some([0, 0, 0]));
    }

    #[test]
    fn every_beginning_is_refused_in_words() {
        for at in (1..STATUS.len() - 1).filter(|at| STATUS.is_char_boundary(*at)) {
            let problems = machine(STATUS.get(..at).unwrap()).problems;
            assert_eq!(problems.len(), 1, "at {at}");
        }
        assert_eq!(machine("{}").problems.len(), 1);
    }
}
