//! What somebody wants set: parsed, checked for being of this module and of its kind.

use crate::catalogue::nearest_of;
use crate::{DefaultValue, Entry, Running, TuneError, Unit, Value, gone, lookup};

/// One parameter and the value wanted for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedSetting {
    /// The parameter.
    pub entry: &'static Entry,
    /// Its value.
    pub value: Value,
}

impl RequestedSetting {
    /// Parses `NAME=VALUE`, where the name may be Linux's or FreeBSD's and the value may have a unit
    /// or be `default`.
    ///
    /// # Errors
    /// [`TuneError`] naming the parameter and what would have been right.
    pub fn parse(text: &str, running: &Running) -> Result<Self, TuneError> {
        let form = || TuneError::Form { text: text.to_owned() };
        let (name, value) = text.split_once('=').ok_or_else(form)?;
        let entry = named(name.trim(), running)?;
        if value.trim() == "default" {
            return Self::default_of(entry, running);
        }
        let wrong = |expected: &str| TuneError::Value {
            name: entry.name.clone(),
            text: value.trim().to_owned(),
            expected: expected.to_owned(),
        };
        let value = Value::parse(entry, value).map_err(wrong)?;
        check_bounds(entry, &value)?;
        Ok(Self { entry, value })
    }

    /// Returns the wish for the default of `entry`, as it can be written to the module.
    ///
    /// # Errors
    /// [`TuneError::Derived`] when it depends on the machine and nothing stands for it.
    pub fn default_of(entry: &'static Entry, running: &Running) -> Result<Self, TuneError> {
        let fixed = match running.default_of(entry) {
            Some(DefaultValue::Fixed(value)) => Some(Value::Number(value)),
            Some(DefaultValue::Word(word)) => Some(Value::Word(word.to_owned())),
            _ => None,
        };
        let shown =
            || running.version.and_then(|version| entry.shown_by_default(running.kernel, version));
        let value = fixed.or_else(|| shown().map(Value::Number));
        let rule = match running.default_of(entry) {
            Some(DefaultValue::Derived(rule)) => rule,
            _ => "not known for this version",
        };
        let derived = || TuneError::Derived { name: entry.name.clone(), rule: rule.to_owned() };
        value.map(|value| Self { entry, value }).ok_or_else(derived)
    }
}

/// Returns the parameter called `name`, which the running module must have.
///
/// # Errors
/// [`TuneError`] that says what it may have been, since when it is gone, or where it is.
pub fn named(name: &str, running: &Running) -> Result<&'static Entry, TuneError> {
    let entry = lookup(name).ok_or_else(|| unknown(name, running))?;
    if running.parameters.is_empty() || running.own_name(entry).is_some() {
        return Ok(entry);
    }
    let last = entry.last().filter(|last| running.version.is_none_or(|version| *last < version));
    match last {
        Some(last) if entry.successor.is_some() || entry.gone.is_some() => Err(TuneError::Gone {
            name: entry.name.clone(),
            last: last.to_string(),
            instead: instead(entry.successor.as_deref(), entry.gone.as_deref()),
        }),
        _ => Err(TuneError::Absent { name: entry.name.clone(), versions: entry.versions() }),
    }
}

fn unknown(name: &str, running: &Running) -> TuneError {
    if running.parameters.contains_key(name) {
        return TuneError::Uncharted { name: name.to_owned() };
    }
    if let Some(gone) = gone().iter().find(|gone| gone.name == name) {
        return TuneError::Gone {
            name: name.to_owned(),
            last: gone.to.map(|to| to.to_string()).unwrap_or_default(),
            instead: instead(gone.successor.as_deref(), gone.note.as_deref()),
        };
    }
    let hint = match nearest_of(name, &|entry| {
        running.parameters.is_empty() || running.own_name(entry).is_some()
    }) {
        Some(like) => format!("; did you mean “{like}”?"),
        None => "; arcwright tune list --all names them".to_owned(),
    };
    TuneError::Unknown { name: name.to_owned(), hint }
}

fn instead(successor: Option<&str>, note: Option<&str>) -> String {
    let successor = successor.map(|name| format!("; use {name} instead")).unwrap_or_default();
    let note = note.map(|note| format!(". {}", note.trim_end_matches('.'))).unwrap_or_default();
    successor + &note
}

fn check_bounds(entry: &Entry, value: &Value) -> Result<(), TuneError> {
    let Some(number) = value.number() else { return Ok(()) };
    let most = if entry.unit == Unit::Flag { 1 } else { entry.max.unwrap_or(entry.width.most()) };
    // Zero may mean the default, or be a hazard that the plan names; both say more than a bound.
    let least = entry.min.filter(|_| number > 0).unwrap_or(0);
    if (least..=most).contains(&number) {
        return Ok(());
    }
    let shown = |number: u64| Value::Number(number).shown_exactly(entry.unit);
    Err(TuneError::Bounds {
        name: entry.name.clone(),
        text: value.to_string(),
        bounds: match least {
            0 => format!("at most {}", shown(most)),
            _ => format!("{} to {}", shown(least), shown(most)),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::RequestedSetting;
    use crate::sample::running;

    fn check(version: &str, text: &str, expected: Result<&str, &str>) {
        let got = RequestedSetting::parse(text, &running(version));
        let got = got.map(|request| format!("{}={}", request.entry.name, request.value));
        match expected {
            Ok(request) => assert_eq!(got.as_deref().ok(), Some(request), "{text}: {got:?}"),
            Err(part) => {
                let message = got.map_err(|error| error.to_string());
                assert!(message.as_ref().is_err_and(|e| e.contains(part)), "{text}: {message:?}");
            }
        }
    }

    #[test]
    fn names_of_both_kernels_and_units_are_understood() {
        check("2.1.11", "l2arc_write_max=64MiB", Ok("l2arc_write_max=67108864"));
        check("2.1.11", "vfs.zfs.l2arc.noprefetch = off", Ok("l2arc_noprefetch=0"));
        check("2.1.11", "vfs.zfs.arc_max=8GiB", Ok("zfs_arc_max=8589934592"));
        check("2.3.2", "zfetch_max_distance=default", Ok("zfetch_max_distance=67108864"));
        check("2.3.2", "zfs_arc_max=default", Ok("zfs_arc_max=0"));
    }

    #[test]
    fn what_the_module_lacks_is_named_with_what_to_do_instead() {
        check("2.3.2", "zfs_arc_meta_limit=1GiB", Err("removed: the last version with it is 2.1"));
        check("2.3.2", "zil_slog_limit=1", Err("use zil_slog_bulk instead"));
        check("2.1.11", "zfs_arc_meta_balance=900", Err("it exists in 2.2.0 and later"));
        check("2.3.2", "l2arc_write_mx=1", Err("did you mean “l2arc_write_max”?"));
        check("2.3.2", "zfs_scan_legacy=1", Err("does not know"));
        check("2.3.2", "l2arc_write_max", Err("write NAME=VALUE"));
    }

    #[test]
    fn values_are_checked() {
        check("2.3.2", "l2arc_write_max=quick", Err("expected a number of bytes"));
        check("2.3.2", "l2arc_noprefetch=2", Err("at most 1"));
        check("2.3.2", "zfetch_max_distance=4GiB", Err("out of bounds"));
        check("2.3.2", "zfs_arc_max=1MiB", Err("64 MiB to"));
        check("2.3.2", "zfs_dirty_data_max=default", Err("the default of zfs_dirty_data_max is"));
    }
}
