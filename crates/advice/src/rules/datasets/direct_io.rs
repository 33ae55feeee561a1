//! Small requests that go past the ARC.
//!
//! From 2.3 on a request with `O_DIRECT`, or every aligned one where `direct=always`, goes to the disks
//! and is kept nowhere (zfsprops(7) `direct`; dmu_direct.c). For a program with a cache of its own and
//! requests of whole records that saves copies. A read smaller than the record still reads the whole
//! record, and the next one of it again; a small read that is repeated never becomes a hit. The kstat
//! `iostats` of each pool counts both ways apart (spa_stats.c, 2.3 and later).

use arcwright_machine::Pool;
use arcwright_units::Bytes;

use crate::changes::{self, OwnProperty};
use crate::finding::{Area, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::dataset_state;
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether small requests bypass the ARC", judge };

/// Requests smaller than this on average are small: half of the default record.
const SMALL: u64 = 64 << 10;
/// As many in the time judged make it matter.
const REQUESTS_MIN: u64 = 1000;
/// And this share of all requests of that kind: one in ten.
const SHARE: f64 = 0.1;

/// What one direction counted.
struct Way {
    verb: &'static str,
    direct: u64,
    bytes: u64,
    all: u64,
}

fn judge(view: &View<'_>) -> Judged {
    let pools = view.pools()?;
    if view.is_from("2.3.0") == Some(false) {
        return Ok(Verdict::Silent);
    }
    let mut findings = Vec::new();
    let mut evidence = Vec::new();
    let mut missing = None;
    for pool in pools {
        match ways(view, pool) {
            Ok(ways) => {
                evidence
                    .extend(view.rows_of(&path(pool), ["direct_read_count", "direct_write_count"]));
                findings.extend(of_pool(view, pool, &ways));
            }
            Err(why) => drop(missing.get_or_insert(why)),
        }
    }
    match missing {
        Some(why) if findings.is_empty() => Err(why),
        _ => Ok(Verdict::found_or(
            findings,
            Verdict::fine("Few small requests bypass the ARC", evidence),
        )),
    }
}

fn path(pool: &Pool) -> String {
    format!("zfs/{}/iostats", pool.name)
}

fn ways(view: &View<'_>, pool: &Pool) -> Result<[Way; 2], NotJudged> {
    let way = |verb: &'static str| {
        let row =
            |lead: &str, what: &str| view.counted(&path(pool), &format!("{lead}_{verb}_{what}"));
        let direct = row("direct", "count")?;
        let all = direct.saturating_add(row("arc", "count")?);
        Ok(Way { verb, direct, bytes: row("direct", "bytes")?, all })
    };
    Ok([way("read")?, way("write")?])
}

fn of_pool(view: &View<'_>, pool: &Pool, ways: &[Way; 2]) -> Option<Finding> {
    let is_small = |way: &&Way| {
        way.direct >= REQUESTS_MIN
            && way.bytes / way.direct.max(1) < SMALL
            && format::fraction(way.direct, way.all) >= SHARE
    };
    let way = ways.iter().find(is_small)?;
    let mean = Bytes(way.bytes / way.direct.max(1));
    let title = format!(
        "{} {}s of {mean} on average bypass the ARC and go to the disks of {}",
        format::count(way.direct),
        way.verb,
        pool.name
    );
    let always = always(view, pool);
    // A program that asks for it has its reasons; a property was set for it.
    let severity = if always.is_empty() { Severity::Note } else { Severity::WorthALook };
    let mut finding = Finding::new("direct-io-small", severity, Area::Arc, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence = view.rows_of(
        &path(pool),
        [
            "direct_read_count",
            "direct_read_bytes",
            "direct_write_count",
            "direct_write_bytes",
            "arc_read_count",
            "arc_write_count",
        ],
    );
    for OwnProperty { dataset, value, source } in always.iter().take(4) {
        finding
            .evidence
            .push(Evidence::setting(format!("{dataset}: direct"), format!("{value} ({source})")));
    }
    finding.cause = "Direct I/O caches nothing: each request goes to the disks, a whole record at \
                     a time, however small and frequent it is. It is meant for large requests and \
                     for programs with a cache of their own."
        .to_owned();
    finding.remedy = Some(match always.is_empty() {
        true => changes::by_hand(
            "check whether the program that uses O_DIRECT has a cache of its own; the property \
             direct=disabled makes ZFS ignore the flag for a dataset",
            &lines([
                "zfs set direct=disabled DATASET   # zfs inherit direct DATASET takes it back",
            ]),
        ),
        false => changes::property("direct", "standard", &always),
    });
    finding.gain =
        Gain::NotEstimated("repeated reads cannot be counted while nothing is cached".to_owned());
    finding.cost = "ARC memory, and a copy of each request.".to_owned();
    finding.risk = "None to data.".to_owned();
    finding.confidence = view.confidence(way.direct, "direct requests");
    finding.sources =
        lines(["zfsprops(7) direct", "module/zfs/dmu_direct.c", "module/zfs/spa_stats.c"]);
    Some(finding)
}

/// Returns the datasets of a pool that make every aligned request a direct one, and say so themselves.
fn always(view: &View<'_>, pool: &Pool) -> Vec<OwnProperty> {
    dataset_state::own(
        dataset_state::of_pool(view, &pool.name).iter().copied(),
        "direct",
        &["always"],
    )
}
