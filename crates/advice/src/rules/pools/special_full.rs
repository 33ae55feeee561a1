//! A special vdev that is nearly full, or takes everything.
//!
//! Small blocks of files go to the special class only while less than
//! 100 % − `zfs_special_class_metadata_reserve_pct` (25 %) of it is taken; beyond that they go to the
//! data disks, and when it is full metadata does so too (spa_misc.c, `spa_preferred_class`, 0.8 to
//! 2.4; metaslab.c tries the normal class when an allocation fails). Nothing moves what lies already.
//! A `special_small_blocks` that is not below the record size sends every block of the files there
//! (zfsprops(7)).

use arcwright_machine::{Class, Dataset, Pool};
use arcwright_units::Bytes;

use crate::changes::{self, OwnProperty};
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::dataset_state;
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether the special vdev has free space", judge };

/// The share in percent that is kept for metadata unless set otherwise.
const RESERVE: u64 = 25;
/// Taken in percent, from which metadata is about to spill as well.
const FULL: u64 = 95;
/// Percent points before the first limit at which it is worth knowing.
const SOON: u64 = 5;

fn judge(view: &View<'_>) -> Judged {
    let with: Vec<&Pool> =
        view.laid_out()?.filter(|pool| pool.of_class(Class::Special).next().is_some()).collect();
    if with.is_empty() {
        return Ok(Verdict::Silent);
    }
    let mut findings = Vec::new();
    let mut evidence = Vec::new();
    for pool in with {
        findings.extend(everything(view, pool));
        let Some((taken, size)) = space(pool) else { continue };
        let pct = percent(taken, size);
        evidence.push(row(pool, taken, size, pct));
        findings.extend(full(view, pool, (taken, size), pct));
    }
    if findings.is_empty() && evidence.is_empty() {
        return Err(NotJudged::NotRead(
            "the special vdev's free space was not read (zpool list -v)".to_owned(),
        ));
    }
    Ok(Verdict::found_or(findings, Verdict::fine("The special vdev has free space", evidence)))
}

/// Returns what all special vdevs of a pool have taken and may take; none when one is not known.
fn space(pool: &Pool) -> Option<(u64, u64)> {
    let mut sum = (0u64, 0u64);
    for vdev in pool.of_class(Class::Special) {
        let space = vdev.space?;
        let allocated = space.allocated?;
        // zpool iostat -v says what is taken and what is free, and not the sum.
        let size = space.size.or_else(|| Some(Bytes(allocated.0.saturating_add(space.free?.0))))?;
        sum.0 = sum.0.saturating_add(allocated.0);
        sum.1 = sum.1.saturating_add(size.0);
    }
    (sum.1 > 0).then_some(sum)
}

#[expect(clippy::disallowed_methods, reason = "more than all is all")]
fn percent(taken: u64, size: u64) -> u64 {
    u64::try_from(u128::from(taken) * 100 / u128::from(size.max(1))).unwrap_or(100)
}

fn row(pool: &Pool, taken: u64, size: u64, pct: u64) -> Evidence {
    Evidence {
        exact: Some(pct),
        ..Evidence::now(
            format!("{}: special vdevs", pool.name),
            format!("{} of {} taken ({pct} %)", Bytes(taken), Bytes(size)),
        )
    }
}

fn full(view: &View<'_>, pool: &Pool, (taken, size): (u64, u64), pct: u64) -> Option<Finding> {
    let reserve = view.parameter("zfs_special_class_metadata_reserve_pct");
    let limit = 100u64.saturating_sub(reserve.map_or_else(|| RESERVE, |held| held.value.min(100)));
    let (severity, title) = match pct {
        pct if pct >= FULL => (
            Severity::HurtsNow,
            format!(
                "The special vdev of {} is {pct} % full: metadata spills to the data disks",
                pool.name
            ),
        ),
        pct if pct >= limit => (
            Severity::WorthALook,
            format!(
                "The special vdev of {} is {pct} % full: small blocks go to the data disks",
                pool.name
            ),
        ),
        pct if pct + SOON >= limit => (
            Severity::Note,
            format!(
                "The special vdev of {} is {pct} % full, and takes small blocks up to {limit} %",
                pool.name
            ),
        ),
        _ => return None,
    };
    let mut finding = Finding::new("special-full", severity, Area::Layout, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence = vec![row(pool, taken, size, pct)];
    finding.evidence.extend(view.settings(["zfs_special_class_metadata_reserve_pct"]));
    finding.cause = format!(
        "Beyond {limit} % only metadata goes there, and once it is full, to the data disks like \
         everything else: each such read is a seek again. Blocks on the data disks stay there \
         until they are rewritten."
    );
    let name = format::shell(&pool.name);
    let mut remedy = changes::by_hand(
        "add another mirrored pair to the special class, or send fewer small blocks there",
        &[
            format!("zpool add {name} special mirror SSD1 SSD2   # as redundant as the data"),
            "zfs set special_small_blocks=0 DATASET   # or a smaller limit; for new blocks"
                .to_owned(),
        ],
    );
    remedy.verify = vec![format!("zpool list -v {name}")];
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("which blocks spilled is not counted".to_owned());
    finding.cost = "Two SSDs.".to_owned();
    finding.risk =
        "A special vdev cannot be removed from a pool with raidz, and losing it loses the pool."
            .to_owned();
    finding.confidence = Confidence::read("zpool list -v");
    finding.sources = lines([
        "module/zfs/spa_misc.c, spa_preferred_class",
        "zfs(4) zfs_special_class_metadata_reserve_pct",
        "zpoolconcepts(7), Special Allocation Class",
    ]);
    Some(finding)
}

/// Returns a finding when datasets send whole files to the special vdev.
#[expect(
    clippy::disallowed_methods,
    reason = "the default record is what a dataset without one has"
)]
fn everything(view: &View<'_>, pool: &Pool) -> Option<Finding> {
    let of_pool = dataset_state::of_pool(view, &pool.name).iter().copied();
    let all: Vec<&Dataset> = of_pool.filter(|dataset| takes_all(dataset)).collect();
    let names: Vec<String> = all.iter().map(|dataset| dataset.name.clone()).collect();
    if names.is_empty() {
        return None;
    }
    let title =
        format!("All blocks of {} go to the special vdev of {}", format::list(&names), pool.name);
    let mut finding = Finding::new("special-takes-all", Severity::WorthALook, Area::Layout, title);
    finding.subject = Some(format::list(&names));
    for dataset in all.iter().take(4) {
        for name in ["special_small_blocks", "recordsize", "volblocksize"] {
            let value = dataset_state::property(dataset, name).filter(|value| *value != "-");
            finding.evidence.extend(
                value.map(|value| Evidence::setting(format!("{}: {name}", dataset.name), value)),
            );
        }
    }
    finding.cause =
        "special_small_blocks is not below the record size, so every block counts as small: whole \
         files fill the SSDs that are meant for metadata. Some do so on purpose."
            .to_owned();
    let half = |dataset: &&Dataset| Some(records(dataset)? / 2);
    let limit = all.iter().filter_map(half).min().unwrap_or(32 << 10).max(512);
    let own: Vec<OwnProperty> = all
        .iter()
        .filter_map(|dataset| {
            let (value, source) = dataset.properties.get("special_small_blocks")?;
            Some(OwnProperty::of(dataset, value, source))
        })
        .filter(|own| !own.source.starts_with("inherited"))
        .collect();
    finding.remedy = (!own.is_empty())
        .then(|| changes::property("special_small_blocks", &limit.min(32 << 10).to_string(), &own));
    finding.gain = Gain::NotEstimated("its reads are not counted".to_owned());
    finding.cost = "New large blocks go to the data disks.".to_owned();
    finding.risk = "None to data; existing blocks stay there until they are rewritten.".to_owned();
    finding.confidence = Confidence::read("zfs get special_small_blocks, recordsize");
    finding.sources = lines(["zfsprops(7) special_small_blocks"]);
    Some(finding)
}

fn takes_all(dataset: &Dataset) -> bool {
    let small = dataset_state::property(dataset, "special_small_blocks").and_then(size);
    match (small, records(dataset)) {
        (Some(small), Some(records)) => small > 0 && small >= records,
        _ => false,
    }
}

fn records(dataset: &Dataset) -> Option<u64> {
    dataset_state::property(dataset, "recordsize").and_then(size)
}

/// Reads a size as `zfs get` prints it, with `-p` or without: `131072`, `128K`, `1M`.
fn size(text: &str) -> Option<u64> {
    text.parse().ok().or_else(|| Bytes::parse(text).ok().map(|bytes| bytes.0))
}
