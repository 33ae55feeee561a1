//! Modules of one crate, and folders of one of its folders, use each other in one direction.
//!
//! A module is a file or a folder of `src`; the root itself, which names them all, and tests are left out.
//! One level deeper, in a folder of `src`, only folders count: files beside each other are parts of one
//! subject.
//! A module uses another where a path leads there: in `use`, in the code, in a macro's arguments; a
//! name that the root hands on counts for the module that it comes from.

mod paths;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::debts::Breach;
use super::syntax::Code;

/// One use of a module by another, where it stands first.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Edge {
    /// Crate, or crate and folder, whose modules they are.
    within: Vec<String>,
    from: String,
    to: String,
    place: String,
}

/// Modules of one crate or folder, and where each uses which first.
type Graph = BTreeMap<String, BTreeMap<String, String>>;

/// Finds uses that are part of a circle.
pub(super) fn check(codes: &[Code]) -> Vec<Breach> {
    let mut graphs: BTreeMap<Vec<String>, Graph> = BTreeMap::new();
    for edge in paths::edges(codes) {
        let graph = graphs.entry(edge.within).or_default();
        graph.entry(edge.from).or_default().entry(edge.to).or_insert(edge.place);
    }
    graphs.iter().flat_map(|(within, graph)| of_folder(&within.join("/"), graph)).collect()
}

fn of_folder(within: &str, graph: &Graph) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for (from, uses) in graph {
        for (to, place) in uses {
            let Some(back) = way(graph, to, from) else { continue };
            breaches.push(Breach {
                key: format!("crates/{within}: {from} -> {to}"),
                place: place.clone(),
                what: format!(
                    "“{from}” uses “{to}”, which leads back: {}; move what both need into a module below both",
                    said(graph, &back)
                ),
            });
        }
    }
    breaches
}

/// Returns the shortest way from one module to another, both named.
fn way<'a>(graph: &'a Graph, from: &'a str, to: &str) -> Option<Vec<&'a str>> {
    let mut seen = BTreeSet::from([from]);
    let mut ways = VecDeque::from([vec![from]]);
    while let Some(way) = ways.pop_front() {
        let last = *way.last()?;
        if last == to {
            return Some(way);
        }
        for next in graph.get(last).into_iter().flat_map(BTreeMap::keys) {
            if seen.insert(next) {
                let mut longer = way.clone();
                longer.push(next);
                ways.push_back(longer);
            }
        }
    }
    None
}

/// Says a way with the place of every use.
fn said(graph: &Graph, way: &[&str]) -> String {
    let uses = way.iter().zip(way.iter().skip(1)).map(|(from, to)| {
        let place = graph.get(*from).and_then(|uses| uses.get(*to));
        format!("{from} → {to} ({})", place.map(String::as_str).unwrap_or_default())
    });
    uses.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::super::syntax::parse;

    /// Files of a crate by name and text, and the uses that are part of a circle.
    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let sources: Vec<_> = files
            .iter()
            .map(|(name, text)| source(&format!("crates/x/src/{name}"), text))
            .collect();
        let (codes, findings) = parse(&sources);
        assert!(findings.is_empty(), "{findings:?}");
        let keys: Vec<String> = super::check(&codes).into_iter().map(|breach| breach.key).collect();
        let key = |key: &&str| match key.split_once(": ") {
            Some((folder, key)) => format!("crates/x/{folder}: {key}"),
            None => format!("crates/x: {key}"),
        };
        let expected: Vec<String> = expected.iter().map(key).collect();
        assert_eq!(keys, expected, "{files:?}");
    }

    const A_USES_B: (&str, &str) = ("a.rs", "use crate::b::B; pub struct A(B);");

    #[test]
    fn one_direction_is_fine_and_two_are_not() {
        check(&[A_USES_B, ("b.rs", "pub struct B;")], &[]);
        let both = ["a -> b", "b -> a"];
        check(&[A_USES_B, ("b.rs", "use crate::a::A;")], &both);
        check(&[A_USES_B, ("b.rs", "use crate::{a::A, c::C};")], &both);
        check(&[A_USES_B, ("b.rs", "fn f() { crate::a::f(); }")], &both);
        check(&[A_USES_B, ("b.rs", "fn f() -> Option<super::a::A> { None }")], &both);
        check(&[A_USES_B, ("b/c.rs", "use super::super::a::A;")], &both);
        check(&[A_USES_B, ("b/mod.rs", "mod inner { use super::super::a::A; }")], &both);
        check(&[A_USES_B, ("b.rs", "fn f() { print!(\"{}\", g(crate::a::A)); }")], &both);
    }

    #[test]
    fn a_circle_goes_over_several_modules_and_names_no_others() {
        let files =
            [A_USES_B, ("b.rs", "use crate::c::C;"), ("c.rs", "use crate::a; use crate::d;")];
        check(&files, &["a -> b", "b -> c", "c -> a"]);
    }

    #[test]
    fn what_the_root_hands_on_counts_for_its_module() {
        let root = ("lib.rs", "mod a; mod b; pub use a::{A, f as g};");
        check(&[root, A_USES_B, ("b.rs", "use crate::A;")], &["a -> b", "b -> a"]);
        check(&[root, A_USES_B, ("b.rs", "fn f() { crate::g(); }")], &["a -> b", "b -> a"]);
        check(&[root, A_USES_B, ("b.rs", "use crate::Unknown;")], &[]);
    }

    #[test]
    fn folders_of_a_folder_use_each_other_in_one_direction() {
        let one = ("a/one/x.rs", "use crate::a::two::y::Y; pub struct X;");
        let two = |text| ("a/two/y.rs", text);
        check(&[one, two("pub struct Y;")], &[]);
        let both = ["a: one -> two", "a: two -> one"];
        check(&[one, two("use crate::a::one::x::X;")], &both);
        check(&[one, two("use super::super::one::x::X;")], &both);
        let root = ("a/mod.rs", "mod one; mod two; pub use one::x::X;");
        check(&[root, one, two("use crate::a::X;")], &both);
    }

    #[test]
    fn files_of_a_folder_may_use_each_other() {
        let both = [("a/one.rs", "use crate::a::two::Y;"), ("a/two.rs", "use super::one::X;")];
        check(&both, &[]);
        // Tests in a folder of their own make no other folder of a file.
        let tests = ("a/one.rs", "use crate::a::two::y::Y; #[cfg(test)] mod tests;");
        let folder = ("a/two/y.rs", "use crate::a::one::X;");
        check(&[tests, ("a/one/tests.rs", ""), folder], &[]);
    }

    #[test]
    fn tests_may_look_where_they_like() {
        let inline = "#[cfg(test)] mod tests { use crate::a::A; }";
        check(&[A_USES_B, ("b.rs", inline)], &[]);
        let outside = ("b/tests.rs", "use crate::a::A;");
        check(&[A_USES_B, ("b.rs", "#[cfg(test)] mod tests;"), outside], &[]);
        check(&[A_USES_B, ("b.rs", "mod tests;"), outside], &["a -> b", "b -> a"]);
    }
}
