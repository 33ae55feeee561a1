//! Disks that spend their time seeking: many small reads, few bytes, long waits.
//!
//! A turning disk answers 75 to 200 reads a second at random places, whatever their size
//! (crates/device/profiles). With 8 KiB each that is one MiB/s.

use arcwright_machine::{Class, DriveKind, Pool};

use crate::changes;
use crate::drives::kind_of;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::disk_state::{self, Leaf};
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether disks are bound by seeks", judge };

/// Reads per second of one disk that fill at least half of what a slow disk of 5400 revolutions does.
const READS_MIN: f64 = 40.0;
/// The most reads per second that a turning disk answers at random places, with a deep queue; one that
/// answers more reads what lies side by side (crates/device/profiles).
const SEEKS_MAX: f64 = 300.0;
/// A mean below this is no stream: at 64 KiB and 100 reads a second a disk moves a thirtieth of what it can.
const SMALL: f64 = 65_536.0;
/// The least mean service time of a disk that seeks: half a turn at 7200 revolutions is 4.2 ms.
const SEEK_NS: u64 = 4_000_000;

fn judge(view: &View<'_>) -> Judged {
    let pools = view.pools()?;
    if view.machine.samples.last().is_none_or(|sample| sample.vdevs.is_empty()) {
        return Err(NotJudged::NotRead(
            "what each disk does was not read (zpool iostat)".to_owned(),
        ));
    }
    let mut findings = Vec::new();
    let mut unread = None;
    for pool in pools {
        match of_pool(view, pool) {
            Ok(found) => findings.extend(found),
            Err(why) => unread = Some(why),
        }
    }
    Verdict::of_all(findings, unread, Verdict::Silent)
}

fn of_pool(view: &View<'_>, pool: &Pool) -> Result<Option<Finding>, NotJudged> {
    let leaves = disk_state::all_at_work(view, pool, Class::Data)?;
    // Half of the disks or more: one alone is the business of another rule.
    if leaves.is_empty() {
        return Ok(of_whole(view, pool));
    }
    // A busy disk of an unknown kind whose waits are not known either may be an SSD.
    let is_open = |leaf: &&Leaf<'_>| {
        let kind = kind_of(view.machine, leaf.name);
        let known = !matches!(kind, None | Some(DriveKind::Virtual)) || leaf.read_ns().is_some();
        let small = leaf.mean_read().is_some_and(|mean| mean < SMALL);
        !known && small && leaf.reads_per_s().is_some_and(|rate| rate >= READS_MIN)
    };
    if let Some(leaf) = leaves.iter().find(is_open) {
        let what = format!("the kind or the latency of {} was not read", leaf.name);
        return Err(NotJudged::NotRead(what));
    }
    Ok(of_leaves(view, pool, &leaves))
}

fn of_leaves(view: &View<'_>, pool: &Pool, leaves: &[Leaf<'_>]) -> Option<Finding> {
    let seeks = |leaf: &&Leaf<'_>| {
        let small = leaf.mean_read().is_some_and(|mean| mean < SMALL);
        let slow = leaf.read_ns().is_none_or(|wait| wait >= SEEK_NS);
        let turns = match kind_of(view.machine, leaf.name) {
            Some(DriveKind::Hdd) => true,
            Some(DriveKind::Ssd | DriveKind::Nvme) => false,
            Some(DriveKind::Virtual) | None => leaf.read_ns().is_some(),
        };
        let seeks = leaf.reads_per_s().is_some_and(|rate| (READS_MIN..=SEEKS_MAX).contains(&rate));
        seeks && small && slow && turns
    };
    let seeking: Vec<&Leaf<'_>> = leaves.iter().filter(seeks).collect();
    if seeking.is_empty() || seeking.len() * 2 < leaves.len() {
        return None;
    }
    let count = seeking.len() as f64;
    let reads = seeking.iter().filter_map(|leaf| leaf.reads_per_s()).sum::<f64>() / count;
    let mean = seeking.iter().filter_map(|leaf| leaf.mean_read()).sum::<f64>() / count;
    let title = format!(
        "The disks of {} are seek-bound: {} reads per second each, of {}",
        pool.name,
        format::per_s(reads),
        disk_state::size(mean)
    );
    let mut finding = Finding::new("seek-bound", Severity::WorthALook, Area::Disks, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence = seeking.iter().take(6).map(|leaf| evidence(view, leaf)).collect();
    finding.cause = format!(
        "{} of them do small random reads. Seeks take the time, so throughput is low though the \
         disks are busy.",
        seeking.len()
    );
    let mut remedy = changes::by_hand(
        "reduce reads, since no setting makes a disk seek faster: see the findings on metadata and \
         the ARC. More mirrors, metadata on SSDs, and larger records for large files also help",
        &[],
    );
    remedy.verify = lines(["zpool iostat -rly 10 1"]);
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("depends on the way chosen".to_owned());
    finding.cost = "Memory or disks.".to_owned();
    finding.risk =
        "A special vdev cannot be removed from a pool with raidz, and losing it loses the pool."
            .to_owned();
    finding.confidence = view.confidence(events(view, reads * count), "reads of disks");
    finding.sources = lines(["zpool-iostat(8) -l -r", "openzfs-docs, Workload Tuning"]);
    Some(finding)
}

/// Says what is odd about a pool of which only the sum is known (`zpool iostat` without `-v`): how many
/// disks share it is not, so whether they seek is not known.
fn of_whole(view: &View<'_>, pool: &Pool) -> Option<Finding> {
    /// More reads than two disks do at random places.
    const READS: f64 = 400.0;
    let all = Leaf { name: &pool.name, io: view.io(&pool.name)?.get(&pool.name)? };
    let mean = all.mean_read().filter(|mean| *mean < SMALL)?;
    let rate = all.reads_per_s().filter(|rate| *rate >= READS)?;
    let title = format!(
        "{} does {} reads per second, of {}: their cause was not read",
        pool.name,
        format::per_s(rate),
        disk_state::size(mean)
    );
    let mut finding = Finding::new("small-reads", Severity::Note, Area::Disks, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence = vec![evidence(view, &all)];
    let disks = (rate / SEEKS_MAX).ceil();
    finding.cause = format!(
        "That is {:.1} MiB/s in all. Reads of this size are mostly metadata (names, attributes, \
         indirect blocks, deduplication tables) or small records that did not stay in the ARC. \
         Whether the disks seek for them was not measured: a hard disk does at most about {SEEKS_MAX:.0} \
         random reads per second, so with fewer than {disks:.0} such disks most of these reads are \
         adjacent, or served by SSDs.",
        rate * mean / 1_048_576.0
    );
    let mut remedy = changes::by_hand(
        "check whether metadata fits into the ARC: run this with the ARC's counters",
        &[],
    );
    remedy.lasting = lines(["arcwright doctor --window 60s   # on the machine itself"]);
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("the ARC's counters were not read".to_owned());
    finding.cost = "None to look.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = Confidence::read("zpool iostat");
    finding.sources = lines(["zpool-iostat(8)"]);
    Some(finding)
}

fn evidence(view: &View<'_>, leaf: &Leaf<'_>) -> Evidence {
    let wait =
        leaf.read_ns().map_or_else(String::new, |wait| format!(", {} each", format::latency(wait)));
    let of =
        leaf.mean_read().map_or_else(String::new, |mean| format!(" of {}", disk_state::size(mean)));
    let rate = leaf.reads_per_s().map_or_else(|| "-".to_owned(), format::per_s);
    let text = format!("{rate} per second{of}{wait}");
    Evidence { over: view.io_over(), ..Evidence::now(format!("{}: reads", leaf.name), text) }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float's range is cut, NaN is zero"
)]
fn events(view: &View<'_>, per_s: f64) -> u64 {
    let seconds = view.span().map_or_else(|| 1.0, arcwright_units::Nanos::as_secs_f64);
    (per_s * seconds) as u64
}
