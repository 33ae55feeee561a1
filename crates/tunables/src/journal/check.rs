//! Whether a line of a journal may be followed: it is data, and may have been written by anybody.

use super::{Action, Entry};
use crate::persist::HOMES;
use crate::{Value, lookup};

/// The largest number of an operation that is taken: what every reader of JSON holds exactly.
pub(super) const OPERATION_MAX: u64 = 1 << 53;
/// Steps of an operation: more than every parameter in every place where one may stand.
pub(super) const STEPS_MAX: u32 = 4096;

impl Entry {
    /// Says why a line is not followed: a journal is data, and only what arcwright itself changes is taken
    /// from it.
    ///
    /// # Errors
    /// What the line asks for, in words that follow its number.
    pub fn check(&self) -> Result<(), String> {
        if self.operation > OPERATION_MAX {
            return Err("has an impossible operation number".to_owned());
        }
        if self.step >= STEPS_MAX {
            return Err("has an impossible step number".to_owned());
        }
        match &self.action {
            Action::Live { name, module, old, new, through, back_through } => {
                let entry = lookup(name).filter(|entry| entry.module.name() == module);
                let entry = entry.ok_or("names an unknown parameter")?;
                let given = [Some(new), through.as_ref(), back_through.as_ref()];
                // What could not be read before is kept as nothing.
                let given =
                    given.into_iter().flatten().chain(Some(old).filter(|old| !old.is_empty()));
                let fits = |text: &String| {
                    Value::parse(entry, text).is_ok() || text.parse::<i64>().is_ok()
                };
                match given.into_iter().all(fits) {
                    true => Ok(()),
                    false => Err(format!("has a value that {name} does not take")),
                }
            }
            Action::File { path, old, new, names } => {
                if !HOMES.contains(&path.as_str()) {
                    return Err("names a file that arcwright does not write".to_owned());
                }
                if !old.iter().chain(new).all(|digest| is_digest(digest)) {
                    return Err("names a text by an invalid digest".to_owned());
                }
                match names.iter().flatten().all(|name| is_name(name)) {
                    true => Ok(()),
                    false => Err("names an invalid setting".to_owned()),
                }
            }
            Action::Middleware { change } => {
                let kinds = ["ZFS", "SYSCTL", "LOADER"];
                let same = change.old.as_ref().is_none_or(|old| old.var == change.var);
                match kinds.contains(&change.kind.as_str()) && same && lookup(&change.var).is_some()
                {
                    true => Ok(()),
                    false => Err("names an unknown setting of the middleware".to_owned()),
                }
            }
        }
    }
}

/// Returns whether a text is the digest of another, and no path.
fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.chars().all(|c| c.is_ascii_hexdigit() && !c.is_ascii_uppercase())
}

/// Returns whether a text may be the name of a setting.
fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 128
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{entry, text};
    use super::super::{Event, Journal};

    #[test]
    fn what_arcwright_would_not_change_is_not_followed() {
        let good = text(&[entry(1, 0, Event::Done)]);
        let check = |from: &str, to: &str, said: &str| {
            assert!(good.contains(from), "{from}");
            let journal = Journal::read(&good.replace(from, to));
            assert_eq!(journal.entries.len(), 0, "{to}");
            assert!(journal.problems[0].contains(said), "{to}: {:?}", journal.problems);
        };
        check("\"name\":\"l2arc_noprefetch\"", "\"name\":\"../x\"", "an unknown parameter");
        check("\"module\":\"zfs\"", "\"module\":\"../../etc\"", "an unknown parameter");
        check("\"old\":\"1\"", "\"old\":\"a\\nb\"", "does not take");
        check(
            "\"operation\":1",
            "\"operation\":18446744073709551615",
            "an impossible operation number",
        );
        let action =
            "\"kind\":\"file\",\"path\":\"P\",\"old\":\"D\",\"new\":null,\"names\":[[\"N\"],[]]";
        let start = good.find("\"kind\"").unwrap();
        let end = good.rfind("}}").unwrap();
        let live = &good[start..end];
        let file = |path: &str, digest: &str, name: &str| {
            action.replace('P', path).replace('D', digest).replace('N', name)
        };
        let digest = "0".repeat(64);
        let own = "/etc/modprobe.d/zz-arcwright.conf";
        let whole = good.replace(live, &file(own, &digest, "zfs_arc_max"));
        assert_eq!(Journal::read(&whole).entries.len(), 1, "{whole}");
        check(live, &file("/../victim", &digest, "zfs_arc_max"), "does not write");
        check(live, &file("/etc/shadow", &digest, "zfs_arc_max"), "does not write");
        check(live, &file(own, "../../../etc/shadow", "zfs_arc_max"), "an invalid digest");
        check(live, &file(own, &digest, "a b"), "an invalid setting");
    }
}
