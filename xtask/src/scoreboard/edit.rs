//! Changing one thing in the texts of a machine, whatever system they are from.
//!
//! Linux has its counters in kstats and its parameters in files, `FreeBSD` has both in sysctls. A
//! change that a machine has no place for is refused with the reason and counted on the page.

use arcwright_kstat::{KstatValue, NamedKstat};
use arcwright_machine::{Machine, Pool, Source, Sources, Vdev};
use arcwright_tunables::{Kernel, Version, lookup};

/// Why a fault cannot be put into a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Skip(pub(super) String);

/// A change, or why there is none.
pub(super) type Edit = Result<(), Skip>;

/// The texts of a machine that are being changed.
pub(super) struct Editor {
    pub(super) sources: Sources,
    /// The machine as it was.
    pub(super) machine: Machine,
}

impl Editor {
    pub(super) fn of(sources: &Sources) -> Self {
        Self { sources: sources.clone(), machine: Machine::read(sources) }
    }

    /// Returns the first pool.
    pub(super) fn pool(&self) -> Result<&Pool, Skip> {
        self.machine.pools.first().ok_or_else(|| Skip("no pool".to_owned()))
    }

    /// Returns a disk of the first pool that is one of a group, and the group's name.
    pub(super) fn member(&self) -> Result<(String, String), Skip> {
        let pool = self.pool()?;
        let group = pool.vdevs.iter().find(|vdev| !vdev.children.is_empty());
        let member =
            |group: &Vdev| Some((group.children.first()?.name.clone(), group.name.clone()));
        group.and_then(member).ok_or_else(|| Skip("no mirror or raidz".to_owned()))
    }

    pub(super) fn is_freebsd(&self) -> bool {
        self.machine.os == Some(Kernel::Freebsd)
    }

    pub(super) fn version(&self) -> Option<Version> {
        self.machine.zfs
    }

    /// Demands a version or a later one.
    pub(super) fn since_version(&self, version: &str) -> Edit {
        let wanted = Version::parse(version);
        let is_from = self.version().zip(wanted).is_some_and(|(own, wanted)| own >= wanted);
        is_from.then_some(()).ok_or_else(|| Skip(format!("before OpenZFS {version}")))
    }

    /// Demands that two readings were made.
    pub(super) fn windowed(&self) -> Edit {
        (self.machine.samples.len() > 1).then_some(()).ok_or_else(|| Skip("one reading".to_owned()))
    }

    /// Sets a level in all readings.
    pub(super) fn level(&mut self, kstat: &str, row: &str, value: u64) -> Edit {
        let samples = self.machine.samples.len().max(1);
        (0..samples).try_for_each(|sample| self.set(sample, kstat, row, value))
    }

    /// Sets what was counted between the readings: the last is as much more than the first.
    pub(super) fn counted(&mut self, kstat: &str, row: &str, count: u64) -> Edit {
        let first = self.machine.samples.first().and_then(|sample| sample.kstats.get(kstat, row));
        let first = first.ok_or_else(|| no_counter(kstat, row))?;
        let last = self.machine.samples.len().saturating_sub(1);
        self.set(last, kstat, row, first.saturating_add(count))
    }

    /// Returns a level as last read.
    pub(super) fn now(&self, kstat: &str, row: &str) -> Result<u64, Skip> {
        let now = self.machine.now().and_then(|now| now.get(kstat, row));
        now.ok_or_else(|| no_counter(kstat, row))
    }

    fn set(&mut self, sample: usize, kstat: &str, row: &str, value: u64) -> Edit {
        if self.is_freebsd() {
            let rest = kstat.strip_prefix("zfs/").unwrap_or(kstat);
            let name = match rest.split_once('/') {
                Some((pool, rest)) => format!("kstat.zfs.{pool}.dataset.{rest}.{row}"),
                None => format!("kstat.zfs.misc.{rest}.{row}"),
            };
            let own = format!("sample-{sample}/commands/sysctl");
            let changed = self.set_sysctl(&own, &name, value);
            return changed.ok_or_else(|| no_counter(kstat, row));
        }
        let name = format!("sample-{sample}/proc/spl/kstat/{kstat}");
        let text = self.sources.text(&name).ok_or_else(|| no_counter(kstat, row))?;
        let mut read = NamedKstat::parse(kstat, text).map_err(|error| Skip(error.to_string()))?;
        let found = read.rows.iter_mut().find(|(known, _)| known == row);
        let (_, old) = found.ok_or_else(|| no_counter(kstat, row))?;
        *old = KstatValue::U64(value);
        self.put(&name, read.to_text());
        Ok(())
    }

    /// Sets a line of sysctl(8), if there is one.
    fn set_sysctl(&mut self, file: &str, name: &str, value: u64) -> Option<()> {
        let text = self.sources.text(file)?;
        let start = format!("{name}:");
        text.lines().any(|line| line.starts_with(&start)).then_some(())?;
        let line = |line: &str| match line.starts_with(&start) {
            true => format!("{name}: {value}\n"),
            false => format!("{line}\n"),
        };
        let text = text.lines().map(line).collect();
        self.put(file, text);
        Some(())
    }

    /// Sets a parameter of the module, by its Linux name.
    pub(super) fn parameter(&mut self, name: &str, value: u64) -> Edit {
        let absent = || Skip(format!("no parameter {name}"));
        let known = self.machine.parameters.get(name).ok_or_else(absent)?.name.clone();
        if !self.is_freebsd() {
            self.put(&format!("sys/module/zfs/parameters/{name}"), format!("{value}\n"));
            return Ok(());
        }
        let old = lookup(name).and_then(|entry| entry.freebsd_legacy.clone());
        let names = [Some(known), old].into_iter().flatten();
        let mut is_set = false;
        for name in names {
            is_set |= self.set_sysctl("commands/sysctl", &name, value).is_some();
        }
        is_set.then_some(()).ok_or_else(absent)
    }

    /// Sets the ARC's maximum: the counter, and the parameter as the module would show it.
    pub(super) fn arc_max(&mut self, bytes: u64) -> Edit {
        self.level("zfs/arcstats", "c_max", bytes)?;
        self.parameter("zfs_arc_max", bytes)
    }

    /// Changes the text of `zpool status`; its JSON form, if there is one, is left out.
    pub(super) fn status(&mut self, change: impl FnOnce(&str) -> String) -> Edit {
        const NAME: &str = "commands/zpool-status";
        let text = self.sources.text(NAME).ok_or_else(|| Skip("no zpool status".to_owned()))?;
        let changed = change(text);
        if changed == text {
            return Err(Skip("zpool status has no place for it".to_owned()));
        }
        self.put(NAME, changed);
        self.sources.texts.remove("commands/zpool-status-json");
        Ok(())
    }

    /// Sets a property of a pool or dataset.
    pub(super) fn property(&mut self, command: &str, of: &str, name: &str, value: &str) -> Edit {
        let file = format!("commands/{command}");
        let text = self.sources.text(&file).ok_or_else(|| Skip(format!("no {command}")))?;
        let start = format!("{of}\t{name}\t");
        let source = if command == "zfs-get" { "local" } else { "-" };
        let mut is_set = false;
        let mut changed: String = text
            .lines()
            .map(|line| match line.starts_with(&start) {
                true => {
                    is_set = true;
                    format!("{start}{value}\t{source}\n")
                }
                false => format!("{line}\n"),
            })
            .collect();
        if !is_set {
            changed.extend([format!("{start}{value}\t{source}\n")]);
        }
        self.put(&file, changed);
        self.sources.texts.remove(&format!("{file}-json"));
        Ok(())
    }

    /// Sets the columns of a row in `zpool list`, by their place.
    pub(super) fn list(&mut self, name: &str, columns: &[(usize, String)]) -> Edit {
        const NAME: &str = "commands/zpool-list";
        let text = self.sources.text(NAME).ok_or_else(|| Skip("no zpool list".to_owned()))?;
        let mut is_set = false;
        let mut row = |line: &str| {
            let inner = line.starts_with('\t');
            let mut cells: Vec<String> = line.trim_start().split('\t').map(str::to_owned).collect();
            if cells.first().map(String::as_str) == Some(name) && cells.len() > 3 {
                is_set = true;
                for (index, value) in columns {
                    if let Some(cell) = cells.get_mut(*index) {
                        value.clone_into(cell);
                    }
                }
            }
            match inner {
                true => format!("\t{}\n", cells.join("\t")),
                false => format!("{}\n", cells.join("\t")),
            }
        };
        let changed: String = text.lines().map(&mut row).collect();
        self.put(NAME, changed);
        self.sources.texts.remove("commands/zpool-list-json");
        is_set.then_some(()).ok_or_else(|| Skip(format!("zpool list has no {name}")))
    }

    /// Puts a text in the place of another, or where none was.
    pub(super) fn put(&mut self, name: &str, text: String) {
        self.sources.texts.insert(name.to_owned(), Source::Text(text));
    }

    /// Reads the machine again, after a part of the changes.
    pub(super) fn refresh(&mut self) {
        self.machine = Machine::read(&self.sources);
    }
}

fn no_counter(kstat: &str, row: &str) -> Skip {
    let kstat = kstat.rsplit('/').next().unwrap_or(kstat);
    Skip(format!("no counter {kstat}.{row}"))
}
