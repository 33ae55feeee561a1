//! Deduplication whose table costs more than it saves, or does not fit into memory.
//!
//! Every write of a deduplicated dataset, and every free of such a block, looks its checksum up in the
//! table (DDT), which is metadata like other metadata: what of it is not in the ARC is a random read
//! each (module/zfs/ddt.c). `zpool status -D` tells how many entries there are and what one takes in
//! memory. Datasets that no longer deduplicate leave the table behind until their blocks are freed.

use arcwright_machine::Pool;
use arcwright_units::Bytes;

use crate::changes::{self, OwnProperty};
use crate::finding::{Area, Confidence, Evidence, Finding, Gain, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::dataset_state;
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule = Rule { about: "whether deduplication pays", judge };

/// Blocks saved for each kept, below which the table (some 320 bytes per block) costs more than it
/// saves: the usual advice is two, and one and a half is clearly below.
pub(super) const PAYS: f64 = 1.5;
/// What an entry takes in memory where that was not read (openzfs-docs: 320 bytes).
pub(super) const ENTRY: u64 = 320;
/// The table's share of the room for metadata, from which other metadata has no place beside it.
const MUCH: (u64, u64) = (1, 2);

/// Of the blocks in the table, saved below which it is for nothing: a fifth.
const LITTLE: f64 = 1.2;
/// Of all entries, those of blocks that are referenced once, above which the table is for nothing, where its totals
/// are not there: each entry of the rest would have to save several blocks.
const UNIQUE: f64 = 0.9;
/// A table in memory below which nobody misses what it takes.
const TABLE_MIN: Bytes = Bytes::mib(64);
/// And from which it is felt.
const TABLE_FELT: Bytes = Bytes::gib(1);

fn judge(view: &View<'_>) -> Judged {
    let pools = view.pools()?;
    let all = dataset_state::all(view);
    let mut findings = Vec::new();
    let mut unknown = None;
    for pool in pools {
        let on: Vec<OwnProperty> = match &all {
            Ok(_) => on(dataset_state::of_pool(view, &pool.name)),
            Err(_) => Vec::new(),
        };
        let entries = pool.dedup.own.and_then(|table| table.entries).filter(|entries| *entries > 0);
        if let Some(entries) = entries {
            match large(view, pool, entries) {
                Ok(finding) => findings.extend(finding),
                Err(why) => drop(unknown.get_or_insert(why)),
            }
        }
        if on.is_empty() {
            // A note on its size does not say what it saves.
            let is_large = findings.iter().any(|finding: &Finding| {
                finding.severity < Severity::Note && finding.subject.as_ref() == Some(&pool.name)
            });
            findings.extend(saves_little(pool).filter(|_| !is_large));
            continue;
        }
        match ratio(pool) {
            Some(ratio) if ratio < PAYS => findings.push(unpaid(pool, &on, ratio)),
            Some(_) => {}
            None => drop(unknown.get_or_insert(NotJudged::NotRead(format!(
                "the savings of deduplication on {} were not read (dedupratio)",
                pool.name
            )))),
        }
    }
    match (findings.is_empty(), unknown, all) {
        (true, Some(why), _) | (true, None, Err(why)) => Err(why),
        _ => Ok(Verdict::found_or(findings, Verdict::Silent)),
    }
}

/// Returns the datasets of a pool that deduplicate and themselves say so.
fn on(all: &[&arcwright_machine::Dataset]) -> Vec<OwnProperty> {
    let set = |dataset: &&arcwright_machine::Dataset| {
        let (value, source) = dataset.properties.get("dedup")?;
        let is_on = !["off", "-"].contains(&value.as_str());
        let own = is_on && !source.starts_with("inherited");
        own.then(|| OwnProperty::of(dataset, value, source))
    };
    all.iter().filter_map(set).collect()
}

fn ratio(pool: &Pool) -> Option<f64> {
    let text = pool.properties.get("dedupratio")?;
    let ratio: f64 = text.trim_end_matches('x').parse().ok()?;
    (ratio.is_finite() && ratio >= 1.0).then_some(ratio)
}

fn unpaid(pool: &Pool, on: &[OwnProperty], ratio: f64) -> Finding {
    let shown = format!("{ratio:.2}x");
    let title = format!(
        "Deduplication on {} saves hardly anything ({shown}), and each write looks up its table",
        pool.name
    );
    let mut finding = Finding::new("dedup", Severity::WorthALook, Area::Layout, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence = on
        .iter()
        .take(4)
        .map(|OwnProperty { dataset, value, source }| {
            Evidence::setting(format!("{dataset}: dedup"), format!("{value} ({source})"))
        })
        .collect();
    finding.evidence.push(Evidence::now(format!("{}: dedupratio", pool.name), shown));
    let names: Vec<String> = on.iter().map(|own| own.dataset.clone()).collect();
    finding.cause = format!(
        "Every write of {} looks up its checksum in the deduplication table: where that is not in \
         the ARC, each block written or freed costs a random read.",
        format::list(&names)
    );
    finding.remedy = Some(changes::property("dedup", "off", on));
    finding.gain = Gain::NotEstimated("lookups in the table are not counted separately".to_owned());
    finding.cost =
        "New copies of equal blocks take space; existing ones stay deduplicated.".to_owned();
    finding.risk = "The table shrinks only as its blocks are freed or rewritten.".to_owned();
    finding.confidence = Confidence::read("zfs get dedup, zpool get dedupratio");
    finding.sources = lines(["zfsprops(7) dedup", "openzfs-docs, Workload Tuning: deduplication"]);
    finding
}

/// Returns a finding when a table that takes memory saves next to nothing, by its own totals, or by its row of
/// blocks that are referenced once.
fn saves_little(pool: &Pool) -> Option<Finding> {
    let table = pool.dedup.own?;
    let (entries, each) = (table.entries?, table.entry_size_in_core?);
    let size = Bytes(entries.saturating_mul(each.0));
    let row = |name: &str, exact: u64, words: String| {
        Evidence::exactly(format!("{}: {name}", pool.name), exact, words)
    };
    let (saves, rows) = match (table.allocated, table.referenced) {
        (Some(allocated), Some(referenced)) => {
            let (saved, ratio) = (table.saved()?, table.ratio()?);
            let rows = vec![
                row("DDT, allocated", allocated.0, allocated.to_string()),
                row("DDT, referenced", referenced.0, referenced.to_string()),
            ];
            (ratio < LITTLE).then(|| (format!("saves {saved} of {referenced}"), rows))?
        }
        _ => {
            let unique = table.unique?;
            let share = format::share(unique, entries);
            let rows = vec![row("DDT, referenced once", unique, format::count(unique))];
            let is_little = format::fraction(unique, entries) >= UNIQUE && unique <= entries;
            is_little.then(|| (format!("finds no second copy of {share} of its blocks,"), rows))?
        }
    };
    if size < TABLE_MIN {
        return None;
    }
    let title = format!("Deduplication of {} {saves} with a table of {size}", pool.name);
    let severity = if size >= TABLE_FELT { Severity::WorthALook } else { Severity::Note };
    let mut finding = Finding::new("dedup", severity, Area::Layout, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence = vec![
        row("DDT entries", entries, format::count(entries)),
        row("DDT in memory", size.0, size.to_string()),
    ];
    finding.evidence.extend(rows);
    finding.cause =
        "Nearly every block in the table is unique. Each write or free of such a block looks it \
         up, and the part of the table in memory displaces other metadata."
            .to_owned();
    let name = format::shell(&pool.name);
    let mut remedy = changes::by_hand(
        "switch it off where it is on; entries stay in the table until their blocks are freed or \
         rewritten",
        &[
            format!("zfs get -r -s local,received dedup {name}"),
            "zfs set dedup=off DATASET   # for new writes".to_owned(),
        ],
    );
    remedy.verify = vec![format!("zpool status -D {name}")];
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated(format!("up to {size} of memory, as the table shrinks"));
    finding.cost = "Equal blocks written from then on take space.".to_owned();
    finding.risk = "None to data.".to_owned();
    finding.confidence = Confidence::read("zpool status -D");
    finding.sources = lines(["zpool-status(8) -D", "zfsprops(7) dedup"]);
    Some(finding)
}

/// Returns the room that metadata has in the ARC, or the machine's memory where the ARC was not read and
/// the table is larger than that; and a sentence without its end.
fn room(view: &View<'_>, size: u64) -> Result<(u64, &'static str), NotJudged> {
    let memory = view.machine.memory.map(|memory| memory.total.0);
    match (view.arc_now("c_max"), memory.filter(|memory| size >= *memory)) {
        (Ok(most), _) => {
            let limit = view.arc_now("arc_meta_limit").ok().filter(|limit| *limit > 0);
            let room = limit.map_or_else(|| most, |limit| limit.min(most));
            Ok((room, "metadata may take in memory"))
        }
        (Err(_), Some(memory)) => Ok((memory, "the machine has in all")),
        (Err(why), None) => Err(why),
    }
}

/// Returns the evidence of how large the table is, and what of that was `assumed`.
fn table(pool: &Pool, entries: u64, size: u64, assumed: &str) -> Vec<Evidence> {
    let row = |name: &str, exact: u64, text: String| Evidence {
        exact: Some(exact),
        ..Evidence::now(format!("{}: {name}", pool.name), text)
    };
    vec![
        row("DDT entries", entries, format::count(entries)),
        row("DDT in memory", size, format!("{}{assumed}", Bytes(size))),
    ]
}

/// Returns a note on a large table where memory was not read.
fn great(pool: &Pool, entries: u64, size: u64) -> Finding {
    let title = format!("The deduplication table of {} takes {} of memory", pool.name, Bytes(size));
    let mut finding = Finding::new("dedup-table", Severity::Note, Area::Metadata, title);
    finding.subject = Some(pool.name.clone());
    finding.evidence = table(pool, entries, size, "");
    finding.cause =
        "What of it is not in memory costs a seek for each block written or freed. How \
                     much memory the machine has was not read."
            .to_owned();
    let name = format::shell(&pool.name);
    let mut remedy = changes::by_hand(
        "compare it with the ARC, and switch deduplication off where it saves little; the table \
         shrinks only as its blocks are freed",
        &[
            "arc_summary | head -n 40   # size of the ARC, and its maximum".to_owned(),
            format!("zpool list -o name,dedupratio {name}"),
            format!("zfs get -r -s local,received dedup {name}"),
        ],
    );
    remedy.verify = vec![format!("zpool status -D {name}")];
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("lookups in the table are not counted separately".to_owned());
    finding.cost = "Equal blocks written from then on take space.".to_owned();
    finding.risk = "None to data.".to_owned();
    finding.confidence = Confidence::read("zpool status -D");
    finding.sources = lines(["zpool-status(8) -D", "module/zfs/ddt.c"]);
    finding
}

/// Returns a finding when the table takes much of the room that metadata has in the ARC.
fn large(view: &View<'_>, pool: &Pool, entries: u64) -> Result<Option<Finding>, NotJudged> {
    let read = pool.dedup.own.and_then(|table| table.entry_size_in_core);
    let size = entries.saturating_mul(read.map_or_else(|| ENTRY, |size| size.0));
    let (room, whose) = match room(view, size) {
        Ok(room) => room,
        // An entry's size must be known to say what they take; what the table saves, where that was read, says more.
        Err(_) if read.is_some() && size >= TABLE_MIN.0 && saves_little(pool).is_none() => {
            return Ok(Some(great(pool, entries, size)));
        }
        Err(why) => return Err(why),
    };
    let (one, of) = MUCH;
    if size / one < room / of {
        return Ok(None);
    }
    let severity = if size >= room { Severity::HurtsNow } else { Severity::WorthALook };
    let title = format!(
        "The deduplication table of {} takes {}; {whose} {}",
        pool.name,
        Bytes(size),
        Bytes(room)
    );
    let mut finding = Finding::new("dedup-table", severity, Area::Metadata, title);
    finding.subject = Some(pool.name.clone());
    let assumed = if read.is_some() { "" } else { " (320 B per entry assumed)" };
    finding.evidence = table(pool, entries, size, assumed);
    finding.evidence.extend(view.rows_now(["c_max", "arc_meta_limit", "arc_meta_used"]));
    finding.cause =
        "Lookups are spread over the whole table. Its part outside memory costs a seek for each \
         block written or freed; its part in memory displaces everything else."
            .to_owned();
    let mut remedy = changes::by_hand(
        "switch deduplication off where it saves little; meanwhile delete in small parts, since \
         each freed block is a lookup; or add a dedup vdev on SSDs",
        &[
            format!("zfs get -r -s local,received dedup {}", format::shell(&pool.name)),
            "zfs set dedup=off DATASET   # the table shrinks as its blocks are freed".to_owned(),
        ],
    );
    remedy.verify = vec![format!("zpool status -D {}", format::shell(&pool.name))];
    finding.remedy = Some(remedy);
    finding.gain = Gain::NotEstimated("lookups in the table are not counted separately".to_owned());
    finding.cost = "Equal blocks written from then on take space.".to_owned();
    finding.risk = "Destroying a large deduplicated dataset at once may take days.".to_owned();
    finding.confidence = Confidence::read("zpool status -D and arcstats");
    finding.sources = lines([
        "module/zfs/ddt.c",
        "zpool-status(8) -D",
        "openzfs-docs, Workload Tuning: deduplication",
    ]);
    Ok(Some(finding))
}
