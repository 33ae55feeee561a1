//! What the owner wants, as a plan, and how a plan is shown.

use arcwright_host::tune::Facts;
use arcwright_report::tune::{TuneHazard, TunePlace, TunePlan, TuneSkipped, TuneStep};
use arcwright_tunables::Persisted;
use arcwright_tunables::{Plan, Profile, Purpose, RequestedSetting, Skipped, Step, TuneError};

use crate::arguments::tune::{ConsentArguments, WantArguments};
use crate::problem::Problem;

/// A plan with what a profile had to say.
pub(super) struct RequestedPlan {
    pub(super) plan: Plan,
    pub(super) notes: Vec<String>,
    /// The profiles and settings as asked for.
    pub(super) asked: String,
}

impl RequestedPlan {
    /// Plans what the arguments ask for.
    pub(super) fn of(
        wants: &WantArguments,
        facts: &Facts,
        purpose: Purpose,
    ) -> Result<Self, Problem> {
        let mut requests: Vec<RequestedSetting> = Vec::new();
        let mut left_out: Vec<Skipped> = Vec::new();
        let mut notes = Vec::new();
        let (profiles, settings): (Vec<&String>, Vec<&String>) =
            wants.wants.iter().partition(|want| !want.contains('='));
        for name in profiles {
            let profile = Profile::named(name).ok_or_else(|| no_profile(name))?;
            let mut asked = profile.asked(&facts.running)?;
            if purpose == Purpose::Persist && profile != Profile::Reset {
                // What is in force already is still to be kept over a boot.
                asked.requests.extend(in_force(profile, facts, &asked.left_out));
            }
            requests.extend(asked.requests);
            left_out.extend(asked.left_out);
            notes.extend(asked.notes);
        }
        for text in settings {
            let request = RequestedSetting::parse(text, &facts.running)?;
            // What is said by name counts more than a profile.
            requests.retain(|other| other.entry.name != request.entry.name);
            requests.push(request);
        }
        let persisted = facts.places.persisted();
        let mut plan = Plan::new(purpose, &requests, &facts.running, &persisted)?;
        left_out.retain(|left| !plan.steps.iter().any(|step| step.name == left.name));
        left_out.append(&mut plan.left_out);
        plan.left_out = left_out;
        Ok(Self { plan, notes, asked: wants.wants.join(" ") })
    }

    /// Returns why it is done, for the journal.
    pub(super) fn why(&self, consent: &ConsentArguments) -> String {
        match &consent.why {
            Some(why) => format!("{}: {why}", self.asked),
            None => self.asked.clone(),
        }
    }

    /// Refuses a plan that does harm nobody has confirmed.
    pub(super) fn check(&self, consent: &ConsentArguments) -> Result<(), Problem> {
        let stopped = self.plan.stopped_by(&consent.accepted);
        if stopped.is_empty() {
            return Ok(());
        }
        let lines = stopped.iter().flat_map(|step| {
            let stops = step.dangers.iter().filter(|danger| danger.kind.stops());
            stops.map(|danger| format!("  {}: {}: {}", step.name, danger.kind.label(), danger.text))
        });
        let lines: Vec<String> = lines.collect();
        let accept: Vec<String> =
            stopped.iter().map(|step| format!("--accept {}", step.entry.name)).collect();
        Err(Problem::Failed(anyhow::anyhow!(
            "nothing was changed, because this may do harm:\n{}\nhint: confirm it with {}",
            lines.join("\n"),
            accept.join(" ")
        )))
    }

    /// Returns the plan for a person.
    pub(super) fn text(&self) -> String {
        let purpose = self.plan.purpose;
        let steps = self.plan.steps.iter().map(|step| step_text(step, purpose));
        let mut text: String = steps.collect();
        if self.plan.steps.is_empty() {
            text.push_str("nothing to do\n");
        }
        for left in &self.plan.left_out {
            text.push_str(&format_left(left));
        }
        for note in &self.notes {
            text.push_str("note: ");
            text.push_str(note);
            text.push('\n');
        }
        text
    }

    /// Returns the plan for programs.
    pub(super) fn shape(&self) -> TunePlan {
        let left_out = self.plan.left_out.iter();
        let left_out =
            left_out.map(|left| TuneSkipped { name: left.name.clone(), why: left.why.clone() });
        TunePlan {
            steps: self.plan.steps.iter().map(step_shape).collect(),
            left_out: left_out.collect(),
            notes: self.notes.clone(),
        }
    }
}

/// Returns the profile's settings that are in force but not by default, which a file must hold.
fn in_force(profile: Profile, facts: &Facts, left_out: &[Skipped]) -> Vec<RequestedSetting> {
    let mut elsewhere = facts.running.clone();
    for seen in elsewhere.parameters.values_mut() {
        seen.value = "other".to_owned();
    }
    let all = profile.asked(&elsewhere).map(|asked| asked.requests).unwrap_or_default();
    let there = |request: &RequestedSetting| {
        let name = facts.running.own_name(request.entry);
        left_out.iter().any(|left| Some(left.name.as_str()) == name)
            && facts.running.is_default(request.entry) == Some(false)
    };
    let current = |request: RequestedSetting| {
        let value = facts.running.value(request.entry).unwrap_or(request.value);
        RequestedSetting { entry: request.entry, value }
    };
    all.into_iter().filter(there).map(current).collect()
}

fn no_profile(name: &str) -> Problem {
    let profiles: Vec<&str> = Profile::ALL.iter().map(|profile| profile.name()).collect();
    let form = TuneError::Form { text: name.to_owned() };
    Problem::Usage(anyhow::anyhow!("{form}; the profiles are {}", profiles.join(", ")))
}

fn format_left(left: &Skipped) -> String {
    format!("{} {}\n", left.name, left.why)
}

fn step_text(step: &Step, purpose: Purpose) -> String {
    let unit = step.entry.unit;
    let shown = |value: &arcwright_tunables::Value| value.shown(unit);
    let current = step.current.as_ref().map_or_else(|| "?".to_owned(), shown);
    let head = match purpose {
        Purpose::Persist if step.current.as_ref() == Some(&step.new) => {
            format!("{}: {current} now, will be persisted", step.name)
        }
        _ => format!("{}: {current} → {}", step.name, shown(&step.new)),
    };
    let mut lines = vec![head];
    let mut line = |text: String| lines.push(format!("    {text}"));
    let when = match purpose {
        Purpose::Live => "takes effect immediately",
        Purpose::Persist => "takes effect when the module is loaded",
    };
    match &step.default {
        Some(default) => line(format!("default {default}; {when}")),
        None => line(when.to_owned()),
    }
    if let Some(through) = &step.through {
        line(format!("set to {} first, which is what {} stands for", shown(through), step.new));
    }
    if let Some(persisted) = &step.persisted {
        line(format!("{} sets it to {}", persisted.place(), shown(&persisted.value)));
    }
    if let Some(cost) = &step.cost {
        line(format!("cost: {cost}"));
    }
    for danger in &step.dangers {
        line(format!("{}: {}", danger.kind.label(), danger.text));
    }
    lines.join("\n") + "\n"
}

fn step_shape(step: &Step) -> TuneStep {
    let hazards = step.dangers.iter().map(|danger| TuneHazard {
        kind: danger.kind.label().to_owned(),
        when_set: None,
        stops_a_plan: danger.kind.stops(),
        text: danger.text.clone(),
    });
    let place = |line: &Persisted| TunePlace { value: line.value.to_string(), place: line.place() };
    TuneStep {
        name: step.name.clone(),
        current: step.current.as_ref().map(ToString::to_string),
        new: step.new.to_string(),
        default: step.default.clone(),
        settable_live: step.live,
        persisted: step.persisted.as_ref().map(place),
        cost: step.cost.clone(),
        hazards: hazards.collect(),
    }
}
