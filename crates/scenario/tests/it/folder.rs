//! Every scenario that comes with the program can be read.

use std::path::{Path, PathBuf};

use arcwright_scenario::{FileSpec, Scenario};
use arcwright_units::Bytes;
use arcwright_workload::{Accesses, Action, Client, Pattern};

/// Returns the files of the folder that end in `.toml`, with their text.
#[expect(clippy::disallowed_methods, reason = "the test looks at the files that users get")]
pub(crate) fn texts() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|end| end == "toml")).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

fn scenario(name: &str) -> Scenario {
    let texts = texts();
    let (_, text) = texts.iter().find(|(path, _)| path.ends_with(name)).unwrap();
    Scenario::parse_with(text, name, &job).unwrap()
}

/// Returns the text of a job file that comes with the program.
#[expect(clippy::disallowed_methods, reason = "the test looks at the files that users get")]
fn job(path: &str) -> Result<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    std::fs::read_to_string(folder.join(path)).map_err(|error| error.to_string())
}

#[test]
fn every_scenario_is_well_formed_and_says_what_it_asks() {
    let texts = texts();
    assert!(texts.len() >= 4, "{texts:?}");
    for (path, text) in texts {
        let name = path.display().to_string();
        let scenario = Scenario::parse_with(&text, &name, &job)
            .unwrap_or_else(|error| panic!("{name}:{}: {error} {:?}", error.line(), error.hint()));
        assert!(!scenario.question.is_empty() && text.starts_with('#'), "{name}");
        let small = scenario.scaled(scenario.lab.scale);
        assert!(small.files.iter().all(|file| file.size.0 > 0), "{name}");
    }
}

#[test]
fn the_steam_library_is_the_report() {
    let scenario = scenario("steam-library.toml");
    let arms: Vec<&str> = scenario.arms.iter().map(|arm| arm.name.as_str()).collect();
    assert_eq!(
        arms,
        ["as installed", "noprefetch=0", "max_distance=2GiB", "write_max=1GiB", "dumb LRU"]
    );
    assert_eq!(scenario.phases.len(), 4);
    assert_eq!(scenario.lab.scale, 32);
    let figures = scenario.reported.unwrap().figures;
    let values: Vec<(&str, f64)> =
        figures.iter().map(|figure| (figure.phase.as_str(), figure.value)).collect();
    let (first, second) = ("first read", "second read");
    assert_eq!(values, [(first, 324.0), (second, 226.0), (first, 333.0), (second, 1474.0)]);
}

#[test]
fn the_job_of_the_spare_ssd_is_what_its_fio_printed() {
    let scenario = scenario("spare-ssd.toml");
    let phase = scenario.phases.iter().find(|phase| phase.name == "fio").unwrap();
    let [client] = phase.clients.as_slice() else { panic!("one thread") };
    assert_eq!(
        *client,
        Client {
            action: Action::Mixed { read_pct: 50 },
            pattern: Pattern::SequentialApart,
            amount: Some(Bytes::gib(1)),
            label: Some("random_rw".to_owned()),
            ..Client::reader("random_rw.0.0", Bytes::kib(4))
        }
    );
    let file = |name: &str| scenario.files.iter().find(|file| file.name == name).cloned();
    let size = Bytes::gib(1);
    let name = "random_rw.0.0".to_owned();
    assert_eq!(
        file("random_rw.0.0"),
        Some(FileSpec { name, size, recordsize: None, dataset: None, compressratio_percent: None })
    );
    assert!(scenario.notes.is_empty(), "{:?}", scenario.notes);
    // "issued: total=r=130689/w=131455", 262144 in all; another seed mixes them a little otherwise.
    let accesses: Vec<_> = Accesses::new(client, size, 1, "client 0").collect();
    let reads = accesses.iter().filter(|access| !access.write).count();
    assert_eq!(accesses.len(), 262_144);
    assert!(reads.abs_diff(131_072) < 1500, "{reads}");
    // Scaled, the file and the work on it shrink alike.
    let small = scenario.scaled(4);
    let phase = small.phases.iter().find(|phase| phase.name == "fio").unwrap();
    assert_eq!(phase.clients[0].amount, Some(Bytes::mib(256)));
    let file = small.files.iter().find(|file| file.name == "random_rw.0.0").unwrap();
    assert_eq!(file.size, Bytes::mib(256));
}
