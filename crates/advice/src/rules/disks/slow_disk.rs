//! One disk is slow among equals: in a mirror or raidz everybody waits for it.
//!
//! `zpool iostat -l` tells it, and a table of the operating system's tools (`slow_device.rs`), which finds
//! more and calls nothing fine.

use arcwright_machine::{Class, Pool, Vdev};

use crate::finding::{Area, Evidence, Finding, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::disk_state::{self, Leaf};
use crate::rules::disks::slow_device;
use crate::rules::pool_state;
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether one disk is slower than its peers", judge };

/// Slower than the median of its equals by this factor: three times is beyond what zones, seeks and
/// chance make of equal disks.
const FACTOR: u64 = 3;
/// And slower than this, or nobody feels it: a turn of a disk.
const FELT_NS: u64 = 10_000_000;
/// Fewer operations per second than this make no mean.
const OPS_MIN: f64 = 2.0;
/// Fewer equals than this make no median that one of them stands out of.
const EQUALS_MIN: usize = 2;

fn judge(view: &View<'_>) -> Judged {
    let by_pool = of_pools(view);
    let (more, open) = slow_device::slow(view, groups);
    let known: Vec<String> = match &by_pool {
        Ok(Verdict::Found(found)) => found.iter().map(|finding| finding.title.clone()).collect(),
        _ => Vec::new(),
    };
    let is_told = |name: &str| known.iter().any(|title| title.split(' ').any(|word| word == name));
    let more = more.into_iter().filter(|(name, _)| !is_told(name)).map(|(_, finding)| finding);
    let mut more: Vec<Finding> = more.collect();
    match (by_pool, open) {
        (Ok(Verdict::Found(mut found)), _) => {
            found.append(&mut more);
            Ok(Verdict::Found(found))
        }
        (_, open) if !more.is_empty() => Verdict::of_all(more, open, Verdict::Silent),
        (Err(_), Some(open)) => Err(open),
        (by_pool, _) => by_pool,
    }
}

/// Judges the waits that `zpool iostat -l` tells.
fn of_pools(view: &View<'_>) -> Judged {
    let pools = view.pools()?;
    let mut findings = Vec::new();
    let (mut compared, mut seen) = (0, false);
    for pool in pools {
        let leaves = disk_state::at_work(view, pool, Class::Data);
        for group in groups(pool) {
            let of_group: Vec<&Leaf<'_>> =
                leaves.iter().filter(|leaf| group.contains(&leaf.name)).collect();
            let told = of_group.iter().filter(|leaf| leaf.read_ns().or(leaf.write_ns()).is_some());
            let count = told.count();
            seen |= count > 0;
            compared += if count > EQUALS_MIN { count } else { 0 };
            findings.extend(of_group.iter().filter_map(|leaf| slow(view, pool, leaf, &of_group)));
        }
    }
    // Of two that do the same work the rule on pairs speaks.
    if compared == 0 && seen {
        return Ok(Verdict::Silent);
    }
    if compared == 0 {
        return Err(NotJudged::NotRead(
            "latencies of each disk were not read (zpool iostat -vl)".to_owned(),
        ));
    }
    Ok(Verdict::found_or(findings, Verdict::fine("No disk is slower than its peers", Vec::new())))
}

/// Returns the names of disks that do the same work: those of one vdev of three or more, and all that
/// stand alone or in pairs, together.
fn groups(pool: &Pool) -> Vec<Vec<&str>> {
    let mut groups = Vec::new();
    let mut rest = Vec::new();
    for vdev in pool.of_class(Class::Data) {
        let names: Vec<&str> = Vdev::leaves(vdev).iter().map(|leaf| leaf.name.as_str()).collect();
        if names.len() > EQUALS_MIN { groups.push(names) } else { rest.extend(names) }
    }
    groups.push(rest);
    groups
}

fn slow(view: &View<'_>, pool: &Pool, leaf: &Leaf<'_>, group: &[&Leaf<'_>]) -> Option<Finding> {
    let others = || group.iter().filter(|other| other.name != leaf.name);
    let has_disk_waits = group
        .iter()
        .any(|leaf| leaf.io.waits.disk_read_ns.is_some() || leaf.io.waits.disk_write_ns.is_some());
    let compare = |wait: fn(&Leaf<'_>) -> Option<u64>, rate: fn(&Leaf<'_>) -> Option<f64>| {
        let is_busy = |leaf: &Leaf<'_>| rate(leaf).is_some_and(|rate| rate >= OPS_MIN);
        let own = wait(leaf).filter(|_| is_busy(leaf))?;
        let mut waits: Vec<u64> =
            others().filter(|other| is_busy(other)).filter_map(|other| wait(other)).collect();
        waits.sort_unstable();
        let median = *waits.get(waits.len() / 2).filter(|_| waits.len() >= EQUALS_MIN)?;
        (own >= FELT_NS && own >= median.saturating_mul(FACTOR)).then_some((own, median))
    };
    // Of rows that were cut some lack the later columns: like is compared with like.
    let rates: [fn(&Leaf<'_>) -> Option<f64>; 2] =
        [|leaf| leaf.reads_per_s(), |leaf| leaf.writes_per_s()];
    let [reads, writes] = rates;
    let read = compare(|leaf| leaf.io.waits.disk_read_ns, reads)
        .or_else(|| compare(|leaf| leaf.io.waits.total_read_ns, reads).filter(|_| !has_disk_waits));
    let write = compare(|leaf| leaf.io.waits.disk_write_ns, writes).or_else(|| {
        compare(|leaf| leaf.io.waits.total_write_ns, writes).filter(|_| !has_disk_waits)
    });
    let found = read.map(|found| ("read", found)).or(write.map(|found| ("write", found)));
    let (what, (own, median)) = found?;
    let title = format!(
        "One disk is slow: {} takes {} per {what}, its peers {}",
        leaf.name,
        format::latency(own),
        format::latency(median)
    );
    let mut finding = Finding::new("slow-disk", Severity::HurtsNow, Area::Disks, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence = group.iter().map(|other| evidence(view, other)).collect();
    let drive = view.machine.drive_of(leaf.name);
    let model = drive
        .and_then(|drive| drive.model.clone())
        .map_or_else(String::new, |model| format!(" ({model})"));
    finding.cause = format!(
        "{}{model} does the same work as its peers and takes {:.1} times as long. Usual reasons: a \
         slowly failing disk, a cable or port, shingled recording (SMR), or other load on that \
         disk. The vdev waits for its slowest member.",
        leaf.name,
        own as f64 / median.max(1) as f64
    );
    let replace = pool_state::replace(pool, leaf.name, "NEW-DISK");
    slow_device::advise(&mut finding, view, leaf.name, replace);
    finding.confidence = view.confidence(operations(view, leaf), "operations of that disk");
    finding.sources = lines(["zpool-iostat(8) -l -w"]);
    Some(finding)
}

fn evidence(view: &View<'_>, leaf: &Leaf<'_>) -> Evidence {
    let wait = |wait: Option<u64>| wait.map_or_else(|| "-".to_owned(), format::latency);
    let rate = |rate: Option<f64>| rate.map_or_else(|| "-".to_owned(), format::per_s);
    let text = format!(
        "{} per read, {} per write, {} and {} per second",
        wait(leaf.read_ns()),
        wait(leaf.write_ns()),
        rate(leaf.reads_per_s()),
        rate(leaf.writes_per_s())
    );
    Evidence { over: view.io_over(), ..Evidence::now(format!("{}: disk_wait", leaf.name), text) }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float's range is cut, NaN is zero"
)]
fn operations(view: &View<'_>, leaf: &Leaf<'_>) -> u64 {
    let seconds = view.span().map_or_else(|| 1.0, arcwright_units::Nanos::as_secs_f64);
    ([leaf.reads_per_s(), leaf.writes_per_s()].into_iter().flatten().sum::<f64>() * seconds) as u64
}
