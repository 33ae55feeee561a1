//! `zpool get -Hp all` and its JSON form (2.3+): the properties of pools.

use serde_json::Value;

use crate::machine::Machine;
use crate::pool::Pool;
use crate::sources::Sources;

const TEXT: &str = "commands/zpool-get";
const JSON: &str = "commands/zpool-get-json";

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    if let Some(text) = sources.text(TEXT) {
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match fields(line) {
                Some(["NAME", "PROPERTY", ..]) => {}
                Some([pool, property, value, _]) => {
                    let pool = pool_named(&mut machine.pools, pool);
                    pool.properties.insert(property.to_owned(), value.to_owned());
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
        match serde_json::from_str::<Value>(text) {
            Ok(json) => add_json(machine, &json),
            Err(error) => machine.garbled(JSON, error),
        }
    }
}

/// Returns the pool of that name, a new one if need be.
pub(super) fn pool_named<'a>(pools: &'a mut Vec<Pool>, name: &str) -> &'a mut Pool {
    let index = pools.iter().position(|pool| pool.name == name).unwrap_or_else(|| {
        pools.push(Pool { name: name.to_owned(), ..Pool::default() });
        pools.len() - 1
    });
    #[expect(clippy::indexing_slicing, reason = "the place was just found or made")]
    &mut pools[index]
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
        let pool = pool_named(&mut machine.pools, name);
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
