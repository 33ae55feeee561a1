//! The machine with the load that was recorded: its counters, and what its disks did in the same time.

use std::collections::BTreeMap;

use arcwright_machine::{DeviceCount, LeafIo, Machine, Pool, Sample};
use arcwright_web::LiveReading;

use crate::pool_disks::kernel_name;

/// Returns the machine with two readings as its samples; vdevs have the rates of these, not of an earlier look.
pub(super) fn machine_with(machine: &Machine, from: &LiveReading, to: &LiveReading) -> Machine {
    let span = to.sample.kstats.at.saturating_sub(from.sample.kstats.at).as_secs_f64();
    let of_pool = |pool: &Pool| {
        let leaves = pool.vdevs.iter().flat_map(|top| top.leaves());
        let rates = leaves.filter_map(|leaf| {
            let kernel = kernel_name(&leaf.name);
            let is_it =
                |disk: &&DeviceCount| disk.name == leaf.name || kernel.as_ref() == Some(&disk.name);
            let (before, now) = (from.disks.iter().find(is_it)?, to.disks.iter().find(is_it)?);
            Some((leaf.name.clone(), rates(before, now, span)?))
        });
        (pool.name.clone(), rates.collect::<BTreeMap<String, LeafIo>>())
    };
    let vdevs = machine.pools.iter().map(of_pool).collect();
    let last = Sample { vdevs, vdevs_since_import: false, ..to.sample.clone() };
    Machine { samples: vec![from.sample.clone(), last], ..machine.clone() }
}

/// Returns what a disk did; none where its counters went back.
#[expect(clippy::cast_precision_loss, reason = "rates of three digits")]
fn rates(from: &DeviceCount, to: &DeviceCount, span: f64) -> Option<LeafIo> {
    let per_s = |from: u64, to: u64| Some(to.checked_sub(from)? as f64 / span);
    Some(LeafIo {
        read_ops_per_s: Some(per_s(from.reads, to.reads)?),
        write_ops_per_s: Some(per_s(from.writes, to.writes)?),
        read_bytes_per_s: Some(per_s(from.read_bytes, to.read_bytes)?),
        write_bytes_per_s: Some(per_s(from.write_bytes, to.write_bytes)?),
        ..LeafIo::default()
    })
}

#[cfg(test)]
mod tests {
    use arcwright_kstat::Snapshot;
    use arcwright_machine::{DeviceCount, LeafIo, Machine, Pool, Sample, Sources};
    use arcwright_units::Nanos;
    use arcwright_web::LiveReading;

    use super::machine_with;

    const STATUS: &str = "\
  pool: tank
 state: ONLINE
config:

\tNAME        STATE     READ WRITE CKSUM
\ttank        ONLINE       0     0     0
\t  data-0    ONLINE       0     0     0
\t  data-1    ONLINE       0     0     0

errors: No known data errors
";

    fn reading(second: u64, read_bytes: u64) -> LiveReading {
        let disk = DeviceCount { name: "data-0".to_owned(), read_bytes, ..DeviceCount::default() };
        let kstats = Snapshot::from_kstats(Nanos::secs(second), Vec::new());
        LiveReading {
            sample: Sample { kstats, ..Sample::default() },
            disks: vec![disk],
            ..LiveReading::default()
        }
    }

    #[test]
    fn disks_have_the_rates_of_the_load() {
        let mut machine = Machine::read(&Sources::recognize(STATUS));
        let old = LeafIo { read_bytes_per_s: Some(99.0), ..LeafIo::default() };
        let mut before = Sample::default();
        before.vdevs.entry("tank".to_owned()).or_default().insert("data-1".to_owned(), old);
        machine.samples = vec![before];
        let found = machine_with(&machine, &reading(1, 100), &reading(3, 500));
        let vdevs = &found.samples[1].vdevs["tank"];
        assert_eq!(vdevs["data-0"].read_bytes_per_s, Some(200.0));
        // One that is not counted has no rate of another time.
        assert!(!vdevs.contains_key("data-1"));
        assert_eq!(found.pools.first().map(|pool: &Pool| pool.name.as_str()), Some("tank"));
        assert_eq!(found.samples.len(), 2);
    }
}
