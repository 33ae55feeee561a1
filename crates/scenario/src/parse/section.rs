//! A table of the file whose keys are known.

use super::tree::{Kind, Node};
use crate::error::{Checked, Fault};

/// A table in which every key is one that may be there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Section<'a> {
    node: &'a Node,
    entries: &'a [Node],
    what: &'a str,
}

impl<'a> Section<'a> {
    /// Checks that every key is among `keys`.
    pub(crate) fn new(
        node: &'a Node,
        entries: &'a [Node],
        what: &'a str,
        keys: &[&str],
    ) -> Checked<Self> {
        match entries.iter().find(|entry| !keys.contains(&entry.name.as_str())) {
            None => Ok(Self { node, entries, what }),
            Some(entry) => {
                let message = format!("unknown key “{}” in {what}", entry.name);
                Err(Fault::at(&entry.key_span, message).nearest(&entry.name, keys))
            }
        }
    }

    /// Returns the value of `key`, when it is there.
    pub(crate) fn get(&self, key: &str) -> Option<&'a Node> {
        self.entries.iter().find(|entry| entry.name == key)
    }

    /// Returns the value of `key`; `example` shows how it would look.
    pub(crate) fn need(&self, key: &str, example: &str) -> Checked<&'a Node> {
        self.get(key).ok_or_else(|| {
            let fault = self.fault(format!("{} lacks “{key}”", self.what));
            fault.help(format!("write for example {example}"))
        })
    }

    /// Returns what `read` makes of the value of `key`, when it is there.
    pub(crate) fn maybe<T>(
        &self,
        key: &str,
        read: impl Fn(&'a Node) -> Checked<T>,
    ) -> Checked<Option<T>> {
        self.get(key).map(read).transpose()
    }

    /// Returns the elements of the list called `key`; none when it is not there.
    pub(crate) fn list(&self, key: &str) -> Checked<&'a [Node]> {
        self.get(key).map_or(Ok(&[]), |node| match &node.kind {
            Kind::Table(_) => {
                let fault = Fault::at(&node.span, format!("“{key}” must be a list"));
                Err(fault.help(format!("write [[{key}]] with two brackets")))
            }
            _ => node.list(),
        })
    }

    /// Returns the keys and values in file order.
    pub(crate) const fn entries(&self) -> &'a [Node] {
        self.entries
    }

    /// Returns a problem with the table as a whole.
    pub(crate) fn fault(&self, message: impl Into<String>) -> Box<Fault> {
        self.node.fault(message)
    }
}
