//! The experiments in which nothing but the processor takes time, and a log device where writes wait for it: what is done
//! with at once is taken by one thread less.

use anyhow::Context as _;
use arcwright_scenario::{Engine, Latency, PhaseRun, RunRequest, Scenario, Unwatched};

/// Large, because OpenZFS lets writers wait for a whole group when 24 times what is dirty is more than what is free.
const DISK: &str = "{ device = \"instant\", size = \"32GiB\" }";
const LOG: &str = "{ device = \"nvme-plp\", size = \"32GiB\" }";
const ONE: (&str, usize) = ("disk", 1);
const LAYOUTS: [(&str, usize); 5] =
    [ONE, ("mirror", 2), ("raidz1", 3), ("raidz1", 4), ("raidz2", 5)];
const RECORDS: [&str; 2] = ["16KiB", "128KiB"];

/// What is taken of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Figure {
    /// How long it takes.
    Duration,
    /// The mean of its requests without the slowest tenth: now and then a group is written beside them. No median:
    /// lanes that wait for one log block come in two waves, and it falls between them.
    MostRequests,
}

/// A scenario on disks that take no time.
#[derive(Debug, Clone)]
pub(super) struct Experiment {
    pub(super) name: String,
    /// What the first phase is for: measured, or it only warms up.
    is_cold_measured: bool,
    figure: Figure,
    machine: Machine,
    data: String,
    client: String,
}

#[derive(Debug, Clone, Copy)]
struct Machine {
    layout: (&'static str, usize),
    record: &'static str,
    cpu: &'static str,
    arc_max: &'static str,
}

impl Machine {
    fn with(layout: (&'static str, usize), record: &'static str) -> Self {
        Self { layout, record, cpu: "nas-quad", arc_max: "1GiB" }
    }
}

/// Returns all experiments.
pub(super) fn all() -> Vec<Experiment> {
    let mut all = Vec::new();
    reads(&mut all);
    parts(&mut all);
    releases(&mut all);
    writes(&mut all);
    groups(&mut all);
    evictions(&mut all);
    trees(&mut all);
    all
}

const FILE: &str = "[[file]]\nname = \"f\"\nsize = \"192MiB\"\n";

/// Cold and cached reads.
fn reads(all: &mut Vec<Experiment>) {
    let clients = [
        ("in a row, 128 KiB", "{ read = \"f\", io = \"128KiB\" }"),
        (
            "random, 128 KiB",
            "{ read = \"f\", io = \"128KiB\", pattern = \"random\", amount = \"64MiB\" }",
        ),
        (
            "random, 16 KiB",
            "{ read = \"f\", io = \"16KiB\", pattern = \"random\", amount = \"16MiB\" }",
        ),
    ];
    for layout in LAYOUTS {
        for record in RECORDS {
            for (reads, client) in clients {
                all.push(Experiment {
                    name: format!("reads {reads}; {} {}, records of {record}", layout.0, layout.1),
                    is_cold_measured: true,
                    figure: Figure::Duration,
                    machine: Machine::with(layout, record),
                    data: FILE.to_owned(),
                    client: client.to_owned(),
                });
            }
        }
    }
}

/// Reads of records part by part, which find the dbuf of all but the first part.
fn parts(all: &mut Vec<Experiment>) {
    for record in ["128KiB", "1MiB"] {
        for io in ["4KiB", "32KiB"] {
            all.push(Experiment {
                name: format!("parts in a row, {io}; records of {record}"),
                is_cold_measured: false,
                figure: Figure::Duration,
                machine: Machine::with(ONE, record),
                data: FILE.to_owned(),
                client: format!("{{ read = \"f\", io = \"{io}\", amount = \"64MiB\" }}"),
            });
        }
    }
}

/// Cached reads by about as many lanes as there are cores, or more, which evict dbufs beside their reads.
fn releases(all: &mut Vec<Experiment>) {
    for record in ["8KiB", "16KiB"] {
        for depth in [3, 8] {
            all.push(Experiment {
                name: format!("releases, {depth} lanes; records of {record}"),
                is_cold_measured: false,
                figure: Figure::Duration,
                machine: Machine::with(ONE, record),
                data: FILE.to_owned(),
                client: format!("{{ read = \"f\", io = \"128KiB\", depth = {depth} }}"),
            });
        }
    }
}

/// Whether writes wait for the log, and with how many others: those that wait together, once for several, tell what
/// each record takes from what a block of the log takes.
const WAITS: [&str; 5] =
    ["", ", fsync = 4", ", sync = true", ", sync = true, depth = 4", ", sync = true, depth = 16"];

/// Writes of what is cached, with and without waiting for a log device.
fn writes(all: &mut Vec<Experiment>) {
    for record in RECORDS {
        for (io, amount) in [("4KiB", "8MiB"), ("16KiB", "32MiB"), ("128KiB", "64MiB")] {
            for waits in WAITS {
                all.push(Experiment {
                    name: format!("writes random, {io}{waits}; records of {record}"),
                    is_cold_measured: false,
                    figure: Figure::MostRequests,
                    machine: Machine::with(ONE, record),
                    data: FILE.to_owned(),
                    client: format!(
                        "{{ write = \"f\", io = \"{io}\", pattern = \"random\", \
                         amount = \"{amount}\"{waits} }}"
                    ),
                });
            }
        }
    }
}

/// Whole records that are written over and over: two cores carry the writer and the transaction groups, or four, where the
/// slower of them decides.
fn groups(all: &mut Vec<Experiment>) {
    for (cpu, cores) in [("nas-dual", ""), ("nas-quad", " on four cores")] {
        for layout in LAYOUTS {
            for record in RECORDS {
                all.push(Experiment {
                    name: format!("groups{cores}; {} {}, records of {record}", layout.0, layout.1),
                    is_cold_measured: false,
                    figure: Figure::Duration,
                    machine: Machine { cpu, ..Machine::with(layout, record) },
                    data: FILE.to_owned(),
                    client: format!("{{ write = \"f\", io = \"{record}\", amount = \"768MiB\" }}"),
                });
            }
        }
    }
}

/// Readers of more than the ARC holds, on two cores that carry them and the eviction.
fn evictions(all: &mut Vec<Experiment>) {
    for record in RECORDS {
        for readers in [1, 4] {
            let pattern = "pattern = \"random\", amount = \"96MiB\"";
            all.push(Experiment {
                name: format!("evictions, {readers} readers; records of {record}"),
                is_cold_measured: false,
                figure: Figure::Duration,
                machine: Machine {
                    cpu: "nas-dual",
                    arc_max: "64MiB",
                    ..Machine::with(ONE, record)
                },
                data: FILE.to_owned(),
                client: format!(
                    "{{ read = \"f\", io = \"{record}\", {pattern}, count = {readers} }}"
                ),
            });
        }
    }
}

/// Trees: names, dnodes, small and larger files.
fn trees(all: &mut Vec<Experiment>) {
    let sets = [
        (
            "small files",
            "files = 4000\nfiles_per_directory = 200\nsize_min = \"4KiB\"\nsize_max = \"12KiB\"",
        ),
        (
            "one directory",
            "files = 6000\nfiles_per_directory = 6000\nsize_min = \"1KiB\"\nsize_max = \"8KiB\"",
        ),
        (
            "larger files",
            "files = 500\nfiles_per_directory = 100\nsize_min = \"256KiB\"\nsize_max = \"512KiB\"",
        ),
    ];
    for (what, tree) in sets {
        for action in ["tree-stat", "tree-read", "tree-copy"] {
            for order in ["", ", pattern = \"random\""] {
                all.push(Experiment {
                    name: format!("{action} of {what}{order}"),
                    is_cold_measured: true,
                    figure: Figure::Duration,
                    machine: Machine::with(ONE, "128KiB"),
                    data: format!("[[tree]]\nname = \"t\"\n{tree}\n"),
                    client: format!("{{ {action} = \"t\"{order} }}"),
                });
            }
        }
    }
}

impl Experiment {
    /// Says whether there are cores for most of the work. On two cores what threads do beside a client counts too: writing
    /// groups, evicting.
    pub(super) fn has_cores(&self) -> bool {
        self.machine.cpu != "nas-dual"
    }

    /// Returns the scenario for a version.
    fn scenario(&self, version: &str) -> anyhow::Result<Scenario> {
        let Machine { layout: (layout, disks), record, cpu, arc_max } = self.machine;
        let list = vec![DISK; disks].join(", ");
        let vdev = if disks == 1 { DISK.to_owned() } else { format!("[{list}]") };
        let (data, client) = (&self.data, &self.client);
        let text = format!(
            "title = \"costs\"\nquestion = \"What does work cost?\"\n[system]\nzfs = \"{version}\"\n\
             os = \"linux\"\nmemory = \"2GiB\"\ncpu = \"{cpu}\"\n[system.pool]\n\
             data = [{{ {layout} = {vdev} }}]\nrecordsize = \"{record}\"\n\
             log = [{{ disk = {LOG} }}]\n[system.tunables]\n\
             zfs_arc_max = \"{arc_max}\"\n[[arm]]\nname = \"a\"\n{data}\
             [[phase]]\nname = \"first\"\nclients = [{client}]\n[[phase]]\nname = \"again\"\n\
             clients = [{client}]\n[lab]\nscale = 1\n"
        );
        Scenario::parse(&text, &self.name)
            .with_context(|| format!("“{}” is no scenario", self.name))
    }

    /// Returns the figure of each phase that is measured, with the phase's name; in nanoseconds.
    pub(super) fn measure(
        &self,
        version: &str,
        engine: &mut dyn Engine,
    ) -> anyhow::Result<Vec<(String, f64)>> {
        let request = RunRequest { scenario: self.scenario(version)?, repeats: 1 };
        let outcome = engine
            .run(&request, &mut Unwatched)
            .with_context(|| format!("failed to run “{}”", self.name))?;
        let phases = outcome.arms.iter().flat_map(|arm| &arm.phases);
        let figure = |phase: &PhaseRun| match self.figure {
            Figure::Duration => phase.duration_ns.0 as f64,
            Figure::MostRequests => mean_of_most(&phase.latency),
        };
        let skipped = usize::from(!self.is_cold_measured);
        Ok(phases.skip(skipped).map(|phase| (phase.name.clone(), figure(phase))).collect())
    }
}

/// Returns the mean of the quickest nine tenths, ns, as far as buckets tell it (1 to 3 %, alike on both engines).
fn mean_of_most(latency: &Latency) -> f64 {
    let most = latency.count * 9 / 10;
    let mut left = most;
    let mut sum = 0.0;
    for bucket in &latency.buckets {
        let taken = bucket.count.min(left);
        sum += taken as f64 * bucket.below_ns.0 as f64;
        left -= taken;
    }
    sum / most.max(1) as f64
}

#[cfg(test)]
mod tests {
    use arcwright_scenario::{Bucket, Latency};
    use arcwright_units::Nanos;

    use super::mean_of_most;

    #[test]
    fn the_slowest_tenth_does_not_count() {
        let check = |counts: &[(u64, u64)], expected: f64| {
            let buckets: Vec<Bucket> = counts
                .iter()
                .map(|&(below, count)| Bucket { below_ns: Nanos(below), count })
                .collect();
            let count = counts.iter().map(|(_, count)| count).sum();
            let found = mean_of_most(&Latency { count, buckets, ..Latency::default() });
            assert!((found - expected).abs() < 1e-9, "{counts:?}: {found}, not {expected}");
        };
        check(&[(100, 9), (5000, 1)], 100.0);
        check(&[(100, 45), (300, 45), (5000, 10)], 200.0);
        check(&[(100, 10), (300, 10)], (10.0 * 100.0 + 8.0 * 300.0) / 18.0);
        check(&[], 0.0);
    }
}
