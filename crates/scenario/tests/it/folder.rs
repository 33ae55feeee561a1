//! Every scenario that comes with the program can be read.

use std::path::{Path, PathBuf};

use arcwright_scenario::Scenario;

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
    Scenario::parse(text, name).unwrap()
}

#[test]
fn every_scenario_is_well_formed_and_says_what_it_asks() {
    let texts = texts();
    assert!(texts.len() >= 4, "{texts:?}");
    for (path, text) in texts {
        let name = path.display().to_string();
        let scenario = Scenario::parse(&text, &name)
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
