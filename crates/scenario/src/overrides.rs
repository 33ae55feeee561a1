//! Changes to a scenario file from the command line: `lab.scale=64`, `arm.0.memory=32GiB`.
//!
//! The text is edited before it is parsed, so that an override is checked like the file itself.

use std::str::FromStr as _;

use thiserror::Error;
use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, TableLike, Value};

/// Most parts of a path; the grammar needs no more than six.
const PARTS_MAX: usize = 16;

/// Why an override could not be written into the file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OverrideError {
    /// The file is not TOML, so nothing can be changed in it.
    #[error("the file is not TOML: {reason}")]
    NotToml {
        /// What the TOML parser said.
        reason: String,
    },
    /// The path has an empty part, or too many.
    #[error("“{key}” is not a path; write for example system.memory or arm.0.tunables.zfs_arc_max")]
    NotAPath {
        /// The path as given.
        key: String,
    },
    /// A part of the path leads into something that is neither table nor list.
    #[error("“{key}”: there is nothing below “{part}”")]
    NothingBelow {
        /// The path as given.
        key: String,
        /// The part after which it ends.
        part: String,
    },
    /// A whole table of a list would be replaced.
    #[error("“{key}” is a whole table; name the key in it: {key}.…")]
    WholeTable {
        /// The path as given.
        key: String,
    },
    /// A list has no such element.
    #[error("“{key}”: the list has {count} elements, counted from 0, and no “{part}”")]
    NoElement {
        /// The path as given.
        key: String,
        /// The part that should be an index.
        part: String,
        /// How many elements there are.
        count: usize,
    },
}

/// Returns `text` with the value at the dotted path `key` replaced or added.
///
/// Lists are entered by index, counted from 0, or by the name of the element. A value that is no
/// TOML is taken as text, so that sizes need no quotes.
///
/// # Errors
/// [`OverrideError`] when the text is no TOML or the path does not lead anywhere.
pub fn apply_override(text: &str, key: &str, value: &str) -> Result<String, OverrideError> {
    let not_toml = |error: toml_edit::TomlError| OverrideError::NotToml {
        reason: error.message().trim().to_owned(),
    };
    let mut document = DocumentMut::from_str(text).map_err(not_toml)?;
    let parts = split(key).ok_or_else(|| OverrideError::NotAPath { key: key.to_owned() })?;
    let change = Change { key, value };
    change.table(document.as_table_mut(), &parts)?;
    Ok(document.to_string())
}

/// Splits a path at its dots, except in quoted parts: `reported."as installed"."first read"`.
fn split(key: &str) -> Option<Vec<String>> {
    let mut parts = vec![String::new()];
    let mut quoted = false;
    for c in key.chars() {
        match c {
            '"' => quoted = !quoted,
            '.' if !quoted => parts.push(String::new()),
            c => parts.last_mut()?.push(c),
        }
    }
    let sound = !quoted && parts.iter().all(|part| !part.trim().is_empty());
    (sound && parts.len() <= PARTS_MAX).then_some(parts)
}

/// One override on its way down the document.
#[derive(Debug, Clone, Copy)]
struct Change<'a> {
    key: &'a str,
    value: &'a str,
}

impl Change<'_> {
    fn table(self, table: &mut dyn TableLike, path: &[String]) -> Result<(), OverrideError> {
        let Some((part, rest)) = path.split_first() else { return Ok(()) };
        if rest.is_empty() {
            let value = self.read(part, table.get(part));
            table.insert(part, Item::Value(value));
            return Ok(());
        }
        if !table.contains_key(part) {
            table.insert(part, Item::Value(Value::InlineTable(InlineTable::new())));
        }
        match table.get_mut(part) {
            Some(Item::Table(below)) => self.table(below, rest),
            Some(Item::Value(below)) => self.inside(below, part, rest),
            Some(Item::ArrayOfTables(list)) => self.element(list, rest),
            Some(Item::None) | None => Err(self.nothing_below(part)),
        }
    }

    fn inside(self, value: &mut Value, name: &str, path: &[String]) -> Result<(), OverrideError> {
        match value {
            Value::InlineTable(table) => self.table(table, path),
            Value::Array(list) => {
                let Some((part, rest)) = path.split_first() else { return Ok(()) };
                let (count, named) = (list.len(), |value: &Value| {
                    value.as_inline_table().is_some_and(|table| is_named(table, part))
                });
                let index = part.parse().ok().or_else(|| list.iter().position(named));
                let element = index.and_then(|index: usize| list.get_mut(index));
                let element = element.ok_or_else(|| self.no_element(part, count))?;
                if rest.is_empty() {
                    *element = self.read(part, None);
                    return Ok(());
                }
                self.inside(element, part, rest)
            }
            _ => Err(self.nothing_below(name)),
        }
    }

    fn element(self, list: &mut ArrayOfTables, path: &[String]) -> Result<(), OverrideError> {
        let Some((part, rest)) = path.split_first() else { return Ok(()) };
        if rest.is_empty() {
            return Err(OverrideError::WholeTable { key: self.key.to_owned() });
        }
        let count = list.len();
        let named = || list.iter().position(|table| is_named(table, part));
        let index: Option<usize> = part.parse().ok().or_else(named);
        let table = index.and_then(|index| list.get_mut(index));
        self.table(table.ok_or_else(|| self.no_element(part, count))?, rest)
    }

    /// Reads the new value; versions and names stay text even if they look like numbers.
    fn read(self, part: &str, old: Option<&Item>) -> Value {
        let text = || Value::from(self.value);
        let was_text = old.is_some_and(Item::is_str);
        match self.value.trim().parse::<Value>() {
            Ok(Value::Float(_)) if was_text || ["zfs", "openzfs"].contains(&part) => text(),
            Ok(value) => value,
            Err(_) => text(),
        }
    }

    fn nothing_below(self, part: &str) -> OverrideError {
        OverrideError::NothingBelow { key: self.key.to_owned(), part: part.to_owned() }
    }

    fn no_element(self, part: &str, count: usize) -> OverrideError {
        OverrideError::NoElement { key: self.key.to_owned(), part: part.to_owned(), count }
    }
}

fn is_named(table: &dyn TableLike, name: &str) -> bool {
    table.get("name").and_then(Item::as_str) == Some(name)
}
