//! `cargo xtask costs`: what the processor's work costs in the model, held against the lab.
//!
//! Disks that take no time leave nothing but that work: cached and cold reads, in five layouts and two
//! record sizes; and writes of what is cached, with and without waiting for a log device, by their median,
//! since now and then a transaction group is written beside them; and writes without end, on two cores that carry the
//! writer and the groups. The model's lock operations per call,
//! block, prefetch, change and commit (`crates/model/src/client/`, `versions/`) come from these tables
//! and from no case of the fidelity board.

use arcwright_model::Model;
use arcwright_scenario::{Engine, RunRequest, Scenario, Unwatched};

const DISK: &str = "{ device = \"instant\", size = \"1GiB\" }";
const LAYOUTS: [(&str, usize); 5] =
    [("disk", 1), ("mirror", 2), ("raidz1", 3), ("raidz1", 4), ("raidz2", 5)];
const CLIENTS: [(&str, &str); 3] = [
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

/// Prints the throughputs of a cold and a warm read on both engines.
pub(crate) fn run(version: &str) -> anyhow::Result<()> {
    println!(
        "OpenZFS {version}, disks that take no time, MiB/s: the lab, the model, the difference"
    );
    println!("{:<11} {:<8} {:<18} {:>24} {:>24}", "layout", "records", "reads", "cold", "again");
    for (layout, disks) in LAYOUTS {
        for record in ["16KiB", "128KiB"] {
            for (reads, client) in CLIENTS {
                let scenario = scenario(version, (layout, disks), record, client)?;
                let pairs = side_by_side(version, &scenario, (throughputs, 0))?;
                let shape = format!("{layout} {disks}");
                println!("{shape:<11} {record:<8} {reads:<18} {:>24}", pairs.join("  "));
            }
        }
    }
    print_writes(version)?;
    print_groups(version)
}

/// Prints the throughputs of whole records that are written over and over, on both engines: two cores carry the
/// writer and the transaction groups.
fn print_groups(version: &str) -> anyhow::Result<()> {
    println!("{:<11} {:<42} {:>24}", "layout", "groups on two cores, MiB/s", "");
    for (layout, disks) in LAYOUTS {
        for record in ["16KiB", "128KiB"] {
            let client = format!("{{ write = \"f\", io = \"{record}\", amount = \"768MiB\" }}");
            let mut scenario = scenario(version, (layout, disks), record, &client)?;
            "nas-dual".clone_into(&mut scenario.system.cpu);
            scenario.system.memory = arcwright_units::Bytes::gib(1);
            let pairs = side_by_side(version, &scenario, (throughputs, 0))?;
            let what = format!("records of {record}");
            let shape = format!("{layout} {disks}");
            println!("{shape:<11} {what:<42} {:>24}", again(&pairs));
        }
    }
    Ok(())
}

/// Prints the median latencies of writes on both engines.
fn print_writes(version: &str) -> anyhow::Result<()> {
    println!("{:<9} {:<42} {:>24}", "records", "writes, median in us", "");
    for record in ["16KiB", "128KiB"] {
        for (io, amount) in [("4KiB", "8MiB"), ("16KiB", "32MiB"), ("128KiB", "64MiB")] {
            for waits in ["", ", sync = true", ", sync = true, depth = 4"] {
                let client = format!(
                    "{{ write = \"f\", io = \"{io}\", pattern = \"random\", \
                     amount = \"{amount}\"{waits} }}"
                );
                let scenario = scenario(version, ("disk", 1), record, &client)?;
                let pairs = side_by_side(version, &scenario, (medians, 1))?;
                let what = format!("{io} random{waits}");
                println!("{record:<9} {what:<42} {:>24}", again(&pairs));
            }
        }
    }
    Ok(())
}

/// What is taken of a run: a figure of each phase.
type Measure = fn(&mut dyn Engine, &Scenario) -> anyhow::Result<Vec<f64>>;

/// Measures a scenario on both engines; returns for each phase the lab's figure, the model's, to so many digits,
/// and the difference.
fn side_by_side(
    version: &str,
    scenario: &Scenario,
    (measure, digits): (Measure, usize),
) -> anyhow::Result<Vec<String>> {
    let lab = measure(&mut crate::lab(version)?, scenario)?;
    let mut model = Model { scale: Some(1), user_space: true, ..Model::default() };
    let model = measure(&mut model, scenario)?;
    let pair = |(lab, model): (&f64, &f64)| {
        let more = (model / lab - 1.0) * 100.0;
        format!("{lab:>7.digits$} {model:>7.digits$} {more:>+5.0} %")
    };
    Ok(lab.iter().zip(&model).map(pair).collect())
}

/// Returns what was measured behind the first phase, which warms up.
fn again(pairs: &[String]) -> String {
    pairs.get(1..).unwrap_or_default().join("  ")
}

fn medians(engine: &mut dyn Engine, scenario: &Scenario) -> anyhow::Result<Vec<f64>> {
    let request = RunRequest { scenario: scenario.clone(), repeats: 1 };
    let outcome = engine.run(&request, &mut Unwatched)?;
    let phases = outcome.arms.iter().flat_map(|arm| &arm.phases);
    Ok(phases.map(|phase| phase.latency.p50_ns.0 as f64 / 1000.0).collect())
}

fn scenario(
    version: &str,
    (layout, disks): (&str, usize),
    record: &str,
    client: &str,
) -> anyhow::Result<Scenario> {
    let list = vec![DISK; disks].join(", ");
    let data = if disks == 1 { DISK.to_owned() } else { format!("[{list}]") };
    let text = format!(
        "title = \"costs\"\nquestion = \"What does work cost?\"\n[system]\nzfs = \"{version}\"\n\
         os = \"linux\"\nmemory = \"2GiB\"\ncpu = \"nas-quad\"\n[system.pool]\n\
         data = [{{ {layout} = {data} }}]\nrecordsize = \"{record}\"\n\
         log = [{{ disk = {DISK} }}]\n[system.tunables]\n\
         zfs_arc_max = \"1GiB\"\n[[arm]]\nname = \"a\"\n[[file]]\nname = \"f\"\nsize = \"192MiB\"\n\
         [[phase]]\nname = \"cold\"\nclients = [{client}]\n[[phase]]\nname = \"again\"\n\
         clients = [{client}]\n[lab]\nscale = 1\n"
    );
    Ok(Scenario::parse(&text, "costs")?)
}

fn throughputs(engine: &mut dyn Engine, scenario: &Scenario) -> anyhow::Result<Vec<f64>> {
    let request = RunRequest { scenario: scenario.clone(), repeats: 1 };
    let outcome = engine.run(&request, &mut Unwatched)?;
    let phases = outcome.arms.iter().flat_map(|arm| &arm.phases);
    Ok(phases.map(|phase| phase.throughput_bytes_per_sec.0 as f64 / 1_048_576.0).collect())
}
