//! `arcwright tune diff`: what settings or a profile would change, and what that would bring.
//!
//! The gain is the model's, for the case that the settings are for, on a machine like this one: its
//! version, ARC, vdevs and kinds of disks. What the model is not asked about is said to be not estimated.

use std::time::Duration;

use arcwright_advice::{Gain, Prediction, predict};
use arcwright_host::capture;
use arcwright_host::observe::{ObserveProgress, Options, observe};
use arcwright_machine::Machine;
use arcwright_report::tune::{TuneDiff, TuneGain, tune_version};
use arcwright_scenario::Setting;
use arcwright_tunables::Purpose;

use super::requested::RequestedPlan;
use super::{Target, shape};
use crate::arguments::tune::WantArguments;
use crate::exit::Exit;
use crate::output;
use crate::problem::Problem;

/// Shows what settings or a profile would change.
pub(super) fn diff(target: &Target, arguments: &WantArguments) -> Result<Exit, Problem> {
    let facts = target.facts();
    let wanted = RequestedPlan::of(arguments, &facts, Purpose::Live)?;
    let gains = gains(target, &wanted);
    if arguments.json {
        let gains = gains.iter().map(gain_shape).collect();
        let plan = wanted.shape();
        shape::print_json(&TuneDiff { output_version: tune_version("diff"), plan, gains })?;
    } else {
        output::print(&(wanted.text() + &gains.iter().map(gain_text).collect::<String>()))?;
    }
    Ok(Exit::Fine)
}

/// Asks the model about the settings that would change.
fn gains(target: &Target, wanted: &RequestedPlan) -> Vec<Prediction> {
    let steps = wanted.plan.steps.iter();
    let settings: Vec<Setting> = steps
        .filter_map(|step| {
            Some(Setting { name: step.entry.name.clone(), value: step.new.number()? })
        })
        .collect();
    if settings.is_empty() {
        return Vec::new();
    }
    match machine(target) {
        Ok(machine) => predict(&machine, &settings),
        Err(why) => {
            let names = settings.into_iter().map(|setting| setting.name).collect();
            vec![Prediction { names, gain: Gain::NotEstimated(why) }]
        }
    }
}

/// What a folder has that is a capture.
const CAPTURE: [&str; 3] = ["/manifest.json", "/commands", "/sample-0"];

/// Reads the machine that the settings are for.
fn machine(target: &Target) -> Result<Machine, String> {
    let unread = |why: String| format!("the machine could not be read ({why})");
    let sources = match target.root.is_machine() {
        true => {
            let options = Options { window: Duration::ZERO, smart: false, ..Options::default() };
            observe(&options, &mut Unwatched).map_err(|error| unread(error.to_string()))?
        }
        // A copy may be a whole system's files, which nobody wants to be read.
        false if !CAPTURE.iter().any(|name| target.root.at(name).exists()) => {
            return Err(
                "the copy holds the machine's files, but neither counters nor pools".to_owned()
            );
        }
        false => capture::open(target.root.folder()).map_err(|error| unread(error.to_string()))?,
    };
    Ok(Machine::read(&sources))
}

fn gain_text(prediction: &Prediction) -> String {
    format!("gain of {}: {}\n", prediction.names.join(", "), label(&prediction.gain))
}

fn gain_shape(prediction: &Prediction) -> TuneGain {
    let factor = match prediction.gain {
        Gain::Modelled { factor, .. } => Some(factor),
        Gain::Counted(_) | Gain::NotEstimated(_) | Gain::Nothing => None,
    };
    TuneGain { names: prediction.names.clone(), factor, words: label(&prediction.gain) }
}

fn label(gain: &Gain) -> String {
    match gain {
        Gain::Modelled { words, .. } | Gain::Counted(words) => words.clone(),
        Gain::NotEstimated(why) => format!("not estimated: {why}"),
        Gain::Nothing => "none".to_owned(),
    }
}

/// Nobody follows how the machine is looked at.
struct Unwatched;

impl ObserveProgress for Unwatched {
    fn step(&mut self, _what: &str) {}

    fn waited(&mut self, _done: Duration, _window: Duration) {}

    fn stop(&self) -> bool {
        false
    }
}
