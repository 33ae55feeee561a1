//! A name at the root of one crate means one thing: no other crate has it at its root.
//!
//! Whoever reads `Histogram` in a file of a third crate need not look which one is meant. Names in public
//! modules are said with their module (`journal::Event`), and what a crate hands on from a lower one is
//! the same thing.

use std::collections::BTreeMap;

use syn::{Item, UseTree, Visibility};

use super::Violation;
use super::syntax::{Code, at};

/// Finds names that two crates have at their roots.
pub(super) fn check(codes: &[Code]) -> Vec<Violation> {
    let mut first: BTreeMap<String, &str> = BTreeMap::new();
    let mut violations = Vec::new();
    for code in codes.iter().filter(|code| is_root(&code.path)) {
        for name in names(&code.file) {
            let Some(other) = first.get(&name.to_string()) else {
                first.insert(name.to_string(), &code.path);
                continue;
            };
            violations.push(Violation {
                place: at(&code.path, name.span()),
                what: format!(
                    "“{name}” is a name of {other} as well; name the one that fits it less for what it is"
                ),
            });
        }
    }
    violations
}

/// Says whether a file is the root of a library.
fn is_root(path: &str) -> bool {
    let name = path.strip_prefix("crates/").and_then(|path| path.strip_suffix("/src/lib.rs"));
    name.is_some_and(|name| !name.contains('/'))
}

/// Returns the types that a root has of its own: those that it makes, and those that it hands out of its
/// modules.
fn names(root: &syn::File) -> Vec<syn::Ident> {
    let mut names = Vec::new();
    for item in &root.items {
        match item {
            Item::Use(item) if is_public(&item.vis) && !is_of_another(&item.tree) => {
                leaves(&item.tree, &mut names);
            }
            Item::Struct(item) if is_public(&item.vis) => names.push(item.ident.clone()),
            Item::Enum(item) if is_public(&item.vis) => names.push(item.ident.clone()),
            Item::Trait(item) if is_public(&item.vis) => names.push(item.ident.clone()),
            Item::Type(item) if is_public(&item.vis) => names.push(item.ident.clone()),
            _ => {}
        }
    }
    names
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Says whether what is handed out is another crate's.
fn is_of_another(tree: &UseTree) -> bool {
    matches!(tree, UseTree::Path(path) if path.ident.to_string().starts_with("arcwright_"))
}

/// Collects the types at the ends of a `use`; functions begin with a small letter, and constants are all
/// capitals.
fn leaves(tree: &UseTree, into: &mut Vec<syn::Ident>) {
    match tree {
        UseTree::Path(path) => leaves(&path.tree, into),
        UseTree::Group(group) => group.items.iter().for_each(|item| leaves(item, into)),
        UseTree::Name(name) if is_type(&name.ident) => into.push(name.ident.clone()),
        UseTree::Rename(rename) if is_type(&rename.rename) => into.push(rename.rename.clone()),
        UseTree::Name(_) | UseTree::Rename(_) | UseTree::Glob(_) => {}
    }
}

fn is_type(name: &syn::Ident) -> bool {
    let name = name.to_string();
    name.starts_with(|c: char| c.is_ascii_uppercase()) && name.contains(|c: char| c.is_lowercase())
}

#[cfg(test)]
mod tests {
    use super::super::{source, syntax};

    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let sources: Vec<_> = files.iter().map(|(path, text)| source(path, text)).collect();
        let (codes, unread) = syntax::parse(&sources);
        assert_eq!(unread, [], "{files:?}");
        let places: Vec<String> =
            super::check(&codes).into_iter().map(|violation| violation.place).collect();
        assert_eq!(places, expected, "{files:?}");
    }

    #[test]
    fn a_name_at_two_roots_is_found() {
        let (a, b) = ("crates/a/src/lib.rs", "crates/b/src/lib.rs");
        check(
            &[(a, "pub use m::{Sum, sum};"), (b, "\npub struct Sum;")],
            &["crates/b/src/lib.rs:2"],
        );
        check(&[(a, "pub use m::{Sum, sum};"), (b, "pub use m::{n::Sums, sum};")], &[]);
        check(
            &[(a, "pub use m::Sum;"), (b, "pub use m::Sums as Sum;")],
            &["crates/b/src/lib.rs:1"],
        );
    }

    #[test]
    fn the_same_thing_and_what_is_inside_are_not() {
        let (a, b) = ("crates/a/src/lib.rs", "crates/b/src/lib.rs");
        check(&[(a, "pub use m::Sum;"), (b, "pub use arcwright_a::Sum;")], &[]);
        check(&[(a, "pub use m::Sum;"), (b, "use m::Sum; pub mod n { pub struct Sum; }")], &[]);
        check(&[(a, "pub struct Sum;"), ("crates/b/src/m.rs", "pub struct Sum;")], &[]);
        check(&[(a, "pub const SUM: u8 = 1;"), (b, "pub use m::SUM;")], &[]);
    }
}
