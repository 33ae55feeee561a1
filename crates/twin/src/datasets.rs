//! A dataset as the scenario names it, and what of its properties the scenario says.

use arcwright_machine::{Dataset, Machine, Pool};

use crate::load::Traffic;

/// Letters of a name in a scenario.
const NAME_MAX: usize = 60;

/// Returns the name of a dataset in the scenario.
pub(crate) fn dataset_name(traffic: &Traffic) -> String {
    let name = arcwright_units::visible(&traffic.name);
    // What tells long names apart stands at their ends.
    let beyond = name.chars().count().saturating_sub(NAME_MAX);
    name.chars().skip(beyond).collect()
}

/// Returns the datasets of a pool.
pub(crate) fn of_pool<'a>(
    machine: &'a Machine,
    pool: &'a str,
) -> impl Iterator<Item = &'a Dataset> {
    let is_ours = move |name: &str| {
        name.strip_prefix(pool).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    machine.datasets.iter().filter(move |dataset| is_ours(&dataset.name))
}

/// Names the datasets of a pool that have large dnodes, which the model has not.
pub(crate) fn large_dnodes(machine: &Machine, pool: &Pool) -> Option<String> {
    let large =
        |it: &&Dataset| it.properties.get("dnodesize").is_some_and(|(value, _)| value != "legacy");
    let mut large = of_pool(machine, &pool.name)
        .filter(large)
        .map(|it| arcwright_units::visible(&it.name).into_owned());
    let first = large.next()?;
    let more = match large.count() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!(
        "large dnodes (dnodesize) of {first}{more}: files have more metadata than the model's"
    ))
}

/// Returns the compression ratio of a dataset that compresses.
pub(crate) fn ratio(traffic: &Traffic) -> Option<String> {
    let compresses = traffic.properties.get("compression").is_some_and(|text| text != "off");
    let text = traffic.properties.get("compressratio").filter(|_| compresses)?;
    let ratio: f64 = text.trim_end_matches('x').parse().ok()?;
    (1.01..=8.0).contains(&ratio).then(|| format!("{ratio:.2}"))
}

/// Returns the properties of a dataset that matter here and are not the default.
pub(crate) fn properties(traffic: &Traffic) -> Vec<String> {
    let read = |name: &str| traffic.properties.get(name).map(String::as_str);
    let mut keys = Vec::new();
    if ratio(traffic).is_some() {
        keys.push("compression = \"lz4\"".to_owned());
    }
    let known: [(&str, &[&str]); 5] = [
        ("encryption", &["on", "aes-256-gcm"]),
        ("primarycache", &["metadata", "none"]),
        ("secondarycache", &["metadata", "none"]),
        ("sync", &["always", "disabled"]),
        ("logbias", &["throughput"]),
    ];
    for (name, values) in known {
        if let Some(value) = read(name).filter(|value| values.contains(value)) {
            keys.push(format!("{name} = \"{value}\""));
        }
    }
    keys
}
