//! Readings of what counts: kstats of Linux or sysctls of `FreeBSD`, and `zpool iostat` beside them.
//!
//! Texts of sample N stand under `sample-N/`; a tree that was just copied has none, and is sample 0.
//! The first report of vdevs counts since the pool was imported, unless it covers a window.

use std::collections::BTreeMap;

use arcwright_kstat::{NamedKstat, ParseKstatError, Snapshot, Sysctls, Txg};
use arcwright_units::{Bytes, Nanos};

use super::arc_summary::{self, Take};
use super::list::{Row, call_out};
use super::{arcstat, counters, iostat, list_layout, uptime};
use crate::machine::{Machine, Memory};
use crate::pool::{Vdev, VdevNames};
use crate::sample::Sample;
use crate::sources::{Source, Sources};

const KSTATS: &str = "proc/spl/kstat/";
const ARCSTATS: &str = "zfs/arcstats";
const SYSCTL: &str = "commands/sysctl";
/// Raw kstats that no rule asks for; what they hold is large or of no use here.
const IGNORED: [&str; 12] = [
    "reads",
    "guid",
    "multihost",
    "dbgmsg",
    "dbufs",
    "fm",
    "chksum_bench",
    "fletcher_4_bench",
    "vdev_raidz_bench",
    "import_progress",
    "ddt_stats",
    "taskq",
];

/// Kstats that are tables in every version; of others a newer module may make anything.
const TABLES: [&str; 11] = [
    "arcstats",
    "zfetchstats",
    "dbufstats",
    "zil",
    "dmu_tx",
    "abdstats",
    "dnodestats",
    "iostats",
    "io",
    "dmu_tx_assign",
    "vdev_cache_stats",
];

/// Texts of one sample by name, and the name that each has among all.
type Texts<'a> = BTreeMap<&'a str, (&'a str, &'a str)>;

/// Splits `sample-3/proc/…` into 3 and the rest; no number when the text is of no sample.
pub(super) fn number_and_rest(name: &str) -> (Option<u32>, &str) {
    let split = name.strip_prefix("sample-").and_then(|rest| rest.split_once('/'));
    match split.and_then(|(number, rest)| Some((number.parse().ok()?, rest))) {
        Some((number, rest)) => (Some(number), rest),
        None => (None, name),
    }
}

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    let mut samples: BTreeMap<u32, Texts<'_>> = BTreeMap::new();
    for (name, source) in &sources.texts {
        let (number, rest) = number_and_rest(name);
        let counts = rest.starts_with(KSTATS) || rest.starts_with("commands/zpool-iostat");
        let is_sysctl = rest == "commands/sysctl" || rest == "commands/arc-summary";
        if let (Source::Text(text), true) = (source, number.is_some() || counts || is_sysctl) {
            let texts = samples.entry(number.unwrap_or(0)).or_default();
            texts.insert(rest, (name.as_str(), text.as_str()));
        }
    }
    let lines = arcstat::read(sources, machine);
    let exact = samples.values().filter(|texts| is_exact(texts)).count();
    // Two exact readings are a window already, which rounded lines of another time do not change.
    let lines = lines.filter(|_| exact < 2);
    let last = samples.keys().next_back().copied();
    let first_iostat =
        samples.iter().find(|(_, texts)| has_iostat(texts)).map(|(number, _)| *number);
    let vfs = sources.text(SYSCTL).unwrap_or_default();
    let mut read = Vec::new();
    for (number, texts) in samples {
        let is_last = last == Some(number);
        let lines = lines.as_ref().filter(|_| is_last);
        if lines.is_some_and(arcstat::Lines::is_window) {
            machine.since_load = since_load(number, &texts, vfs, machine);
        }
        let about = About { vfs, lines, first_iostat: first_iostat == Some(number) };
        read.push(sample(number, &texts, &about, machine));
    }
    if read.is_empty() {
        read.extend(lines.as_ref().map(|lines| lines.alone(machine)));
    }
    // A window of lines begins with what it counted before: nothing.
    if let Some(begin) = lines.as_ref().and_then(arcstat::Lines::begin) {
        let end = read.pop();
        read = vec![begin];
        read.extend(end);
    }
    // A sample without a single kstat or report is none: FreeBSD's parameters alone, for example.
    let full = |sample: &Sample| {
        let counted = !sample.kstats.kstats.is_empty() || !sample.vdevs.is_empty();
        counted || !sample.txgs.is_empty() || !sample.pool_states.is_empty()
    };
    machine.samples = read.into_iter().filter(full).collect();
    uptime::add(sources, machine);
    counters::call_out(machine);
    add_memory(machine);
    add_pools(machine);
    name_as_status_does(machine);
}

/// Gives vdevs of `zpool iostat` the names that `zpool status` has, which may be asked for paths.
fn name_as_status_does(machine: &mut Machine) {
    for pool in &machine.pools {
        let leaves = pool.vdevs.iter().flat_map(Vdev::leaves).map(|leaf| leaf.name.as_str());
        let leaves = VdevNames::new(leaves);
        let vdevs =
            machine.samples.iter_mut().filter_map(|sample| sample.vdevs.get_mut(&pool.name));
        for vdevs in vdevs {
            let name_of = |name: &String| {
                let found = leaves.only(name).filter(|_| *name != pool.name);
                found.map_or_else(|| name.clone(), str::to_owned)
            };
            *vdevs = std::mem::take(vdevs).into_iter().map(|(n, io)| (name_of(&n), io)).collect();
        }
    }
}

/// Returns the counters that stand beside lines of `arcstat`, where there are any.
fn since_load(
    number: u32,
    texts: &Texts<'_>,
    vfs: &str,
    machine: &mut Machine,
) -> Option<Box<Sample>> {
    let problems = machine.problems.len();
    let about = About { vfs, lines: None, first_iostat: false };
    let sample = sample(number, texts, &about, machine);
    // They are named when the window is read.
    machine.problems.truncate(problems);
    let arc = sample.kstats.kstats.get(ARCSTATS)?;
    arc.counts().then(|| Box::new(sample))
}

/// What a sample is read with beside its own texts.
struct About<'a> {
    /// Sysctls of the machine, some of which older `FreeBSD` counts as rows of `arcstats`.
    vfs: &'a str,
    /// The lines of `arcstat`, of the last sample.
    lines: Option<&'a arcstat::Lines>,
    /// Whether no earlier sample has reports of vdevs.
    first_iostat: bool,
}

fn is_exact(texts: &Texts<'_>) -> bool {
    let sysctl =
        texts.get(SYSCTL).is_some_and(|(_, text)| text.contains("kstat.zfs.misc.arcstats."));
    sysctl || texts.contains_key("proc/spl/kstat/zfs/arcstats")
}

fn has_iostat(texts: &Texts<'_>) -> bool {
    texts.keys().any(|name| name.starts_with("commands/zpool-iostat"))
}

fn sample(number: u32, texts: &Texts<'_>, about: &About<'_>, machine: &mut Machine) -> Sample {
    let at = texts.get("at").and_then(|(_, text)| text.trim().parse().ok()).map(Nanos);
    let mut sample = Sample::default();
    let mut kstats = Vec::new();
    for (rest, (name, text)) in texts {
        if let Some(path) = rest.strip_prefix(KSTATS) {
            take_kstat(KstatText { path, name, text }, &mut sample, machine, &mut kstats);
        }
    }
    let clock = |arc: bool| {
        let told = kstats.iter().filter(|kstat| kstat.snaptime != Nanos::ZERO);
        let mut told = told.filter(|kstat| !arc || kstat.path() == ARCSTATS);
        told.next().map(|kstat| kstat.snaptime)
    };
    // Where no clock is known, none is made up.
    let at = at.or_else(|| clock(true)).or_else(|| clock(false));
    sample.kstats = Snapshot::from_kstats(at.unwrap_or(Nanos::ZERO), kstats);
    let mut take = Take::All;
    if let Some(lines) = about.lines.filter(|lines| lines.is_window()) {
        lines.put_window(&mut sample);
        take = Take::Levels;
    }
    if let Some((_, text)) = texts.get(SYSCTL) {
        add_sysctls(text, about.vfs, take, &mut sample, machine);
    }
    if let Some((name, text)) = texts.get("commands/arc-summary") {
        arc_summary::add(name, text, take, &mut sample, machine);
    }
    if let Some(lines) = about.lines.filter(|lines| !lines.is_window()) {
        lines.put_rows(&mut sample, machine);
    }
    for (rest, (name, text)) in texts {
        if let Some(form) = rest.strip_prefix("commands/zpool-iostat") {
            let windows = take_iostat(form, (name, text), &mut sample, machine);
            let since = number == 0 || about.first_iostat;
            sample.vdevs_since_import |= since && !windows;
        }
    }
    sample.vdevs_since_import &= !sample.vdevs.is_empty();
    sample
}

/// Adds the rows that sysctl(8) shows, where no file told them.
fn add_sysctls(text: &str, vfs: &str, take: Take, sample: &mut Sample, machine: &mut Machine) {
    let mut sysctls = Sysctls::parse(text);
    for (name, value) in Sysctls::parse(vfs).values {
        sysctls.values.entry(name).or_insert(value);
    }
    let (snapshot, lists) = Snapshot::from_sysctls(sample.kstats.at, &sysctls);
    for (path, kstat) in snapshot.kstats {
        let mut here = take;
        // A window has its own counters of the ARC; other kstats are of this moment alone.
        if path != ARCSTATS {
            here = Take::All;
        }
        arc_summary::add_rows(sample, &path, kstat.rows, here);
    }
    for (path, text) in lists {
        let mut none = Vec::new();
        let text = KstatText { path: &path, name: SYSCTL, text: &text };
        take_kstat(text, sample, machine, &mut none);
    }
}

/// Takes the machine's memory from the ARC's own counters where nothing else told it.
fn add_memory(machine: &mut Machine) {
    let row = |row| machine.now().and_then(|now| now.get(ARCSTATS, row)).map(Bytes);
    let total = row("memory_all_bytes").filter(|total| *total > Bytes(0));
    let free = row("memory_free_bytes");
    let memory = total.map(|total| Memory { total, free, ..Memory::default() });
    machine.memory = machine.memory.or(memory);
}

/// The text of the kstat at `path`, and the name of the source that has it.
#[derive(Clone, Copy)]
struct KstatText<'a> {
    path: &'a str,
    name: &'a str,
    text: &'a str,
}

/// Takes the text of a kstat to where it belongs.
fn take_kstat(
    KstatText { path, name, text }: KstatText<'_>,
    sample: &mut Sample,
    machine: &mut Machine,
    kstats: &mut Vec<NamedKstat>,
) {
    let Some((module, kstat)) = path.rsplit_once('/') else { return };
    let pool = module.strip_prefix("zfs/");
    match (kstat, pool) {
        ("state", Some(pool)) => {
            sample.pool_states.insert(pool.to_owned(), text.trim().to_owned());
        }
        ("txgs", Some(pool)) => match Txg::parse_list(text) {
            Ok(list) => {
                sample.txgs.insert(pool.to_owned(), list);
            }
            Err(error) => machine.garbled(name, error),
        },
        // A histogram without a single entry is an empty file (spa_stats.c, 0.8 to 2.4).
        ("dmu_tx_assign", Some(_)) if text.is_empty() => {}
        _ if IGNORED.contains(&kstat) || !module.starts_with("zfs") => {}
        _ => match NamedKstat::parse(path, text) {
            Ok(kstat) => kstats.push(kstat),
            // Lists that a newer module brings are none of our tables and no fault.
            Err(ParseKstatError::NotNamed { .. }) => {}
            // Lists have no such head; only what is known to be a table must be one.
            Err(error) if is_table(kstat) => machine.garbled(name, error),
            Err(_) => {}
        },
    }
}

fn is_table(kstat: &str) -> bool {
    TABLES.contains(&kstat) || kstat.starts_with("objset-")
}

/// Takes the reports of `zpool iostat`; whether they are of windows rather than since import.
fn take_iostat(
    form: &str,
    (name, text): (&str, &str),
    sample: &mut Sample,
    machine: &mut Machine,
) -> bool {
    let pools: Vec<&str> = machine.pools.iter().map(|pool| pool.name.as_str()).collect();
    let flags = form.trim_start_matches('-');
    let asked =
        iostat::RequestedColumns { waits: flags.contains('l'), queues: flags.contains('q') };
    let read = iostat::parse(text, &pools, asked);
    for (line, stray) in read.strays.iter().take(1) {
        machine
            .garbled(name, format!("line {line}: expected a row of zpool iostat, found “{stray}”"));
    }
    add_layout(machine, &read.rows);
    super::list::add_fullness(machine, &read.rows);
    call_out(machine, name, &read.rows);
    // One report alone counts since import in the first sample; of several, the others are windows.
    let Some(only) = read.series.first().cloned() else { return false };
    let later = read.series.mean_of_later();
    let several = later.is_some();
    iostat::merge(&mut sample.vdevs, later.unwrap_or(only));
    several || flags.contains('y')
}

/// Gives pools that nothing else told the layout of the one that the indented rows of `-v` have.
fn add_layout(machine: &mut Machine, rows: &[Row]) {
    for row in rows.iter().filter(|row| row.vdev.is_none()) {
        if super::properties::pool_named(&mut machine.pools, &row.pool).is_none() {
            break;
        }
    }
    list_layout::add(machine, rows);
}

/// Pools that no `zpool status` told of are at least named, with the state that their kstat has.
fn add_pools(machine: &mut Machine) {
    let Some(last) = machine.samples.last() else { return };
    let parts = last.kstats.kstats.values().filter_map(|kstat| kstat.module.strip_prefix("zfs/"));
    let named = parts.chain(last.pool_states.keys().map(String::as_str));
    let named = named.chain(last.vdevs.keys().map(String::as_str));
    let names: std::collections::BTreeSet<String> = named.map(str::to_owned).collect();
    let states = last.pool_states.clone();
    for name in names {
        let pool = super::properties::pool_named(&mut machine.pools, &name);
        let Some(pool) = pool else { break };
        pool.state = pool.state.take().or_else(|| states.get(&name).cloned());
    }
}
