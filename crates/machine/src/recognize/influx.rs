//! Pasted metrics in the line protocol of InfluxDB, as Telegraf prints them.
//!
//! ```text
//! > zfs,host=nas,pools=tank arcstats_hits=1000i,arcstats_misses=10i 1721938672000000000
//!   │   └ tags              └ fields: the kstat, a line, its row              └ time
//!   └ measurement            zfs_pool,pool=tank,health=ONLINE capacity=41i,size=…i
//! ```
//!
//! A whole number ends in `i`; one that does not was torn off, and is left out.

use std::collections::BTreeMap;

use arcwright_kstat::{KstatValue, NamedKstat};

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text};

/// Kstats whose rows are among the fields, by the beginning of these.
const KSTATS: [&str; 11] = [
    "abdstats",
    "arcstats",
    "dbufcachestats",
    "dbufstats",
    "dmu_tx",
    "dnodestats",
    "fm",
    "vdev_cache_stats",
    "vdev_mirror_stats",
    "zfetchstats",
    "zil",
];
/// Fields of the measurement of memory, and what `/proc/meminfo` calls them.
const MEMORY: [(&str, &str); 5] = [
    ("total", "MemTotal"),
    ("free", "MemFree"),
    ("available", "MemAvailable"),
    ("swap_total", "SwapTotal"),
    ("swap_free", "SwapFree"),
];
/// Properties of a pool among the fields.
const PROPERTIES: [&str; 4] = ["size", "allocated", "free", "capacity"];
/// A line of Telegraf has some two hundred fields.
const FIELDS_MAX: usize = 2000;

/// Takes lines of it.
pub(super) fn metrics(lines: &[Line], _prompt: &Prompt) -> Option<Taken> {
    Metric::of(&lines.first()?.text)?;
    let metrics: Vec<Metric<'_>> = lines.iter().map_while(|line| Metric::of(&line.text)).collect();
    let mut texts: Vec<Text> = metrics.iter().flat_map(Metric::texts).collect();
    if texts.is_empty() {
        // Known, and nothing that is read.
        let (name, text) = ("commands/telegraf".to_owned(), String::new());
        texts.push(Text { name, text, again: Again::More });
    }
    Some(Taken { lines: metrics.len(), texts })
}

/// One line.
struct Metric<'a> {
    measurement: &'a str,
    tags: BTreeMap<&'a str, &'a str>,
    fields: BTreeMap<&'a str, u64>,
}

impl<'a> Metric<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let line = line.trim_start().trim_start_matches("> ");
        let (series, rest) = line.split_once(' ')?;
        let (measurement, tags) = series.split_once(',').unwrap_or((series, ""));
        let known = ["zfs", "zfs_pool", "mem", "swap"].contains(&measurement);
        (known && rest.contains('=')).then_some(())?;
        let fields = rest.split(' ').next().unwrap_or_default();
        let pairs = |text: &'a str| text.split(',').filter_map(|pair| pair.split_once('='));
        let number = |(name, value): (&'a str, &'a str)| {
            Some((name, value.strip_suffix('i')?.parse().ok()?))
        };
        let fields: BTreeMap<&str, u64> =
            pairs(fields).take(FIELDS_MAX).filter_map(number).collect();
        let tags: BTreeMap<&str, &str> = pairs(tags).take(FIELDS_MAX).collect();
        (!fields.is_empty()).then_some(Self { measurement, tags, fields })
    }

    fn texts(&self) -> Vec<Text> {
        match (self.measurement, self.tags.get("pool"), self.tags.get("dataset")) {
            ("zfs", ..) => self.kstats(),
            ("zfs_pool", Some(pool), Some(dataset)) => self.objset(pool, dataset),
            ("zfs_pool", Some(pool), None) => self.pool(pool),
            ("mem" | "swap", ..) => self.memory(),
            _ => Vec::new(),
        }
    }

    fn kstats(&self) -> Vec<Text> {
        let of = |kstat: &str| {
            let row = |(name, value): (&&str, &u64)| {
                let row = name.strip_prefix(kstat)?.strip_prefix('_')?;
                Some((row.to_owned(), KstatValue::U64(*value)))
            };
            let rows: Vec<(String, KstatValue)> = self.fields.iter().filter_map(row).collect();
            (!rows.is_empty()).then(|| named(&format!("zfs/{kstat}"), rows))
        };
        KSTATS.iter().filter_map(|kstat| of(kstat)).collect()
    }

    /// What clients did to a dataset; it has no number here, so that its name stands for it.
    fn objset(&self, pool: &str, dataset: &str) -> Vec<Text> {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let id: String = dataset.chars().take(FIELDS_MAX).map(plain).collect();
        let name = ("dataset_name".to_owned(), KstatValue::Text(dataset.to_owned()));
        let counts =
            self.fields.iter().map(|(row, value)| ((*row).to_owned(), KstatValue::U64(*value)));
        let is_pool = is_name(pool) && is_name(&id);
        let kstat = || {
            named(
                &format!("zfs/{pool}/objset-{id}"),
                Some(name).into_iter().chain(counts).collect(),
            )
        };
        is_pool.then(kstat).into_iter().collect()
    }

    fn pool(&self, pool: &str) -> Vec<Text> {
        let health = self.tags.get("health").filter(|health| is_name(health));
        let mut text = health.map_or_else(String::new, |it| format!("{pool}\thealth\t{it}\t-\n"));
        for property in PROPERTIES {
            let value = self.fields.get(property);
            text += &value.map_or_else(String::new, |it| format!("{pool}\t{property}\t{it}\t-\n"));
        }
        let name = "commands/zpool-get".to_owned();
        let told = is_name(pool) && !text.is_empty();
        told.then_some(Text { name, text, again: Again::More }).into_iter().collect()
    }

    fn memory(&self) -> Vec<Text> {
        let row = |(field, row): &(&str, &str)| {
            let bytes = self.fields.get(field)?;
            Some(format!("{row}: {} kB\n", bytes / 1024))
        };
        let text: String = MEMORY.iter().filter_map(row).collect();
        // Those of swap alone are called as those of memory are.
        let of_memory = self.measurement == "mem" && !text.is_empty();
        let name = "commands/memory".to_owned();
        of_memory.then_some(Text { name, text, again: Again::More }).into_iter().collect()
    }
}

fn named(path: &str, rows: Vec<(String, KstatValue)>) -> Text {
    let text = NamedKstat::of_rows(path, rows).to_text();
    Text { name: format!("proc/spl/kstat/{path}"), text, again: Again::Sample }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:".contains(c))
}

#[cfg(test)]
mod tests {
    use crate::machine::Machine;
    use crate::sources::Sources;

    fn read(text: &str) -> Machine {
        Machine::read(&Sources::recognize(text))
    }

    #[test]
    fn rows_of_kstats_and_the_memory_are_read() {
        let text = "\
> mem,host=nas total=17179869184i,available=4294967296i,used_percent=75.1,swap_total=0i 1700000000000000000
> zfs,host=nas,pools=tank arcstats_size=1000i,arcstats_hits=7i,zil_zil_commit_count=3i,arcstats_misses=1 1700000000000000000
> zfs_pool,dataset=tank/vm,host=nas,pool=tank nread=5i,reads=2i 1700000000000000000
> zfs_pool,health=DEGRADED,host=nas,pool=tank capacity=41i,size=1000i 1700000000000000000
";
        let machine = read(text);
        assert_eq!(machine.problems, []);
        assert_eq!(machine.memory.map(|memory| memory.total.0), Some(16 << 30));
        let kstats = &machine.samples[0].kstats.kstats;
        let row = |path: &str, row: &str| kstats.get(path)?.value(row)?.as_u64();
        assert_eq!(row("zfs/arcstats", "size"), Some(1000));
        assert_eq!(row("zfs/zil", "zil_commit_count"), Some(3));
        // Nothing says that this is all of it.
        assert_eq!(row("zfs/arcstats", "misses"), None);
        let tank = &machine.pools[0];
        assert_eq!((tank.name.as_str(), tank.number("capacity")), ("tank", Some(41)));
    }

    #[test]
    fn lines_of_other_programs_are_none_of_it() {
        for text in
            ["mem, they say, is =", "zfs is nice a=1i", "cpu,host=a usage=1i 5", "zfs,a=b c=d"]
        {
            let machine = read(text);
            assert_eq!(machine.problems.len(), 1, "{text}: {:?}", machine.problems);
        }
    }
}
