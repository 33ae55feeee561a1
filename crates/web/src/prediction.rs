//! From a scenario file to its result: coarse within the time that a hand takes from a slider, then in full.
//!
//! A coarse run divides sizes and rates by a power of two ([`Scenario::scaled`]), so far that it is reckoned to
//! end within its budget, or as far as the model lets it. A full run is what `arcwright run` does; one that
//! takes more memory or time than a page may use is scaled down no further than it must be, and says so.

use arcwright_model::{Model, Need};
use arcwright_report::{ResultPage, result_page, to_json};
use arcwright_scenario::{Engine as _, Outcome, RunRequest, Scenario, Watch, gallery_job};
use arcwright_units::{Bytes, Nanos};
use serde::{Deserialize, Serialize};

use crate::error::PageError;

/// How much a run may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// As little as a slider asks for.
    Coarse,
    /// As the program, as far as a page may.
    Full,
}

/// Computing time of a coarse run, all arms together. What is reckoned is for native code on one core, and within
/// a factor of three.
const COARSE_TIME_MAX: Nanos = Nanos::millis(15);
/// Computing time of a full run; beyond it nobody waits in a browser.
const FULL_TIME_MAX: Nanos = Nanos::secs(20);
/// The same of one with a phase that ends by its `limit`, for which all that it might do is reckoned.
const LIMITED_TIME_MAX: Nanos = Nanos::secs(100);
/// The same of one that repeats a phase until caches are warm, of which one round is reckoned.
const WARMING_TIME_MAX: Nanos = Nanos::secs(4);
/// Memory of an arm: a page may have four gigabytes at most, and other pages are open.
const MEMORY_MAX: Bytes = Bytes::gib(1);
/// Scales that are tried, as powers of two; in smaller parts nothing is left of a pool.
const SCALE_POWERS_MAX: u32 = 12;

/// What came of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct PagePrediction {
    /// As `arcwright run --json` prints it.
    pub json: String,
    /// For the page.
    pub page: PredictionPage,
}

/// A result as the page shows it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PredictionPage {
    /// The scale that it ran in; 1 is full size.
    pub scale: u64,
    /// Whether a run without a budget would have another scale.
    pub is_coarse: bool,
    /// Why a full run is not in full size.
    pub reduced: Option<String>,
    /// The figures.
    pub result: ResultPage,
}

/// A run before it begins: its arms do not know of each other, so that each may run in a worker of its own.
#[derive(Debug, Clone)]
pub struct PlannedRun {
    request: RunRequest,
    sizing: Sizing,
}

/// In which part of its size an experiment runs, as divisors; 1 is full size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizing {
    /// That of this run.
    pub scale: u64,
    /// That of a run without a budget.
    pub full: u64,
}

/// Runs a scenario file, one arm after the other.
///
/// # Errors
/// What is wrong with the file and in which line, or what the model does not run.
pub fn predict(
    file: &str,
    effort: Effort,
    watch: &mut dyn Watch,
) -> Result<PagePrediction, PageError> {
    let plan = PlannedRun::of(file, effort)?;
    let parts = (0..plan.arms()).map(|number| plan.run_arm(number, watch));
    let parts = parts.collect::<Result<Vec<Outcome>, PageError>>()?;
    plan.together(parts, Nanos::ZERO)
}

impl PlannedRun {
    /// Reads a scenario file and decides on the scale.
    ///
    /// # Errors
    /// What is wrong with the file and in which line, or what the model does not run.
    pub fn of(file: &str, effort: Effort) -> Result<Self, PageError> {
        let request = RunRequest { scenario: parse(file)?, repeats: 1 };
        Model::default().check(&request.scenario)?;
        let needs = needs(&request, 1);
        let full = full_scale(&request, &needs)?;
        let scale = match effort {
            Effort::Full => full,
            Effort::Coarse => coarse_scale(&request, &needs).max(full),
        };
        Ok(Self { request, sizing: Sizing { scale, full } })
    }

    /// Reads a scenario file whose scale is decided on.
    ///
    /// # Errors
    /// What is wrong with the file and in which line.
    pub fn sized(file: &str, sizing: Sizing) -> Result<Self, PageError> {
        Ok(Self { request: RunRequest { scenario: parse(file)?, repeats: 1 }, sizing })
    }

    /// Returns the part of its size that it runs in.
    #[must_use]
    pub const fn sizing(&self) -> Sizing {
        self.sizing
    }

    /// Returns how many arms it has.
    #[must_use]
    pub fn arms(&self) -> usize {
        self.request.scenario.arms.len()
    }

    /// Runs the arm of this number.
    ///
    /// # Errors
    /// What the model does not run.
    pub fn run_arm(&self, number: usize, watch: &mut dyn Watch) -> Result<Outcome, PageError> {
        let arm = self.request.scenario.arms.get(number);
        let arm = arm.ok_or_else(|| PageError::new("there is no such arm"))?;
        let scenario = self.request.scenario.alone(arm);
        let mut outcome = self.model().run(&RunRequest { scenario, repeats: 1 }, watch)?;
        // The whole has the experiment once.
        outcome.scenario.phases = Vec::new();
        outcome.scenario.files = Vec::new();
        Ok(outcome)
    }

    /// Puts the outcomes of all arms together, in their order, as the program does.
    ///
    /// # Errors
    /// There is none.
    pub fn together(
        self,
        parts: Vec<Outcome>,
        wall_ns: Nanos,
    ) -> Result<PagePrediction, PageError> {
        let mut parts = parts.into_iter();
        let mut outcome = parts.next().ok_or_else(|| PageError::new("no arm was run"))?;
        outcome.arms.extend(parts.flat_map(|part| part.arms));
        outcome.scenario = self.request.scenario.clone();
        outcome.add_notes_on(&self.request.scenario);
        arcwright_model::ranges::add(&mut outcome);
        outcome.engine.wall_ns = wall_ns;
        let result = result_page(&outcome);
        let Sizing { scale, full } = self.sizing;
        let reduced = (full > 1).then(|| {
            format!(
                "At full size this takes more than a page may use: sizes and rates are divided by \
                 {full}. The program runs all of it."
            )
        });
        let page = PredictionPage { scale, is_coarse: scale != full, reduced, result };
        Ok(PagePrediction { json: to_json(&outcome)?, page })
    }

    fn model(&self) -> Model {
        model(self.sizing.scale)
    }
}

/// Reads a scenario file; those that come with arcwright may name its job files.
pub(crate) fn parse(file: &str) -> Result<Scenario, PageError> {
    let read = |path: &str| {
        gallery_job(path).map_err(|_| format!("{path}: a page opens no files beside a scenario"))
    };
    Ok(Scenario::parse_with(file, "scenario.toml", &read)?)
}

fn model(scale: u64) -> Model {
    Model { scale: Some(scale).filter(|scale| *scale > 1), ..Model::default() }
}

fn needs(request: &RunRequest, scale: u64) -> Vec<Need> {
    model(scale).needs(request)
}

/// Returns the least scale at which a run fits into a page; `whole` is what it takes in full size.
///
/// # Errors
/// It never does.
fn full_scale(request: &RunRequest, whole: &[Need]) -> Result<u64, PageError> {
    let phases = &request.scenario.phases;
    let most = if phases.iter().any(|phase| phase.until_warm.is_some()) {
        WARMING_TIME_MAX
    } else if phases.iter().any(|phase| phase.limit.is_some()) {
        LIMITED_TIME_MAX
    } else {
        FULL_TIME_MAX
    };
    let fits = |needs: &[Need]| memory(needs) <= MEMORY_MAX && time(needs) <= most;
    if fits(whole) {
        return Ok(1);
    }
    let scales = (1..=SCALE_POWERS_MAX).map(|power| 1_u64 << power);
    let runs = |scale: &u64| model(*scale).check(&request.scenario).is_ok();
    let mut last = 1;
    for scale in scales.take_while(runs) {
        last = scale;
        if fits(&needs(request, scale)) {
            return Ok(scale);
        }
    }
    let needed = memory(&needs(request, last));
    if needed > MEMORY_MAX {
        let what = format!("this takes {needed} of memory, and a page may use {MEMORY_MAX}");
        let hint = "save it as a scenario file and run it with the program: arcwright run FILE";
        return Err(PageError::new(&what).hint(hint));
    }
    Ok(last)
}

/// Returns the least scale at which a run is within the budget, or the largest that the model runs; `whole` is what it
/// takes in full size, and a part of that size is reckoned to take the same part of it.
fn coarse_scale(request: &RunRequest, whole: &[Need]) -> u64 {
    /// With less memory OpenZFS has not even its smallest ARC.
    const MEMORY_MIN: Bytes = Bytes::mib(128);
    let scenario = &request.scenario;
    let memories = scenario.arms.iter().map(|arm| scenario.system_of(arm).memory);
    let largest = memories.min().map_or(1, |memory| memory.0 / MEMORY_MIN.0);
    let wanted = time(whole).0.div_ceil(COARSE_TIME_MAX.0).next_power_of_two();
    let mut scale = wanted.min(1 << SCALE_POWERS_MAX);
    while scale > largest.max(1) {
        scale /= 2;
    }
    while scale > 1 && model(scale).check(scenario).is_err() {
        scale /= 2;
    }
    scale
}

fn memory(needs: &[Need]) -> Bytes {
    needs.iter().map(|need| need.memory_max).max().unwrap_or(Bytes(0))
}

fn time(needs: &[Need]) -> Nanos {
    Nanos(needs.iter().fold(0, |sum: u64, need| sum.saturating_add(need.time.0)))
}

#[cfg(test)]
mod tests {
    use arcwright_scenario::{GALLERY, GalleryScenario, Unwatched};

    use super::{Effort, PageError, PagePrediction, predict};

    fn run(file: &str, effort: Effort) -> Result<PagePrediction, PageError> {
        predict(file, effort, &mut Unwatched)
    }

    const SMALL: &str = r#"
title = "A film"
[system]
zfs = "2.3.2"
memory = "16GiB"
[system.pool]
data = ["hdd-nas-7200"]
[[file]]
name = "film"
size = "20GiB"
[[phase]]
name = "read"
clients = [{ read = "film", io = "1MiB" }]
"#;

    #[test]
    fn a_coarse_run_is_near_the_full_one_and_says_what_it_is() {
        let (coarse, full) =
            (run(SMALL, Effort::Coarse).unwrap(), run(SMALL, Effort::Full).unwrap());
        assert!(coarse.page.is_coarse && coarse.page.scale > 1);
        assert!(!full.page.is_coarse && full.page.scale == 1);
        let rate = |of: &PagePrediction| of.page.result.phases[0].arms[0].throughput as f64;
        let apart = rate(&coarse) / rate(&full);
        assert!((0.9..1.1).contains(&apart), "{apart}");
    }

    #[test]
    fn every_scenario_of_the_gallery_has_a_coarse_answer() {
        for entry in GALLERY {
            let coarse = run(entry.text, Effort::Coarse);
            let coarse = coarse.unwrap_or_else(|error| panic!("{}: {error}", entry.name));
            assert!(!coarse.page.result.phases.is_empty(), "{}", entry.name);
        }
    }

    #[test]
    fn a_mistake_has_its_line_and_a_hint() {
        let error = run(&SMALL.replace("memory", "memroy"), Effort::Full).unwrap_err();
        assert_eq!(error.line, Some(5));
        assert_eq!(error.hint.as_deref(), Some("did you mean “memory”?"));
    }

    #[test]
    fn files_beside_a_scenario_are_not_there() {
        let file = SMALL.replace("read = \"film\", io = \"1MiB\"", "fio = \"/etc/passwd\"");
        let error = run(&file, Effort::Full).unwrap_err();
        assert!(error.message.contains("a page opens no files"), "{error}");
        assert!(GalleryScenario::find("png-tree-records").is_some());
    }
}
