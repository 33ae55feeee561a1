//! Writes on their way: transaction groups, the intent log, queues.
//!
//! A group's dirty bytes are known when it is synced, so they are those of the last one that was.

use arcwright_kstat::Txg;
use arcwright_units::Bytes;
use ratatui::text::{Line, Span};

use super::{Need, Sheet};
use crate::counts::WriteCounts;
use crate::format;
use crate::rates::float;
use crate::table::{Cell, Column, Table, TableState};
use crate::text::{Item, bar, grid, grid_rows};

/// Columns of a label.
const LABEL: usize = 7;
/// Rows where there is little room.
const LEAST: u16 = 3;
/// Columns of the words beside the bar of dirty data.
const DIRTY: usize = 26;
/// Groups that are listed at least, and where there is room for more.
const GROUPS_LEAST: usize = 2;
const GROUPS_BEST: usize = 5;

const COLUMNS: [Column; 8] = [
    Column { title: "group", wide: 0, rank: u8::MAX },
    Column { title: "state", wide: 9, rank: 6 },
    Column { title: "dirty", wide: 8, rank: 7 },
    Column { title: "written", wide: 8, rank: 5 },
    Column { title: "open", wide: 8, rank: 4 },
    Column { title: "quiesce", wide: 8, rank: 2 },
    Column { title: "wait", wide: 8, rank: 1 },
    Column { title: "sync", wide: 8, rank: 8 },
];

pub(super) fn need(sheet: &Sheet<'_>, columns: u16) -> Need {
    let wide = usize::from(columns);
    let (items, groups) = (items(sheet).len(), groups(sheet));
    let others = usize::from(groups > 0) + queues(sheet, wide).len();
    let rows = grid_rows(items, LABEL, wide) + others;
    let listed = if groups > 0 { groups.min(GROUPS_BEST) + 1 } else { 0 };
    let size = |rows: usize| u16::try_from(rows).unwrap_or(u16::MAX);
    Need {
        least: size(rows).min(LEAST),
        best: size(rows + listed),
        growth: u16::from(groups > GROUPS_BEST),
        most: size(rows + groups + 1),
    }
}

pub(super) fn lines(sheet: &Sheet<'_>, (columns, rows): (u16, u16)) -> Vec<Line<'static>> {
    let (wide, rows) = (usize::from(columns), usize::from(rows));
    let palette = sheet.board.palette;
    let mut lines: Vec<Line<'static>> = dirty(sheet, wide).into_iter().collect();
    lines.extend(grid(&items(sheet), LABEL, wide, palette));
    lines.extend(queues(sheet, wide));
    let room = rows.saturating_sub(lines.len());
    if groups(sheet) > 0 && room > GROUPS_LEAST {
        lines.extend(listed(sheet).lines(TableState::default(), (wide, room), palette));
    }
    lines
}

fn writes<'a>(sheet: &'a Sheet<'_>) -> Option<&'a WriteCounts> {
    Some(&sheet.board.history.now()?.writes)
}

fn groups(sheet: &Sheet<'_>) -> usize {
    writes(sheet).map_or(0, |writes| writes.groups.len())
}

/// Returns the last group that was synced.
fn synced(sheet: &Sheet<'_>) -> Option<Txg> {
    let mut groups = writes(sheet)?.groups.iter().map(|(_, group)| *group);
    groups.find(|group| group.state == 'C')
}

/// Returns dirty data against what it may be; none without a list of groups.
fn dirty(sheet: &Sheet<'_>, wide: usize) -> Option<Line<'static>> {
    let palette = sheet.board.palette;
    if groups(sheet) == 0 {
        return None;
    }
    let dirty = synced(sheet).and_then(|group| group.dirty);
    let most = writes(sheet)?.dirty_max;
    let size = |bytes: Option<Bytes>| {
        bytes.map_or_else(|| format::ABSENT.to_owned(), |bytes| bytes.to_string())
    };
    let mut text = format!("dirty {}", size(dirty));
    text.extend(most.map(|most| format!(" of {}", Bytes(most))));
    let mut spans = vec![Span::raw(format!("{text:<DIRTY$}"))];
    if let Some((dirty, most)) = dirty.zip(most).filter(|_| wide > DIRTY + 4) {
        let shares = [
            (float(dirty.0), palette.programs(), '█'),
            (float(most.saturating_sub(dirty.0)), palette.dim(), '░'),
        ];
        spans.push(Span::raw(" "));
        spans.extend(bar(&shares, wide - DIRTY - 1));
    }
    Some(Line::from(spans))
}

/// Returns what is said, the most important first.
fn items(sheet: &Sheet<'_>) -> Vec<Item> {
    let rates = sheet.rates.clone().unwrap_or_default();
    let group = synced(sheet);
    let time = |of: fn(&Txg) -> f64| format::latency(group.as_ref().map(of));
    let mut items = Vec::new();
    if groups(sheet) > 0 {
        items.push(("open", time(|group| float(group.open.0))));
        items.push(("sync", time(|group| float(group.syncing.0))));
    }
    items.push(("commits", format::per_second(rates.commits)));
    items.push(("to slog", format::rate(rates.log_slog)));
    items.push(("to pool", format::rate(rates.log_normal)));
    items.push(("delayed", format::per_second(rates.delays)));
    items
}

/// Returns requests by queue, where they were read.
fn queues(sheet: &Sheet<'_>, wide: usize) -> Vec<Line<'static>> {
    let queues = writes(sheet).map(|writes| writes.queues.as_slice()).unwrap_or_default();
    let busy = queues.iter().filter(|queue| queue.waiting + queue.active > 0);
    let part = |queue: &crate::sample::QueueSample| {
        (None, format!("{}: {} waiting, {} active", queue.name, queue.waiting, queue.active))
    };
    crate::text::flow(busy.map(part).collect(), wide)
}

fn listed(sheet: &Sheet<'_>) -> Table {
    let groups = writes(sheet).map(|writes| writes.groups.as_slice()).unwrap_or_default();
    let is_one_pool = groups.windows(2).all(|pair| match pair {
        [one, other] => one.0 == other.0,
        _ => true,
    });
    let row = |(pool, group): &(std::sync::Arc<str>, Txg)| {
        let is_over = group.state == 'C';
        let size = |bytes: Option<Bytes>| {
            let text = bytes.filter(|_| is_over).map(|bytes| bytes.to_string());
            Cell::word(text.as_deref().unwrap_or(format::ABSENT))
        };
        // A time that is not over is not known; the kernel writes zero.
        let time = |time: arcwright_units::Nanos| {
            Cell::word(&format::latency((time.0 > 0).then_some(float(time.0))))
        };
        let name = match is_one_pool {
            true => group.txg.to_string(),
            false => format!("{pool} {}", group.txg),
        };
        vec![
            Cell::word(&name),
            Cell::word(state(group.state)),
            size(group.dirty),
            size(Some(group.written)),
            time(group.open),
            time(group.quiescing),
            time(group.waiting.unwrap_or_default()),
            time(group.syncing),
        ]
    };
    Table { columns: &COLUMNS, rows: groups.iter().map(row).collect(), empty: "" }
}

fn state(letter: char) -> &'static str {
    match letter {
        'O' => "open",
        'Q' => "quiescing",
        'W' => "waiting",
        'S' => "syncing",
        'C' => "committed",
        _ => format::ABSENT,
    }
}
