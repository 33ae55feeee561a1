//! Readings of what counts: kstats of Linux or sysctls of `FreeBSD`, and `zpool iostat` beside them.
//!
//! Texts of sample N stand under `sample-N/`; a tree that was just copied has none, and is sample 0.
//! The first report of vdevs counts since the pool was imported, unless it covers a window.

use std::collections::BTreeMap;

use arcwright_kstat::{NamedKstat, ParseKstatError, Snapshot, Sysctls, Txg};
use arcwright_units::Nanos;

use super::{arc_summary, iostat};
use crate::machine::Machine;
use crate::pool::{Vdev, is_same_vdev};
use crate::sample::Sample;
use crate::sources::{Source, Sources};

const KSTATS: &str = "proc/spl/kstat/";
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
    // A sample without a single kstat or report is none: FreeBSD's parameters alone, for example.
    let read = samples.into_iter().map(|(number, texts)| sample(number, &texts, machine));
    let read: Vec<Sample> = read.collect();
    let full = |sample: &Sample| !sample.kstats.kstats.is_empty() || !sample.vdevs.is_empty();
    machine.samples = read.into_iter().filter(full).collect();
    add_pools(machine);
    name_as_status_does(machine);
}

/// Gives vdevs of `zpool iostat` the names that `zpool status` has, which may be asked for paths.
fn name_as_status_does(machine: &mut Machine) {
    for pool in &machine.pools {
        let leaves: Vec<&str> =
            pool.vdevs.iter().flat_map(Vdev::leaves).map(|leaf| leaf.name.as_str()).collect();
        let vdevs =
            machine.samples.iter_mut().filter_map(|sample| sample.vdevs.get_mut(&pool.name));
        for vdevs in vdevs {
            let name_of = |name: &String| {
                let mut same = leaves.iter().filter(|leaf| is_same_vdev(leaf, name));
                let found = same.next().filter(|_| same.next().is_none() && *name != pool.name);
                found.map_or_else(|| name.clone(), |leaf| (*leaf).to_owned())
            };
            *vdevs = std::mem::take(vdevs).into_iter().map(|(n, io)| (name_of(&n), io)).collect();
        }
    }
}

fn sample(number: u32, texts: &Texts<'_>, machine: &mut Machine) -> Sample {
    let at = texts.get("at").and_then(|(_, text)| text.trim().parse().ok()).map(Nanos);
    let mut sample = Sample::default();
    let mut kstats = Vec::new();
    for (rest, (name, text)) in texts {
        if let Some(path) = rest.strip_prefix(KSTATS) {
            take_kstat(path, (name, text), &mut sample, machine, &mut kstats);
        }
    }
    let snaptime = kstats.iter().find(|kstat| kstat.path() == "zfs/arcstats").map(|k| k.snaptime);
    // Without a clock, samples are at least told apart by their order.
    let at = at.or(snaptime).unwrap_or(Nanos::secs(number.into()));
    sample.kstats = Snapshot::from_kstats(at, kstats);
    if let Some((_, text)) = texts.get("commands/sysctl") {
        let (snapshot, lists) = Snapshot::from_sysctls(at, &Sysctls::parse(text));
        sample.kstats.kstats.extend(snapshot.kstats);
        for (path, text) in lists {
            let mut none = Vec::new();
            take_kstat(&path, ("commands/sysctl", &text), &mut sample, machine, &mut none);
        }
    }
    if let Some((name, text)) = texts.get("commands/arc-summary") {
        arc_summary::add(name, text, &mut sample, machine);
    }
    for (rest, (name, text)) in texts {
        if let Some(form) = rest.strip_prefix("commands/zpool-iostat") {
            let windows = take_iostat(form, (name, text), &mut sample, machine);
            sample.vdevs_since_import |= number == 0 && !windows;
        }
    }
    sample.vdevs_since_import &= !sample.vdevs.is_empty();
    sample
}

/// Takes the text of the kstat at `path` to where it belongs.
fn take_kstat(
    path: &str,
    (name, text): (&str, &str),
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
    let asked = iostat::Asked { waits: flags.contains('l'), queues: flags.contains('q') };
    let read = iostat::parse(text, &pools, asked);
    for (line, stray) in read.strays.iter().take(1) {
        machine
            .garbled(name, format!("line {line}: expected a row of zpool iostat, found “{stray}”"));
    }
    let mut reports = read.reports;
    // One report alone counts since import in the first sample; of several, the others are windows.
    let several = reports.len() > 1;
    let report = match (several, reports.pop()) {
        (_, None) => return false,
        (false, Some(only)) => only,
        (true, Some(last)) => {
            reports.push(last);
            iostat::mean(reports.get(1..).unwrap_or_default())
        }
    };
    iostat::merge(&mut sample.vdevs, report);
    several || flags.contains('y')
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
        pool.state = pool.state.take().or_else(|| states.get(&name).cloned());
    }
}
