//! What datasets take, and what is left to them.

use arcwright_machine::{Dataset, Layout, Pool, Snapshots};
use arcwright_units::Bytes;

use super::Fact;
use crate::rules::dataset_state::{property, size};
use crate::view::View;

/// Datasets whose space is told, those that use most.
const TOLD_MAX: usize = 4;

/// Returns a line of space for the datasets that use most.
pub(super) fn of(view: &View<'_>) -> Vec<Fact> {
    let all = view.machine.datasets.iter().filter(|dataset| !dataset.name.contains('@'));
    let mut all: Vec<&Dataset> = all.collect();
    let used = |dataset: &Dataset| size(dataset, "used").or_else(|| size(dataset, "referenced"));
    all.sort_by_key(|dataset| std::cmp::Reverse(used(dataset)));
    let spaces = all.into_iter().filter_map(|dataset| space(view, dataset)).take(TOLD_MAX);
    spaces.chain(snapshots(view)).collect()
}

/// Returns a line for the datasets whose snapshots hold most.
fn snapshots(view: &View<'_>) -> Vec<Fact> {
    let mut all: Vec<(&String, &Snapshots)> = view.machine.snapshots.iter().collect();
    all.sort_by_key(|(name, held)| (std::cmp::Reverse(held.held), *name));
    let fact = |(name, of): (&String, &Snapshots)| {
        let noun = if of.count == 1 { "snapshot" } else { "snapshots" };
        let refers = of.refers.map(|bytes| format!("the largest refers to {bytes}"));
        let held = format!("{} that no other holds", of.held);
        let parts = [Some(format!("{} {noun} listed", of.count)), Some(held), refers];
        Fact::of_parts(format!("snapshots of {name}"), parts)
    };
    all.into_iter().take(TOLD_MAX).filter_map(fact).collect()
}

fn space(view: &View<'_>, dataset: &Dataset) -> Option<Fact> {
    let of = |name: &str, what: &str| {
        size(dataset, name).map(|bytes| format!("{what} {}", Bytes(bytes)))
    };
    let is_set = |name: &str, what: &str| {
        let bytes = size(dataset, name).filter(|bytes| *bytes > 0)?;
        Some(format!("{what} {}", Bytes(bytes)))
    };
    let is_volume = property(dataset, "volsize").is_some();
    let reservation = property(dataset, "refreservation");
    let is_sparse = is_volume && matches!(reservation, Some("none" | "0" | "-"));
    let left = of("available", "left to it").map(|left| left + &raw(view, dataset));
    let parts = [
        of("used", "uses"),
        of("referenced", "refers to"),
        is_set("usedbysnapshots", "only its snapshots hold"),
        is_set("usedbyrefreservation", "reserved and not written"),
        is_set("usedbychildren", "below it"),
        of("volsize", "a volume of"),
        is_set("refreservation", "refreservation"),
        is_set("reservation", "reservation"),
        is_set("quota", "quota"),
        is_set("refquota", "refquota"),
        is_sparse.then(|| {
            "nothing is reserved for it (sparse): its writes fail when the pool is full".to_owned()
        }),
        left,
    ];
    // Some of several say something of space; what is only set says it elsewhere.
    let told = ["used", "referenced", "available", "volsize"].map(|name| size(dataset, name));
    told.iter()
        .any(Option::is_some)
        .then(|| Fact::of_parts(format!("space of {}", dataset.name), parts))?
}

/// Says what the free space of a raidz pool is beside what its own dataset may use: with parity, and with what ZFS keeps back.
fn raw(view: &View<'_>, dataset: &Dataset) -> String {
    let pool = view.machine.pools.iter().find(|pool: &&Pool| pool.name == dataset.name);
    let has_parity = |pool: &Pool| {
        pool.vdevs
            .iter()
            .any(|vdev| matches!(vdev.layout, Layout::Raidz { .. } | Layout::Draid { .. }))
    };
    let free = pool.and_then(|pool| pool.number("free"));
    let Some((pool, free)) = pool.zip(free) else { return String::new() };
    let with_parity = if has_parity(pool) { "has parity and " } else { "has " };
    format!(" (zpool's {} free {with_parity}what ZFS keeps back in it)", Bytes(free))
}
