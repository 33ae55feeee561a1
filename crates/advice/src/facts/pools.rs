//! A pool: its state, what it is made of, how full it is, and its last scan.

use std::collections::BTreeMap;

use arcwright_machine::{Class, Layout, Pool, UNNAMED_POOL, Vdev};
use arcwright_units::Bytes;

use super::{Fact, scan as scans};
use crate::format;
use crate::rules::pool_state;
use crate::view::View;

pub(super) fn of<'a>(view: &View<'a>, pool: &'a Pool) -> Vec<Fact> {
    // What `zpool import` offers is not in use: its state is that of the offer.
    if pool.offer.is_some() {
        return Vec::new();
    }
    let state = pool_state::state(view, pool).map(str::to_owned);
    let unnamed = (pool.name == UNNAMED_POOL)
        .then(|| "its name was not read, and stands so in commands".to_owned());
    let space = Fact::of_parts(&pool.name, [state, layout(pool), fullness(pool), unnamed]);
    let scan = pool.scan.as_deref().map(pool_state::one_line);
    let scan = scan.filter(|scan: &String| !scan.is_empty()).map(|scan: String| {
        let rate = scans::rate(&scan);
        let rate = rate.map_or_else(String::new, |rate| format!(" ({rate} in the mean)"));
        Fact::new(format!("{} scan", pool.name), scan + &rate)
    });
    let rest = [scan, errors(pool), spaces(pool), dedup(pool)];
    space.into_iter().chain(rest.into_iter().flatten()).collect()
}

fn fullness(pool: &Pool) -> Option<String> {
    let bytes = |name: &str| pool.number(name).map(Bytes);
    let (used, free) = (bytes("allocated"), bytes("free"));
    let size = bytes("size").or_else(|| Some(Bytes(used?.0.checked_add(free?.0)?)));
    let used = used.map(|used| match size {
        Some(size) => format!("{used} of {size}"),
        None => used.to_string(),
    });
    let free = free.map(|free| format!("{free} free"));
    let parts: Vec<String> = [used, free].into_iter().flatten().collect();
    let beside = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
    let told = pool.number("capacity")?;
    // zpool rounds down to whole percents; sizes that were rounded themselves must not contradict it.
    let percent = |(used, size): &(Bytes, Bytes)| used.0.checked_mul(100)?.checked_div(size.0);
    let exact = bytes("allocated").zip(size).filter(|sizes| percent(sizes) == Some(told));
    let full = match exact {
        Some((used, size)) => format::share(used.0, size.0),
        None => format!("{told} %"),
    };
    let pieces = pool.number("fragmentation");
    let pieces =
        pieces.map_or_else(String::new, |percent| format!(", free space fragmented {percent} %"));
    Some(format!("{full} full{beside}{pieces}"))
}

/// Returns which rows have counted errors, or of how many none has.
fn errors(pool: &Pool) -> Option<Fact> {
    const NAMED_MAX: usize = 12;
    let mut rows = Vec::new();
    let own = pool.errors_beside.own.map(|counts| (pool.name.as_str(), counts));
    rows.extend(own);
    for vdev in pool.vdevs.iter().chain(&pool.strays) {
        add_counts(vdev, 0, &mut rows);
    }
    if rows.is_empty() {
        return None;
    }
    let counted = rows.iter().filter(|(_, counts)| counts.iter().any(|count| *count > 0));
    let told =
        counted.map(|(name, [read, write, checksum])| format!("{name} {read}/{write}/{checksum}"));
    let mut told: Vec<String> = told.collect();
    let more = told.len().saturating_sub(NAMED_MAX);
    told.truncate(NAMED_MAX);
    if more > 0 {
        told.push(format!("{more} more"));
    }
    let says = match told.is_empty() {
        true => format!(
            "none in the {} {} that were read",
            rows.len(),
            format::plural(rows.len(), "row", "rows")
        ),
        false => told.join(", "),
    };
    Some(Fact::new(
        format!("{} errors", pool.name),
        says + if told.is_empty() { "" } else { " (read/write/checksum)" },
    ))
}

/// Adds the counts of a vdev and of those below it; as deep as vdevs of pools go.
fn add_counts<'a>(vdev: &'a Vdev, depth: usize, rows: &mut Vec<(&'a str, [u64; 3])>) {
    const DEPTH_MAX: usize = 6;
    if depth > DEPTH_MAX {
        return;
    }
    rows.extend(vdev.errors.map(|counts| (vdev.name.as_str(), counts)));
    vdev.children.iter().for_each(|child| add_counts(child, depth + 1, rows));
}

/// Returns how full each group of data disks is, of several.
fn spaces(pool: &Pool) -> Option<Fact> {
    const NAMED_MAX: usize = 8;
    let told = pool.of_class(Class::Data).filter_map(|vdev| {
        let (space, (used, size)) = (vdev.space?, taken(vdev)?);
        let pieces = space
            .fragmentation_pct
            .map_or_else(String::new, |percent| format!(", fragmented {percent} %"));
        Some(format!(
            "{} {} full ({used} of {size}{pieces})",
            vdev.name,
            format::share(used.0, size.0)
        ))
    });
    let told: Vec<String> = told.take(NAMED_MAX).collect();
    (told.len() > 1).then(|| Fact::new(format!("{} vdevs", pool.name), told.join("; ")))
}

/// Returns the table of deduplication, or the one that there would be.
fn dedup(pool: &Pool) -> Option<Fact> {
    let (table, what) = match (pool.dedup.own, pool.dedup.simulated) {
        (Some(table), _) => (table, "dedup"),
        (None, Some(table)) => (table, "dedup, if it were on"),
        (None, None) => return None,
    };
    let entries = table.entries.map(|entries| format!("{} entries", format::rounded(entries)));
    let once = table.unique.zip(table.entries);
    let once = once
        .map(|(unique, entries)| format!("{} of them stored once", format::share(unique, entries)));
    let ratio = table.ratio().map(|ratio| format!("{ratio:.2} times as much without it"));
    Fact::of_parts(format!("{} {what}", pool.name), [entries, once, ratio])
}

/// Returns what the pool is made of: `2 mirrors of 2, log of 1`; none where its layout is in doubt.
fn layout(pool: &Pool) -> Option<String> {
    const CLASSES: [Class; 6] =
        [Class::Data, Class::Special, Class::Dedup, Class::Log, Class::Cache, Class::Spare];
    let parts = CLASSES.into_iter().filter_map(|class| {
        let groups = groups(pool, class)?;
        Some(if class == Class::Data { groups } else { format!("{}: {groups}", class.name()) })
    });
    let parts: Vec<String> = parts.collect();
    if let Some(cut) = pool_state::cut_vdev(pool) {
        return Some(cut_layout(pool, cut));
    }
    (pool.of_class(Class::Data).next().is_some()).then(|| parts.join(", "))
}

/// Returns what is known of a layout whose list ends within a group.
fn cut_layout(pool: &Pool, cut: &Vdev) -> String {
    let above = pool_state::whole_vdevs(pool).count();
    let more = match above {
        0 => String::new(),
        count => format!("{count} {} and ", format::plural(count, "group", "groups")),
    };
    let (shape, least) = (shape(cut.layout), cut.children.len());
    let is_last = pool.strays.last().is_none_or(|last| last.name == cut.name);
    let what = if is_last { "the list ends within" } else { "rows were left out in or below" };
    format!("at least {more}{shape} of {least} or more: {what} {}", cut.name)
}

/// Returns the groups of a class, those of one shape together; none where it has none.
fn groups(pool: &Pool, class: Class) -> Option<String> {
    let mut shapes: BTreeMap<(String, usize), usize> = BTreeMap::new();
    for vdev in pool.of_class(class) {
        *shapes.entry((shape(vdev.layout), vdev.children.len())).or_default() += 1;
    }
    let told = shapes.into_iter().map(|((shape, members), count)| match (shape.as_str(), count) {
        ("", 1) => "one device".to_owned(),
        ("", count) => format!("{count} devices"),
        (shape, 1) => format!("{shape} of {members}"),
        (shape, count) => format!("{count} × {shape} of {members}"),
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| format::list(&told))
}

fn shape(layout: Layout) -> String {
    match layout {
        // A device that is being replaced is one, whatever stands below it now.
        Layout::Leaf | Layout::Replacing => String::new(),
        Layout::Mirror => "mirror".to_owned(),
        Layout::Raidz { parity } => format!("raidz{parity}"),
        Layout::Draid { parity, .. } => format!("draid{parity}"),
    }
}

/// Returns a device's space, where it was listed: `11.7 GiB of 233 GiB taken`.
pub(super) fn space_of(vdev: &Vdev) -> Option<String> {
    let (used, size) = taken(vdev)?;
    Some(format!("{used} of {size} taken"))
}

/// Returns what is taken of a device or group, and its size, which is what is taken and free where it was not listed.
fn taken(vdev: &Vdev) -> Option<(Bytes, Bytes)> {
    let space = vdev.space?;
    let used = space.allocated?;
    let size = space.size.or_else(|| Some(Bytes(used.0.checked_add(space.free?.0)?)))?;
    Some((used, size))
}
