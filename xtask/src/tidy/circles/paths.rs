//! Which top-level modules the paths of a file lead to.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{ItemUse, Macro, Path, UseTree};

use super::super::syntax::{Code, at, attributes, is_for_tests, module, test_modules};
use super::Edge;

/// Lists every use of a module by another one of its crate.
pub(super) fn edges(codes: &[Code]) -> Vec<Edge> {
    let roots = roots(codes);
    let tests = test_modules(codes);
    let mut edges = Vec::new();
    for code in codes {
        let Some(inside) = module(&code.path) else { continue };
        if tests.iter().any(|test| inside.starts_with(test)) {
            continue;
        }
        let Some(root) = inside.first().and_then(|krate| roots.get(krate)) else { continue };
        Paths { path: &code.path, inside, root, edges: &mut edges }.visit_file(&code.file);
    }
    edges
}

/// A crate's root: its modules, and the module that a name comes from which it hands on.
#[derive(Default)]
struct Root {
    modules: BTreeSet<String>,
    names: BTreeMap<String, String>,
}

fn roots(codes: &[Code]) -> BTreeMap<String, Root> {
    let mut roots: BTreeMap<String, Root> = BTreeMap::new();
    for code in codes {
        if let Some([krate, top, ..]) = module(&code.path).as_deref() {
            roots.entry(krate.clone()).or_default().modules.insert(top.clone());
        }
    }
    for (krate, root) in &mut roots {
        let path = |name: &str| format!("crates/{krate}/src/{name}.rs");
        let files = codes.iter().filter(|code| [path("lib"), path("main")].contains(&code.path));
        for item in files.flat_map(|code| &code.file.items) {
            let syn::Item::Use(item) = item else { continue };
            for imported in leaves(&item.tree) {
                let mut names =
                    imported.names.iter().filter(|name| *name != "crate" && *name != "self");
                if let Some(first) = names.next().filter(|first| root.modules.contains(*first)) {
                    root.names.insert(imported.known_as, first.clone());
                }
            }
        }
    }
    roots
}

/// One name that a `use` brings.
struct Imported {
    names: Vec<String>,
    known_as: String,
    span: Span,
}

fn leaves(tree: &UseTree) -> Vec<Imported> {
    let leaf = |ident: &Ident, known_as: &Ident| Imported {
        names: vec![ident.to_string()],
        known_as: known_as.to_string(),
        span: ident.span(),
    };
    match tree {
        UseTree::Path(path) => {
            let mut leaves = leaves(&path.tree);
            for one in &mut leaves {
                one.names.insert(0, path.ident.to_string());
            }
            leaves
        }
        UseTree::Name(name) => vec![leaf(&name.ident, &name.ident)],
        UseTree::Rename(rename) => vec![leaf(&rename.ident, &rename.rename)],
        UseTree::Group(group) => group.items.iter().flat_map(leaves).collect(),
        UseTree::Glob(all) => {
            let span = all.star_token.spans[0];
            vec![Imported { names: Vec::new(), known_as: String::new(), span }]
        }
    }
}

struct Paths<'a> {
    path: &'a str,
    /// Crate and module that is being read.
    inside: Vec<String>,
    root: &'a Root,
    edges: &'a mut Vec<Edge>,
}

impl Paths<'_> {
    fn follow(&mut self, names: &[String], span: Span) {
        let [krate, from, ..] = self.inside.as_slice() else { return };
        let to = self.target(names).filter(|to| to != from);
        self.edges.extend(to.map(|to| Edge {
            krate: krate.clone(),
            from: from.clone(),
            to,
            place: at(self.path, span),
        }));
    }

    /// The top-level module that a path leads to.
    fn target(&self, names: &[String]) -> Option<String> {
        let mut base: Vec<&String> = match names.first()?.as_str() {
            "crate" => Vec::new(),
            "self" | "super" => self.inside.iter().skip(1).collect(),
            _ => return None,
        };
        for name in names {
            match name.as_str() {
                "crate" | "self" => {}
                "super" => drop(base.pop()),
                _ => base.push(name),
            }
        }
        let first = *base.first()?;
        let module = self.root.modules.get(first);
        module.or_else(|| self.root.names.get(first)).cloned()
    }
}

impl<'ast> Visit<'ast> for Paths<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if !is_for_tests(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_for_tests(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.inside.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.inside.pop();
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        for imported in leaves(&item.tree) {
            self.follow(&imported.names, imported.span);
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        let names: Vec<String> =
            path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if let Some(first) = path.segments.first() {
            self.follow(&names, first.ident.span());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast Macro) {
        for (names, span) in written(&item.tokens) {
            self.follow(&names, span);
        }
    }
}

/// Paths among a macro's tokens: names with two colons between them.
fn written(tokens: &TokenStream) -> Vec<(Vec<String>, Span)> {
    let mut found = Vec::new();
    let mut current: Option<(Vec<String>, Span)> = None;
    let mut colons = 0;
    for token in tokens.clone() {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
            TokenTree::Ident(name) => {
                match &mut current {
                    Some((names, _)) if colons == 2 => names.push(name.to_string()),
                    _ => {
                        let next = (vec![name.to_string()], name.span());
                        found.extend(current.replace(next));
                    }
                }
                colons = 0;
            }
            other => {
                found.extend(current.take());
                colons = 0;
                if let TokenTree::Group(group) = other {
                    found.extend(written(&group.stream()));
                }
            }
        }
    }
    found.extend(current);
    found
}
