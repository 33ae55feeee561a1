//! Blocks laid out for smaller sectors than the disks have.
//!
//! Each top-level vdev has its own `ashift`, set when it is made: that of `zpool create -o ashift`, or
//! what the disks said of themselves. The pool's property is only what was asked for and is 0 when
//! nothing was (zpoolprops(7)); many disks with sectors of 4096 bytes inside say 512. `zpool status`
//! tells of a vdev whose blocks are smaller than its disks' sectors: “block size: 512B configured,
//! 4096B native” (cmd/zpool/zpool_main.c, 0.7 to 2.4). What a disk has inside the kernel and SMART tell.
//! Without one of these it is only worth checking.
//!
//! A size above 4096 is what an SSD or its driver prefers (`nda` tells the stripe of its flash), and no sector: nothing
//! is read before it is written, and blocks of 4096 stay right.

use arcwright_machine::{Class, DriveKind, Pool, Vdev};
use arcwright_tunables::Version;
use arcwright_units::Bytes;

use crate::changes;
use crate::drives::kind_of;
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether the sector size is right", judge };

/// log2 of 512, the sector of disks before about 2011.
const OLD: u64 = 9;
/// The largest `ashift` that there is (`ASHIFT_MAX`).
const ASHIFT_MAX: u64 = 16;
/// The largest sector of a disk; what is above it is a preferred size.
const SECTOR_MAX: Bytes = Bytes(4096);

/// A vdev's device, the sector it is used with and the one it has.
struct Mismatch {
    name: String,
    used: Bytes,
    native: Bytes,
}

fn judge(view: &View<'_>) -> Judged {
    let mut findings = Vec::new();
    let mut known = false;
    let mut evidence = Vec::new();
    for pool in view.pools()? {
        let asked = pool.number("ashift").filter(|ashift| (OLD..=ASHIFT_MAX).contains(ashift));
        let mut unknown: Vec<String> = Vec::new();
        let mut found = Vec::new();
        for vdev in pool.vdevs.iter().filter(|vdev| uses_sectors(vdev.class)) {
            for leaf in vdev.leaves() {
                let own = leaf.ashift.or(vdev.ashift).or(asked);
                match of_leaf(view, leaf, own) {
                    Sectors::Wrong(mismatch) => found.push(mismatch),
                    Sectors::Right => known = true,
                    Sectors::Unknown if own == Some(OLD) => unknown.push(leaf.name.clone()),
                    Sectors::Unknown => {}
                }
            }
        }
        if let Some(ashift) = asked {
            known |= ashift > OLD;
            evidence.push(Evidence {
                exact: Some(ashift),
                ..Evidence::setting(format!("{}: ashift", pool.name), ashift.to_string())
            });
        }
        let unread_layout = pool.vdevs.is_empty() && asked == Some(OLD);
        let (found, preferred): (Vec<Mismatch>, Vec<Mismatch>) =
            found.into_iter().partition(|one| one.used < SECTOR_MAX);
        if !found.is_empty() {
            findings.push(wrong(view, pool, &found));
        } else if !preferred.is_empty() {
            findings.push(only_preferred(pool, &preferred));
        } else if !unknown.is_empty() || unread_layout {
            findings.push(unchecked(pool, &unknown));
        }
    }
    if findings.is_empty() && !known {
        return Err(NotJudged::NotRead("the sectors of disks and vdevs were not read".to_owned()));
    }
    Ok(Verdict::found_or(
        findings,
        Verdict::fine("No pool is known to use sectors smaller than its disks'", evidence),
    ))
}

/// Says whether a class of vdev has blocks that lie in sectors for good.
const fn uses_sectors(class: Class) -> bool {
    matches!(class, Class::Data | Class::Special | Class::Dedup | Class::Log)
}

/// What is known of a device's sectors.
enum Sectors {
    /// They are larger than the blocks laid out on them.
    Wrong(Mismatch),
    /// They are not, or it has none of its own.
    Right,
    /// They were not read.
    Unknown,
}

fn of_leaf(view: &View<'_>, leaf: &Vdev, ashift: Option<u64>) -> Sectors {
    if let Some((used, native)) = leaf.sectors() {
        return match native > used {
            true => Sectors::Wrong(Mismatch { name: leaf.name.clone(), used, native }),
            false => Sectors::Right,
        };
    }
    // A virtual disk has no sectors of its own to be wrong about.
    if kind_of(view.machine, &leaf.name) == Some(DriveKind::Virtual) {
        return Sectors::Right;
    }
    let native = view.machine.drive_of(&leaf.name).and_then(|drive| drive.sector_physical);
    match (ashift.filter(|ashift| *ashift <= ASHIFT_MAX), native) {
        (Some(ashift), Some(native)) if native.0 > 1 << ashift => {
            Sectors::Wrong(Mismatch { name: leaf.name.clone(), used: Bytes(1 << ashift), native })
        }
        (Some(_), Some(_)) => Sectors::Right,
        _ => Sectors::Unknown,
    }
}

fn new(pool: &Pool, severity: Severity, title: String) -> Finding {
    let mut finding = Finding::new("ashift", severity, Area::Layout, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence.extend(pool.properties.get("ashift").map(|value| Evidence {
        exact: value.parse().ok(),
        ..Evidence::setting(format!("{}: ashift", pool.name), value.clone())
    }));
    finding.gain = Gain::NotEstimated("the effect depends on the disk model".to_owned());
    finding.sources =
        lines(["zpoolprops(7) ashift", "zpool-status(8)", "openzfs-docs, Hardware: sector size"]);
    finding
}

fn wrong(view: &View<'_>, pool: &Pool, found: &[Mismatch]) -> Finding {
    let names: Vec<String> = found.iter().map(|one| one.name.clone()).collect();
    let (used, native) =
        found.first().map_or_else(|| (Bytes(512), Bytes(4096)), |one| (one.used, one.native));
    let title = format!(
        "{} uses {used} sectors on disks with {native} sectors: {}",
        pool.name,
        format::list(&names)
    );
    let mut finding = new(pool, Severity::WorthALook, title);
    finding.evidence.extend(found.iter().map(|one| {
        Evidence::setting(
            format!("{}: sector", one.name),
            format!("{} used, {} native", one.used, one.native),
        )
    }));
    finding.cause = format!(
        "For a write smaller than {native} the disk reads, modifies and writes the sector{}. Large records are affected \
         only at their ends.",
        turns(view, found)
    );
    let larger = native.min(SECTOR_MAX).0.checked_ilog2().map_or_else(|| 12, u64::from);
    let mut remedy = changes::by_hand(
        "leave it if small writes are few; else recreate the vdev with the larger ashift when its \
         data is next moved: ashift cannot be changed later",
        &create(view, larger),
    );
    remedy.verify = lines(["lsblk -o NAME,PHY-SEC,LOG-SEC   # FreeBSD: diskinfo -v DEVICE"]);
    finding.remedy = Some(remedy);
    finding.cost = "A new pool and a copy of everything; small blocks take more space.".to_owned();
    finding.risk = "Moving a pool.".to_owned();
    finding.confidence = Confidence::read("zpool status, and what the disks report");
    finding
}

/// Returns what a rewritten sector costs, where disks are known to turn.
fn turns(view: &View<'_>, found: &[Mismatch]) -> &'static str {
    let turns = |one: &Mismatch| kind_of(view.machine, &one.name) == Some(DriveKind::Hdd);
    match found.iter().all(turns) {
        true => ": small writes take one more revolution",
        false => ", which takes time, and wears an SSD more",
    }
}

/// Returns how a pool with larger sectors is made. FreeBSD's own ZFS (up to 12) has no `-o ashift`: there the least one is
/// a sysctl of the system. Without a version, which release it is was not read.
fn create(view: &View<'_>, larger: u64) -> Vec<String> {
    let old = format!(
        "sysctl vfs.zfs.min_auto_ashift={larger}   # FreeBSD up to 12, then zpool create without -o ashift"
    );
    let new = format!(
        "zpool create -o ashift={larger} …   # on other disks, then zfs send | zfs receive"
    );
    if view.machine.zfs.is_some_and(Version::is_legacy_freebsd) {
        return vec![
            old,
            "zpool create …   # on other disks, then zfs send | zfs receive".to_owned(),
        ];
    }
    let is_old_or_new = view.machine.zfs.is_none() && view.is_freebsd();
    if is_old_or_new { vec![old, format!("{new}; FreeBSD from 13")] } else { vec![new] }
}

fn only_preferred(pool: &Pool, found: &[Mismatch]) -> Finding {
    let names: Vec<String> = found.iter().map(|one| one.name.clone()).collect();
    let native = found.first().map_or_else(|| SECTOR_MAX, |one| one.native);
    let title = format!(
        "Devices of {} prefer {native} and are used with less, which is right: {}",
        pool.name,
        format::list(&names)
    );
    let mut finding = new(pool, Severity::Note, title);
    finding.evidence.extend(found.iter().map(|one| {
        Evidence::setting(
            format!("{}: sector", one.name),
            format!("{} used, {} preferred", one.used, one.native),
        )
    }));
    finding.cause = format!(
        "Sectors have at most {SECTOR_MAX}. More is what the device or its driver likes best: nothing is read \
         before it is written, and zpool status names it all the same. There is nothing to change."
    );
    finding.gain = Gain::Nothing;
    finding.cost = "None.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = Confidence::read("zpool status, and what the disks report");
    finding
}

fn unchecked(pool: &Pool, names: &[String]) -> Finding {
    let title = format!("{} uses 512-byte sectors (ashift=9); check those of its disks", pool.name);
    let mut finding = new(pool, Severity::Note, title);
    finding.evidence.extend(
        names.iter().take(4).map(|name| Evidence::setting(name.clone(), "sector not read")),
    );
    finding.cause =
        "That is right for disks with native 512-byte sectors; most disks today have 4096. What \
         these have was not read."
            .to_owned();
    let mut remedy = changes::by_hand("first check the disks' sector size", &[]);
    remedy.verify = vec![
        "lsblk -o NAME,PHY-SEC,LOG-SEC   # FreeBSD: diskinfo -v DEVICE".to_owned(),
        format!(
            "zpool status {}   # names disks that report a larger sector",
            format::shell(&pool.name)
        ),
    ];
    finding.remedy = Some(remedy);
    finding.cost = "None.".to_owned();
    finding.risk = "None.".to_owned();
    finding.confidence = Confidence::read("zpool get ashift; the disks' sectors were not read");
    finding
}
