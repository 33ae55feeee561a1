//! TrueNAS keeps settings in its own database; its middleware writes the files from there, so that a
//! file written by hand is lost. Settings are made, changed and taken back by calling it.
//!
//! SCALE knows the type `ZFS` (sets the parameter at once and at boot), CORE `SYSCTL` and `LOADER`
//! (truenas/middleware: src/middlewared/middlewared/plugins/tunable).

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Command, Platform};

/// A setting as the middleware keeps it (`tunable.query`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct Record {
    /// Its number.
    pub id: u64,
    /// `ZFS`, `SYSCTL`, `LOADER`, `UDEV` or `RC`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The parameter.
    pub var: String,
    /// Its value.
    pub value: String,
    /// The owner's remark.
    #[serde(default)]
    pub comment: String,
    /// Whether it is in force.
    pub enabled: bool,
}

/// A change of the middleware's settings, with what was there before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct Change {
    /// The type of the setting.
    pub kind: String,
    /// The parameter.
    pub var: String,
    /// What was there; none when nothing was.
    pub old: Option<Record>,
    /// What is to be there; none to take it out.
    pub new: Option<String>,
    /// The remark that goes with it.
    pub comment: String,
}

impl Change {
    /// Returns the change that sets `var`, given what is there.
    #[must_use]
    pub fn set(kind: &str, var: &str, value: &str, (comment, there): (&str, &[Record])) -> Self {
        Self {
            kind: kind.to_owned(),
            var: var.to_owned(),
            old: there.iter().find(|record| record.var == var).cloned(),
            new: Some(value.to_owned()),
            comment: comment.to_owned(),
        }
    }

    /// Returns the type that a parameter has on `platform`.
    #[must_use]
    pub fn kind_on(platform: Platform, live: bool) -> &'static str {
        match (platform, live) {
            (Platform::TruenasCore, true) => "SYSCTL",
            (Platform::TruenasCore, false) => "LOADER",
            _ => "ZFS",
        }
    }

    /// Returns the call that asks what is there.
    #[must_use]
    pub fn query() -> Command {
        Command::new(&["midclt", "call", "tunable.query"])
    }

    /// Returns the call that makes the change.
    #[must_use]
    pub fn apply(&self) -> Command {
        match (&self.old, &self.new) {
            (None, Some(value)) => call("tunable.create", &[self.fresh(value)]),
            (Some(old), Some(value)) => {
                let new = json!({ "value": value, "comment": self.comment, "enabled": true });
                call("tunable.update", &[json!(old.id), new])
            }
            (Some(old), None) => call("tunable.delete", &[json!(old.id)]),
            (None, None) => Self::query(),
        }
    }

    /// Returns the call that takes the change back; `there` is what is there now.
    ///
    /// None when it is back already.
    #[must_use]
    pub fn undo(&self, there: &[Record]) -> Option<Command> {
        let now = there.iter().find(|record| record.var == self.var);
        match (&self.old, now) {
            (None, Some(now)) => Some(call("tunable.delete", &[json!(now.id)])),
            (Some(old), Some(now)) if old == now => None,
            (Some(old), Some(now)) => {
                let back = json!({
                    "value": old.value, "comment": old.comment, "enabled": old.enabled
                });
                Some(call("tunable.update", &[json!(now.id), back]))
            }
            (Some(old), None) => Some(call(
                "tunable.create",
                &[json!({
                    "type": old.kind, "var": old.var, "value": old.value,
                    "comment": old.comment, "enabled": old.enabled
                })],
            )),
            (None, None) => None,
        }
    }

    /// Says whether `there` is as the change wants it.
    #[must_use]
    pub fn holds(&self, there: &[Record]) -> bool {
        let now = there.iter().find(|record| record.var == self.var);
        match (&self.new, now) {
            (None, now) => now.is_none(),
            (Some(value), Some(now)) => now.enabled && now.value == *value,
            (Some(_), None) => false,
        }
    }

    fn fresh(&self, value: &str) -> serde_json::Value {
        let mut record = json!({
            "type": self.kind, "var": self.var, "value": value, "comment": self.comment,
            "enabled": true,
        });
        if self.kind == "ZFS"
            && let Some(fields) = record.as_object_mut()
        {
            fields.insert("update_initramfs".to_owned(), json!(true));
        }
        record
    }
}

/// Creating, changing and deleting are jobs; `-j` waits for their end.
fn call(method: &str, arguments: &[serde_json::Value]) -> Command {
    let mut command = Command::new(&["midclt", "call", "-j", method]);
    command.words.extend(arguments.iter().map(ToString::to_string));
    command
}

#[cfg(test)]
mod tests {
    use super::{Change, Record};

    fn there(value: &str) -> Record {
        Record {
            id: 7,
            kind: "ZFS".to_owned(),
            var: "l2arc_noprefetch".to_owned(),
            value: value.to_owned(),
            comment: "mine".to_owned(),
            enabled: true,
        }
    }

    fn change(there: &[Record]) -> Change {
        Change::set("ZFS", "l2arc_noprefetch", "0", ("by arcwright", there))
    }

    #[test]
    fn what_is_not_there_is_made_and_taken_out_again() {
        let change = change(&[]);
        assert_eq!(
            change.apply().to_string(),
            r#"midclt call -j tunable.create '{"comment":"by arcwright","enabled":true,"type":"ZFS","update_initramfs":true,"value":"0","var":"l2arc_noprefetch"}'"#
        );
        assert!(!change.holds(&[]) && change.holds(&[there("0")]));
        let undo = change.undo(&[there("0")]).unwrap();
        assert_eq!(undo.to_string(), "midclt call -j tunable.delete 7");
        assert_eq!(change.undo(&[]), None);
    }

    #[test]
    fn what_is_there_is_changed_and_put_back() {
        let change = change(&[there("1")]);
        assert!(change.apply().words.contains(&"tunable.update".to_owned()));
        let undo = change.undo(&[there("0")]).unwrap();
        assert_eq!(
            undo.to_string(),
            r#"midclt call -j tunable.update 7 '{"comment":"mine","enabled":true,"value":"1"}'"#
        );
        assert_eq!(change.undo(&[there("1")]), None);
        let again = change.undo(&[]).unwrap();
        assert!(again.words.contains(&"tunable.create".to_owned()));
    }
}
