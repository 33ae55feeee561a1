//! What is tried for a machine whose owner names nothing: memory, a cache device, a log device, and what its findings say.

use arcwright_scenario::Scenario;
use arcwright_ssd::Ssd;
use arcwright_units::Bytes;

use crate::axis::Axis;

/// Sizes in which SSDs are sold.
const SIZES_GB: [u64; 7] = [120, 250, 500, 1000, 2000, 4000, 8000];
/// How much larger than the memory the first cache device that is tried is at least.
const TIMES_MEMORY: u64 = 4;
/// Memory of a curve, in eighths of what is installed.
const EIGHTHS: [u64; 8] = [2, 4, 6, 12, 16, 24, 32, 64];
/// A machine does not run with less.
const MEMORY_MIN: Bytes = Bytes::mib(512);

/// What a machine may get.
#[derive(Debug, Clone, PartialEq)]
pub struct Usual {
    /// The SSD for an L2ARC.
    pub cache: Ssd,
    /// The SSD for a log device; none where nothing waits for one.
    pub log: Option<Ssd>,
    /// The largest ARC that leaves the rest of the machine its memory; none where it has about that much, or memory was not read.
    pub larger_arc: Option<Bytes>,
    /// Parameters that belong together, as its findings recommend them.
    pub settings: Vec<Vec<(String, u64)>>,
}

impl Usual {
    /// Returns what is tried in all combinations under a load: twice and four times the memory, two sizes of L2ARC, a log device where
    /// the pool has none, a larger ARC where there is memory for it, and each recommendation.
    #[must_use]
    pub fn axes(&self, scenario: &Scenario) -> Vec<Axis> {
        let system = &scenario.system;
        let memory = system.memory;
        let mut axes = vec![Axis::Memory(vec![memory.saturating_mul(2), memory.saturating_mul(4)])];
        let sizes = self.cache_sizes(memory);
        if !sizes.is_empty() {
            axes.push(Axis::L2arc(Box::new(self.cache.clone()), sizes));
        }
        if let Some(log) = self.log.clone().filter(|_| system.pool.log.is_empty()) {
            axes.push(Axis::Log(vec![log]));
        }
        let limits_itself = self.settings.iter().flatten().any(|(name, _)| name == "zfs_arc_max");
        if let Some(limit) = self.larger_arc.filter(|_| !limits_itself) {
            axes.push(Axis::Settings(vec![vec![("zfs_arc_max".to_owned(), limit.0)]]));
        }
        axes.extend(self.settings.iter().cloned().map(|group| Axis::Settings(vec![group])));
        axes
    }

    /// Returns the two smallest SSDs that are several times as large as the memory; a part of the one that is looked for where it is small.
    fn cache_sizes(&self, memory: Bytes) -> Vec<Bytes> {
        let wanted = Bytes(memory.0.saturating_mul(TIMES_MEMORY)).min(self.cache.size);
        let sold = SIZES_GB.iter().map(|size| Bytes(size.saturating_mul(1_000_000_000)));
        let fitting = sold.filter(|size| *size >= wanted && *size <= self.cache.size);
        let sizes: Vec<Bytes> = fitting.take(2).collect();
        if sizes.is_empty() { vec![self.cache.size] } else { sizes }
    }
}

/// Returns the memory that a curve of a machine goes through, from a quarter of what is installed to eight times as much.
#[must_use]
pub fn memory_curve(scenario: &Scenario) -> Axis {
    let installed = scenario.system.memory.0;
    let sizes = EIGHTHS.iter().map(|eighths| Bytes(installed.saturating_mul(*eighths) / 8));
    Axis::Memory(sizes.filter(|size| *size >= MEMORY_MIN).collect())
}

#[cfg(test)]
mod tests {
    use arcwright_scenario::Scenario;
    use arcwright_ssd::Ssd;
    use arcwright_units::Bytes;

    use super::{Usual, memory_curve};
    use crate::Axis;

    fn scenario(memory: &str) -> Scenario {
        let text = format!(
            r#"
title = "t"
system = {{ zfs = "2.3.2", memory = "{memory}", pool = {{ data = ["hdd-nas-7200"] }} }}
file = [{{ name = "f", size = "64MiB" }}]
phase = [{{ name = "p", clients = [{{ read = "f", io = "1MiB" }}] }}]
"#
        );
        Scenario::parse(&text, "t.toml").unwrap()
    }

    #[test]
    fn what_is_tried_fits_the_machine() {
        let check = |memory: &str, expected: &[u64]| {
            let cache = Ssd::of_profile("nvme-consumer", None).unwrap();
            let usual = Usual { cache, log: None, larger_arc: None, settings: Vec::new() };
            let axes = usual.axes(&scenario(memory));
            let Some(Axis::L2arc(_, sizes)) = axes.get(1) else { panic!("{axes:?}") };
            let expected: Vec<Bytes> =
                expected.iter().map(|size| Bytes(size * 1_000_000)).collect();
            let sizes: Vec<Bytes> =
                sizes.iter().map(|size| Bytes(size.0 / 1_000_000 * 1_000_000)).collect();
            assert_eq!(sizes, expected, "{memory}");
        };
        check("8GiB", &[120_000, 250_000]);
        check("32GiB", &[250_000, 500_000]);
        check("512GiB", &[1_000_204]);
    }

    #[test]
    fn a_larger_arc_is_tried_where_there_is_memory_for_it() {
        let check = |larger: Option<u64>, settings: &[(&str, u64)], expected: &[u64]| {
            let cache = Ssd::of_profile("nvme-consumer", None).unwrap();
            let settings = settings.iter().map(|(name, value)| vec![((*name).to_owned(), *value)]);
            let larger_arc = larger.map(Bytes::mib);
            let usual = Usual { cache, log: None, larger_arc, settings: settings.collect() };
            let axes = usual.axes(&scenario("8GiB"));
            let tried = axes.iter().filter_map(|axis| match axis {
                Axis::Settings(groups) => Some(groups[0][0].1),
                _ => None,
            });
            assert_eq!(tried.collect::<Vec<_>>(), expected);
        };
        check(Some(4096), &[], &[4 << 30]);
        check(None, &[], &[]);
        // A finding names its own.
        check(Some(4096), &[("zfs_arc_max", 7)], &[7]);
        check(Some(4096), &[("zfs_prefetch_disable", 0)], &[4 << 30, 0]);
    }

    #[test]
    fn a_curve_is_of_memory_that_machines_have() {
        let check = |memory: &str, expected: usize| {
            let Axis::Memory(sizes) = memory_curve(&scenario(memory)) else { panic!("memory") };
            assert_eq!(sizes.len(), expected, "{memory}");
        };
        check("8GiB", 8);
        check("1GiB", 7);
    }
}
