//! `arcwright run`: an experiment on an engine.

use std::path::Path;
use std::time::Instant;

use arcwright_scenario::{Engine, Outcome, RunRequest, Scenario, Watch};
use arcwright_units::Nanos;

use crate::arguments::{EngineChoice, ExperimentArguments, RunArguments};
use crate::engines;
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::output::{self, Pending};
use crate::pages::PendingPages;
use crate::parallel;
use crate::problem::Problem;
use crate::progress::Progress;
use crate::scenario_file;
use crate::summary;
use crate::takes;

pub(crate) fn run(arguments: &RunArguments) -> Result<Exit, Problem> {
    let scenario = scenario_file::read(&arguments.scenario, &arguments.experiment)?;
    if arguments.check {
        return check(arguments, scenario);
    }
    let pages = PendingPages::begin(&arguments.pages)?;
    let request = RunRequest { scenario, repeats: arguments.repeat };
    let outcome = outcome_of(&arguments.experiment, &request, arguments.save.as_deref())?;
    super::print(&outcome, arguments.form)?;
    pages.complete(&outcome)?;
    if outcome.interrupted {
        output::remark("stopped early: the result holds only finished arms");
        return Ok(Exit::Failed);
    }
    Ok(Exit::Fine)
}

/// Runs an experiment as the arguments say, with its progress on standard error, and saves what came out.
pub(super) fn outcome_of(
    arguments: &ExperimentArguments,
    request: &RunRequest,
    save: Option<&Path>,
) -> Result<Outcome, Problem> {
    let mut engine = engines::chosen(arguments, &request.scenario)?;
    let mut progress = Progress::new(Interrupt::listen()?);
    if arguments.engine == EngineChoice::Model {
        let needs = engines::model(arguments)?.needs(request);
        takes::times(&needs).iter().for_each(|line| progress.announce(line));
    }
    measured(engine.as_mut(), request, &mut progress, save)
}

/// Says what would run and what it would take, and refuses what the run would refuse.
fn check(arguments: &RunArguments, scenario: Scenario) -> Result<Exit, Problem> {
    let experiment = &arguments.experiment;
    let request = RunRequest { scenario, repeats: arguments.repeat };
    let takes = match experiment.engine {
        EngineChoice::Model => {
            let model = engines::model(experiment)?;
            model.check(&request.scenario)?;
            let (needs, most) = (model.needs(&request), engines::memory_max(experiment));
            let width = parallel::fitting(&needs, most, parallel::cores())?;
            takes::of_model(&needs, width, most)
        }
        EngineChoice::Lab => engines::room_of_lab(experiment, &request.scenario)?,
    };
    let width = output::width(&std::io::stdout());
    // A machine without the lab can still check what it would take.
    let wanted = || experiment.openzfs.clone().unwrap_or(request.scenario.system.zfs.clone());
    let version = engines::version(experiment, &request.scenario).unwrap_or_else(|_| wanted());
    let plan = summary::Plan { version, repeats: arguments.repeat, takes };
    output::print(&summary::of(&request.scenario, plan, width))?;
    Ok(Exit::Fine)
}

/// Runs the experiment and saves what came out, which may be a part when it was stopped.
///
/// The file is begun before the run: a long run must not end with a folder that is missing.
fn measured(
    engine: &mut dyn Engine,
    request: &RunRequest,
    watch: &mut dyn Watch,
    save: Option<&Path>,
) -> Result<Outcome, Problem> {
    let saved = save.map(Pending::begin).transpose()?;
    let begun = Instant::now();
    let mut outcome = engine.run(request, watch)?;
    if outcome.interrupted && outcome.arms.is_empty() {
        // An earlier result is worth more than none.
        let what = "stopped before any arm finished; nothing is saved";
        return Err(Problem::Failed(anyhow::anyhow!(what)));
    }
    outcome.add_notes_on(&request.scenario);
    if engine.name() == "model" {
        arcwright_model::ranges::add(&mut outcome);
    }
    if outcome.engine.wall_ns == Nanos::ZERO {
        // A pure engine does not look at the clock.
        let wall = begun.elapsed().as_nanos();
        outcome.engine.wall_ns = Nanos(u64::try_from(wall).unwrap_or(u64::MAX));
    }
    if let Some(saved) = saved {
        saved.complete(&super::rendered_json(&outcome)?)?;
    }
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use arcwright_scenario::{Engine, EngineError, Event, Outcome, RunRequest, Scenario, Watch};

    use super::measured;
    use crate::problem::Problem;

    fn steam() -> Outcome {
        arcwright_report::from_json(include_str!("../../tests/it/fixtures/steam.json")).unwrap()
    }

    /// Gives back what it was made with, as an engine does that was stopped early.
    struct Canned(Option<Outcome>);

    impl Engine for Canned {
        fn name(&self) -> &'static str {
            "canned"
        }

        fn check(&self, _scenario: &Scenario) -> Result<(), EngineError> {
            Ok(())
        }

        fn run(&mut self, _: &RunRequest, _: &mut dyn Watch) -> Result<Outcome, EngineError> {
            let what = "the disk is full".to_owned();
            self.0.take().ok_or(EngineError::Failed { what, hint: None })
        }
    }

    struct Quiet;

    impl Watch for Quiet {
        fn event(&mut self, _: Event) {}

        fn stop(&self) -> bool {
            false
        }
    }

    fn run(engine: &mut Canned, save: &std::path::Path) -> Result<Outcome, Problem> {
        let mut scenario = steam().scenario;
        // Arms that differ in nothing would be told of.
        scenario.arms[1].memory = Some(arcwright_units::Bytes::gib(32));
        let request = RunRequest { scenario, repeats: 1 };
        measured(engine, &request, &mut Quiet, Some(save))
    }

    #[test]
    fn a_partial_result_is_saved() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result.json");
        let partial = Outcome { interrupted: true, ..steam() };
        run(&mut Canned(Some(partial.clone())), &path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(arcwright_report::from_json(&text).unwrap(), partial);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_failed_run_leaves_an_older_result_alone_and_no_draft_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result.json");
        std::fs::write(&path, "older").unwrap();
        assert!(matches!(run(&mut Canned(None), &path), Err(Problem::Engine(_))));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "older");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_is_missing_is_found_before_the_run() {
        let mut engine = Canned(Some(steam()));
        let missing = std::path::Path::new("/nonexistent/folder/result.json");
        assert!(matches!(run(&mut engine, missing), Err(Problem::Failed(_))));
        assert!(engine.0.is_some());
    }
}
