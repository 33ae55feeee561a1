//! What changes would bring for the load that was recorded: one run at a time, ended when its page goes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::anyhow;
use arcwright_machine::Machine;
use arcwright_model::Model;
use arcwright_report::{TextOptions, harmless_json, whatif_text};
use arcwright_scenario::{Engine as _, RunRequest, Watch as _};
use arcwright_units::{Bytes, Nanos};
use arcwright_whatif::{Axis, Grid, WhatIf};
use axum::http::StatusCode;
use axum::response::Response;
use clap::Parser as _;
use serde::{Deserialize, Serialize};

use super::answers;
use super::fits::Fits;
use super::routes::not_yet;
use super::shared::Shared;
use super::telling::Telling;
use super::tunables::first_line;
use crate::arguments::{Arguments, Verb, WhatIfArguments};
use crate::commands::loads::{HOURS_OF_MACHINE, Load, has_commits, machine_load};
use crate::commands::server::spawned;
use crate::commands::whatif::{axes, tried_by};

use crate::parallel::Parallel;
use crate::problem::Problem;

/// Memory that all arms may take; the machine's programs and its ARC need theirs.
const MEMORY_MAX: Bytes = Bytes::gib(1);
/// Computing time that a run may be reckoned to take; the program itself takes longer ones.
const TIME_MAX: Nanos = Nanos::secs(300);
/// Characters of an answer to one question.
const VALUE_MAX: usize = 200;
/// How long a run may take: what it is reckoned to take is within a factor of three.
const RUN_TIME: Duration = Duration::from_secs(900);
/// The parts of an L2ARC that are offered, and the SSD for a log.
const L2ARC_SIZES: &str = "250GB,500GB";
const LOG_ON: &str = "nvme-plp";

/// One run at a time.
#[derive(Debug, Default)]
pub(super) struct WhatIfRuns {
    is_busy: Arc<AtomicBool>,
    fits: Arc<Fits>,
}

/// What is tried, as options of `arcwright whatif` have it; what is empty is not tried.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
struct Tried {
    pool: String,
    memory: String,
    l2arc: String,
    log: String,
    parameters: Vec<String>,
}

/// What the page offers to try.
#[derive(Debug, Serialize)]
struct Offers {
    pools: Vec<String>,
    memory: Option<String>,
    usual: Tried,
    /// How long the load was recorded.
    seconds: f64,
}

impl WhatIfRuns {
    /// Returns what is usually tried on this machine.
    #[expect(clippy::unused_self, reason = "beside run, which needs it")]
    pub(super) fn offers(&self, shared: &Shared) -> Response {
        let Some(machine) = shared.machine() else {
            return not_yet("the machine has not been looked at yet");
        };
        let memory = machine.memory.as_ref().map(|memory| memory.total);
        let times = |memory: Bytes, factor: u64| {
            // Installed memory is a little more than what the kernel has.
            let gib = memory.0.div_ceil(1 << 30).max(1);
            format!("{}GiB", gib.saturating_mul(factor))
        };
        let usual = Tried {
            pool: String::new(),
            memory: memory
                .map(|memory| format!("{},{}", times(memory, 2), times(memory, 4)))
                .unwrap_or_default(),
            l2arc: L2ARC_SIZES.to_owned(),
            log: if has_commits(&machine) { LOG_ON.to_owned() } else { String::new() },
            parameters: vec!["zfs_prefetch_disable=1".to_owned()],
        };
        answers::shown(&Offers {
            pools: machine.pools.iter().map(|pool| pool.name.clone()).collect(),
            memory: memory.map(|memory| memory.to_string()),
            usual,
            seconds: recorded(&machine),
        })
    }

    /// Starts a run and returns its lines: how far it is, then what came of it.
    pub(super) fn run(&self, shared: &Shared, body: &[u8]) -> Response {
        let tried: Tried = match serde_json::from_slice(body) {
            Ok(tried) => tried,
            Err(error) => {
                return answers::problem(StatusCode::BAD_REQUEST, &error.to_string(), None);
            }
        };
        let command = tried.command();
        let arguments = match command
            .as_ref()
            .map_err(Problem::to_string)
            .map(|command| Arguments::try_parse_from(command).map_err(|error| first_line(&error)))
        {
            Ok(Ok(Arguments { verb: Some(Verb::WhatIf(arguments)), .. })) => arguments,
            Ok(Ok(_)) => return answers::problem(StatusCode::BAD_REQUEST, "nothing to try", None),
            Ok(Err(why)) | Err(why) => {
                return answers::problem(StatusCode::BAD_REQUEST, &why, None);
            }
        };
        let Some(machine) = shared.machine() else {
            return not_yet("the machine has not been looked at yet");
        };
        if self.is_busy.swap(true, Ordering::AcqRel) {
            return answers::problem(
                StatusCode::CONFLICT,
                "another page computes already",
                Some("one at a time, so that collecting goes on undisturbed"),
            );
        }
        let (mut telling, response) = Telling::begin(RUN_TIME);
        let (busy, fits) = (Busy(Arc::clone(&self.is_busy)), Arc::clone(&self.fits));
        let line = command.map(|command| command.join(" ")).unwrap_or_default();
        let started = spawned("what-if", move || {
            let asked = WhatIfAsked { machine, arguments: Arc::from(arguments), line, fits };
            let last = match asked.answer(&mut telling) {
                Ok(json) => json,
                Err(problem) => {
                    let why = serde_json::json!({ "problem": problem.to_string() });
                    harmless_json(&why.to_string()).into_owned()
                }
            };
            drop(busy);
            telling.end(last);
        });
        match started {
            Ok(_) => response,
            Err(error) => {
                answers::problem(StatusCode::INTERNAL_SERVER_ERROR, &format!("{error:#}"), None)
            }
        }
    }
}

/// Lets the next run begin, however this one ends.
struct Busy(Arc<AtomicBool>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl Tried {
    /// Returns what it is on the command line; every value stands behind its option and so cannot be one.
    fn command(&self) -> Result<Vec<String>, Problem> {
        let mut command = vec!["arcwright".to_owned(), "whatif".to_owned()];
        let on = [("--pool", &self.pool), ("--memory", &self.memory), ("--l2arc", &self.l2arc)];
        let log = [("--log", &self.log)];
        let parameters = self.parameters.iter().map(|text| ("--try", text));
        for (option, value) in on.into_iter().chain(log).chain(parameters) {
            if value.len() > VALUE_MAX {
                return Err(Problem::Usage(anyhow!("{option}: this is too long")));
            }
            if !value.trim().is_empty() {
                let value: Vec<&str> = value.split_whitespace().collect();
                command.push(format!("{option}={}", value.concat()));
            }
        }
        Ok(command)
    }
}

/// What came of it, as the page takes it.
#[derive(Serialize)]
struct Answered<'a> {
    answer: &'a WhatIf,
    left_out: &'a [String],
    notes: &'a [String],
    /// As `arcwright whatif` prints it.
    text: String,
    command: String,
    seconds: f64,
}

/// What is to be answered.
struct WhatIfAsked {
    machine: Machine,
    arguments: Arc<WhatIfArguments>,
    /// The same as a command.
    line: String,
    fits: Arc<Fits>,
}

impl WhatIfAsked {
    /// Returns the load of the machine; a page that goes meanwhile does not wait for it.
    fn load(&self, telling: &Telling) -> Result<Arc<Load>, Problem> {
        let arguments = Arc::clone(&self.arguments);
        let find = move |machine: &Machine, pool: Option<&str>, is_wanted: &dyn Fn() -> bool| {
            let load = machine_load(machine, pool, (&[], &arguments.experiment), is_wanted);
            load.map_err(|problem| problem.to_string())
        };
        let pool = self.arguments.machine.pool.as_deref();
        let load = self.fits.load((&self.machine, pool), || !telling.stop(), find)?;
        load.ok_or_else(|| Problem::Failed(anyhow!("nobody waits for this any more")))
    }

    fn answer(&self, telling: &mut Telling) -> Result<String, Problem> {
        let axes = axes(&self.arguments)?;
        let load = self.load(telling)?;
        predicted(&load, &axes, (self, telling))
    }
}

fn predicted(
    load: &Load,
    axes: &[Axis],
    (asked, telling): (&WhatIfAsked, &mut Telling),
) -> Result<String, Problem> {
    let mut left_out = load.left_out.clone();
    let command = asked.line.clone();
    let grids = Grid::under_each(load.scenarios(), &load.phases, axes);
    let mut grids = grids.map_err(|error| Problem::Usage(anyhow!(error)))?;
    let model = Model::default();
    if time(&model, &grids) > TIME_MAX && grids.len() > 1 {
        grids.truncate(1);
        left_out.push(format!(
            "other loads that the counters fit as well, which would take longer than a server may compute; {command} tries them"
        ));
    }
    let time = time(&model, &grids);
    if time > TIME_MAX {
        return Err(Problem::Usage(anyhow!(
            "this takes some {time} of computing, more than a server may use beside its work; try fewer values, or \
             run {command}"
        )));
    }
    let mut engine = Parallel { model, memory_max: MEMORY_MAX };
    let (mut number, count) = (0, grids.len() as u64);
    let mut run = |request: &RunRequest| {
        telling.begin_part(number, count);
        number += 1;
        engine.run(request, telling).map_err(Problem::from)
    };
    let (answer, outcome) = tried_by(&grids, HOURS_OF_MACHINE, &mut run)?;
    let answer = answer.with_doubts(load.doubts.clone());
    let options = TextOptions { width: 100, ..TextOptions::default() };
    let answered = Answered {
        text: whatif_text(&answer, &outcome, &options, true),
        answer: &answer,
        left_out: &left_out,
        notes: &outcome.notes,
        command,
        seconds: recorded(&asked.machine),
    };
    let json = serde_json::to_string(&answered).map_err(anyhow::Error::from)?;
    Ok(harmless_json(&json).into_owned())
}

/// Returns how long the model computes at all of this.
fn time(model: &Model, grids: &[Grid]) -> Nanos {
    let requests =
        grids.iter().map(|grid| RunRequest { scenario: grid.scenario.clone(), repeats: 1 });
    let needs = requests.flat_map(|request| model.needs(&request));
    needs.fold(Nanos::ZERO, |sum, need| Nanos(sum.0.saturating_add(need.time.0)))
}

/// Returns how long the load was recorded.
fn recorded(machine: &Machine) -> f64 {
    let at = |sample: Option<&arcwright_machine::Sample>| sample.map(|sample| sample.kstats.at);
    let (first, last) = (at(machine.samples.first()), at(machine.samples.last()));
    first.zip(last).map_or(0.0, |(first, last)| last.saturating_sub(first).as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::{Tried, VALUE_MAX};

    #[test]
    fn what_is_tried_is_no_option_of_its_own() {
        let tried = Tried {
            memory: " 64GiB, 32GiB".to_owned(),
            l2arc: "--scenario=/etc/shadow".to_owned(),
            parameters: vec!["zfs_prefetch_disable=1".to_owned(), String::new()],
            ..Tried::default()
        };
        let command = tried.command().unwrap();
        let expected = [
            "arcwright",
            "whatif",
            "--memory=64GiB,32GiB",
            "--l2arc=--scenario=/etc/shadow",
            "--try=zfs_prefetch_disable=1",
        ];
        assert_eq!(command, expected);
        let long = Tried { pool: "a".repeat(VALUE_MAX + 1), ..Tried::default() };
        assert!(long.command().is_err());
    }
}
