//! The boundary itself: what JavaScript calls, and what it is asked for.
//!
//! Every function takes texts and returns the text of `{"ok": …}` or `{"error": …}`, so that an error is an
//! answer like any other. A panic ends the instance; the page says so and starts another one.

use arcwright_report::harmless_json;
use arcwright_scenario::{Event, Outcome, Watch};
use arcwright_units::Nanos;
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::{Changes, Effort, Form, PageError, PlannedRun, Sizing};

#[wasm_bindgen]
extern "C" {
    /// Says how far a run is; the worker defines it.
    #[wasm_bindgen(js_namespace = globalThis, js_name = arcwrightProgress)]
    fn progress(done: f64, total: f64);

    /// Says what went wrong where no answer can.
    #[wasm_bindgen(js_namespace = console, js_name = error)]
    fn console_error(text: &str);
}

/// Called once, when the module is there.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|panic| console_error(&panic.to_string())));
}

/// Returns what can be picked.
#[must_use]
#[wasm_bindgen]
pub fn choices() -> String {
    envelope(Ok(crate::choices()))
}

/// Returns the scenario file of what was picked, a form in JSON.
#[must_use]
#[wasm_bindgen(js_name = scenarioFile)]
pub fn scenario_file(form: &str) -> String {
    let form = serde_json::from_str::<Form>(form).map_err(PageError::from);
    envelope(form.and_then(|form| form.scenario_file()))
}

/// Returns a scenario file with the arms of what was changed, in JSON.
#[must_use]
#[wasm_bindgen(js_name = withChanges)]
pub fn with_changes(file: &str, changes: &str) -> String {
    let changes = serde_json::from_str::<Changes>(changes).map_err(PageError::from);
    envelope(changes.and_then(|changes| crate::with_changes(file, &changes)))
}

/// Returns the machine of a scenario's reference arm.
#[must_use]
#[wasm_bindgen]
pub fn reference(file: &str) -> String {
    harmless_json(&envelope(crate::reference(file))).into_owned()
}

/// Texts of a result.
#[derive(Debug)]
#[wasm_bindgen]
pub struct Texts {
    page: String,
    json: String,
}

#[wasm_bindgen]
impl Texts {
    /// Returns the envelope with what the page shows.
    #[must_use]
    #[wasm_bindgen(getter)]
    pub fn page(&self) -> String {
        self.page.clone()
    }

    /// Returns what the program prints with `--json`; empty where there is an error.
    #[must_use]
    #[wasm_bindgen(getter)]
    pub fn json(&self) -> String {
        self.json.clone()
    }

    fn error(error: PageError) -> Self {
        Self { page: envelope::<()>(Err(error)), json: String::new() }
    }
}

/// A run before it begins.
#[derive(Debug, Serialize)]
struct Planned {
    arms: usize,
    sizing: Sizing,
}

/// Returns how many arms a run has, coarse or in full, and the size that it runs in.
#[must_use]
#[wasm_bindgen]
pub fn plan(file: &str, coarse: bool) -> String {
    let effort = if coarse { Effort::Coarse } else { Effort::Full };
    let planned = |plan: PlannedRun| Planned { arms: plan.arms(), sizing: plan.sizing() };
    envelope(PlannedRun::of(file, effort).map(planned))
}

/// Runs an arm in a size, in JSON; what comes out is for [`together`].
#[must_use]
#[wasm_bindgen(js_name = runArm)]
pub fn run_arm(file: &str, sizing: &str, number: usize) -> String {
    envelope(sized(file, sizing).and_then(|plan| plan.run_arm(number, &mut Followed)))
}

/// Puts the arms of a run together, which took so many milliseconds.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the time of a run")]
#[must_use]
#[wasm_bindgen]
pub fn together(file: &str, sizing: &str, parts: Vec<String>, took_ms: f64) -> Texts {
    let part = |text: String| match serde_json::from_str(&text)? {
        Envelope::Ok(outcome) => Ok(outcome),
        Envelope::Error(error) => Err(error),
    };
    let parts = parts.into_iter().map(part).collect::<Result<Vec<Outcome>, PageError>>();
    let took = Nanos((took_ms * 1e6) as u64);
    match sized(file, sizing).and_then(|plan| plan.together(parts?, took)) {
        Ok(prediction) => Texts { page: envelope(Ok(prediction.page)), json: prediction.json },
        Err(error) => Texts::error(error),
    }
}

fn sized(file: &str, sizing: &str) -> Result<PlannedRun, PageError> {
    PlannedRun::sized(file, serde_json::from_str(sizing)?)
}

/// Files that were dropped on the page.
#[derive(Debug, Default)]
#[wasm_bindgen]
pub struct Files(Vec<(String, Vec<u8>)>);

#[wasm_bindgen]
impl Files {
    /// Returns none yet.
    #[must_use]
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one.
    pub fn add(&mut self, name: &str, bytes: &[u8]) {
        self.0.push((name.to_owned(), bytes.to_vec()));
    }

    /// Returns doctor's findings on them.
    #[must_use]
    pub fn diagnose(self) -> Texts {
        diagnosed(crate::diagnose_files(self.0))
    }
}

/// Returns doctor's findings on pasted text.
#[must_use]
#[wasm_bindgen]
pub fn diagnose(text: &str) -> Texts {
    diagnosed(crate::diagnose_text(text))
}

fn diagnosed(result: Result<crate::Diagnosis, PageError>) -> Texts {
    match result {
        // What the page shows is JSON already.
        Ok(said) => Texts { page: format!("{{\"ok\":{}}}", said.page), json: said.json },
        Err(error) => Texts::error(error),
    }
}

/// An answer.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Envelope<T> {
    Ok(T),
    Error(PageError),
}

/// Returns an answer as JSON.
fn envelope<T: Serialize>(result: Result<T, PageError>) -> String {
    let envelope = match result {
        Ok(value) => Envelope::Ok(value),
        Err(error) => Envelope::Error(error),
    };
    serde_json::to_string(&envelope)
        .unwrap_or_else(|error| format!("{{\"error\":{{\"message\":\"{error}\"}}}}"))
}

/// Tells the worker how far a run is.
struct Followed;

impl Watch for Followed {
    fn event(&mut self, event: Event) {
        if let Event::Progress { done, total, .. } = event {
            progress(done as f64, total as f64);
        }
    }

    /// A worker whose result nobody wants is ended as a whole.
    fn stop(&self) -> bool {
        false
    }
}
