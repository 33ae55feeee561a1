//! The text as a tree of values that know their name and place.
//!
//! TOML writes one thing in several ways (`[table]`, `a.b = 1`, `{ inline }`); here they are alike.

use std::ops::Range;

use toml_edit::{Document, Item, Table, TableLike, Value};

use crate::error::{Checked, Fault};

/// A value of the file.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    /// Its key; that of the list for an element of a list.
    pub(crate) name: String,
    /// Where its key stands, or the value itself when it has none.
    pub(crate) key_span: Range<usize>,
    /// Where it stands.
    pub(crate) span: Range<usize>,
    /// What it is.
    pub(crate) kind: Kind,
}

/// What a value is.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Text(String),
    Integer(i64),
    Float(f64),
    Flag(bool),
    Date,
    List(Vec<Node>),
    Table(Vec<Node>),
}

impl Node {
    /// Reads a TOML text.
    pub(crate) fn parse(text: &str) -> Checked<Self> {
        let document = Document::parse(text).map_err(|error| {
            let span = error.span().unwrap_or(text.len()..text.len());
            Fault::at(&span, format!("the file is not TOML: {}", error.message().trim()))
        })?;
        Ok(table_node("the file", &(0..0), document.as_table()))
    }
}

fn table_node(name: &str, key_span: &Range<usize>, table: &Table) -> Node {
    let span = table.span().unwrap_or_else(|| key_span.clone());
    let kind = Kind::Table(entries(table, key_span));
    Node { name: name.to_owned(), key_span: key_span.clone(), span, kind }
}

fn entries(table: &dyn TableLike, around: &Range<usize>) -> Vec<Node> {
    let entry = |(name, item): (&str, &Item)| {
        let key = table.get_key_value(name).and_then(|(key, _)| key.span());
        item_node(name, &key.unwrap_or_else(|| around.clone()), item)
    };
    table.iter().filter_map(entry).collect()
}

fn item_node(name: &str, key_span: &Range<usize>, item: &Item) -> Option<Node> {
    match item {
        Item::None => None,
        Item::Value(value) => Some(value_node(name, key_span, value)),
        Item::Table(table) => Some(table_node(name, key_span, table)),
        Item::ArrayOfTables(list) => {
            let list = list.iter().map(|table| {
                let span = table.span().unwrap_or_else(|| key_span.clone());
                table_node(name, &span, table)
            });
            let (name, key_span) = (name.to_owned(), key_span.clone());
            let span = key_span.clone();
            Some(Node { name, span, key_span, kind: Kind::List(list.collect()) })
        }
    }
}

fn value_node(name: &str, key_span: &Range<usize>, value: &Value) -> Node {
    let span = value.span().unwrap_or_else(|| key_span.clone());
    let kind = match value {
        Value::String(text) => Kind::Text(text.value().clone()),
        Value::Integer(number) => Kind::Integer(*number.value()),
        Value::Float(number) => Kind::Float(*number.value()),
        Value::Boolean(flag) => Kind::Flag(*flag.value()),
        Value::Datetime(_) => Kind::Date,
        Value::Array(list) => {
            let element = |value: &Value| {
                let span = value.span().unwrap_or_else(|| key_span.clone());
                value_node(name, &span, value)
            };
            Kind::List(list.iter().map(element).collect())
        }
        Value::InlineTable(table) => Kind::Table(entries(table, &span)),
    };
    Node { name: name.to_owned(), key_span: key_span.clone(), span, kind }
}
