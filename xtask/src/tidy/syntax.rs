//! The project's Rust files as syntax trees, read once for every rule that looks at structure.

use std::collections::BTreeSet;

use proc_macro2::Span;
use syn::{Attribute, Item};

use super::{Source, Violation};

/// A Rust file as a tree.
pub(super) struct Code {
    /// Path from the workspace's root.
    pub(super) path: String,
    /// What is in it.
    pub(super) file: syn::File,
}

/// Reads every Rust file, and names those that are none.
pub(super) fn parse(sources: &[Source]) -> (Vec<Code>, Vec<Violation>) {
    let mut codes = Vec::new();
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| source.path.ends_with(".rs")) {
        match syn::parse_file(&source.text) {
            Ok(file) => codes.push(Code { path: source.path.clone(), file }),
            Err(error) => findings.push(Violation {
                place: at(&source.path, error.span()),
                what: format!("is not read as Rust: {error}"),
            }),
        }
    }
    (codes, findings)
}

/// Says where a piece of code begins: `crates/x/src/a.rs:12`.
pub(super) fn at(path: &str, span: Span) -> String {
    format!("{path}:{}", span.start().line)
}

/// Says whether an item is compiled for tests alone.
pub(super) fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Ident>().is_ok_and(|option| option == "test")
    })
}

/// Attributes of an item that can be compiled for tests alone.
pub(super) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Where a file stands among its crate's modules; nothing for a root, a binary, an example, a test.
///
/// `crates/x/src/a/b.rs` is `["x", "a", "b"]`.
pub(super) fn module(path: &str) -> Option<Vec<String>> {
    let (krate, inside) = path.strip_prefix("crates/")?.split_once("/src/")?;
    let inside = inside.strip_suffix(".rs")?;
    let inside = inside.strip_suffix("/mod").unwrap_or(inside);
    let names = [krate].into_iter().chain(inside.split('/')).map(str::to_owned);
    let is_root = ["lib", "main"].contains(&inside) || inside.starts_with("bin/");
    (!is_root).then(|| names.collect())
}

/// The crate whose root a file is, as a path of modules.
pub(super) fn root(path: &str) -> Option<Vec<String>> {
    let (krate, inside) = path.strip_prefix("crates/")?.split_once("/src/")?;
    ["lib.rs", "main.rs"].contains(&inside).then(|| vec![krate.to_owned()])
}

/// Modules that are compiled for tests alone, and stand in files of their own.
pub(super) fn test_modules(codes: &[Code]) -> BTreeSet<Vec<String>> {
    let mut modules = BTreeSet::new();
    for code in codes {
        let Some(inside) = module(&code.path).or_else(|| root(&code.path)) else { continue };
        for item in &code.file.items {
            if let Item::Mod(child) = item
                && is_for_tests(&child.attrs)
            {
                let mut path = inside.clone();
                path.push(child.ident.to_string());
                modules.insert(path);
            }
        }
    }
    modules
}
