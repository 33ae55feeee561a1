//! How long requests took in each arm and phase.

use arcwright_scenario::{ArmOutcome, Latency, PhaseRun};

use super::places::Places;
use super::{Chart, Drawn, TableOfChart};
use crate::html::chart::latency::{self, LatencyGroup, LatencyRow};
use crate::html::chart::rows::Labels;
use crate::html::figure::{Caption, DataTable};

pub(super) fn chart<'a>(places: &Places<'a>) -> Option<Chart<'a>> {
    let groups = groups(places);
    if groups.is_empty() {
        return None;
    }
    let said = groups
        .iter()
        .flat_map(|group| group.rows.iter().map(move |row| row.labels.said(&group.title)));
    let caption = Caption {
        id: "latency",
        title: "Latency",
        lead: "Time from request to reply. The height of a hill is the cube root of the requests that took so long, so that a rare wait is seen; the figures are the median and the 99th percentile.".to_owned(),
        description: format!(
            "Distributions, with the median and the 99th percentile. {}.",
            said.collect::<Vec<_>>().join("; ")
        ),
    };
    let table = table(&groups);
    let drawn = Drawn::Whole(Box::new(move |width| latency::draw(&groups, width)));
    Some(Chart { caption, table: TableOfChart::Rows(table), drawn })
}

/// Returns the phases whose requests were timed, and those of them alone that waited for stable storage, where they
/// are not all.
fn groups<'a>(places: &Places<'a>) -> Vec<LatencyGroup<'a>> {
    let mut groups = Vec::new();
    for phase in &places.phases {
        let group = |title: String, of: fn(&PhaseRun) -> Option<&Latency>| {
            let row = |(arm, run): (&'a ArmOutcome, &'a PhaseRun)| row(arm, of(run)?);
            LatencyGroup { title, rows: places.in_phase(phase).filter_map(row).collect() }
        };
        groups.push(group((*phase).to_owned(), |run| Some(&run.latency)));
        groups.push(group(format!("{phase}: synchronous writes"), |run| {
            run.sync_latency.as_ref().filter(|sync| sync.count < run.latency.count)
        }));
    }
    groups.retain(|group| !group.rows.is_empty());
    groups
}

fn row<'a>(arm: &'a ArmOutcome, latency: &'a Latency) -> Option<LatencyRow<'a>> {
    let labels = Labels {
        name: arm.name.clone(),
        figure: latency.p50_ns.to_string(),
        beside: format!("99 %: {}", latency.p99_ns),
    };
    (latency.count > 0).then_some(LatencyRow { labels, latency })
}

fn table(groups: &[LatencyGroup<'_>]) -> DataTable {
    let heads = ["phase", "arm", "requests", "shortest", "mean", "half", "95 %", "99 %", "longest"];
    let mut table = DataTable::new(2, &heads);
    for group in groups {
        for row in &group.rows {
            let Latency { count, min_ns, mean_ns, p50_ns, p95_ns, p99_ns, max_ns, .. } =
                row.latency;
            let mut cells = vec![group.title.clone(), row.labels.name.clone(), count.to_string()];
            cells
                .extend([min_ns, mean_ns, p50_ns, p95_ns, p99_ns, max_ns].map(ToString::to_string));
            table.rows.push(cells);
        }
    }
    table
}
