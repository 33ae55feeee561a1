//! A load that is known is found again in the counters that it made.
#![expect(clippy::unwrap_used, reason = "helpers of tests; a failure here is a failed test")]

use std::cell::Cell;

use arcwright_kstat::KstatValue;
use arcwright_machine::{Layout, Machine};
use arcwright_model::Model;
use arcwright_scenario::{Engine as _, RunRequest, Scenario, Unwatched};
use arcwright_twin::{Twin, TwinError, layout_of, simulated, twin, twin_while};

/// Returns what would be captured of a machine on which clients do this for a minute, warm.
fn captured(system: &str, contents: &str, warm: &str, clients: &str) -> Machine {
    let text = format!(
        "title = \"t\"\n[system]\nmemory = \"4GiB\"\n{system}\n{contents}\n\
         [[phase]]\nname = \"warm\"\nuntil_warm = true\nclients = [{warm}]\n\
         [[phase]]\nname = \"load\"\nclients = [{clients}]\n"
    );
    let scenario = Scenario::parse(&text, "t.toml").unwrap();
    let request = RunRequest { scenario, repeats: 1 };
    let outcome =
        Model { scale: Some(1), ..Model::default() }.run(&request, &mut Unwatched).unwrap();
    simulated::machine_of(&outcome, "as is", "load").unwrap()
}

fn found(machine: &Machine) -> Twin {
    twin(machine, None).unwrap()
}

const DISKS: &str = "zfs = \"2.3.2\"\n[system.pool]\ndata = [{ mirror = [\"2 x hdd-nas-7200\"], count = 2 }]\n\
                     [system.tunables]\nzfs_arc_max = \"256MiB\"";
const FILE: &str = "[[file]]\nname = \"f\"\nsize = \"1GiB\"\n";
const LONG: &str = "[[file]]\nname = \"long\"\nsize = \"8GiB\"\n";

fn percent(text: &str) -> f64 {
    text.trim_end_matches(" %").parse().unwrap()
}

/// Returns how many percent of the demand accesses to data hit in the last phase of the first arm.
fn hits_of(mut scenario: Scenario) -> f64 {
    scenario.arms.truncate(1);
    scenario.answers.clear();
    let request = RunRequest { scenario, repeats: 1 };
    let outcome =
        Model { scale: Some(1), ..Model::default() }.run(&request, &mut Unwatched).unwrap();
    let counts =
        outcome.arms.first().unwrap().phases.last().unwrap().kstats.get("arcstats").unwrap();
    let counted = |row: &str| *counts.get(row).unwrap() as f64;
    let (hits, misses) = (counted("demand_data_hits"), counted("demand_data_misses"));
    hits / (hits + misses) * 100.0
}

#[test]
fn known_loads_are_found_again() {
    let check = |system: &str, contents: &str, warm: &str, clients: &str, said: &str| {
        let twin = found(&captured(system, contents, warm, clients));
        assert!(twin.check.holds(), "{clients}\n{:#?}\n{}", twin.check, twin.text);
        assert!(twin.text.contains(said), "{said}\n{}", twin.text);
        // What the check says of the load is so of the file that is given away.
        let hits = twin.check.compared.iter().find(|one| one.what.ends_with("to data"));
        if let Some(hits) = hits {
            let found = hits_of(Scenario::parse(&twin.text, "twin.toml").unwrap());
            assert!((found - percent(&hits.machine)).abs() <= 3.0, "{found} {hits}\n{}", twin.text);
        }
    };
    let warm = "{ read = \"f\", pattern = \"random\", amount = \"2GiB\" }";
    let random = "{ read = \"f\", pattern = \"random\", rate = \"8MB/s\", amount = \"1GiB\" }";
    check(DISKS, FILE, warm, random, "pattern = \"random\"");
    let skewed = "pattern = \"zipf\", zipf = 0.9";
    let (warm, zipf) = (
        format!("{{ read = \"f\", {skewed}, amount = \"2GiB\" }}"),
        format!("{{ read = \"f\", {skewed}, rate = \"8MB/s\", amount = \"1GiB\" }}"),
    );
    check(DISKS, FILE, &warm, &zipf, "read = ");
    let film = "{ read = \"long\", io = \"1MiB\", rate = \"6MB/s\", amount = \"768MiB\" }";
    check(DISKS, &format!("{FILE}{LONG}"), &warm, &format!("{zipf}, {film}"), "-once-b");
    let sync = "{ sync-write = \"f\", io = \"128KiB\", pattern = \"random\", rate = \"2MB/s\", amount = \"128MiB\" }";
    check(DISKS, FILE, &warm, sync, "sync-write = ");
    let write = "{ write = \"f\", io = \"1MiB\", rate = \"20MB/s\", amount = \"1GiB\" }";
    check(DISKS, FILE, &warm, write, "{ write = ");
}

#[test]
fn a_search_that_is_not_wanted_ends() {
    let random = "{ read = \"f\", pattern = \"random\", rate = \"8MB/s\", amount = \"256MiB\" }";
    let machine = captured(DISKS, FILE, random, random);
    let looks = Cell::new(0);
    let is_wanted = || {
        looks.set(looks.get() + 1);
        looks.get() < 5
    };
    assert_eq!(twin_while(&machine, None, &is_wanted).unwrap_err(), TwinError::Stopped);
    // Whoever stops a search has stopped it: nothing is tried after that.
    assert!(looks.get() <= 10, "{} looks", looks.get());
}

#[test]
fn what_is_missing_is_named_with_the_command_that_shows_it() {
    let random = "{ read = \"f\", pattern = \"random\", rate = \"8MB/s\", amount = \"256MiB\" }";
    let whole = captured(DISKS, FILE, random, random);
    let check = |change: &dyn Fn(&mut Machine), expected: &str| {
        let mut machine = whole.clone();
        change(&mut machine);
        let error = twin(&machine, None).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    check(&|machine| machine.pools.clear(), "no pool was read");
    check(&|machine| machine.zfs = None, "the version of ZFS was not read");
    check(&|machine| machine.memory = None, "the memory was not read");
    check(&|machine| machine.samples.clear(), "c_max");
    check(&|machine| machine.pools[0].vdevs.clear(), "the layout of the pool was not read");
    check(&|machine| machine.pools.push(machine.pools[0].clone()), "there are several pools");
    let mut two = whole.clone();
    two.pools[0].name = "a\u{1b}[31m".to_owned();
    let error = twin(&two, Some("b")).unwrap_err();
    assert!(matches!(error, TwinError::NoSuchPool { .. }));
    assert!(!error.to_string().contains('\u{1b}'), "{error}");
}

/// Returns a machine whose last reading has other values in some rows.
fn with_rows(machine: &Machine, rows: &[(&str, u64)]) -> Machine {
    let mut machine = machine.clone();
    let last = machine.samples.last_mut().unwrap();
    for kstat in last.kstats.kstats.values_mut() {
        for (row, value) in &mut kstat.rows {
            if let Some((_, other)) = rows.iter().find(|(name, _)| name == row) {
                *value = KstatValue::U64(*other);
            }
        }
    }
    machine
}

#[test]
fn groups_and_spares_of_draid_are_taken_over() {
    let system = DISKS.replace(
        "{ mirror = [\"2 x hdd-nas-7200\"], count = 2 }",
        "{ draid2 = [\"7 x hdd-nas-7200\"], data = 3, spares = 1 }",
    );
    let random = "{ read = \"f\", pattern = \"random\", rate = \"8MB/s\", amount = \"256MiB\" }";
    let text = found(&captured(&system, FILE, random, random)).text;
    let pool = Scenario::parse(&text, "twin.toml").unwrap().system.pool;
    assert_eq!(pool.data[0].layout_name(), "draid2:3d:7c:1s", "{text}");
}

#[test]
fn what_a_name_says_must_be_possible() {
    let draid =
        |data: u8, spares: u8| Layout::Draid { parity: 1, data: Some(data), spares: Some(spares) };
    let check = |layout: Layout, members: usize, expected: bool| {
        assert_eq!(layout_of(layout, members).is_ok(), expected, "{layout:?} of {members}");
    };
    check(draid(2, 1), 4, true);
    check(draid(2, 1), 3, false);
    check(draid(0, 0), 4, false);
    check(draid(255, 0), 4, false);
    check(draid(2, 255), 258, false);
    check(draid(2, 0), 256, false);
    check(Layout::Draid { parity: 1, data: None, spares: None }, 4, false);
    check(Layout::Raidz { parity: 2 }, 2, false);
    check(Layout::Raidz { parity: 2 }, 3, true);
    check(Layout::Mirror, 0, false);
}

#[test]
fn datasets_of_one_name_have_files_of_their_own() {
    let film = "{ read = \"long\", io = \"1MiB\", rate = \"6MB/s\", amount = \"256MiB\" }";
    let mut machine = captured(DISKS, &format!("{FILE}{LONG}"), film, film);
    for (name, path) in [("tank/a/tank", "objset-0x40"), ("tank/b/tank", "objset-0x41")] {
        for sample in &mut machine.samples {
            let mut kstat = sample.kstats.kstats["zfs/tank/objset-0x36"].clone();
            kstat.name = path.to_owned();
            kstat.rows[0].1 = KstatValue::Text(name.to_owned());
            sample.kstats.kstats.insert(kstat.path(), kstat);
        }
    }
    let text = found(&machine).text;
    let scenario = Scenario::parse(&text, "twin.toml").unwrap();
    assert_eq!(scenario.system.pool.datasets.len(), 3, "{text}");
}

/// Looks what becomes of a machine with counters that none can have.
fn check_absurd(all: &[&[(&str, u64)]]) {
    let random = "{ read = \"f\", pattern = \"random\", rate = \"8MB/s\", amount = \"256MiB\" }";
    let whole = captured(DISKS, FILE, random, random);
    for rows in all {
        match twin(&with_rows(&whole, rows), None) {
            Ok(twin) => drop(Scenario::parse(&twin.text, "twin.toml").unwrap()),
            Err(error) => assert!(!error.to_string().contains("cannot run"), "{rows:?}: {error}"),
        }
    }
}

const MOST: u64 = i64::MAX as u64;

#[test]
fn absurd_limits_are_an_error_or_a_scenario() {
    check_absurd(&[
        &[("c_max", u64::MAX)],
        &[("c_max", 0)],
        &[("c_max", 1)],
        &[("demand_data_misses", MOST)],
    ]);
}

#[test]
fn absurd_counters_are_an_error_or_a_scenario() {
    check_absurd(&[
        &[("reads", MOST), ("nread", MOST)],
        &[("reads", MOST), ("nread", 1 << 40)],
        &[("writes", 1), ("nwritten", MOST), ("zil_commit_count", MOST)],
        &[("demand_metadata_misses", 1 << 40), ("demand_metadata_hits", 1 << 41)],
        &[("reads", 1 << 14), ("nread", 1 << 31)],
    ]);
}

#[test]
#[ignore = "needs half a minute: ./test"]
fn a_flood_of_small_reads_is_a_scenario() {
    check_absurd(&[&[("reads", 1 << 30), ("nread", 1 << 39)]]);
}

#[test]
fn every_fixture_is_a_scenario_or_says_why_not() {
    for (name, sources) in arcwright_fixtures::machines().unwrap() {
        match twin(&Machine::read(&sources), None) {
            Ok(twin) => {
                Scenario::parse(&twin.text, &name).unwrap();
                assert!(!twin.check.compared.is_empty(), "{name}");
            }
            Err(error) => assert!(!error.to_string().contains("cannot run"), "{name}: {error}"),
        }
    }
}
