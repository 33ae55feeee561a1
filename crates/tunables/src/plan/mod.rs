//! What would be done to get from what a machine runs to what is wanted.
//!
//! Every wish ends as a step or as something left out with its reason; a wish that contradicts the
//! machine or another wish is an error. A plan decides everything; who carries it out decides
//! nothing. Existence is that of the running module, not of a version in a table.

mod check;
mod cost;
mod order;

use crate::{
    DefaultValue, Entry, HazardKind, Persisted, RequestedSetting, Running, TuneError, Unit, Value,
};

/// What a plan changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The running module.
    Live,
    /// What the module is given when it is loaded.
    Persist,
}

/// Steps in the order in which they are to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// What it changes.
    pub purpose: Purpose,
    /// What is to be done.
    pub steps: Vec<Step>,
    /// What is not, and why.
    pub left_out: Vec<Skipped>,
}

/// One parameter to be set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The parameter.
    pub entry: &'static Entry,
    /// Its name on this machine.
    pub name: String,
    /// The running value.
    pub current: Option<Value>,
    /// What files set it to now.
    pub persisted: Option<Persisted>,
    /// The value to be set.
    pub new: Value,
    /// What is to be set before it, since `new` only stands for a default that the running module no
    /// longer looks up.
    pub through: Option<Value>,
    /// The same for the way back to `current`.
    pub back_through: Option<Value>,
    /// The default, in words.
    pub default: Option<String>,
    /// Whether the running module takes it at once.
    pub live: bool,
    /// Where it bites.
    pub dangers: Vec<StepHazard>,
    /// What it costs, in words.
    pub cost: Option<String>,
}

/// A hazard of one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepHazard {
    /// What happens.
    pub kind: HazardKind,
    /// In a sentence.
    pub text: String,
}

/// A wish that needs nothing done, or that cannot be granted now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The parameter.
    pub name: String,
    /// Why there is nothing to do, in words.
    pub why: String,
}

impl Plan {
    /// Plans `requests` on what is running and persisted.
    ///
    /// # Errors
    /// [`TuneError`] when wishes contradict each other, or the machine.
    pub fn new(
        purpose: Purpose,
        requests: &[RequestedSetting],
        running: &Running,
        persisted: &[Persisted],
    ) -> Result<Self, TuneError> {
        check::twice(requests)?;
        check::memory(requests, running)?;
        check::pairs(requests, running)?;
        let mut plan = Self { purpose, steps: Vec::new(), left_out: Vec::new() };
        for request in order::ordered(requests, running) {
            let step = Step::new(request, running, persisted);
            match plan.needless(&step) {
                Some(why) => plan.left_out.push(Skipped { name: step.name, why }),
                None => plan.steps.push(step),
            }
        }
        for step in &mut plan.steps {
            // A value that sticks while the module runs is what a file is for.
            step.dangers
                .retain(|danger| purpose == Purpose::Live || danger.kind != HazardKind::Sticky);
        }
        Ok(plan)
    }

    /// Returns the steps whose hazards stop the plan and that `accepted` does not name.
    #[must_use]
    pub fn stopped_by<'a>(&'a self, accepted: &[String]) -> Vec<&'a Step> {
        let stops = |step: &&Step| step.dangers.iter().any(|danger| danger.kind.stops());
        let named = |step: &&Step| {
            accepted.iter().any(|name| *name == step.entry.name || *name == step.name)
        };
        self.steps.iter().filter(stops).filter(|step| !named(step)).collect()
    }

    /// Returns why `step` needs not or cannot be made.
    fn needless(&self, step: &Step) -> Option<String> {
        match self.purpose {
            Purpose::Live => needless_live(step),
            Purpose::Persist => needless_persisted(step),
        }
    }
}

fn needless_live(step: &Step) -> Option<String> {
    let Step { entry, new, .. } = step;
    if step.current.as_ref() == Some(new) {
        return Some(match &step.default {
            Some(default) if *default == new.shown(entry.unit) => {
                format!("is {} already, the default", new.shown(entry.unit))
            }
            _ => format!("is {} already", new.shown(entry.unit)),
        });
    }
    if !step.live {
        return Some(
            "is read only when the module is loaded; persist it and reload the module".to_owned(),
        );
    }
    let sticks = step.dangers.iter().find(|danger| danger.kind == HazardKind::Sticky);
    sticks
        .filter(|_| step.through.is_none())
        .map(|danger| format!("cannot be undone live: {}", danger.text))
}

fn needless_persisted(step: &Step) -> Option<String> {
    let Step { entry, new, .. } = step;
    match &step.persisted {
        Some(line) if line.value == *new => {
            Some(format!("is set to {} already in {}", new.shown(entry.unit), line.place()))
        }
        None if step.default.as_ref() == Some(&new.shown(entry.unit)) => {
            Some(format!("is {} by default; nothing to persist", new.shown(entry.unit)))
        }
        _ => None,
    }
}

impl Step {
    fn new(request: &RequestedSetting, running: &Running, persisted: &[Persisted]) -> Self {
        let entry = request.entry;
        let listed = entry.hazards_of(request.value.number().unwrap_or(u64::MAX), running.version);
        let listed = listed.filter(|_| request.value.number().is_some());
        let mut dangers: Vec<StepHazard> = listed
            .map(|hazard| StepHazard { kind: hazard.kind, text: hazard.text.clone() })
            .collect();
        dangers.extend(check::memory_danger(request, running));
        dangers.sort_by_key(|danger| danger.kind);
        let through = stands_for(entry, &request.value, running, SizeInForce::AfterReset);
        if through.is_some() {
            dangers.retain(|danger| danger.kind != HazardKind::Sticky);
        }
        let current = running.value(entry);
        let back_through =
            current.as_ref().and_then(|value| stands_for(entry, value, running, SizeInForce::Now));
        Self {
            entry,
            through,
            back_through,
            name: running.own_name(entry).unwrap_or(&entry.name).to_owned(),
            current,
            persisted: persisted.iter().rev().find(|line| line.is_of(entry)).cloned(),
            new: request.value.clone(),
            default: default_words(entry, running),
            live: running.is_live(entry),
            dangers,
            cost: cost::of(request, running),
        }
    }
}

/// Whether the size in force now is meant, or the one that a freshly loaded module would take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SizeInForce {
    Now,
    AfterReset,
}

/// Returns the value for which `value` stands, when it is the 0 of a parameter that shows 0 while its
/// default holds: the module then keeps what it used last (`arc_tuning_update`, module/zfs/arc.c 0.8 to
/// 2.4), so that the value itself must be set first and 0 after it.
fn stands_for(
    entry: &Entry,
    value: &Value,
    running: &Running,
    moment: SizeInForce,
) -> Option<Value> {
    let version = running.version?;
    let zero =
        value.number() == Some(0) && entry.shown_by_default(running.kernel, version) == Some(0);
    let number = match (entry.name.as_str(), running.default_of(entry)?) {
        _ if !zero => return None,
        (_, DefaultValue::Fixed(fixed)) => Some(fixed),
        ("zfs_arc_max", _) => {
            running.arc_bounds_at(moment == SizeInForce::Now).map(|(_, most)| most)
        }
        ("zfs_arc_min", _) => {
            running.arc_bounds_at(moment == SizeInForce::Now).map(|(least, _)| least)
        }
        _ => None,
    };
    number.filter(|number| *number > 0).map(Value::Number)
}

/// Returns the default of `entry` on this machine for a person to read.
#[must_use]
pub fn default_words(entry: &Entry, running: &Running) -> Option<String> {
    Some(match running.default_of(entry)? {
        DefaultValue::Fixed(value) => Value::Number(value).shown(entry.unit),
        DefaultValue::Word(word) => word.to_owned(),
        DefaultValue::Derived(rule) => rule.to_owned(),
    })
}

/// Says whether a value of `unit` grows with the amount of data.
const fn is_amount(unit: Unit) -> bool {
    matches!(unit, Unit::Bytes | Unit::BytesPerPass)
}

#[cfg(test)]
mod tests;
