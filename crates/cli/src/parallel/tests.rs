//! The model on all cores: what fits, what is told, what comes out.

use arcwright_model::{Model, Need};
use arcwright_scenario::{Engine as _, EngineError, Event, RunRequest, Scenario, Unwatched, Watch};
use arcwright_units::{Bytes, Nanos};

use super::{Parallel, at_once, fitting};

fn parallel(model: Model) -> Parallel {
    Parallel { model, memory_max: Bytes::gib(4) }
}

#[test]
fn as_many_arms_run_at_once_as_fit_into_memory() {
    let fits = |arms: &[u64], max: u64| {
        let need = |mib: &u64| Need {
            memory_min: Bytes::ZERO,
            memory_max: Bytes::mib(*mib),
            kept: Bytes::mib(1),
            time: Nanos::ZERO,
            duration: Nanos::ZERO,
            largest: "the file".to_owned(),
        };
        let needs: Vec<Need> = arms.iter().map(need).collect();
        fitting(&needs, Bytes::mib(max), 2).map_err(|error| error.to_string())
    };
    assert_eq!(fits(&[10; 9], 1000), Ok(4));
    assert_eq!(fits(&[10; 9], 39), Ok(3));
    assert_eq!(fits(&[10, 100, 10], 113), Ok(2));
    assert_eq!(fits(&[10, 100, 10], 112), Ok(1));
    assert!(fits(&[10, 100, 10], 99).unwrap_err().contains("the file"));
    assert!(fits(&[10; 9], 18).unwrap_err().contains("results"));
    assert!(fits(&[u64::MAX >> 20; 9], u64::MAX >> 20).is_err());
    assert_eq!(fits(&[], 0), Ok(1));
}

#[test]
fn a_run_that_does_not_fit_is_refused_with_its_key() {
    let text = include_str!("../../../../scenarios/steam-library.toml");
    let scenario = Scenario::parse(text, "steam-library.toml").unwrap();
    let mut engine = Parallel { model: Model::default(), memory_max: Bytes::mib(16) };
    let request = RunRequest { scenario, repeats: 1 };
    let error = engine.run(&request, &mut Unwatched).unwrap_err();
    assert!(matches!(error, EngineError::TooLarge { .. }), "{error}");
    assert!(error.to_string().contains("size = "), "{error}");
}

#[test]
fn the_last_arms_share_the_cores() {
    let of_two = [7, 5, 4, 3, 1].map(|left| at_once(left, 2));
    assert_eq!(of_two, [2, 2, 4, 3, 1]);
    assert_eq!([33, 32].map(|left| at_once(left, 16)), [16, 32]);
}

/// Wants an end at once.
struct Hasty;

impl Watch for Hasty {
    fn event(&mut self, _: Event) {}

    fn stop(&self) -> bool {
        true
    }
}

#[test]
fn nobody_waits_for_an_arm_that_does_not_end() {
    let text = include_str!("../../../../scenarios/steam-library.toml");
    let scenario = Scenario::parse(text, "steam-library.toml").unwrap();
    let request = RunRequest { scenario, repeats: 1 };
    let error = parallel(Model::default()).run(&request, &mut Hasty).unwrap_err();
    assert!(error.to_string().contains("stopped before any arm finished"), "{error}");
}

/// Remembers how far a run was, and which stages it had.
#[derive(Default)]
struct Seen {
    shares: Vec<(u64, u64)>,
    stages: Vec<String>,
}

impl Watch for Seen {
    fn event(&mut self, event: Event) {
        match event {
            Event::Progress { done, total, .. } => self.shares.push((done, total)),
            Event::Stage(stage) => self.stages.push(stage),
            _ => {}
        }
    }

    fn stop(&self) -> bool {
        false
    }
}

#[test]
fn progress_begins_at_nothing_and_ends_at_all() {
    let text = include_str!("../../../../scenarios/steam-library.toml");
    let scenario = Scenario::parse(text, "steam-library.toml").unwrap();
    let request = RunRequest { scenario, repeats: 2 };
    let mut seen = Seen::default();
    let model = Model { scale: Some(32), ..Model::default() };
    parallel(model).run(&request, &mut seen).unwrap();
    let (first, last) = (seen.shares[0], seen.shares[seen.shares.len() - 1]);
    assert!(first.0 * 20 < first.1 && last.0 == last.1, "{first:?} {last:?}");
    assert!(seen.shares.is_sorted_by_key(|(done, _)| *done), "{:?}", seen.shares);
    assert!(seen.stages.contains(&"arm “dumb LRU”, second read".to_owned()), "{:?}", seen.stages);
}

#[test]
fn all_cores_make_what_one_makes() {
    let text = include_str!("../../../../scenarios/steam-library.toml");
    let scenario = Scenario::parse(text, "steam-library.toml").unwrap();
    let request = RunRequest { scenario, repeats: 1 };
    let model = Model { scale: Some(32), ..Model::default() };
    let one = model.clone().run(&request, &mut Unwatched).unwrap();
    let all = parallel(model).run(&request, &mut Unwatched).unwrap();
    assert_eq!(all, one);
}
