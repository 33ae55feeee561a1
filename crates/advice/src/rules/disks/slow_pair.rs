//! One slow disk of a mirror of two, or one that is slow for what it is.
//!
//! Among two there is no median to stand out of (`slow_disk.rs` compares three and more). Three other
//! things tell: a partner that does the same work five times sooner, and what a disk of its kind needs
//! at all: a platter turns in 8 ms and seeks in 10, so that 100 ms with few requests at once are
//! something else; flash answers in less than a millisecond. Its own mean since the pool was imported
//! (the first report of `zpool iostat`) tells whether it became so.

use arcwright_machine::{Class, DriveKind, Layout, Pool, Vdev};

use crate::changes;
use crate::drives::kind_of;
use crate::finding::{Area, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::disk_state::{self, Leaf};
use crate::rules::pool_state;
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether a disk is slow for its kind", judge };

/// Slower than its partner by this factor: more than zones, seeks and chance make of one work.
const FACTOR: u64 = 5;
/// What a disk of turning platters takes at most, with few requests at once.
const HDD_NS: u64 = 100_000_000;
/// And flash.
const SSD_NS: u64 = 20_000_000;
/// What is felt of a virtual one that its partner beats: some three seeks in a row.
const BESIDE_NS: u64 = 50_000_000;
/// Fewer operations per second than this make no mean.
const OPS_MIN: f64 = 2.0;
/// More requests at the disk at once than this wait for each other.
const QUEUE_MAX: f64 = 4.0;

/// A disk that is slower than its kind.
struct Slow<'a> {
    leaf: &'a Leaf<'a>,
    what: &'static str,
    wait: u64,
    partner: Option<(&'a str, u64)>,
    before: Option<u64>,
}

fn judge(view: &View<'_>) -> Judged {
    let mut findings = Vec::new();
    let (mut seen, mut doubt) = (false, None);
    for pool in view.pools()? {
        let leaves = disk_state::at_work(view, pool, Class::Data);
        seen |= leaves.iter().any(|leaf| leaf.read_ns().or(leaf.write_ns()).is_some());
        doubt = doubt.or_else(|| not_known(view, pool, &leaves));
        let slow = leaves.iter().filter_map(|leaf| of_leaf(view, pool, leaf, &leaves));
        findings.extend(slow.map(|slow| finding(view, pool, &slow)));
    }
    if !seen {
        return Err(NotJudged::NotRead(
            "latencies of each disk were not read (zpool iostat -vl)".to_owned(),
        ));
    }
    if let Some(what) = doubt.filter(|_| findings.is_empty()) {
        return Err(NotJudged::NotRead(what));
    }
    // The row of a slow disk may be missing.
    let unread = || {
        let all = |pool: &Pool| disk_state::all_at_work(view, pool, Class::Data).err();
        view.machine.pools.iter().find_map(all)
    };
    match unread().filter(|_| findings.is_empty()) {
        Some(why) => Err(why),
        None => Ok(Verdict::found_or(findings, fine())),
    }
}

fn fine() -> Verdict {
    Verdict::fine("No disk is slow for its kind", Vec::new())
}

/// Returns what would have to be known to call no disk of a pool slow.
fn not_known(view: &View<'_>, pool: &Pool, leaves: &[Leaf<'_>]) -> Option<String> {
    let slow_for_flash = |leaf: &&Leaf<'_>| {
        let waits = [leaf.io.waits.disk_read_ns, leaf.io.waits.disk_write_ns];
        waits.into_iter().flatten().any(|wait| wait >= SSD_NS)
    };
    // Without its layout nobody can say that the row of a slow disk is not missing.
    if pool.vdevs.is_empty() && !leaves.is_empty() {
        return Some(format!("the layout of {} was not read (zpool status)", pool.name));
    }
    let leaf = leaves.iter().find(slow_for_flash)?;
    let kind = kind_of(view.machine, leaf.name);
    kind.is_none().then(|| format!("whether {} is flash was not read (lsblk)", leaf.name))
}

type Wait = fn(&Leaf<'_>) -> Option<u64>;
type Rate = fn(&Leaf<'_>) -> Option<f64>;
/// How long reads and writes take at the disk, and how many there are.
const WAYS: [(&str, Wait, Rate); 2] = [
    ("read", |leaf| leaf.io.waits.disk_read_ns, |leaf| leaf.reads_per_s()),
    ("write", |leaf| leaf.io.waits.disk_write_ns, |leaf| leaf.writes_per_s()),
];

fn of_leaf<'a>(
    view: &View<'_>,
    pool: &Pool,
    leaf: &'a Leaf<'a>,
    all: &'a [Leaf<'a>],
) -> Option<Slow<'a>> {
    let (limit, least) = match kind_of(view.machine, leaf.name) {
        Some(DriveKind::Ssd | DriveKind::Nvme) => (Some(SSD_NS), SSD_NS),
        // Of one that is not known no more is said than of the slowest kind.
        Some(DriveKind::Hdd) | None => (Some(HDD_NS), HDD_NS),
        // What it stands on nobody here knows: only a partner tells what it could do.
        Some(DriveKind::Virtual) => (None, BESIDE_NS),
    };
    let vdev = pool
        .of_class(Class::Data)
        .find(|vdev| vdev.leaves().iter().any(|member| member.name == leaf.name));
    // Where it stands is not known of a disk of a layout in doubt.
    if vdev.is_none() && !pool.strays.is_empty() {
        return None;
    }
    // Vdevs of three and more are compared among themselves.
    let members = vdev.map_or_else(|| 1, |vdev| vdev.leaves().len());
    if members > 2 {
        return None;
    }
    let partner = vdev.filter(|vdev| vdev.layout == Layout::Mirror).and_then(|vdev| {
        let other = Vdev::leaves(vdev).into_iter().find(|member| member.name != leaf.name)?;
        all.iter().find(|found| found.name == other.name)
    });
    for (what, wait, rate) in WAYS {
        let Some(own) = wait(leaf).filter(|own| *own >= least && is_busy(rate(leaf))) else {
            continue;
        };
        let beside = partner.filter(|partner| is_busy(rate(partner)));
        let beside = beside.and_then(|partner| Some((partner.name, wait(partner)?)));
        let beaten = beside.is_some_and(|(_, other)| own >= other.saturating_mul(FACTOR));
        let alone = limit.is_some_and(|limit| own >= limit)
            && at_once(leaf).is_some_and(|queue| queue <= QUEUE_MAX);
        if beaten || alone {
            let before = before(view, pool, leaf.name, what);
            return Some(Slow { leaf, what, wait: own, partner: beside, before });
        }
    }
    None
}

/// Says whether so many operations per second make a mean.
fn is_busy(rate: Option<f64>) -> bool {
    rate.is_some_and(|rate| rate >= OPS_MIN)
}

/// Returns how many requests a disk serves at once on average: rate times time, by Little's law.
fn at_once(leaf: &Leaf<'_>) -> Option<f64> {
    let mut queue = 0.0;
    for (_, wait, rate) in WAYS {
        let rate = rate(leaf)?;
        if rate > 0.0 {
            queue += rate * (wait(leaf)? as f64) / 1e9;
        }
    }
    Some(queue)
}

/// Returns what the disk took on average since the pool was imported, where that was read apart.
fn before(view: &View<'_>, pool: &Pool, leaf: &str, what: &str) -> Option<u64> {
    let (first, last) = (view.machine.samples.first()?, view.machine.samples.last()?);
    if !first.vdevs_since_import || last.vdevs_since_import {
        return None;
    }
    let waits = first.vdevs.get(&pool.name)?.get(leaf)?.waits;
    if what == "read" { waits.disk_read_ns } else { waits.disk_write_ns }
}

/// Says what makes such a disk slow; `model` is what stands behind its name.
fn reasons(view: &View<'_>, leaf: &str, model: &str) -> String {
    match kind_of(view.machine, leaf) {
        Some(DriveKind::Virtual) => {
            "Its partner does the same work much faster. What it stands on only its host tells: a \
             disk that fails slowly, or other load on it."
                .to_owned()
        }
        _ => format!(
            "A disk of its kind{model} is much faster at such a low queue depth. Usual reasons: it \
             fails slowly, a cable or port, shingled recording (SMR), or other load on that disk."
        ),
    }
}

fn finding(view: &View<'_>, pool: &Pool, slow: &Slow<'_>) -> Finding {
    let Slow { leaf, what, wait, partner, before } = slow;
    let beaten = partner.filter(|(_, other)| *wait >= other.saturating_mul(FACTOR));
    let beside = match beaten {
        Some((name, other)) => format!(", its partner {name} {}", format::latency(other)),
        None => String::new(),
    };
    let title = format!("{} takes {} per {what}{beside}", leaf.name, format::latency(*wait));
    let severity = if beaten.is_some() { Severity::HurtsNow } else { Severity::WorthALook };
    let mut finding = Finding::new("slow-disk", severity, Area::Disks, title);
    finding.subject = Some(pool.name.clone());
    let row = |name: String, wait: u64, over| Evidence {
        exact: Some(wait),
        over,
        ..Evidence::now(name, format::latency(wait))
    };
    finding.evidence.push(row(
        format!("{}: disk_wait of a {what}", leaf.name),
        *wait,
        view.io_over(),
    ));
    finding.evidence.extend(
        partner.map(|(name, wait)| {
            row(format!("{name}: disk_wait of a {what}"), wait, view.io_over())
        }),
    );
    finding.evidence.extend(before.map(|wait| {
        let name = format!("{}: disk_wait of a {what} since import", leaf.name);
        row(name, wait, crate::finding::Over::SinceLoad)
    }));
    let became = match before {
        Some(before) if *wait >= before.saturating_mul(FACTOR) => {
            format!(
                " Since the pool was imported it took {} on average: it became slower.",
                format::latency(*before)
            )
        }
        Some(before) => {
            format!(" Since the pool was imported it took {}.", format::latency(*before))
        }
        None => String::new(),
    };
    let model = view.machine.drive_of(leaf.name).and_then(|drive| drive.model.clone());
    let model = model.map_or_else(String::new, |model| format!(" ({model})"));
    let reasons = reasons(view, leaf.name, &model);
    finding.cause = format!("{reasons}{became} Writes to a mirror wait for the slower one.");
    let mut commands = vec![pool_state::smart(view, leaf.name)];
    commands.extend(
        pool_state::replace(pool, leaf.name, "NEW-DISK")
            .map(|line| format!("{line}   # if it stays so")),
    );
    let mut remedy = changes::by_hand(
        "check its health, cable and port; replace it if it stays slow",
        &commands,
    );
    remedy.verify = lines(["zpool iostat -vly 30 1"]);
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("where requests wait for this disk".to_owned());
    finding.cost = "Perhaps a disk, and a resilver.".to_owned();
    finding.risk = "A resilver reads the whole other disk; have a backup.".to_owned();
    finding.confidence = crate::finding::Confidence::read("zpool iostat -l");
    finding.sources = lines(["zpool-iostat(8) -l"]);
    finding
}
