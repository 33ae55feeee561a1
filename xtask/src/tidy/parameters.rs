//! A function takes at most five things; the members of a tuple count each, `self` does not.
//!
//! Clippy counts a tuple as one, so that three pairs pass for three parameters. Exempt are functions
//! whose shape somebody else decided: those of a trait's `impl` (they are counted where the trait is
//! declared, if it is ours) and those that C code calls.

use syn::visit::{self, Visit};
use syn::{FnArg, ImplItemFn, ItemFn, ItemImpl, Signature, TraitItemFn, Type};

use super::debts::Breach;
use super::syntax::{Code, at};

const PARAMETERS_MAX: usize = 5;

/// Finds functions that take too much.
pub(super) fn check(codes: &[Code]) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for code in codes {
        let owner = String::new();
        Functions { path: &code.path, owner, in_trait_impl: false, breaches: &mut breaches }
            .visit_file(&code.file);
    }
    breaches
}

struct Functions<'a> {
    path: &'a str,
    /// Type that the methods belong to, and two colons; empty outside of one.
    owner: String,
    in_trait_impl: bool,
    breaches: &'a mut Vec<Breach>,
}

impl Functions<'_> {
    fn look(&mut self, signature: &Signature) {
        let count: usize = signature.inputs.iter().map(parameters).sum();
        if count > PARAMETERS_MAX && signature.abi.is_none() {
            let name = format!("{}{}", self.owner, signature.ident);
            self.breaches.push(Breach {
                key: format!("{}: {name}", self.path),
                place: at(self.path, signature.ident.span()),
                what: format!(
                    "“{name}” takes {count} things, {PARAMETERS_MAX} are allowed, a tuple's members counted; \
                     name those that belong together as a struct"
                ),
            });
        }
    }
}

impl<'ast> Visit<'ast> for Functions<'_> {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        let owner = std::mem::take(&mut self.owner);
        self.look(&item.sig);
        visit::visit_item_fn(self, item);
        self.owner = owner;
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let before = (self.in_trait_impl, std::mem::replace(&mut self.owner, owner(&item.self_ty)));
        self.in_trait_impl = item.trait_.is_some();
        visit::visit_item_impl(self, item);
        (self.in_trait_impl, self.owner) = before;
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        if !self.in_trait_impl {
            self.look(&item.sig);
        }
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        self.look(&item.sig);
        visit::visit_trait_item_fn(self, item);
    }
}

fn owner(of: &Type) -> String {
    match of {
        Type::Path(path) => {
            path.path.segments.last().map(|last| format!("{}::", last.ident)).unwrap_or_default()
        }
        _ => String::new(),
    }
}

fn parameters(argument: &FnArg) -> usize {
    match argument {
        FnArg::Typed(typed) => members(&typed.ty),
        FnArg::Receiver(_) => 0,
    }
}

/// Counts a tuple's members, also behind a reference and within each other.
fn members(of: &Type) -> usize {
    match of {
        Type::Tuple(tuple) => tuple.elems.iter().map(members).sum(),
        Type::Reference(reference) => members(&reference.elem),
        Type::Paren(inner) => members(&inner.elem),
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    fn check(text: &str, expected: &[&str]) {
        let found = super::super::debts::keys(super::check, "a.rs", text);
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn five_parameters_are_allowed_and_one_more_is_not() {
        check("fn f(a: u8, b: u8, c: u8, d: u8, e: u8) {}", &[]);
        check("fn f(a: u8, b: u8, c: u8, d: u8, e: u8, g: u8) {}", &["a.rs: f"]);
        check("impl<T> A<T> { fn f(&self, a: u8, b: u8, c: u8, d: u8, e: u8) {} }", &[]);
        check(
            "impl<T> A<T> { fn f(a: u8, b: u8, c: u8, d: u8, e: u8, g: u8) {} }",
            &["a.rs: A::f"],
        );
    }

    #[test]
    fn members_of_a_tuple_count_each() {
        check("fn f((a, b): (u8, u8), (c, d): (u8, u8), e: u8) {}", &[]);
        check("fn f((a, b): (u8, u8), (c, d): &(u8, u8), (e, g): (u8, u8)) {}", &["a.rs: f"]);
        check("fn f(a: ((u8, u8), (u8, (u8, u8))), b: u8) {}", &["a.rs: f"]);
    }

    #[test]
    fn what_others_decided_is_counted_where_it_was() {
        let six = "fn f(&self, a: u8, b: u8, c: u8, d: u8, e: u8, g: u8)";
        check(&format!("trait T {{ {six}; }}"), &["a.rs: f"]);
        check(&format!("impl T for A {{ {six} {{}} }}"), &[]);
        check("extern \"C\" fn f(a: u8, b: u8, c: u8, d: u8, e: u8, g: u8) {}", &[]);
        check("fn f(a: fn(u8, u8, u8, u8, u8, u8), b: &dyn Fn((u8, u8, u8), u8, u8, u8)) {}", &[]);
    }
}
