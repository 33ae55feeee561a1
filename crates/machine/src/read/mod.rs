//! From texts to what they say: one small collector per kind of source.
//!
//! A collector takes the texts that it knows and fills its part of the [`Machine`]. One that finds
//! a text it cannot read leaves a [`Problem`] with the place and goes on; none hides another. What
//! was not captured is absent.

mod agree;
pub(crate) mod arc_summary;
pub(crate) mod arcstat;
mod config;
mod counters;
pub(crate) mod datasets;
pub(crate) mod devices;
mod drives;
pub(crate) mod failed;
mod geom;
pub(crate) mod iostat;
pub(crate) mod iostat_errors;
pub(crate) mod kernel_log;
pub(crate) mod labels;
pub(crate) mod list;
mod list_layout;
mod lsblk;
mod memory;
pub(crate) mod mounts;
mod parameters;
mod platform;
mod power_loss;
mod properties;
pub(crate) mod said;
mod samples;
pub(crate) mod set;
pub(crate) mod slabs;
pub(crate) mod smart;
pub(crate) mod status;
mod status_json;
mod swap;
pub(crate) mod threads;
pub(crate) mod timings;
mod uptime;
mod version;
mod zdb;

use serde_json::Value;

use crate::machine::{Machine, Problem, Reason};
use crate::pool::{Pool, UNNAMED_POOL, Vdev};
use crate::reported::looks_reported;
use crate::sources::{Source, Sources};
use crate::standing::Standing;
use properties::POOLS_MAX;
use smart::DRIVES_MAX;
use status::is_state;

/// Devices of all pools; as many drives are read.
const LEAVES_MAX: usize = 4096;
/// Of what is wrong with a text no more is reported.
const PROBLEM_CHARS_MAX: usize = 400;
/// Longer JSON is not read: in memory it takes some twenty times its length, and a hundred pools have less.
const JSON_BYTES_MAX: usize = 8 << 20;
/// The most objects and lists of one output.
const JSON_PARTS_MAX: usize = 200_000;

/// In the order in which they build on each other: vdevs before their space.
const COLLECTORS: [fn(&Sources, &mut Machine); 26] = [
    platform::collect,
    version::collect,
    memory::collect,
    swap::collect,
    slabs::collect,
    threads::collect,
    failed::collect,
    set::collect,
    parameters::collect,
    config::collect,
    status::collect,
    status_json::collect,
    properties::collect,
    zdb::collect,
    list::collect,
    zdb::collect_ill,
    datasets::collect,
    mounts::collect,
    drives::collect,
    labels::collect,
    geom::collect,
    smart::collect,
    iostat_errors::collect,
    devices::collect,
    timings::collect,
    kernel_log::collect,
];

/// What lists all pools, or says that there are none.
const LISTS: [&str; 4] = [
    "commands/zpool-status",
    "commands/zpool-status-json",
    "commands/zpool-list",
    "commands/zpool-list-json",
];

impl Machine {
    /// Returns what `sources` say of a machine.
    #[must_use]
    pub fn read(sources: &Sources) -> Self {
        let mut machine = Self::default();
        for collect in COLLECTORS {
            collect(sources, &mut machine);
        }
        machine.lists_pools = LISTS.iter().any(|name| sources.text(name).is_some());
        samples::collect(sources, &mut machine);
        agree::collect(sources, &mut machine);
        said::collect(sources, &mut machine);
        version::settle(&mut machine);
        platform::settle(&mut machine);
        power_loss::judge(&mut machine.drives);
        machine.standing = Standing::of(&machine.drives);
        machine.name_table_of_dedup();
        machine.bound_leaves();
        machine.name_limits();
        let unreadable = sources.texts.iter().filter_map(|(name, source)| match source {
            Source::Unreadable(reason) => Some(problem(name, reason.clone())),
            Source::Text(_) => None,
        });
        machine.problems.extend(unreadable);
        machine.passed_over.clone_from(&sources.passed_over);
        machine.typed.clone_from(&sources.typed);
        machine.creating.clone_from(&sources.creating);
        let unknown = || machine.problems.iter().filter_map(unknown_row);
        machine.has_unknown_rows = unknown().next().is_some();
        machine.has_unknown_states = unknown().any(may_tell_state);
        machine.problems.sort();
        machine.problems.dedup();
        machine
    }

    /// Gives a table of deduplication that names no pool to the one pool that was read, be it in another output.
    fn name_table_of_dedup(&mut self) {
        let is_table = |pool: &Pool| {
            pool.name == UNNAMED_POOL
                && pool.state.is_none()
                && pool.vdevs.is_empty()
                && pool.strays.is_empty()
        };
        let Some(at) = self.pools.iter().position(is_table).filter(|_| self.pools.len() == 2)
        else {
            return;
        };
        let table = self.pools.remove(at);
        if let [pool] = self.pools.as_mut_slice() {
            pool.dedup.own = pool.dedup.own.or(table.dedup.own);
            pool.dedup.simulated = pool.dedup.simulated.or(table.dedup.simulated);
        }
    }

    /// Leaves out what pools have of devices beyond those of the largest machine.
    fn bound_leaves(&mut self) {
        let mut left = LEAVES_MAX;
        let mut is_kept = |vdev: &Vdev| {
            let leaves = vdev.leaves().len();
            left = left.saturating_sub(leaves);
            left > 0
        };
        for pool in &mut self.pools {
            pool.vdevs.retain(&mut is_kept);
            pool.strays.retain(&mut is_kept);
        }
        if left == 0 {
            let what = format!("more than {LEAVES_MAX} devices are named, the others are left out");
            self.garbled("pools", what);
        }
    }

    /// Says so where a machine seems to have more than any has.
    fn name_limits(&mut self) {
        if self.pools.len() >= POOLS_MAX {
            self.garbled(
                "pools",
                format!("more than {POOLS_MAX} are named, the others are left out"),
            );
        }
        if self.drives.len() >= DRIVES_MAX {
            self.garbled(
                "drives",
                format!("more than {DRIVES_MAX} are named, the others are left out"),
            );
        }
    }

    /// Notes that a text does not say what it should.
    pub(crate) fn garbled(&mut self, name: &str, why: impl ToString) {
        let why: String = why.to_string().chars().take(PROBLEM_CHARS_MAX).collect();
        self.problems.push(problem(name, Reason::Garbled(why)));
    }
}

/// Reads JSON of a size that a machine's tools print.
///
/// # Errors
/// What is wrong with it, and where.
pub(crate) fn json(text: &str) -> Result<Value, String> {
    if text.len() > JSON_BYTES_MAX {
        let mib = JSON_BYTES_MAX >> 20;
        return Err(format!("it has more than {mib} MiB, the limit for one output"));
    }
    // A part takes half a KiB in memory, however short it is written.
    if text.bytes().filter(|byte| matches!(byte, b'{' | b'[')).count() > JSON_PARTS_MAX {
        return Err(format!("it has more than {JSON_PARTS_MAX} parts, the limit for one output"));
    }
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// Returns whether a line is the heading of a class of vdevs: `logs`, `cache`.
pub(crate) fn class_heading(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    status::class_of(word).is_some()
}

/// Returns the row of numbers among pasted lines that nothing knows; none where they have none.
fn unknown_row(problem: &Problem) -> Option<&str> {
    let Reason::Garbled(words) = &problem.reason else { return None };
    let shown = words.strip_prefix("not recognised: “").and_then(|rest| rest.strip_suffix('”'));
    shown.filter(|shown| problem.source.starts_with("pasted line") && looks_reported(shown))
}

/// Returns whether a row may be one of `zpool status` that was not understood: it has a state, or a name and counts
/// alone, whose state a page has lost.
fn may_tell_state(row: &str) -> bool {
    let mut words = row.split_whitespace().skip(1);
    let is_count =
        |word: &str| word.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'K' | 'M'));
    row.split_whitespace().any(is_state) || words.clone().count() >= 3 && words.all(is_count)
}

/// A sample's number is of no interest to who reads the problem.
fn problem(name: &str, reason: Reason) -> Problem {
    let source = match samples::number_and_rest(name) {
        (Some(_), rest) => rest,
        (None, _) => name,
    };
    Problem { source: source.to_owned(), reason }
}

impl Sources {
    /// Returns the texts whose name begins with `prefix`, by the rest of their name.
    pub(crate) fn below<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        let from = self.texts.range(prefix.to_owned()..);
        let all = from.map_while(move |(name, source)| Some((name.strip_prefix(prefix)?, source)));
        all.filter_map(|(rest, source)| match source {
            Source::Text(text) => Some((rest, text.as_str())),
            Source::Unreadable(_) => None,
        })
    }

    /// Returns the first of several texts that there is, with its name.
    pub(crate) fn first<'a>(&'a self, names: &[&'a str]) -> Option<(&'a str, &'a str)> {
        names.iter().find_map(|name| Some((*name, self.text(name)?)))
    }

    /// Returns the sysctls, of the machine or of its first sample.
    pub(crate) fn sysctls(&self) -> Option<arcwright_kstat::Sysctls> {
        let names = ["commands/sysctl", "sample-0/commands/sysctl"];
        let mut texts = names.iter().filter_map(|name| self.text(name)).peekable();
        texts.peek()?;
        let mut all = arcwright_kstat::Sysctls::default();
        for text in texts {
            all.values.extend(arcwright_kstat::Sysctls::parse(text).values);
        }
        Some(all)
    }
}

#[cfg(test)]
mod tests {
    use super::{DRIVES_MAX, JSON_PARTS_MAX, LEAVES_MAX, POOLS_MAX, json};
    use crate::{Machine, Source, Sources};

    fn read(name: &str, part: impl Fn(usize) -> String, count: usize) -> Machine {
        let text: String = (0..count).map(part).collect();
        let texts = [(name.to_owned(), Source::Text(text))];
        Machine::read(&Sources { texts: texts.into(), ..Sources::default() })
    }

    #[test]
    fn json_of_more_parts_than_a_machine_has_is_not_taken_apart() {
        let list = |parts: usize| format!("[{}{{}}]", "{\"\":1},".repeat(parts - 2));
        assert!(json(&list(JSON_PARTS_MAX)).is_ok());
        let said = json(&list(JSON_PARTS_MAX + 1)).unwrap_err();
        assert_eq!(said, "it has more than 200000 parts, the limit for one output");
    }

    #[test]
    fn pools_have_no_more_devices_than_any_machine() {
        let pool = |count: usize| {
            let head = "  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME STATE READ WRITE CKSUM\n\ttank ONLINE 0 0 0\n";
            let leaf = |number: usize| match number {
                0 => head.to_owned(),
                number => format!("\t  d{number} ONLINE 0 0 0\n"),
            };
            read("commands/zpool-status", leaf, count)
        };
        assert_eq!(pool(1000).pools[0].vdevs.len(), 999);
        let many = pool(LEAVES_MAX * 2);
        assert!(many.pools[0].vdevs.len() < LEAVES_MAX, "{}", many.pools[0].vdevs.len());
        assert!(many.problems.iter().any(|problem| problem.source == "pools"));
    }

    #[test]
    fn a_machine_has_no_more_pools_and_drives_than_any() {
        let property = |number| format!("p{number}\tcapacity\t1\t-\n");
        let pools = |count| read("commands/zpool-get", property, count);
        let status = |number| format!("  pool: p{number}\n state: ONLINE\n\n");
        let told = |machine: &Machine, what: &str| {
            machine.problems.iter().any(|problem| problem.source == what)
        };
        assert_eq!(pools(POOLS_MAX - 1).pools.len(), POOLS_MAX - 1);
        assert!(!told(&pools(POOLS_MAX - 1), "pools"));
        for many in [pools(POOLS_MAX * 4), read("commands/zpool-status", status, POOLS_MAX * 4)] {
            assert_eq!(many.pools.len(), POOLS_MAX);
            assert!(told(&many, "pools"));
        }
        let dataset = |number| format!("p/d{number}\tsync\tstandard\tdefault\n");
        let many = read("commands/zfs-get", dataset, 100_001);
        assert_eq!(many.datasets.len(), 100_000);
        assert!(told(&many, "commands/zfs-get"));
        let row = |number| format!("p{number} 1T 1G 1G 1% 1.00x ONLINE -\n");
        let many = read("commands/zpool-list", row, 50_001);
        assert!(told(&many, "pools") && told(&many, "commands/zpool-list"));
        let texts = (0..DRIVES_MAX + 9).map(|number| {
            let text = format!("{{\"model_name\": \"x\", \"serial_number\": \"{number}\"}}");
            (format!("commands/smartctl-sd{number}"), Source::Text(text))
        });
        let many = Machine::read(&Sources { texts: texts.collect(), ..Sources::default() });
        assert_eq!(many.drives.len(), DRIVES_MAX);
        assert!(told(&many, "drives"));
    }
}
