//! How fast each arm was in each phase.

use arcwright_scenario::{ArmOutcome, Measure, PhaseRun};
use arcwright_units::Rate;

use super::places::Places;
use super::{Chart, Drawn, TableOfChart};
use crate::compare::{change_pct, reported};
use crate::figures::change;
use crate::html::axis::Quantity;
use crate::html::chart::bars::{self, Bar, BarGroup};
use crate::html::chart::rows::Labels;
use crate::html::figure::Caption;
use crate::text::Sheet;

pub(super) fn chart<'a>(sheet: &Sheet<'a>, places: &Places<'a>) -> Option<Chart<'a>> {
    let groups: Vec<BarGroup> =
        places.phases.iter().map(|phase| group(sheet, places, phase)).collect();
    if groups.is_empty() {
        return None;
    }
    let said = groups
        .iter()
        .flat_map(|group| group.bars.iter().map(move |bar| bar.labels.said(&group.title)));
    let caption = Caption {
        id: "speed",
        title: "How fast",
        lead: "Throughput of all clients of a phase; where nothing is moved, requests.".to_owned(),
        description: format!("Bars, one for each arm. {}.", said.collect::<Vec<_>>().join("; ")),
    };
    let caption_of_table = format!("Throughput, {}", sheet.options.precision.rate_unit());
    let table = sheet.speed_of(&sheet.outcome.arms).html(&caption_of_table);
    let drawn = Drawn::Whole(Box::new(move |width| bars::draw(&groups, width)));
    Some(Chart { caption, table: TableOfChart::Ready(table), drawn })
}

fn group<'a>(sheet: &Sheet<'a>, places: &Places<'a>, phase: &'a str) -> BarGroup {
    let moves = places.in_phase(phase).any(|(_, run)| run.bytes.0 > 0);
    let quantity = if moves { Quantity::Rate } else { Quantity::PerSecond };
    let first = sheet.outcome.arms.first().map(|arm| arm.name.as_str());
    let is_alone = sheet.outcome.arms.len() == 1;
    let bar = |(arm, run): (&'a ArmOutcome, &'a PhaseRun)| {
        let value = value(run, quantity);
        let percent = change_pct(sheet.outcome, arm, phase).filter(|_| moves);
        let labels = Labels {
            name: arm.name.clone(),
            figure: quantity.text(value),
            beside: percent.map(change).unwrap_or_default(),
        };
        let ranges = sheet.ranges.get(&arm.name, phase);
        Bar {
            labels,
            value,
            range: ranges.and_then(|ranges| ranges.throughput_bytes_per_sec).filter(|_| moves),
            reported: reported_rate(sheet, (&arm.name, phase)).filter(|_| moves),
            is_reference: !is_alone && first == Some(arm.name.as_str()),
        }
    };
    BarGroup { title: phase.to_owned(), quantity, bars: places.in_phase(phase).map(bar).collect() }
}

fn value(run: &PhaseRun, quantity: Quantity) -> f64 {
    match quantity {
        Quantity::Rate | Quantity::Size => run.throughput_bytes_per_sec.0 as f64,
        _ => Measure::Operations.of(run).unwrap_or_default(),
    }
}

/// Returns what was reported in bytes per second, where its unit is one of those.
fn reported_rate(sheet: &Sheet<'_>, (arm, phase): (&str, &str)) -> Option<f64> {
    let unit = &sheet.outcome.scenario.reported.as_ref()?.unit;
    let one = Rate::parse(&format!("1{unit}")).ok()?;
    Some(reported(sheet.outcome, arm, phase)? * one.0 as f64)
}
