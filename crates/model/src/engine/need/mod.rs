//! What a run takes of the machine that it runs on, reckoned before it begins.
//!
//! Memory is counted from what the model keeps: so many bytes for each block of each file and tree, for
//! each file, for each request that clients may keep under way, for each phase of a result. It is a range:
//! arrays that start as zeros take no memory until they are written to, and how much of them a run comes
//! to depends on where its clients go. The larger figure is with all of them in use. Time is work (requests,
//! blocks, files) at what each took on one core of a desktop of today; a rough figure, within a factor
//! of two or three, and an upper bound where a phase ends by its `limit`.
//!
//! A small case: a file of 80 GiB in records of 8 KiB is 10.5 million blocks of 32 to 58 bytes, so 320 to
//! 600 MiB, of which the model fills 330 MiB when a client reads 1 MiB of it, and twice that when it
//! reads all.

mod duration;
mod memory;
mod time;

use arcwright_scenario::{Arm, RunRequest, Scenario, System};
use arcwright_tunables::Version;
use arcwright_units::{Bytes, Nanos};

use super::Model;
use crate::versions::behaviour::Behaviour;
pub(crate) use memory::Contents;
pub(crate) use time::{build as build_time, moved, of_phase as phase_time};

/// What a run of one arm takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// Memory while it runs, when hardly anything of what is there is touched.
    pub memory_min: Bytes,
    /// Memory while it runs, when everything is.
    pub memory_max: Bytes,
    /// Memory of what it hands over, which stays until all arms have ended.
    pub kept: Bytes,
    /// Time on one core.
    pub time: Nanos,
    /// Virtual time of one run, from the first phase to the end of the last.
    pub duration: Nanos,
    /// What takes most of the memory, by its key in the scenario.
    pub largest: String,
}

impl Model {
    /// Returns what a run of each arm takes.
    #[must_use]
    pub fn needs(&self, request: &RunRequest) -> Vec<Need> {
        let small = request.scenario.scaled(self.part());
        small.arms.iter().map(|arm| self.need(request, &small, arm)).collect()
    }

    fn need(&self, request: &RunRequest, small: &Scenario, arm: &Arm) -> Need {
        let system = small.system_of(arm);
        let contents = self.contents(small, &system);
        let parts = memory::parts(&request.scenario, small, &system, &contents);
        let total = |of: fn(&memory::Part) -> u64| Bytes(memory::sum(parts.iter().map(of)));
        let largest = parts.iter().max_by_key(|part| part.memory_max);
        Need {
            memory_min: total(|part| part.memory_min),
            memory_max: total(|part| part.memory_max),
            kept: memory::kept(small, &system, request.repeats),
            time: Nanos(
                time::of(small, &system, &contents)
                    .0
                    .saturating_mul(u64::from(request.repeats.max(1))),
            ),
            duration: duration::of(small, &system, self.part()),
            largest: largest.map_or_else(String::new, |part| part.what.clone()),
        }
    }

    /// Counts what is in an experiment that is scaled already.
    pub(crate) fn contents(&self, small: &Scenario, system: &System) -> Contents {
        let version = Version::parse(self.version_of(system));
        Contents::of(small, system, u64::from(Behaviour::of(version).layout.pointers))
    }
}

#[cfg(test)]
mod tests {
    use arcwright_scenario::{Engine as _, EngineError, RunRequest, Scenario};
    use arcwright_units::{Bytes, Nanos};

    use super::Model;
    use super::Need;
    use crate::engine::build::blocks_in;

    const HEAD: &str = "title = 't'\n[system]\nzfs = '2.3.2'\nmemory = '16GiB'\n[system.pool]\n\
                        data = [{ raidz2 = ['hdd-nas-7200', 'hdd-nas-7200', 'hdd-nas-7200', \
                        'hdd-nas-7200', 'hdd-nas-7200', 'hdd-nas-7200'] }]\n";
    const READ: &str = "[[phase]]\nname = 'p'\nclients = [{ read = 'f' }]\n";

    fn file(size: &str) -> String {
        format!("[[file]]\nname = 'f'\nsize = '{size}'\n")
    }

    fn tree(files: u64, per_directory: u64, size_max: &str) -> String {
        format!(
            "[[tree]]\nname = 't'\nfiles = {files}\nfiles_per_directory = {per_directory}\n\
             size_min = '1KiB'\nsize_max = '{size_max}'\n"
        )
    }

    fn request(body: &str) -> RunRequest {
        let scenario = Scenario::parse(&format!("{HEAD}{body}"), "t.toml").unwrap();
        RunRequest { scenario, repeats: 1 }
    }

    #[test]
    fn virtual_time_follows_what_disks_and_clients_let_through() {
        let check = |body: &str, expected: std::ops::Range<u64>| {
            let seconds = need(body).duration.0 / Nanos::SECOND.0;
            assert!(expected.contains(&seconds), "{seconds} s, not {expected:?}: {body}");
        };
        let file = file("20GiB");
        check(&format!("{file}{READ}"), 15..60);
        check(&format!("{file}{READ}limit = '10s'\npause = '7s'\n"), 17..18);
        let slow = READ.replace("'f'", "'f', rate = '1MiB/s'");
        check(&format!("{file}{slow}"), 20_480..20_500);
        let random = READ.replace("'f'", "'f', pattern = 'random', io = '16KiB', amount = '1GiB'");
        check(&format!("{file}{random}"), 200..1500);
        let absurd = READ.replace("'f'", "'f', amount = '7EiB', pattern = 'random', io = '512B'");
        assert!(need(&format!("{file}{absurd}")).duration > Nanos::secs(1_000_000_000));
    }

    fn need(body: &str) -> Need {
        Model::default().needs(&request(body)).remove(0)
    }

    /// The blocks that the reckoning counts and those that the model lays out.
    fn check_blocks(body: &str) {
        let scenario = request(body).scenario;
        let system = scenario.system_of(scenario.arms.first().unwrap());
        let counted = Model::default().contents(&scenario, &system).blocks();
        let there = blocks_in(&scenario).unwrap() as u64;
        assert!(counted >= there, "{counted} blocks were counted, {there} are there: {body}");
        assert!(counted <= there + there / 4 + 64, "{counted} for {there}: {body}");
    }

    #[test]
    fn blocks_are_counted_as_they_are_laid_out() {
        for size in ["1B", "128KiB", "1GiB", "3GiB"] {
            check_blocks(&format!("{}{READ}", file(size)));
        }
        let walks = "[[phase]]\nname = 'p'\nclients = [{ tree-stat = 't' }]\n";
        let copies = "[[phase]]\nname = 'p'\nclients = [{ tree-copy = 't', count = 3 }]\n";
        // Sizes are drawn: what few files come to is chance.
        check_blocks(&format!("{}{walks}", tree(1, 1, "1KiB")));
        for (files, per_directory) in [(1000, 10), (1000, 1), (20_000, 20_000), (5000, 2048)] {
            for size_max in ["1KiB", "100KiB", "2MiB"] {
                check_blocks(&format!("{}{walks}", tree(files, per_directory, size_max)));
            }
        }
        check_blocks(&format!("{}{copies}", tree(2000, 100, "200KiB")));
    }

    #[test]
    fn memory_and_time_grow_with_what_is_asked() {
        let small = need(&format!("{}{READ}", file("1GiB")));
        let large = need(&format!("{}{READ}", file("1TiB")));
        assert!(small.memory_min < small.memory_max && small.memory_max < Bytes::mib(32));
        assert!(large.memory_min > Bytes::mib(200) && large.memory_max < Bytes::gib(1));
        assert!(large.time.0 > 900 * (small.time.0 / 2) && large.time < Nanos::secs(100));
    }

    #[test]
    fn what_takes_most_is_named_by_its_key() {
        let check = |body: &str, expected: &str| {
            let largest = need(body).largest;
            assert!(largest.contains(expected), "{largest} should say {expected}");
        };
        check(&format!("{}{READ}", file("20TiB")), "[[file]] “f” with size = 20 TiB");
        let walk = "[[phase]]\nname = 'p'\nclients = [{ tree-stat = 't' }]\n";
        check(&format!("{}{walk}", tree(900_000_000, 1000, "1KiB")), "files = 900000000");
        let deep =
            "[[phase]]\nname = 'p'\nclients = [{ read = 'f', depth = 1024, count = 1024 }]\n";
        check(
            &format!("{}{deep}", file("1GiB")),
            "1048576 concurrent requests of the [[phase]] “p”",
        );
        let long = "[[phase]]\nname = 'p'\nclients = [{ tree-stat = 't', amount = '1PiB' }]\n";
        check(&format!("{}{long}", tree(1, 1, "1KiB")), "visit (amount, count)");
    }

    #[test]
    fn a_limit_bounds_the_time() {
        let forever = "[[phase]]\nname = 'p'\nclients = [{ read = 'f', amount = '1EiB' }]\n";
        let limited = format!("{forever}limit = '1s'\n");
        assert!(need(&format!("{}{forever}", file("1GiB"))).time > Nanos::secs(86_400));
        assert!(need(&format!("{}{limited}", file("1GiB"))).time < Nanos::secs(10));
    }

    #[test]
    fn absurd_numbers_are_large_and_nothing_overflows() {
        let walk = "[[phase]]\nname = 'p'\nclients = [{ tree-copy = 't', count = 1024, amount = '7EiB' }]\n";
        let body = format!("{}{walk}", tree(10_000_000_000, 9_223_372_036_854_775_807, "1KiB"));
        let need = need(&body);
        assert!(need.memory_max > Bytes(1 << 50), "{}", need.memory_max);
        let error = Model::default().check(&request(&body).scenario).unwrap_err();
        assert!(matches!(error, EngineError::TooLarge { .. }), "{error}");
    }
}
