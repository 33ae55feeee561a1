//! Loads of one client each, whose every access is known, so that a trace of them is what the lab was asked.

use arcwright_scenario::Scenario;
use arcwright_units::Bytes;
use arcwright_workload::Accesses;
use arcwright_workload::traces::{BlockOptions, Blocks, Request, RequestKind, Trace};

use anyhow::{Context as _, anyhow};
use arcwright_units::Nanos;

/// ARC sizes of a curve, in MiB.
pub(super) const ARCS_MIB: [u64; 6] = [96, 160, 256, 384, 512, 768];
const VERSIONS: [&str; 3] = ["2.1.11", "2.3.2", "2.4.4"];
/// Loads: the name, the file's size and record size, the client. Sizes of files are such that the curve is between the sizes above.
const LOADS: [(&str, &str, &str, &str); 6] = [
    (
        "popular",
        "1GiB",
        "128KiB",
        "io = \"128KiB\", pattern = \"zipf\", zipf = 0.9, amount = \"4GiB\"",
    ),
    (
        "very-popular",
        "2GiB",
        "128KiB",
        "io = \"128KiB\", pattern = \"zipf\", zipf = 1.2, amount = \"4GiB\"",
    ),
    ("random", "700MiB", "128KiB", "io = \"128KiB\", pattern = \"random\", amount = \"4GiB\""),
    ("shuffled", "600MiB", "128KiB", "io = \"128KiB\", pattern = \"shuffled\", amount = \"3GiB\""),
    (
        "small-records",
        "512MiB",
        "16KiB",
        "io = \"16KiB\", pattern = \"zipf\", zipf = 0.9, amount = \"1GiB\"",
    ),
    (MANY, "4GiB", "16KiB", "io = \"16KiB\", pattern = \"zipf\", zipf = 0.9, amount = \"6GiB\""),
];
/// So many blocks that the curve looks at a sample of them; the lab takes minutes, so one release alone runs it.
const MANY: &str = "many-blocks";
/// The phase that counts.
pub(super) const PHASE: &str = "reads";

/// A load on a release.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) version: &'static str,
    record: Bytes,
    pub(super) scenario: Scenario,
}

/// Returns all cases.
pub(super) fn all() -> anyhow::Result<Vec<Case>> {
    let each = LOADS.iter().flat_map(|load| VERSIONS.map(|version| (load, version)));
    let each = each.filter(|((name, ..), version)| *name != MANY || *version == "2.3.2");
    each.map(|((name, size, record, client), version)| {
        let name = format!("{name}-{version}");
        let arms = ARCS_MIB.map(|mib| {
            format!("[[arm]]\nname = \"{mib} MiB\"\ntunables = {{ zfs_arc_max = {} }}\n", mib << 20)
        });
        let text = format!(
            "title = \"{name}\"\n[system]\nzfs = \"{version}\"\nmemory = \"4GiB\"\npool = {{ data = [\"ssd-sata-consumer\"], recordsize = \"{record}\" }}\n\
             tunables = {{ zfs_arc_min = {} }}\n\
             [[file]]\nname = \"f\"\nsize = \"{size}\"\n\
             [[phase]]\nname = \"{PHASE}\"\nclients = [{{ read = \"f\", {client} }}]\n{}",
            48 << 20,
            arms.concat()
        );
        let scenario = Scenario::parse(&text, &name).map_err(|error| anyhow!("{name}: {error}"))?;
        let record = Bytes::parse(record).map_err(|error| anyhow!("{name}: {error}"))?;
        Ok(Case { name, version, record, scenario })
    })
    .collect()
}

impl Case {
    /// Returns what the client asks for, block by block.
    pub(super) fn trace(&self) -> anyhow::Result<Trace> {
        let phase = self.scenario.phases.first().context("a case without a phase")?;
        let client = phase.clients.first().context("a case without a client")?;
        let file = self.scenario.files.first().context("a case without a file")?;
        let accesses =
            Accesses::new(client, file.size, self.scenario.seed, &phase.client_name(0, 0));
        let requests = accesses.zip(0..).map(|(access, number)| Request {
            time: Nanos::micros(500 * number),
            place: access.offset,
            bytes: access.size,
            volume: 0,
            kind: RequestKind::Read,
        });
        let requests: Vec<Request> = requests.collect();
        let mut blocks = Blocks::new(BlockOptions::of(self.record));
        blocks.add(&requests).map_err(anyhow::Error::msg)?;
        let mut trace = blocks.finish();
        let bytes = u32::try_from(self.record.0).context("a record of gigabytes")?;
        trace.bytes = vec![bytes; trace.pages as usize];
        Ok(trace)
    }
}
