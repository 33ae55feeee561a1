//! The alert rules and the dashboard ask only for metrics that the program has.

use std::collections::BTreeSet;

use arcwright_metrics::MetricKind;

use crate::machines::{families, machines};

const RULES: &str = include_str!("../../../../packaging/prometheus/arcwright.rules.yml");
const DASHBOARD: &str = include_str!("../../../../packaging/grafana/arcwright.json");

/// Returns the names of series that some machine of `fixtures/` has, and the one that only an answer to a request
/// has.
fn emitted() -> BTreeSet<String> {
    let mut names = BTreeSet::from(["arcwright_collection_age_seconds".to_owned()]);
    for (_, machine) in machines() {
        let all = families(&machine);
        names.extend(all.families().map(|family| match family.kind {
            MetricKind::Counter => format!("{}_total", family.name),
            MetricKind::Gauge => family.name.to_owned(),
        }));
    }
    names
}

/// Returns the words of a text that begin as metrics do.
fn names_in(text: &str) -> BTreeSet<String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let words = text.split(|c: char| !fits(c));
    words.filter(|word| word.starts_with("arcwright_")).map(str::to_owned).collect()
}

#[test]
fn rules_ask_for_metrics_that_there_are() {
    let emitted = emitted();
    let asked = names_in(RULES);
    assert!(asked.len() > 8, "{asked:?}");
    let unknown: Vec<&String> = asked.difference(&emitted).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn the_dashboard_asks_for_metrics_that_there_are() {
    let emitted = emitted();
    let dashboard: serde_json::Value = serde_json::from_str(DASHBOARD).unwrap();
    let mut asked = BTreeSet::new();
    let mut panels = 0;
    for panel in dashboard["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().into_iter().flatten() {
            panels += 1;
            asked.extend(names_in(target["expr"].as_str().unwrap()));
        }
    }
    assert!(panels > 15, "{panels}");
    let unknown: Vec<&String> = asked.difference(&emitted).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn names_are_not_those_of_node_exporter() {
    for name in emitted() {
        assert!(name.starts_with("arcwright_"), "{name}");
    }
}

#[test]
fn panels_of_the_dashboard_stand_beside_each_other() {
    let dashboard: serde_json::Value = serde_json::from_str(DASHBOARD).unwrap();
    let mut taken = BTreeSet::new();
    let mut ids = BTreeSet::new();
    for panel in dashboard["panels"].as_array().unwrap() {
        let title = panel["title"].as_str().unwrap();
        assert!(ids.insert(panel["id"].as_u64().unwrap()), "{title} has another one's number");
        let place = |key: &str| panel["gridPos"][key].as_u64().unwrap();
        assert!(place("x") + place("w") <= 24, "{title} is too wide");
        for x in place("x")..place("x") + place("w") {
            for y in place("y")..place("y") + place("h") {
                assert!(taken.insert((x, y)), "{title} covers another one");
            }
        }
        if panel["type"] != "row" {
            assert_eq!(panel["datasource"]["uid"], "${datasource}", "{title}");
            assert!(!panel["description"].as_str().unwrap().is_empty(), "{title}");
            assert!(!panel["targets"].as_array().unwrap().is_empty(), "{title}");
        }
    }
    let variables = dashboard["templating"]["list"].as_array().unwrap();
    let names: Vec<&str> = variables.iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["datasource", "job", "instance", "pool"]);
}
