//! Machines with a load that is known, drawn from a seed: what `arcwright scenario` is to find again in their counters.
//!
//! The first block was looked at while the fit was made, and so was the second, whose load has gone on for twenty minutes instead of two,
//! when popularities between those of a grid were added. The third was drawn and recorded when that was done; its popularities have two
//! digits that no grid has.

use arcwright_workload::Stream;

use super::{AS_IS, CACHE, MEMORY};
use crate::fidelity::pick;

/// The days on which they were drawn.
const SEEDS: [u64; 3] = [20_261_126, 20_261_127, 20_261_128];
/// How long the load has gone on before it is watched, in times of that.
const SETTLED: [u64; 3] = [1, 10, 10];
const VERSIONS: [&str; 3] = ["2.1.11", "2.3.2", "2.4.4"];
/// Machines of each kind of load.
const OF_EACH: usize = 2;
/// Loads, by name.
const LOADS: [(&str, Load); 7] = [
    ("random", |draw| draw.reads("random", "")),
    ("popular", |draw| draw.popular(["0.9", "0.65", "0.85", "0.95"])),
    ("very-popular", |draw| draw.popular(["1.2", "1.05", "1.15", "1.15"])),
    ("with-film", |draw| {
        let film = format!(
            "{{ read = \"film\", io = \"1MiB\", rate = \"{}MB/s\", amount = \"{}MiB\" }}",
            4,
            4 * SECONDS
        );
        format!("{}, {film}", draw.popular(["0.9", "0.75", "0.85", "0.95"]))
    }),
    ("small-blocks", |draw| draw.small()),
    ("synchronous", |draw| {
        let sync = format!(
            "{{ sync-write = \"f\", io = \"16KiB\", pattern = \"random\", rate = \"400KB/s\", amount = \"{}KiB\" }}",
            400 * SECONDS
        );
        format!("{}, {sync}", draw.popular(["0.9", "0.75", "0.85", "0.95"]))
    }),
    ("writes", |draw| {
        let write = format!(
            "{{ write = \"film\", io = \"1MiB\", rate = \"8MB/s\", amount = \"{}MiB\" }}",
            8 * SECONDS
        );
        format!("{}, {write}", draw.reads("random", ""))
    }),
];
/// How long the load is watched.
const SECONDS: u64 = 120;
/// Everything is run in a quarter of full scale, as on the fidelity board.
const SCALE: u64 = 4;

type Load = fn(&mut Draw) -> String;

/// A machine and its load.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) version: &'static str,
    /// The scenario file.
    pub(super) text: String,
}

/// A case while it is drawn.
struct Draw {
    chance: Stream,
    /// The number of its block.
    block: usize,
    warm: String,
    record: &'static str,
}

impl Draw {
    fn one<T: Copy>(&mut self, all: &[T]) -> T {
        *pick(&mut self.chance, all)
    }

    /// Reads by popularity: of the first exponent in the first block, of one of the others in the second, of any in the third.
    fn popular(&mut self, [of_first, others @ ..]: [&'static str; 4]) -> String {
        let exponent = match self.block {
            0 => of_first.to_owned(),
            1 => self.one(&others).to_owned(),
            _ => self.any(),
        };
        self.reads("zipf", &format!(", zipf = {exponent}"))
    }

    /// An exponent from 0.50 to 1.20.
    fn any(&mut self) -> String {
        let hundredths = 50 + self.chance.below(71);
        format!("{}.{:02}", hundredths / 100, hundredths % 100)
    }

    /// Reads of whole records at a pace that the disks keep up with.
    fn reads(&mut self, pattern: &str, more: &str) -> String {
        let rate = self.one(&[3, 5, 8]);
        self.warm = format!("{{ read = \"f\", pattern = \"{pattern}\"{more}, amount = \"4GiB\" }}");
        format!(
            "{{ read = \"f\", pattern = \"{pattern}\"{more}, rate = \"{rate}MB/s\", amount = \"{}MiB\" }}",
            rate * SECONDS
        )
    }

    /// Requests of 16 KiB on records of that size.
    fn small(&mut self) -> String {
        self.record = "16KiB";
        let zipf = match self.block {
            0 => self.one(&["0.8", "1.0"]).to_owned(),
            1 => self.one(&["0.75", "0.95"]).to_owned(),
            _ => self.any(),
        };
        let client = format!("read = \"f\", io = \"16KiB\", pattern = \"zipf\", zipf = {zipf}");
        self.warm = format!("{{ {client}, amount = \"2GiB\" }}");
        format!("{{ {client}, rate = \"1500KB/s\", amount = \"{}KiB\" }}", 1500 * SECONDS)
    }
}

/// Returns all of them, block after block.
pub(super) fn all() -> Vec<Case> {
    let blocks = SEEDS.iter().zip(SETTLED);
    let loads =
        blocks.flat_map(|block| (0..OF_EACH).flat_map(|_| LOADS).map(move |load| (block, load)));
    let numbered = loads.enumerate();
    numbered.map(|(number, ((seed, settled), load))| case(number, (*seed, settled), load)).collect()
}

/// How many are of a block.
pub(super) const OF_A_BLOCK: usize = OF_EACH * LOADS.len();

fn case(number: usize, (seed, settled): (u64, u64), (name, load): (&str, Load)) -> Case {
    let chance = Stream::new(seed, &format!("twin {number}"));
    let block = number / OF_A_BLOCK;
    let mut draw = Draw { chance, block, warm: String::new(), record: "128KiB" };
    let version = VERSIONS.get(number % VERSIONS.len()).copied().unwrap_or("2.3.2");
    let pool = draw.one(&[
        "{ mirror = [\"2 x hdd-nas-7200\"], count = 2 }",
        "{ raidz1 = [\"4 x hdd-nas-7200\"] }",
        "{ mirror = [\"2 x ssd-sata-consumer\"] }",
    ]);
    let arc = draw.one(&[512_u64, 1024]);
    let times = draw.one(&[2_u64, 4, 8]);
    let load = load(&mut draw);
    let (warm, record) = (draw.warm, draw.record);
    let settle: String = (1..=settled)
        .map(|round| match round {
            1 => format!("[[phase]]\nname = \"settle\"\nclients = [{load}]\n"),
            _ => format!("[[phase]]\nname = \"settle {round}\"\nclients = [{load}]\n"),
        })
        .collect();
    let size = arc * times;
    let (memory, twice, both, cache) = (arc * 4, arc * 8, arc * 2, arc * 4);
    let text = format!(
        "title = \"twin\"\n[system]\nzfs = \"{version}\"\nmemory = \"{memory}MiB\"\n[system.pool]\ndata = [{pool}]\n\
         recordsize = \"{record}\"\n[system.tunables]\nzfs_arc_max = \"{arc}MiB\"\n\
         [[arm]]\nname = \"{AS_IS}\"\n\
         [[arm]]\nname = \"{MEMORY}\"\nmemory = \"{twice}MiB\"\ntunables = {{ zfs_arc_max = \"{both}MiB\" }}\n\
         [[arm]]\nname = \"{CACHE}\"\ncache = [{{ device = \"nvme-consumer\", size = \"{cache}MiB\" }}]\n\
         [[file]]\nname = \"f\"\nsize = \"{size}MiB\"\n[[file]]\nname = \"film\"\nsize = \"2GiB\"\n\
         [[phase]]\nname = \"touch\"\nclients = [{{ read = \"f\", io = \"1MiB\" }}]\n\
         [[phase]]\nname = \"warm\"\nuntil_warm = true\nrounds_max = 6\nclients = [{warm}]\n\
         {settle}\
         [[phase]]\nname = \"load\"\nclients = [{load}]\n[lab]\nscale = {SCALE}\n"
    );
    Case { name: format!("{number:02}-{name}-{version}"), version, text }
}

#[cfg(test)]
mod tests {
    use arcwright_scenario::Scenario;

    use super::all;

    #[test]
    fn each_is_a_scenario() {
        assert_eq!(all().len(), 42);
        for case in all() {
            let parsed = Scenario::parse(&case.text, &case.name);
            assert!(parsed.is_ok(), "{}\n{:?}", case.text, parsed.err());
        }
    }
}
