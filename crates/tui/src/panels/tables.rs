//! Pools, datasets and disks: a row each, sorted and scrolled as their owner wants.

use arcwright_machine::{DeviceRates, ProcessRow};

use super::Sheet;
use crate::format;
use crate::panel::Panel;
use crate::rates::{DatasetRates, PoolRates, Rates, float};
use crate::table::{Cell, Table};
use crate::text::bar;

/// Blocks of a bar, and columns of the share beside it.
const BAR: usize = 8;
const SHARE: usize = 9;

/// Returns a table with its rows in their order.
pub(super) fn table(sheet: &Sheet<'_>, panel: Panel) -> Table {
    let none = Rates::default();
    let rates = sheet.rates.as_ref().unwrap_or(&none);
    let mut table = Table { columns: panel.columns(), ..Table::default() };
    match panel {
        Panel::Pools => {
            table.rows = rates.pools.iter().map(|pool| pool_row(sheet, pool)).collect();
            table.empty = "no pool is known yet";
        }
        Panel::Datasets => {
            table.rows = datasets(sheet, rates);
            table.empty = "no counters of datasets (OpenZFS 0.8 and later)";
        }
        Panel::Processes => {
            let rows = rates.processes.iter().flat_map(|table| &table.rows);
            table.rows = rows.map(process_row).collect();
            table.empty = "nobody moved anything; of the last 60 readings alone processes are kept";
        }
        _ => {
            table.rows = rates.devices.iter().map(|device| device_row(sheet, device)).collect();
            table.empty = "no disk statistics";
        }
    }
    if let Some(sort) = sheet.board.state(panel).sort {
        table.sort(sort);
    }
    table
}

fn pool_row(sheet: &Sheet<'_>, pool: &PoolRates) -> Vec<Cell> {
    let state = Cell::word(pool.state.as_deref().unwrap_or(format::ABSENT));
    let is_bad = pool.state.as_deref().is_some_and(|state| state != "ONLINE");
    let style = if is_bad { sheet.board.palette.bad() } else { ratatui::style::Style::new() };
    vec![
        Cell::word(&pool.name),
        state.styled(style),
        Cell::figure(pool.read, format::rate),
        Cell::figure(pool.written, format::rate),
        Cell::figure(pool.disks_read, format::rate),
        Cell::figure(pool.disks_written, format::rate),
    ]
}

/// Returns datasets, the busiest first; a bar is a dataset's share of all that datasets move.
fn datasets(sheet: &Sheet<'_>, rates: &Rates) -> Vec<Vec<Cell>> {
    let moved = |it: &DatasetRates| match (it.read, it.written) {
        (None, None) => None,
        (read, written) => Some(read.unwrap_or(0.0) + written.unwrap_or(0.0)),
    };
    let all: f64 = rates.datasets.iter().filter_map(moved).sum();
    let mut rows: Vec<(f64, Vec<Cell>)> = Vec::new();
    for dataset in &rates.datasets {
        let share = moved(dataset).filter(|_| all > 0.0).map(|moved| moved / all);
        let blocks = share.map(|share| {
            let plain = ratatui::style::Style::new();
            bar(&[(share, plain, '▆'), (1.0 - share, plain, ' ')], BAR)
        });
        let blocks: String = blocks.iter().flatten().map(|span| span.content.as_ref()).collect();
        let text = format!("{blocks}{:>SHARE$}", format::share(share));
        let cells = vec![
            Cell::word(&dataset.name),
            Cell::figure(dataset.read, format::rate),
            Cell::figure(dataset.reads.map(f64::round), format::per_second),
            Cell::figure(dataset.written, format::rate),
            Cell::figure(dataset.writes.map(f64::round), format::per_second),
            Cell { text, value: share, style: sheet.board.palette.programs() },
        ];
        rows.push((moved(dataset).unwrap_or(-1.0), cells));
    }
    rows.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    rows.into_iter().map(|(_, cells)| cells).collect()
}

/// Returns processes of one name: what they asked for by calls, from files, pipes and terminals, and how many of their threads
/// waited for a device.
fn process_row(row: &ProcessRow) -> Vec<Cell> {
    vec![
        Cell::word(&row.name),
        Cell {
            text: row.processes.to_string(),
            value: Some(size(row.processes)),
            ..Cell::default()
        },
        Cell::figure(row.read, format::rate),
        Cell::figure(row.written, format::rate),
        Cell::figure(Some(row.waiting), threads),
    ]
}

fn threads(waiting: Option<f64>) -> String {
    waiting.map_or_else(|| format::ABSENT.to_owned(), |waiting| format!("{waiting:.1}"))
}

fn size(count: usize) -> f64 {
    u64::try_from(count).map_or(f64::INFINITY, float)
}

fn device_row(sheet: &Sheet<'_>, device: &DeviceRates) -> Vec<Cell> {
    let palette = sheet.board.palette;
    let is_slow = device.latency_ns.is_some_and(|latency| {
        let others = sheet.rates.iter().flat_map(|rates| &rates.devices);
        let peers = others.filter(|other| other.role == device.role && other.name != device.name);
        let known: Vec<f64> = peers.filter_map(|other| other.latency_ns).collect();
        // Three times what its equals take is more than chance.
        !known.is_empty() && known.iter().all(|other| latency > other * 3.0)
    });
    let style = if is_slow { palette.bad() } else { ratatui::style::Style::new() };
    vec![
        Cell::word(&device.name),
        Cell::word(&device.detail).styled(palette.dim()),
        Cell::word(&device.role),
        Cell::figure(Some(device.read), format::rate),
        Cell::figure(Some(device.write), format::rate),
        Cell::figure(Some(device.requests.round()), format::per_second),
        Cell::figure(device.latency_ns, format::latency).styled(style),
        Cell::figure(device.busy, format::share),
    ]
}
