//! The texts of a machine as they were read, before anybody understood them.
//!
//! A name is the path on that machine without the first slash (`proc/spl/kstat/zfs/arcstats`,
//! `etc/modprobe.d/zfs.conf`) or a command (`commands/zpool-status`). What counts is read several
//! times: a sample's texts stand under `sample-0/`, `sample-1/`, …, and `sample-N/at` is its moment
//! in nanoseconds. An archive of a capture is a folder of just these files.

use std::collections::BTreeMap;

use crate::machine::Reason;

/// One text, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// As read.
    Text(String),
    /// Not readable.
    Unreadable(Reason),
}

/// Texts by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources {
    /// By name.
    pub texts: BTreeMap<String, Source>,
    /// Pasted lines that are known and tell nothing that is judged: by their place the program that prints them.
    pub passed_over: BTreeMap<String, String>,
    /// Commands of a pasted text that change pools or datasets, as they were typed.
    pub typed: Vec<String>,
    /// Of these, those that make a pool and stand below an output that may tell of trouble.
    pub creating: Vec<String>,
}

impl Sources {
    /// Returns a text; none when it is not there or could not be read.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.texts.get(name)? {
            Source::Text(text) => Some(text),
            Source::Unreadable(_) => None,
        }
    }
}
