//! Datasets are barred from the L2ARC by their own properties, or all blocks by something else.
//!
//! `secondarycache` says what of a dataset may be on the L2ARC, and `primarycache` bounds it: what the
//! ARC may not hold never reaches the L2ARC (docs/model/l2arc.md#eligibility).

use arcwright_machine::{Class, Dataset, Pool};

use crate::changes::{self, OwnProperty};
use crate::drives::leaves_of;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::{dataset_state, l2arc_state};
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule =
    Rule { about: "whether a property keeps datasets out of the L2ARC", judge };

fn judge(view: &View<'_>) -> Judged {
    if !l2arc_state::has_cache(view)? {
        return Ok(Verdict::Silent);
    }
    let pools = view.pools()?;
    let cached = pools.iter().filter(|pool| !leaves_of(pool, Class::Cache).is_empty());
    dataset_state::all(view)?;
    for property in ["secondarycache", "primarycache"] {
        dataset_state::complete(view, property)?;
    }
    let mut findings = Vec::new();
    for pool in cached {
        let of_pool = dataset_state::of_pool(view, &pool.name);
        let barred: Vec<&&Dataset> = of_pool.iter().filter(|set| bar(set).is_some()).collect();
        if !barred.is_empty() {
            let is_all = barred.len() == of_pool.len();
            findings.push(finding(view, pool, &barred, is_all));
        }
    }
    let fine = Verdict::fine("Every dataset may use the L2ARC", Vec::new());
    Ok(Verdict::found_or(findings, fine))
}

/// Returns the property that keeps data of a dataset off the L2ARC.
fn bar(dataset: &Dataset) -> Option<(&'static str, String)> {
    ["secondarycache", "primarycache"].into_iter().find_map(|property| {
        let (value, _) = dataset.properties.get(property)?;
        ["none", "metadata"].contains(&value.as_str()).then(|| (property, value.clone()))
    })
}

fn finding(view: &View<'_>, pool: &Pool, barred: &[&&Dataset], is_all: bool) -> Finding {
    let names: Vec<String> = barred.iter().map(|set| set.name.clone()).collect();
    let idle = l2arc_state::asked(view).ok().flatten().is_some_and(|l2| l2.is_barely_used());
    let severity = if is_all && idle { Severity::WorthALook } else { Severity::Note };
    let whole = if is_all { "every dataset of the pool" } else { "part of the pool" };
    let title = format!("A property keeps files out of the L2ARC: {whole}");
    let mut finding = Finding::new("l2arc-excluded", severity, Area::L2arc, title);
    finding.subject = Some(pool.name.clone());
    let rows = barred.iter().take(4).filter_map(|set| {
        let (property, value) = bar(set)?;
        Some(Evidence::setting(format!("{}: {property}", set.name), value))
    });
    finding.evidence = rows.collect();
    finding.cause = format!(
        "{}: the property allows nothing or only metadata. That is right for data read once, and \
         wrong where files are read again.",
        format::list(&names)
    );
    let owners: Vec<OwnProperty> = barred
        .iter()
        .filter_map(|set| {
            let (value, source) = set.properties.get("secondarycache")?;
            let is_own = ["none", "metadata"].contains(&value.as_str()) && source == "local";
            is_own.then(|| OwnProperty::of(set, value, source))
        })
        .collect();
    if !owners.is_empty() {
        finding.remedy = Some(changes::property("secondarycache", "all", &owners));
    }
    finding.gain = Gain::NotEstimated("reads are not counted per dataset".to_owned());
    finding.cost = "More writes to the SSD; its headers take memory.".to_owned();
    finding.risk = "None to data.".to_owned();
    finding.confidence = Confidence::read("zfs get");
    finding.sources = lines(["zfsprops(7) secondarycache, primarycache"]);
    finding
}
