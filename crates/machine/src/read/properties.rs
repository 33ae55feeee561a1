//! `zpool get -Hp all` and its JSON form (2.3+): the properties of pools.

use std::collections::BTreeSet;

use serde_json::Value;

use super::status::{is_group, only_pool};
use crate::machine::Machine;
use crate::nicenum;
use crate::pool::{Pool, Vdev, VdevNames};
use crate::sources::Sources;

const TEXT: &str = "commands/zpool-get";
const JSON: &str = "commands/zpool-get-json";

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    let places = Place::all_of(&machine.pools);
    let vdevs = VdevNames::new(places.iter().map(|place| place.name.as_str()));
    let known = Known { places: &places, vdevs };
    if let Some(text) = sources.text(TEXT) {
        let pools = named_by_pools_alone(text);
        // Below the row of a pool's root or of a group stand vdevs: `zpool get all tank all-vdevs`.
        let mut below_root = false;
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match fields(line) {
                Some(["NAME", "PROPERTY", ..]) => below_root = false,
                Some([name, property, value, source]) => {
                    let name = if name.is_empty() { only_pool(machine) } else { name.to_owned() };
                    below_root |= is_root(&name) || is_group(&name);
                    // Nobody sets the ashift of a vdev.
                    let is_of_vdev = below_root || property == "ashift" && source == "-";
                    let may_be_pool = !is_of_vdev || pools.contains(name.as_str());
                    known.put(&mut machine.pools, (&name, may_be_pool), (property, value));
                }
                None => machine.garbled(
                    TEXT,
                    format!(
                        "line {}: expected “pool property value source”, found “{line}”",
                        index + 1
                    ),
                ),
            }
        }
    }
    if let Some(text) = sources.text(JSON) {
        match super::json(text) {
            Ok(json) => add_json(machine, &json),
            Err(error) => machine.garbled(JSON, error),
        }
    }
}

/// Returns the names that have a property which no vdev has.
fn named_by_pools_alone(text: &str) -> BTreeSet<&str> {
    const OF_POOLS: [&str; 6] =
        ["health", "dedupratio", "failmode", "cachefile", "autoexpand", "delegation"];
    let of_pool = |line| match fields(line) {
        Some([name, property, ..]) => OF_POOLS.contains(&property).then_some(name),
        None => None,
    };
    text.lines().filter_map(of_pool).collect()
}

/// Where a vdev is: its pool, the vdev at the pool's top that it is or is below of, and the way down from there.
#[derive(Debug, Clone)]
struct Place {
    name: String,
    pool: usize,
    top: usize,
    below: Vec<usize>,
}

impl Place {
    /// Returns all vdevs, each before those below it.
    fn all_of(pools: &[Pool]) -> Vec<Self> {
        let mut all = Vec::new();
        for (pool, known) in pools.iter().enumerate() {
            for (top, vdev) in known.vdevs.iter().enumerate() {
                let name = vdev.name.clone();
                Self::add(&mut all, vdev, &Self { name, pool, top, below: Vec::new() });
            }
        }
        all
    }

    fn add(all: &mut Vec<Self>, vdev: &Vdev, place: &Self) {
        all.push(place.clone());
        for (index, child) in vdev.children.iter().enumerate() {
            let mut inner = Self { name: child.name.clone(), ..place.clone() };
            inner.below.push(index);
            Self::add(all, child, &inner);
        }
    }
}

/// The vdevs that were known before any property was read.
struct Known<'a> {
    places: &'a [Place],
    vdevs: VdevNames<'a>,
}

impl Known<'_> {
    /// Puts a property to its pool, or to its vdev: from 2.2 on vdevs have properties too, in rows that say
    /// the vdev alone. A name that is neither's yet is a vdev's of a pool that was not read, or may be a pool's.
    fn put(
        &self,
        pools: &mut Vec<Pool>,
        (name, may_be_pool): (&str, bool),
        (property, value): (&str, &str),
    ) {
        let is_pool = pools.iter().any(|pool| pool.name == name);
        if !is_pool {
            let mut same: Vec<usize> = self.vdevs.all(name).collect();
            same.sort_unstable();
            let mut same = same.into_iter().filter_map(|place| self.places.get(place));
            let first = same.next();
            let is_only = same.all(|other| {
                first.is_some_and(|first| (first.pool, first.top) == (other.pool, other.top))
            });
            if let Some(vdev) = first.filter(|_| is_only).and_then(|place| at(pools, place)) {
                let ashift = value.parse().ok().filter(|_| property == "ashift");
                vdev.ashift = ashift.filter(|ashift| *ashift > 0).or(vdev.ashift);
                return;
            }
            if first.is_some() || !may_be_pool {
                return;
            }
        }
        if let Some(pool) = pool_named(pools, name) {
            let value = bytes(property, value).unwrap_or_else(|| value.to_owned());
            pool.properties.insert(property.to_owned(), value);
        }
    }
}

/// Says whether a name is that of a pool's root among its vdevs: `root-0`.
fn is_root(name: &str) -> bool {
    name.strip_prefix("root-").is_some_and(|number| number.parse::<u32>().is_ok())
}

/// Returns the vdev at a place.
fn at<'a>(pools: &'a mut [Pool], place: &Place) -> Option<&'a mut Vdev> {
    let top = pools.get_mut(place.pool)?.vdevs.get_mut(place.top)?;
    place.below.iter().try_fold(top, |vdev, index| vdev.children.get_mut(*index))
}

/// Returns a size that was printed for people in bytes: `7.50G`, without `-p`.
fn bytes(property: &str, value: &str) -> Option<String> {
    const SIZES: [&str; 6] = ["size", "free", "allocated", "freeing", "leaked", "checkpoint"];
    let rounded = value.ends_with(|c: char| "KMGTPE".contains(c));
    let size = nicenum::binary(value).and_then(nicenum::whole);
    size.filter(|_| rounded && SIZES.contains(&property)).map(|size| size.to_string())
}

/// Most pools of a machine: each text is compared with all of them.
pub(super) const POOLS_MAX: usize = 256;

/// Returns the pool of that name, a new one if need be; none when that would be one too many.
pub(super) fn pool_named<'a>(pools: &'a mut Vec<Pool>, name: &str) -> Option<&'a mut Pool> {
    let index = match pools.iter().position(|pool| pool.name == name) {
        Some(index) => index,
        None if pools.len() >= POOLS_MAX => return None,
        None => {
            pools.push(Pool { name: name.to_owned(), ..Pool::default() });
            pools.len() - 1
        }
    };
    pools.get_mut(index)
}

/// Splits a line of four columns: by tabs with `-H`, by runs of spaces without.
pub(super) fn fields(line: &str) -> Option<[&str; 4]> {
    if line.contains('\t') {
        let mut words = line.splitn(4, '\t');
        return Some([words.next()?, words.next()?, words.next()?, words.next().unwrap_or("-")]);
    }
    let mut words = line.split("  ").map(str::trim).filter(|word| !word.is_empty());
    let four = [words.next()?, words.next()?, words.next()?, words.next().unwrap_or("-")];
    words.next().is_none().then_some(four)
}

fn add_json(machine: &mut Machine, json: &Value) {
    let pools = json.get("pools").and_then(Value::as_object);
    for (key, entry) in pools.into_iter().flatten() {
        let name = entry.get("name").and_then(Value::as_str).unwrap_or(key);
        let Some(pool) = pool_named(&mut machine.pools, name) else { break };
        let properties = entry.get("properties").and_then(Value::as_object);
        for (property, what) in properties.into_iter().flatten() {
            if let Some(value) = what.get("value").map(plain) {
                pool.properties.entry(property.clone()).or_insert(value);
            }
        }
    }
}

/// Returns a value as the text forms print it.
pub(super) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::{Machine, collect};
    use crate::pool::{Layout, Pool, Vdev};
    use crate::sources::{Source, Sources};

    #[test]
    fn a_vdevs_own_property_is_not_another_pools() {
        let leaf = |name: &str| Vdev { name: name.to_owned(), ..Vdev::default() };
        let children = vec![leaf("sda"), leaf("sdb")];
        let mirror = Vdev { layout: Layout::Mirror, children, ..leaf("mirror-0") };
        let pool = Pool { name: "tank".to_owned(), vdevs: vec![mirror], ..Pool::default() };
        let mut machine = Machine { pools: vec![pool], ..Machine::default() };
        let text = "NAME      PROPERTY  VALUE  SOURCE\nmirror-0  ashift    9      -\nroot-0  ashift  0  -\n\
                    sdb  ashift  9  -\ntank  ashift  12  local\n";
        let mut sources = Sources::default();
        sources.texts.insert("commands/zpool-get".to_owned(), Source::Text(text.to_owned()));
        collect(&sources, &mut machine);
        let [tank] = machine.pools.as_slice() else { panic!("{:?}", machine.pools) };
        assert_eq!((tank.vdevs[0].ashift, tank.vdevs[0].children[1].ashift), (Some(9), Some(9)));
        assert_eq!(tank.number("ashift"), Some(12));
        assert_eq!(super::bytes("free", "14.5M").as_deref(), Some("15204352"));
        assert_eq!(super::bytes("free", "14.5"), None);
        assert_eq!(super::bytes("version", "5K"), None);
    }

    #[test]
    fn vdevs_of_a_pool_that_was_not_read_are_no_pools() {
        let check = |text: &str, expected: &[&str]| {
            let mut sources = Sources::default();
            sources.texts.insert("commands/zpool-get".to_owned(), Source::Text(text.to_owned()));
            let mut machine = Machine::default();
            collect(&sources, &mut machine);
            let names: Vec<&str> = machine.pools.iter().map(|pool| pool.name.as_str()).collect();
            assert_eq!(names, expected, "{text}");
        };
        let titles = "NAME  PROPERTY  VALUE  SOURCE\n";
        check(
            &format!(
                "{titles}root-0  ashift  0  -\nraidz2-0  ashift  12  -\nWD40-1  size  4T  -\n"
            ),
            &[],
        );
        check(
            &format!("{titles}root-0  ashift  0  -\n{titles}tank  ashift  12  local\n"),
            &["tank"],
        );
        // Without titles, as programs print it, another pool may stand below.
        check(
            "root-0\tsize\t4T\t-\nsda\tsize\t4T\t-\ntank\tsize\t4T\t-\ntank\thealth\tONLINE\t-\n",
            &["tank"],
        );
        // Nobody sets the ashift of a vdev.
        check(&format!("{titles}sda  ashift  9  -\n"), &[]);
        check(&format!("{titles}tank  ashift  0  default\ntank  size  4T  -\n"), &["tank"]);
    }
}
