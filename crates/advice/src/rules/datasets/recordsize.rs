//! Records far larger than what is read or written at a time.
//!
//! A record is read, checked and rewritten as a whole: 8 KiB changed at random in records of 1 MiB
//! move 2 MiB. Small requests in order cost nothing of the kind, so the disks' bytes are asked too.

use arcwright_machine::Dataset;
use arcwright_units::Bytes;

use crate::finding::{Area, Evidence, Finding, Gain, Over, Remedy, Severity, lines};
use crate::format;
use crate::rule::Rule;
use crate::rules::dataset_state::{self, ClientCounts};
use crate::rules::disk_state;
use crate::verdict::{Judged, NotJudged, Verdict};
use crate::view::{ACCESSES_MIN, View};

pub(crate) const RULE: Rule = Rule { about: "whether record sizes fit the requests", judge };

/// A record this many times a request is a mismatch: below four the whole record is soon used anyhow.
const TIMES: u64 = 4;
/// The disks move this many times what clients asked for, which proves that requests are scattered.
const AMPLIFIED: f64 = 3.0;
/// Bytes per second below which disks have nothing to be spared: a hundredth of what one carries.
const MOVED_MIN: f64 = 1_048_576.0;
/// The smallest request for contents that is taken for one.
const SECTOR: u64 = 512;
/// Smaller records are not advised: their metadata grows, and raidz pads them.
const SMALLEST: u64 = 16 << 10;

fn judge(view: &View<'_>) -> Judged {
    dataset_state::all(view)?;
    let asked = dataset_state::asked(view)?;
    let mut findings = Vec::new();
    let (mut looked, mut unread) = (0u64, None);
    for (name, asked) in asked {
        let Some(dataset) = dataset_state::named(view, name) else {
            unread = Some(NotJudged::NotRead(format!("recordsize of {name} was not read")));
            continue;
        };
        match of_dataset(view, dataset, *asked) {
            Ok((requests, found)) => {
                looked = looked.saturating_add(requests);
                findings.extend(found);
            }
            Err(why) => unread = Some(why),
        }
    }
    if findings.is_empty() && unread.is_none() {
        view.enough(looked, ACCESSES_MIN, "requests to datasets")?;
    }
    let fine = Verdict::fine("Record sizes fit the requests", Vec::new());
    Verdict::of_all(findings, unread, fine)
}

/// What was asked of a dataset, every row of it read.
#[derive(Clone, Copy)]
struct Requests {
    reads: u64,
    read_bytes: u64,
    writes: u64,
    written_bytes: u64,
}

/// Returns how often a dataset was asked for something, and what is wrong with its records.
fn of_dataset(
    view: &View<'_>,
    dataset: &Dataset,
    asked: ClientCounts,
) -> Result<(u64, Option<Finding>), NotJudged> {
    let unread =
        |what: &str| NotJudged::NotRead(format!("{what} of {} was not read", dataset.name));
    let row = |row: Option<u64>, name: &str| row.ok_or_else(|| unread(name));
    let requests = Requests {
        reads: row(asked.reads, "reads")?,
        read_bytes: row(asked.read_bytes, "nread")?,
        writes: row(asked.writes, "writes")?,
        written_bytes: row(asked.written_bytes, "nwritten")?,
    };
    let count = requests.reads.saturating_add(requests.writes);
    let is_volume = dataset.properties.contains_key("volblocksize");
    let name = if is_volume { "volblocksize" } else { "recordsize" };
    let record =
        dataset_state::property(dataset, name).and_then(number).ok_or_else(|| unread(name))?;
    // Less than a sector at a time is no request for contents but a probe of a file.
    let mean = |bytes: u64, count: u64| {
        (count >= ACCESSES_MIN).then(|| bytes / count.max(1)).filter(|mean| *mean >= SECTOR)
    };
    let fits = |mean: &u64| record / *mean >= TIMES;
    let writes = mean(requests.written_bytes, requests.writes).filter(fits);
    let reads = mean(requests.read_bytes, requests.reads).filter(fits);
    if writes.is_none() && reads.is_none() {
        return Ok((count, None));
    }
    let [wrote, read] = amplification(view, dataset_state::pool_of(&dataset.name))?;
    let (what, mean, factor) = match (writes, reads) {
        (Some(mean), _) if wrote >= AMPLIFIED => ("written", mean, wrote),
        (_, Some(mean)) if read >= AMPLIFIED => ("read", mean, read),
        _ => return Ok((count, None)),
    };
    let mismatch = Mismatch { name, record, what, mean, factor };
    Ok((count, Some(finding(view, dataset, requests, mismatch))))
}

/// Records that are far larger than the requests for them.
#[derive(Clone, Copy)]
struct Mismatch<'a> {
    /// The property that says how large records are, and its bytes.
    name: &'a str,
    record: u64,
    /// What is done to the records, and bytes of a request.
    what: &'a str,
    mean: u64,
    /// How many times as much the disks transfer.
    factor: f64,
}

fn finding(view: &View<'_>, dataset: &Dataset, asked: Requests, mismatch: Mismatch<'_>) -> Finding {
    let Mismatch { name, record, what, mean, factor } = mismatch;
    let title = format!(
        "{} is {what} {} at a time in records of {}: the disks transfer {factor:.0} times as much",
        dataset.name,
        Bytes(mean / 512 * 512),
        Bytes(record)
    );
    let mut finding = Finding::new("recordsize", Severity::WorthALook, Area::Layout, title);
    finding.subject = Some(dataset.name.clone());
    finding.evidence = evidence(view, dataset, asked, name);
    finding.cause = "ZFS reads, verifies and rewrites whole records. Each random request much \
                     smaller than a record (databases, virtual machines, torrents) transfers the \
                     whole record."
        .to_owned();
    let wanted = mean.max(SMALLEST).next_power_of_two();
    finding.remedy = (wanted < record).then(|| remedy(dataset, name, record, wanted));
    finding.gain = Gain::Counted(format!(
        "the disks transfer {factor:.0} times what is {what}; up to {} of that could be saved",
        format::share(99.min(100 - 100 / record.div_euclid(wanted.max(1)).clamp(1, 100)), 100)
    ));
    finding.cost =
        "Small records compress less and need more metadata; sequential reads of large files get a \
         little slower."
            .to_owned();
    finding.risk =
        "Only new writes get the new size; existing data keeps its size until it is copied."
            .to_owned();
    finding.confidence =
        view.confidence(asked.reads.saturating_add(asked.writes), "requests to that dataset");
    finding.sources = lines([
        "zfsprops(7) recordsize, volblocksize",
        "openzfs-docs, Workload Tuning: dataset recordsize",
    ]);
    finding
}

/// Returns how many times the bytes that clients wrote and read the pool's disks moved, in the very
/// window.
fn amplification(view: &View<'_>, pool: &str) -> Result<[f64; 2], NotJudged> {
    if view.over() != Over::Window || view.io_over() != Over::Window {
        let what = "disk throughput in the window was not read (two samples with zpool iostat)";
        return Err(NotJudged::NotRead(what.to_owned()));
    }
    let unread = || NotJudged::NotRead(format!("disk throughput of {pool} was not read"));
    let io = view.io(pool).and_then(|io| io.get(pool)).ok_or_else(unread)?;
    let asked = dataset_state::asked_of_pool(view, pool)?;
    let sum = |of: fn(&ClientCounts) -> Option<u64>| -> Option<u64> {
        asked.into_iter().flat_map(|asked| asked.values()).map(of).sum()
    };
    let times = |moved: Option<f64>, asked: Option<u64>| {
        let moved = disk_state::positive(moved).ok_or_else(unread)?;
        let asked = asked.and_then(|asked| view.per_s(asked)).ok_or_else(unread)?;
        Ok(if asked > 0.0 && moved >= MOVED_MIN { moved / asked } else { 0.0 })
    };
    Ok([
        times(io.write_bytes_per_s, sum(|asked| asked.written_bytes))?,
        times(io.read_bytes_per_s, sum(|asked| asked.read_bytes))?,
    ])
}

fn evidence(view: &View<'_>, dataset: &Dataset, asked: Requests, name: &str) -> Vec<Evidence> {
    let over = view.over();
    let row = |row: &str, count: u64, text: String| Evidence {
        exact: Some(count),
        over,
        ..Evidence::now(format!("{}: {row}", dataset.name), text)
    };
    let mut rows = vec![
        row("writes", asked.writes, format::count(asked.writes)),
        row("nwritten", asked.written_bytes, Bytes(asked.written_bytes).to_string()),
        row("reads", asked.reads, format::count(asked.reads)),
        row("nread", asked.read_bytes, Bytes(asked.read_bytes).to_string()),
    ];
    let value = dataset_state::property(dataset, name).and_then(number).map(Bytes);
    rows.extend(
        value.map(|size| Evidence::setting(format!("{}: {name}", dataset.name), size.to_string())),
    );
    let pool = dataset_state::pool_of(&dataset.name);
    let io = view.io(pool).and_then(|io| io.get(pool));
    rows.extend(io.map(|io| {
        let rate = |rate: Option<f64>| {
            let rate = disk_state::positive(rate);
            rate.map_or_else(|| "-".to_owned(), |rate| format!("{:.1} MiB/s", rate / 1_048_576.0))
        };
        let text =
            format!("{} read, {} written", rate(io.read_bytes_per_s), rate(io.write_bytes_per_s));
        Evidence { over: view.io_over(), ..Evidence::now(format!("zpool iostat {pool}"), text) }
    }));
    rows
}

fn remedy(dataset: &Dataset, name: &str, record: u64, wanted: u64) -> Remedy {
    let (path, kib) = (format::shell(&dataset.name), wanted >> 10);
    if name == "volblocksize" {
        let copy = format::shell(&format!("{}-new", dataset.name));
        return Remedy {
            what: format!(
                "a volume keeps its block size: create a new one with {kib} KiB and copy"
            ),
            lasting: vec![format!("zfs create -V SIZE -o volblocksize={kib}K {copy}")],
            undo: vec![format!("zfs destroy {copy}   # before anything else uses it")],
            ..Remedy::default()
        };
    }
    Remedy {
        what: format!("set recordsize={kib}K and rewrite the files (copy them)"),
        lasting: vec![format!("zfs set recordsize={kib}K {path}")],
        verify: vec![format!("arcwright doctor --window 60s   # with the same work on {path}")],
        undo: vec![format!("zfs set recordsize={} {path}", record)],
        ..Remedy::default()
    }
}

/// Returns a property's size, exact or with a suffix.
fn number(text: &str) -> Option<u64> {
    crate::config::number(text)
}
