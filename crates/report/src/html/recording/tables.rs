//! Who was busy in a recording: datasets and disks.

use std::cmp::Reverse;

use arcwright_recording::{DatasetTotals, DiskTotals, Timeline};
use arcwright_units::{Bytes, Nanos};

use crate::figures::{ABSENT, Precision};
use crate::html::axis::Quantity;
use crate::html::chart::bars::{self, Bar, BarGroup};
use crate::html::chart::rows::Labels;
use crate::html::figure::{self, Caption, DataTable};
use crate::html::run::Section;
use crate::markup::Markup;

/// Datasets that are drawn, and that stand in the table.
const BARS_MAX: usize = 10;
const ROWS_MAX: usize = 50;

/// Returns datasets with what they did, the busiest first.
pub(super) fn by_bytes(timeline: &Timeline) -> Vec<(&str, &DatasetTotals)> {
    let named = timeline.datasets.iter().map(|(name, totals)| (name.as_str(), totals));
    let mut datasets: Vec<(&str, &DatasetTotals)> = named.collect();
    let bytes = |totals: &DatasetTotals| {
        totals.read.into_iter().chain(totals.written).fold(0, u64::saturating_add)
    };
    datasets.sort_by_key(|(_, totals)| Reverse(bytes(totals)));
    datasets
}

/// Returns disks of pools, the busiest first.
pub(super) fn by_busyness(timeline: &Timeline) -> Vec<(&str, &DiskTotals)> {
    let named = timeline.disks.iter().map(|(name, disk)| (name.as_str(), disk));
    let mut disks: Vec<(&str, &DiskTotals)> = named.collect();
    let busy = |disk: &DiskTotals| disk.busy.mean().unwrap_or_default();
    disks.sort_by(|(_, one), (_, other)| busy(other).total_cmp(&busy(one)));
    disks
}

/// Returns which datasets moved most; none where they are not counted.
pub(super) fn datasets(timeline: &Timeline) -> Option<Section> {
    const TITLE: &str = "Busiest datasets";
    let all = by_bytes(timeline);
    if all.is_empty() {
        return None;
    }
    let group = |title: &str, of: fn(&DatasetTotals) -> Option<u64>| {
        let sum = all.iter().filter_map(|(_, totals)| of(totals)).fold(0, u64::saturating_add);
        let mut rows: Vec<(&str, u64)> =
            all.iter().filter_map(|(name, totals)| Some((*name, of(totals)?))).collect();
        rows.sort_by_key(|(_, bytes)| Reverse(*bytes));
        let rows = rows.into_iter().filter(|(_, bytes)| *bytes > 0).take(BARS_MAX);
        let bars: Vec<Bar> = rows.map(|(name, bytes)| bar(name, bytes, sum)).collect();
        let group = BarGroup { title: title.to_owned(), quantity: Quantity::Size, bars };
        (!group.bars.is_empty()).then_some(group)
    };
    let groups = [group("read", |totals| totals.read), group("written", |totals| totals.written)];
    let groups: Vec<BarGroup> = groups.into_iter().flatten().collect();
    let said =
        groups.iter().flat_map(|group| group.bars.iter().map(|it| it.labels.said(&group.title)));
    let caption = Caption {
        id: "datasets",
        title: TITLE,
        lead: "Bytes that programs read and wrote. OpenZFS does not count whose accesses missed; arcwright record reads lists \
               every read of a pool for a while, and says it."
            .to_owned(),
        description: format!("Bars, one for each dataset. {}.", said.collect::<Vec<_>>().join("; ")),
    };
    let table = table(&all).markup(TITLE);
    let markup = match groups.is_empty() {
        true => idle(&caption),
        false => figure::chart(&caption, &|width| bars::draw(&groups, width), &table),
    };
    Some((caption.id, caption.title, markup))
}

/// Returns what stands there where no dataset did anything.
fn idle(caption: &Caption) -> Markup {
    let mut markup = Markup::new();
    markup.open("section", &[("id", caption.id)]);
    markup.element("h2", &[], caption.title);
    markup.element("p", &[("class", "lead")], "No dataset read or wrote anything.");
    markup.close("section");
    markup
}

fn bar(name: &str, bytes: u64, sum: u64) -> Bar {
    let share = (sum > 0).then(|| bytes as f64 / sum as f64);
    let labels = Labels {
        name: name.to_owned(),
        figure: Bytes(bytes).to_string(),
        beside: Precision::Rounded.ratio(share),
    };
    Bar { labels, value: bytes as f64, range: None, reported: None, is_reference: false }
}

fn table(all: &[(&str, &DatasetTotals)]) -> DataTable {
    let heads = ["dataset", "read", "written", "reads", "writes", "commits"];
    let mut table = DataTable::new(1, &heads);
    for (name, totals) in all.iter().take(ROWS_MAX) {
        table.rows.push(vec![
            (*name).to_owned(),
            size(totals.read),
            size(totals.written),
            count(totals.reads),
            count(totals.writes),
            count(totals.commits),
        ]);
    }
    let more = all.len().saturating_sub(ROWS_MAX);
    if more > 0 {
        table.rows.push(vec![format!("and {more} more, less busy")]);
    }
    table.without_empty()
}

/// Returns the figures of all disks.
pub(super) fn disks(all: &[(&str, &DiskTotals)]) -> DataTable {
    let heads =
        ["disk", "used for", "busy", "read", "written", "requests", "mean time of a request"];
    let mut table = DataTable::new(2, &heads);
    for (name, disk) in all {
        let busy = disk.busy.mean().map(|busy| Quantity::Percent.text(busy * 100.0));
        let time = disk.request_ms.zip(disk.requests).filter(|(_, requests)| *requests > 0);
        let time =
            time.map(|(ms, requests)| Nanos(ms.saturating_mul(1_000_000) / requests).to_string());
        table.rows.push(vec![
            (*name).to_owned(),
            disk.role.clone(),
            busy.unwrap_or_else(|| ABSENT.to_owned()),
            size(disk.read),
            size(disk.written),
            count(disk.requests),
            time.unwrap_or_else(|| ABSENT.to_owned()),
        ]);
    }
    table
}

fn size(bytes: Option<u64>) -> String {
    Precision::Rounded.bytes_if_any(bytes.map(Bytes))
}

fn count(count: Option<u64>) -> String {
    count.map_or_else(|| ABSENT.to_owned(), |count| Precision::Rounded.count(count))
}
