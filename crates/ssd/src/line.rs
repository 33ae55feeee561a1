//! A command of a plan, and what it is for.

use arcwright_scenario::Kernel;
use arcwright_tunables::persist::Command;
use arcwright_units::Bytes;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::pool::Redundancy;

/// Where a plan is carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The pool.
    pub pool: String,
    /// The kernel's family.
    pub kernel: Kernel,
    /// log2 of the sector that the new vdevs assume.
    pub ashift: u8,
    /// What the pool survives.
    pub redundancy: Redundancy,
}

/// What a role gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RolePartitions {
    /// `log`, `special`, `cache`.
    pub role: String,
    /// The partitions.
    pub partitions: Vec<String>,
}

/// A command with what a reader must know of it.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
#[schemars(with = "String")]
pub struct Line {
    /// The command.
    pub command: Command,
    /// A remark behind it.
    pub remark: Option<String>,
}

impl Line {
    pub(crate) fn new(words: &[&str]) -> Self {
        Self { command: Command::new(words), remark: None }
    }

    pub(crate) fn of(words: Vec<String>) -> Self {
        Self { command: Command { words }, remark: None }
    }

    pub(crate) fn with(self, remark: String) -> Self {
        Self { remark: Some(remark), ..self }
    }
}

/// The line as it would be typed.
impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.remark {
            Some(remark) => write!(f, "{}   # {remark}", self.command),
            None => write!(f, "{}", self.command),
        }
    }
}

impl Serialize for Line {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The partitions of a role.
pub(crate) struct Part {
    pub(crate) role: &'static str,
    pub(crate) size: Bytes,
    /// Its number on each SSD, from 1.
    pub(crate) number: usize,
    /// The SSDs that have it.
    pub(crate) drives: Vec<usize>,
}
