//! What a machine runs: its module's parameters as read, and what is known beside them.

use std::collections::BTreeMap;

use arcwright_units::Bytes;

use crate::{DefaultValue, Entry, Kernel, SetWhen, Value, Version, default_arc_max};

/// The parameters of a running module and what their limits depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    /// Whose names they have.
    pub kernel: Kernel,
    /// The module's version; none when it could not be read or is not known here.
    pub version: Option<Version>,
    /// The version as the module spells it.
    pub version_text: Option<String>,
    /// Installed memory.
    pub memory: Option<Bytes>,
    /// The ARC's least and most size in force (`c_min`, `c_max` of arcstats).
    pub arc_bounds: Option<(u64, u64)>,
    /// Parameters by the names that the machine gives them.
    pub parameters: BTreeMap<String, Seen>,
}

/// A parameter as read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Its text, without the newline.
    pub value: String,
    /// Whether it may be written while the module runs; none when that is not known.
    pub writable: Option<bool>,
}

impl Running {
    /// Returns the name that the machine has for `entry`; none when its module lacks it.
    #[must_use]
    pub fn own_name<'a>(&self, entry: &'a Entry) -> Option<&'a str> {
        let names = match self.kernel {
            Kernel::Linux => [Some(&entry.name), None],
            Kernel::Freebsd => [entry.freebsd.as_ref(), entry.freebsd_legacy.as_ref()],
        };
        let mut names = names.into_iter().flatten().map(String::as_str);
        names.find(|name| self.parameters.contains_key(*name))
    }

    /// Returns the parameter as read; none when the module lacks it.
    #[must_use]
    pub fn seen(&self, entry: &Entry) -> Option<&Seen> {
        self.parameters.get(self.own_name(entry)?)
    }

    /// Returns the value as read.
    #[must_use]
    pub fn value(&self, entry: &Entry) -> Option<Value> {
        self.seen(entry).map(|seen| Value::read(&seen.value))
    }

    /// Returns the default in words or numbers, and none when the version is not known.
    #[must_use]
    pub fn default_of<'a>(&self, entry: &'a Entry) -> Option<DefaultValue<'a>> {
        entry.default_on(self.kernel, self.version?)
    }

    /// Says whether the parameter stands at its default; none when that is not known.
    #[must_use]
    pub fn is_default(&self, entry: &Entry) -> Option<bool> {
        let value = self.value(entry)?;
        let version = self.version?;
        if let Some(DefaultValue::Word(word)) = entry.default_on(self.kernel, version) {
            return Some(value == Value::Word(word.to_owned()));
        }
        let shown = entry.shown_by_default(self.kernel, version)?;
        // A module that shows 0 for “default” may also have been given the default itself.
        let fixed = matches!(entry.default_on(self.kernel, version), Some(DefaultValue::Fixed(fixed))
            if value == Value::Number(fixed));
        Some(fixed || value == Value::Number(shown))
    }

    /// Says whether the parameter may be set while the module runs.
    #[must_use]
    pub fn is_live(&self, entry: &Entry) -> bool {
        let seen = self.seen(entry).and_then(|seen| seen.writable);
        let catalogue = self.version.map_or(entry.set, |version| entry.set_in(version));
        seen.unwrap_or(catalogue == SetWhen::Runtime)
    }

    /// Returns the ARC's least and most size: as in force, or as they follow from the parameters.
    #[must_use]
    pub fn arc_bounds(&self) -> Option<(u64, u64)> {
        if self.arc_bounds.is_some() {
            return self.arc_bounds;
        }
        let (least, most) = self.arc_defaults()?;
        let set = |name: &str| {
            let value = crate::lookup(name).and_then(|entry| self.value(entry));
            value.and_then(|value| value.number()).filter(|value| *value > 0)
        };
        Some((set("zfs_arc_min").unwrap_or(least), set("zfs_arc_max").unwrap_or(most)))
    }

    /// Returns the ARC's bounds in force, or those of a freshly loaded module without settings.
    pub(crate) fn arc_bounds_at(&self, in_force: bool) -> Option<(u64, u64)> {
        if in_force { self.arc_bounds() } else { self.arc_defaults() }
    }

    fn arc_defaults(&self) -> Option<(u64, u64)> {
        let (memory, version) = (self.memory?, self.version?);
        let most = default_arc_max(version, self.kernel == Kernel::Freebsd, memory).0;
        Some(((memory.0 / 32).max(Bytes::mib(32).0), most))
    }
}
