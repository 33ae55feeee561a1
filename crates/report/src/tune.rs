//! The shapes of `arcwright tune --json`: one struct per verb, with the version before its fields.

use arcwright_tunables::journal::Action;
use schemars::JsonSchema;
use serde::Serialize;

use crate::version::FormVersion;

/// Version of the shape of every JSON answer of tune: the minor number grows with what is added.
const MINOR: u32 = 1;

/// Returns the version of what `arcwright tune VERB` writes.
#[must_use]
pub fn tune_version(verb: &str) -> FormVersion {
    FormVersion::new(format!("arcwright tune {verb}"), MINOR)
}

/// `arcwright tune list`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TuneList {
    /// Version of this shape.
    pub output_version: FormVersion,
    /// The distribution or appliance.
    pub platform: String,
    /// `linux` or `freebsd`.
    pub kernel: String,
    /// The module's version as it spells it.
    pub zfs: Option<String>,
    /// The parameters.
    pub tunables: Vec<TuneListed>,
    /// What could not be read, in words.
    pub problems: Vec<String>,
}

/// A parameter in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TuneListed {
    /// Its name on this machine.
    pub name: String,
    /// Its family; absent when it is not in the catalogue.
    pub family: Option<String>,
    /// The kernel module that has it.
    pub module: String,
    /// Its value in force; absent when the module lacks it.
    pub current: Option<String>,
    /// Its default.
    pub default: Option<String>,
    /// Whether it is at its default; absent when that is not known.
    pub is_default: Option<bool>,
    /// Whether it may be set while the module runs.
    pub settable_live: Option<bool>,
    /// The line of a file that sets it.
    pub persisted: Option<TunePersisted>,
}

/// A line of a file that sets a parameter.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TunePersisted {
    /// The value there.
    pub value: String,
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// Whether arcwright wrote it.
    pub by_arcwright: bool,
}

/// `arcwright tune show`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TuneShow {
    /// Version of this shape.
    pub output_version: FormVersion,
    /// The parameters asked for.
    pub tunables: Vec<TuneShown>,
}

/// Everything that is known of a parameter.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TuneShown {
    /// Its name on Linux.
    pub name: String,
    /// Its family.
    pub family: String,
    /// What it does.
    pub about: String,
    /// Its value in force; absent when the module lacks it.
    pub current: Option<String>,
    /// Its default.
    pub default: Option<String>,
    /// Whether it is at its default.
    pub is_default: Option<bool>,
    /// Its bounds in words.
    pub range: String,
    /// When it may be set, in words.
    pub settable: String,
    /// Its file on Linux, or `-`.
    pub linux: String,
    /// Its name on FreeBSD 13 and later.
    pub freebsd: Option<String>,
    /// Its older name on FreeBSD.
    pub freebsd_legacy: Option<String>,
    /// The versions that have it, in words.
    pub versions: String,
    /// What took its place.
    pub successor: Option<String>,
    /// Why it is gone.
    pub gone: Option<String>,
    /// What may go wrong.
    pub hazards: Vec<TuneHazard>,
    /// Where this is from.
    pub source: String,
}

/// What may go wrong when a parameter is set.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TuneHazard {
    /// Its kind in a word.
    pub kind: String,
    /// Which values it is about; absent in a plan, where it is about the value asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when_set: Option<String>,
    /// Whether it must be accepted by name.
    pub stops_a_plan: bool,
    /// What happens.
    pub text: String,
}

/// What settings or a profile would change.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TunePlan {
    /// What would be set.
    pub steps: Vec<TuneStep>,
    /// What would not, and why.
    pub left_out: Vec<TuneSkipped>,
    /// What else there is to know.
    pub notes: Vec<String>,
}

/// One parameter of a plan.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TuneStep {
    /// Its name on this machine.
    pub name: String,
    /// Its value in force.
    pub current: Option<String>,
    /// Its value after.
    pub new: String,
    /// Its default in words.
    pub default: Option<String>,
    /// Whether it may be set while the module runs.
    pub settable_live: bool,
    /// The line of a file that sets it.
    pub persisted: Option<TunePlace>,
    /// What it costs.
    pub cost: Option<String>,
    /// What may go wrong.
    pub hazards: Vec<TuneHazard>,
}

/// A value in a file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TunePlace {
    /// The value there.
    pub value: String,
    /// File and line.
    pub place: String,
}

/// A parameter that is not set.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TuneSkipped {
    /// Its name.
    pub name: String,
    /// Why it is not set.
    pub why: String,
}

/// `arcwright tune diff`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TuneDiff {
    /// Version of this shape.
    pub output_version: FormVersion,
    /// What would change.
    pub plan: TunePlan,
    /// What that would gain.
    pub gains: Vec<TuneGain>,
}

/// What some of the settings would gain.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TuneGain {
    /// The parameters, by Linux name.
    pub names: Vec<String>,
    /// How many times as fast by the model; absent when it was not asked.
    pub factor: Option<f64>,
    /// What was run and what came of it, or why it is not estimated.
    pub words: String,
}

/// `arcwright tune apply`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TuneApply {
    /// Version of this shape.
    pub output_version: FormVersion,
    /// What was changed.
    pub plan: TunePlan,
    /// The operation's number in the journal; absent when there was nothing to do.
    pub operation: Option<u64>,
}

/// `arcwright tune persist`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TunePersist {
    /// Version of this shape.
    pub output_version: FormVersion,
    /// What is to outlive a boot; absent when lines are only taken out.
    pub plan: Option<TunePlan>,
    /// Files as they would be.
    pub edits: Vec<TuneEdit>,
    /// Commands that would be run.
    pub calls: Vec<String>,
    /// What the owner has to do.
    pub instructions: Vec<String>,
    /// Lines of others that set the same.
    pub conflicts: Vec<TuneConflict>,
    /// Commands that let the next boot see it.
    pub refresh: Vec<String>,
    /// The operation's number in the journal; absent when nothing was written.
    pub operation: Option<u64>,
}

/// A change of a file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TuneEdit {
    /// Its path.
    pub file: String,
    /// Its text before; absent when there was none.
    pub old: Option<String>,
    /// Its text after; absent when it goes.
    pub new: Option<String>,
}

/// A line of somebody else that sets the same parameter.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TuneConflict {
    /// File and line.
    pub place: String,
    /// The parameter.
    pub name: String,
    /// Its value there.
    pub value: String,
    /// Whether that line is the one that counts.
    pub wins: bool,
}

/// `arcwright tune verify`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TuneVerify {
    /// Version of this shape.
    pub output_version: FormVersion,
    /// Whether everything is as it was left.
    pub holds: bool,
    /// One by one.
    pub verdicts: Vec<TuneVerdict>,
}

/// Whether one change is in force.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TuneVerdict {
    /// The operation's number in the journal.
    pub operation: u64,
    /// The parameter or file.
    pub what: String,
    /// Whether it is as it was left.
    pub holds: bool,
    /// How it is.
    pub words: String,
}

/// `arcwright tune undo`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TuneUndo {
    /// Version of this shape.
    pub output_version: FormVersion,
    /// What was taken back.
    pub undone: Vec<TuneUndone>,
}

/// Something that was taken back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TuneUndone {
    /// The operation's number in the journal.
    pub operation: u64,
    /// What was done, or why it was not.
    pub what: String,
    /// Whether it could not be taken back and is still in force.
    pub failed: bool,
}

/// `arcwright tune log`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TuneLog {
    /// Version of this shape.
    pub output_version: FormVersion,
    /// What was changed, the oldest first.
    pub operations: Vec<TuneOperation>,
    /// Lines of the journal that could not be read, in words.
    pub problems: Vec<String>,
}

/// One command and its steps.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TuneOperation {
    /// Its number.
    pub operation: u64,
    /// Seconds since 1970.
    pub time: u64,
    /// Who did it.
    pub who: String,
    /// Why.
    pub why: String,
    /// Its steps.
    pub steps: Vec<TuneLogged>,
}

/// One step of an operation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TuneLogged {
    /// Its number, from 0.
    pub step: u32,
    /// What became of it.
    pub state: String,
    /// Why it failed.
    pub reason: Option<String>,
    /// What it does.
    pub action: Action,
}
