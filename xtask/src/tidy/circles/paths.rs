//! Which modules of a folder the paths of a file lead to.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{ItemUse, Macro, Path, UseTree};

use super::super::syntax::{Code, at, attributes, is_for_tests, module, root, test_modules};
use super::Edge;

/// Levels that are looked at: modules of a crate, and the modules of such a module.
const LEVELS: usize = 2;

/// Lists every use of a module by another one of the same folder.
pub(super) fn edges(codes: &[Code]) -> Vec<Edge> {
    let tests = test_modules(codes);
    let folders = folders(codes, &tests);
    let mut edges = Vec::new();
    for code in codes {
        let Some(inside) = module(&code.path) else { continue };
        if tests.iter().any(|test| inside.starts_with(test)) {
            continue;
        }
        Paths { path: &code.path, inside, folders: &folders, edges: &mut edges }
            .visit_file(&code.file);
    }
    edges
}

/// What is in a folder: its modules, and the module that a name comes from which the folder hands on.
#[derive(Default)]
struct Folder {
    modules: BTreeSet<String>,
    names: BTreeMap<String, String>,
}

impl Folder {
    /// The module that a name after the folder's own leads to.
    fn module(&self, name: &String) -> Option<&String> {
        self.modules.get(name).or_else(|| self.names.get(name))
    }
}

/// Folders by their path of modules, which begins with the crate.
type Folders = BTreeMap<Vec<String>, Folder>;

fn folders(codes: &[Code], tests: &BTreeSet<Vec<String>>) -> Folders {
    let mut folders = Folders::new();
    for code in codes {
        let Some(inside) = module(&code.path) else { continue };
        // A folder for tests alone makes a module no folder.
        if tests.iter().any(|test| inside.starts_with(test)) {
            continue;
        }
        for (level, name) in inside.iter().enumerate().skip(1) {
            let folder = inside.iter().take(level).cloned().collect();
            folders.entry(folder).or_default().modules.insert(name.clone());
        }
    }
    for code in codes {
        let Some(inside) = module(&code.path).or_else(|| root(&code.path)) else { continue };
        let Some(folder) = folders.get_mut(&inside) else { continue };
        for item in &code.file.items {
            let syn::Item::Use(item) = item else { continue };
            for imported in leaves(&item.tree) {
                let names = absolute(&inside, &imported.names)
                    .unwrap_or_else(|| inside.iter().chain(&imported.names).cloned().collect());
                let child = names.strip_prefix(inside.as_slice()).and_then(<[String]>::first);
                if let Some(child) = child.filter(|child| folder.modules.contains(*child)) {
                    folder.names.insert(imported.known_as, child.clone());
                }
            }
        }
    }
    folders
}

/// The path from the crate on, of a path that begins with `crate`, `self` or `super` in a module.
fn absolute(inside: &[String], names: &[String]) -> Option<Vec<String>> {
    let mut path: Vec<String> = match names.first()?.as_str() {
        "crate" => inside.iter().take(1).cloned().collect(),
        "self" | "super" => inside.to_vec(),
        _ => return None,
    };
    for name in names {
        match name.as_str() {
            "crate" | "self" => {}
            "super" => drop(path.pop()),
            _ => path.push(name.clone()),
        }
    }
    Some(path)
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
    folders: &'a Folders,
    edges: &'a mut Vec<Edge>,
}

impl Paths<'_> {
    fn follow(&mut self, names: &[String], span: Span) {
        let Some(names) = absolute(&self.inside, names) else { return };
        for level in 1..=LEVELS {
            let (Some(within), Some(from)) = (self.inside.get(..level), self.inside.get(level))
            else {
                return;
            };
            let (Some(folder), Some(name)) = (self.folders.get(within), names.get(level)) else {
                return;
            };
            let Some(to) = folder.module(name) else { return };
            if to != from {
                if level > 1 && ![from, to].iter().all(|module| self.is_folder(within, module)) {
                    return;
                }
                let place = at(self.path, span);
                let (within, from, to) = (within.to_vec(), from.clone(), to.clone());
                self.edges.push(Edge { within, from, to, place });
                return;
            }
        }
    }

    fn is_folder(&self, within: &[String], module: &str) -> bool {
        self.folders.contains_key(&[within, &[module.to_owned()]].concat())
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
