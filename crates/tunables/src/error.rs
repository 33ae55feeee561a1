//! Why a setting cannot be planned, and why a text cannot be edited.

use thiserror::Error;

/// A wish that cannot be granted as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TuneError {
    /// Not of the form `NAME=VALUE`.
    #[error(
        "“{text}” is neither a profile nor a setting; write NAME=VALUE, such as l2arc_write_max=64MiB"
    )]
    Form {
        /// What was found.
        text: String,
    },
    /// There is no such parameter.
    #[error("no tunable is called “{name}”{hint}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What may have been meant.
        hint: String,
    },
    /// The running module lacks it, an earlier one had it.
    #[error("{name} was removed: the last version with it is {last}{instead}")]
    Gone {
        /// The parameter.
        name: String,
        /// The last version that had it.
        last: String,
        /// What to use instead.
        instead: String,
    },
    /// The running module lacks it.
    #[error("this machine’s module has no {name}; it exists in {versions}")]
    Absent {
        /// The parameter.
        name: String,
        /// The versions that have it.
        versions: String,
    },
    /// It is there, but is none of the catalogue's.
    #[error("{name} is a parameter of this module that arcwright does not know; set it manually")]
    Uncharted {
        /// The parameter.
        name: String,
    },
    /// The value is not of the parameter's kind.
    #[error("{name}={text}: expected {expected}")]
    Value {
        /// The parameter.
        name: String,
        /// What was found.
        text: String,
        /// What would have been right.
        expected: String,
    },
    /// The value is out of bounds.
    #[error("{name}={text} is out of bounds: {bounds}")]
    Bounds {
        /// The parameter.
        name: String,
        /// What was found.
        text: String,
        /// What would have been right.
        bounds: String,
    },
    /// Two values do not go together.
    #[error("{low} must {relation} {high}{hint}")]
    Pair {
        /// The setting that must be lower, as `NAME=VALUE`.
        low: String,
        /// `be below` or `not be above`.
        relation: &'static str,
        /// The setting that must be higher, likewise.
        high: String,
        /// What would help.
        hint: String,
    },
    /// It is asked for twice.
    #[error("{name} is given twice")]
    Twice {
        /// The parameter.
        name: String,
    },
    /// A default that depends on the machine was asked for.
    #[error("the default of {name} is {rule}; give a value")]
    Derived {
        /// The parameter.
        name: String,
        /// How the default is derived.
        rule: String,
    },
}

/// A text that cannot be edited.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EditError {
    /// The block of ours begins and does not end, or the reverse.
    #[error("line {line}: arcwright’s block is broken: {what}; repair or remove it manually")]
    Broken {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// The file in which something is wrong.
    #[error("{path}: {why}")]
    In {
        /// Its path.
        path: String,
        /// What is wrong.
        why: Box<Self>,
    },
    /// It is not known what is there, so that nothing can be put beside it.
    #[error("cannot read the middleware’s settings; run this as root on the appliance")]
    Unasked,
    /// A value that the file cannot hold.
    #[error("{name}: “{value}” cannot be written to this file")]
    Value {
        /// The parameter.
        name: String,
        /// The value.
        value: String,
    },
}
