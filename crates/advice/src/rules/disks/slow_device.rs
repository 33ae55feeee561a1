//! One slow disk in a table of `iostat -x` or `gstat`; a part of the rule in `slow_disk.rs`.
//!
//! A disk counts as slow where requests take three times as long as at its peers and 20 ms or more, or
//! where it is busy three times as long with no more work. Among disks of no known pool only those are
//! peers that do alike, and only turning disks: beside flash any of them looks slow. A disk that is busy all the
//! time with next to nothing stands out by itself.

use std::iter;

use arcwright_machine::{DeviceTable, DriveKind, Pool};

use super::device_table::{self, Disk, Group};
use crate::changes;
use crate::finding::{Area, Finding, Gain, Severity, lines};
use crate::rules::disk_state::positive;
use crate::rules::pool_state;
use crate::verdict::NotJudged;
use crate::view::View;

/// As in `slow_disk.rs`: beyond what zones, seeks and chance make of equal disks.
const FACTOR: f64 = 3.0;
/// Faster than this no turning disk is called slow: a seek, a turn and some waiting.
const FELT_NS: u64 = 20_000_000;
/// Fewer requests per second than this make no mean.
const OPS_MIN: f64 = 5.0;
/// Fewer peers than this make no median, in a vdev and among disks of which no pool is known.
const PEERS_MIN: usize = 2;
const STRANGERS_MIN: usize = 3;
/// Disks of no known pool do alike within this factor.
const ALIKE: f64 = 3.0;
/// Peers of no known kind turn when they take this long: flash answers far sooner.
const TURNS_NS: u64 = 2_000_000;
/// So busy with as much work as others, a disk is near what it can do.
const BUSY_PCT: f64 = 60.0;
/// So much more work explains no threefold time.
const MORE: f64 = 1.25;
/// Requests that take as long at a disk that has hardly any: no load explains that, shingled recording aside.
const STUCK_NS: u64 = 200_000_000;
/// And so many times as long as at others that do more.
const STUCK_FACTOR: f64 = 10.0;
/// Of so many per second there is no queue to wait in.
const FEW_OPS: f64 = 20.0;
const FEW_BYTES: f64 = 1e6;
/// So busy it has done nothing else.
const ALL_BUSY_PCT: f64 = 90.0;
/// More disks than this are not listed.
const LISTED_MAX: usize = 24;

/// Returns the slow disks with their findings, and why not all could be judged; `peers` are the disks of a
/// pool that do the same work.
pub(super) fn slow(
    view: &View<'_>,
    peers: fn(&Pool) -> Vec<Vec<&str>>,
) -> (Vec<(String, Finding)>, Option<NotJudged>) {
    let Some(table) = &view.machine.device_table else { return (Vec::new(), None) };
    if table.since_boot.is_none() {
        let words = format!("over which time {} counted was not read", table.program);
        return (Vec::new(), Some(NotJudged::NotRead(words)));
    }
    let (groups, open) = device_table::groups((view.machine, table), peers);
    let mut findings = Vec::new();
    for group in &groups {
        let slow = group.disks.iter().filter(|disk| is_slow(view, group, disk));
        findings.extend(slow.map(|disk| (disk.name.to_owned(), finding(view, table, group, disk))));
    }
    (findings, open)
}

fn is_slow(view: &View<'_>, group: &Group<'_>, disk: &Disk<'_>) -> bool {
    if kind(view, disk) == Some(DriveKind::Virtual) {
        return false;
    }
    let others: Vec<&Disk<'_>> =
        group.disks.iter().filter(|other| other.io.name != disk.io.name).collect();
    WAYS.iter().any(|way| waits(view, (group, &others), disk, way))
        || is_busier(view, group, disk)
        || is_stuck(view, &others, disk)
}

/// Returns whether a disk is busy all the time with hardly any requests, which take many times as long as those
/// of other disks that do as much or more.
fn is_stuck(view: &View<'_>, others: &[&Disk<'_>], disk: &Disk<'_>) -> bool {
    let is_now = view.machine.device_table.as_ref().and_then(|table| table.since_boot);
    let wait = |disk: &Disk<'_>| {
        let io = disk.io;
        io.wait_ns.or_else(|| io.read_wait_ns.max(io.write_wait_ns))
    };
    let ops = |disk: &Disk<'_>| positive(disk.io.ops_per_s()).filter(|ops| *ops >= 1.0);
    let Some((own, own_ops)) = wait(disk).zip(ops(disk)) else { return false };
    let bytes = [disk.io.read_bytes_per_s, disk.io.write_bytes_per_s].map(positive);
    let [Some(read), Some(written)] = bytes else { return false };
    let quick = others.iter().filter(|other| {
        let is_equal = device_table::family(&other.io.name) == device_table::family(&disk.io.name);
        let told = wait(other).zip(ops(other)).filter(|(_, ops)| is_equal && *ops >= own_ops);
        told.is_some_and(|(wait, _)| wait as f64 * STUCK_FACTOR <= own as f64)
    });
    is_now == Some(false)
        && own >= STUCK_NS
        && own_ops <= FEW_OPS
        && read + written <= FEW_BYTES
        && positive(disk.io.busy_pct).is_some_and(|busy| busy >= ALL_BUSY_PCT)
        && quick.count() >= PEERS_MIN
}

fn kind(view: &View<'_>, disk: &Disk<'_>) -> Option<DriveKind> {
    device_table::kind(view.machine, disk)
}

/// How long requests of a kind take, and how many there are.
struct Way {
    wait: fn(&Disk<'_>) -> Option<u64>,
    rate: fn(&Disk<'_>) -> Option<f64>,
}

const WAYS: [Way; 3] = [
    Way { wait: |disk| disk.io.read_wait_ns, rate: |disk| disk.io.read_ops_per_s },
    Way { wait: |disk| disk.io.write_wait_ns, rate: |disk| disk.io.write_ops_per_s },
    Way { wait: |disk| disk.io.wait_ns, rate: |disk| disk.io.ops_per_s() },
];

/// Returns whether requests of one kind take far longer at a disk than at its peers.
fn waits(
    view: &View<'_>,
    (group, others): (&Group<'_>, &[&Disk<'_>]),
    disk: &Disk<'_>,
    way: &Way,
) -> bool {
    let rate = |disk: &Disk<'_>| positive((way.rate)(disk)).filter(|rate| *rate >= OPS_MIN);
    let Some((own, own_rate)) = (way.wait)(disk).zip(rate(disk)) else { return false };
    let peers = others.iter().filter_map(|other| {
        let (wait, rate) = (way.wait)(other).zip(rate(other))?;
        let alike = rate <= own_rate * ALIKE && own_rate <= rate * ALIKE;
        let stranger = group.pool.is_none() && !(alike && is_alike(view, disk, other));
        (!stranger).then_some(wait)
    });
    let mut peers: Vec<u64> = peers.collect();
    peers.sort_unstable();
    let enough = if group.pool.is_some() { PEERS_MIN } else { STRANGERS_MIN };
    let Some(median) = peers.get(peers.len() / 2).filter(|_| peers.len() >= enough) else {
        return false;
    };
    let turn = group.pool.is_some()
        || kind(view, disk) == Some(DriveKind::Hdd)
        || peers.first().is_some_and(|least| *least >= TURNS_NS);
    turn && own >= FELT_NS && own as f64 >= *median as f64 * FACTOR
}

/// Returns whether two disks of no known pool are of one kind and one driver.
fn is_alike(view: &View<'_>, one: &Disk<'_>, other: &Disk<'_>) -> bool {
    let family = |disk: &Disk<'_>| device_table::family(&disk.io.name).to_owned();
    kind(view, one) == kind(view, other) && family(one) == family(other)
}

/// Returns whether a disk of a pool is busy far longer than its peers, with no more work than they have.
fn is_busier(view: &View<'_>, group: &Group<'_>, disk: &Disk<'_>) -> bool {
    let Some(pool) = group.pool else { return false };
    let is_now = view.machine.device_table.as_ref().and_then(|table| table.since_boot);
    // A disk that is resilvered has other work than its peers; whether one is has to be known.
    let is_idle = pool.scan.is_some() && pool_state::scan(pool) == pool_state::Scan::Idle;
    if is_now != Some(false) || !is_idle {
        return false;
    }
    let busy = |disk: &Disk<'_>| positive(disk.io.busy_pct);
    let work = |disk: &Disk<'_>| {
        let io = disk.io;
        let bytes = positive(io.read_bytes_per_s)? + positive(io.write_bytes_per_s)?;
        Some((positive(io.ops_per_s()).filter(|ops| *ops >= OPS_MIN)?, bytes))
    };
    let Some((own, (ops, bytes))) = busy(disk).zip(work(disk)) else { return false };
    let others = group.disks.iter().filter(|other| other.io.name != disk.io.name);
    let told: Option<Vec<(f64, (f64, f64))>> =
        others.map(|other| busy(other).zip(work(other))).collect();
    // What one of them does is not known, or too little.
    let Some(told) = told.filter(|told| told.len() >= PEERS_MIN) else { return false };
    own >= BUSY_PCT
        && told.iter().all(|(busy, (other_ops, other_bytes))| {
            own >= busy * FACTOR && ops <= other_ops * MORE && bytes <= other_bytes * MORE
        })
}

fn finding(view: &View<'_>, table: &DeviceTable, group: &Group<'_>, disk: &Disk<'_>) -> Finding {
    let is_now = table.since_boot == Some(false);
    let severity = match (is_now, group.pool) {
        (true, Some(_)) => Severity::HurtsNow,
        _ => Severity::WorthALook,
    };
    let title = format!("One disk is slow: {} takes far longer than its peers", disk.name);
    let mut finding = Finding::new("slow-disk", severity, Area::Disks, title);
    let subject = group.pool.map_or_else(|| disk.name, |pool| pool.name.as_str());
    finding.subject = Some(subject.to_owned());
    let peers = group.disks.iter().filter(|other| other.io.name != disk.io.name);
    let listed = iter::once(disk).chain(peers).take(LISTED_MAX);
    finding.evidence = listed.map(|disk| device_table::evidence(table, disk)).collect();
    let drive = view.machine.drive_of(disk.name).and_then(|drive| drive.model.clone());
    let model = drive.map_or_else(String::new, |model| format!(" ({model})"));
    let when = match is_now {
        true => "",
        false => {
            " The report counts since the machine was started, so it proves nothing about now: \
             take an interval before you act."
        }
    };
    let peers = match group.pool {
        Some(_) => "The vdev waits for its slowest member.",
        None => {
            "Which pool it belongs to was not read, so its peers are the disks of the table that \
             do alike."
        }
    };
    let own = device_table::told(disk);
    finding.cause = format!(
        "{}{model} shows {own}: several times as long as most of its peers for work of the same \
         kind. Usual reasons: a slowly failing disk, a cable or port, shingled recording (SMR), or \
         other load on that disk. {peers}{when}",
        disk.name
    );
    advise(&mut finding, view, disk.name, None);
    finding.confidence = device_table::confidence(table);
    finding.sources = lines(["iostat(1)", "iostat(8)", "gstat(8)"]);
    finding
}

/// Says what to do about a slow disk, and what that gains and costs; `replace` is the command for it, where
/// its pool is known.
pub(super) fn advise(finding: &mut Finding, view: &View<'_>, disk: &str, replace: Option<String>) {
    let smart = pool_state::smart(view, disk);
    let mut commands = vec![format!("{smart}   # reallocated and pending sectors, CRC errors")];
    commands.extend(replace);
    let what = "check its health, cable and port; replace it if it stays slow";
    let mut remedy = changes::by_hand(what, &commands);
    remedy.verify = lines(["zpool iostat -vly 30 1"]);
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated(
        "up to the speed of its peers, where requests wait for this disk".to_owned(),
    );
    finding.cost = "Perhaps a disk, and a resilver.".to_owned();
    finding.risk = "A resilver reads all disks; have a backup.".to_owned();
}
