//! Every number that the model has a name for says where it comes from, in a table on a page of its own.
//!
//! A constant counts that has a number in its value; what is made of other constants and of sizes of types
//! has its source there. The table has the value as the code has it, so that neither changes alone.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};
use syn::{Expr, Ident, ImplItemConst, ItemConst, ItemFn, ItemMod, Lit};

use super::syntax::{Code, at, is_for_tests, module, test_modules};
use super::{Source, Violation};

/// The table.
const PAGE: &str = "docs/model/constants.md";
/// Whose constants are in it; the model's files are named without this folder.
const MODEL: &str = "crates/model/src/";
const PROCESSORS: &str = "crates/scenario/src/processor.rs";
/// A table that `cargo xtask costs fit` writes, with its own on the page.
const FITTED: &str = "crates/model/src/versions/lock_ops.rs";
/// What a source begins with; the page says what each means.
const KINDS: [&str; 7] = ["kernel", "own", "label", "derived", "measured", "estimate", "fitted"];

pub(super) fn check(codes: &[Code], sources: &[Source]) -> Vec<Violation> {
    let tests = test_modules(codes);
    let is_test = |code: &Code| module(&code.path).is_some_and(|inside| tests.contains(&inside));
    let counts = |code: &&Code| {
        (code.path.starts_with(MODEL) && code.path != FITTED) || code.path == PROCESSORS
    };
    let mut found = Constants::default();
    for code in codes.iter().filter(counts).filter(|code| !is_test(code)) {
        let text = sources.iter().find(|source| source.path == code.path);
        found.lines = text.map(|source| source.text.lines().collect()).unwrap_or_default();
        found.path = &code.path;
        found.visit_file(&code.file);
    }
    let page = sources.iter().find(|source| source.path == PAGE);
    let (rows, mut findings) = page.map(rows).unwrap_or_default();
    for (name, (place, value)) in &found.constants {
        let what = match rows.get(name.as_str()) {
            None => format!("is not in {PAGE}: add `{name}` with its value and its source"),
            Some((_, listed)) if plain(listed) != plain(value) => {
                format!("is {value} here and {listed} in {PAGE}; is its source still right?")
            }
            Some(_) => continue,
        };
        findings.push(Violation { place: place.clone(), what });
    }
    let gone = rows.iter().filter(|(name, _)| !found.constants.contains_key(**name));
    findings.extend(gone.map(|(name, (line, _))| Violation {
        place: format!("{PAGE}:{line}"),
        what: format!("lists {name}, which is not in the code"),
    }));
    findings
}

/// Rows of the table by constant: the line, and the value.
type Rows<'a> = BTreeMap<&'a str, (usize, &'a str)>;

/// Reads the table, and finds rows without a source.
fn rows(page: &Source) -> (Rows<'_>, Vec<Violation>) {
    let (mut rows, mut findings, mut twice) = (Rows::new(), Vec::new(), BTreeSet::new());
    for (line, text) in (1..).zip(page.text.lines()) {
        let cells: Vec<&str> = text.split(" | ").map(str::trim).collect();
        let [name, value, _, _, source] = cells.as_slice() else { continue };
        let Some(name) = name.strip_prefix("| `").and_then(|name| name.strip_suffix('`')) else {
            continue;
        };
        let kind = source.split([' ', ',', ':', ';', '|']).next().unwrap_or_default();
        let mut add = |what: String| {
            findings.push(Violation { place: format!("{PAGE}:{line}"), what });
        };
        if !KINDS.contains(&kind) {
            add(format!("the source of {name} begins with none of {}", KINDS.join(", ")));
        }
        if !twice.insert(name) {
            add(format!("lists {name} twice"));
        }
        rows.insert(name, (line, value.trim_matches('`')));
    }
    (rows, findings)
}

/// Returns a value without what a formatter may change.
fn plain(value: &str) -> String {
    let bare: String = value.chars().filter(|c| !c.is_whitespace()).collect();
    bare.replace(",]", "]").replace(",)", ")")
}

/// The constants of some files, by name: where each stands, and its value.
#[derive(Default)]
struct Constants<'a> {
    path: &'a str,
    lines: Vec<&'a str>,
    constants: BTreeMap<String, (String, String)>,
}

impl Constants<'_> {
    fn look(&mut self, name: &Ident, value: &Expr) {
        let mut numbers = Numbers(false);
        numbers.visit_expr(value);
        if numbers.0 {
            let file = self.path.strip_prefix(MODEL).unwrap_or(self.path);
            let entry = (at(self.path, name.span()), self.text(name.span().start().line));
            self.constants.insert(format!("{file}: {name}"), entry);
        }
    }

    /// Returns the text of the value whose name is on a line: what stands between the equals sign and the
    /// semicolon.
    fn text(&self, line: usize) -> String {
        let text = self.lines.get(line - 1..).unwrap_or_default().join(" ");
        let value = text.split_once('=').map(|(_, value)| value).unwrap_or_default();
        let mut depth = 0;
        let is_within = |c: &char| {
            depth += i32::from("([{".contains(*c)) - i32::from(")]}".contains(*c));
            *c != ';' || depth > 0
        };
        value.chars().take_while(is_within).collect::<String>().trim().to_owned()
    }
}

impl<'ast> Visit<'ast> for Constants<'_> {
    fn visit_item_const(&mut self, item: &'ast ItemConst) {
        if !is_for_tests(&item.attrs) {
            self.look(&item.ident, &item.expr);
        }
    }

    fn visit_impl_item_const(&mut self, item: &'ast ImplItemConst) {
        self.look(&item.ident, &item.expr);
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_fn(self, item);
        }
    }
}

/// Whether there is a number in an expression.
struct Numbers(bool);

impl<'ast> Visit<'ast> for Numbers {
    fn visit_lit(&mut self, literal: &'ast Lit) {
        self.0 |= matches!(literal, Lit::Int(_) | Lit::Float(_));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{source, syntax};

    fn check(code: &str, row: &str, expected: &[&str]) {
        let page = source(super::PAGE, &format!("| constant | value |\n|---|---|\n{row}\n"));
        let sources = [source("crates/model/src/a.rs", code), page];
        let (codes, _) = syntax::parse(&sources);
        let findings = super::check(&codes, &sources);
        let places: Vec<&str> = findings.iter().map(|finding| finding.place.as_str()).collect();
        assert_eq!(places, expected, "{code} {row}");
    }

    #[test]
    fn a_number_and_its_row_need_each_other() {
        const CODE: &str = "const BATCH: usize = 10;";
        let row = |name: &str, value: &str, source: &str| {
            format!("| `a.rs: {name}` | `{value}` | headers | what it is | {source} |")
        };
        check(CODE, &row("BATCH", "10", "kernel: the default of a tunable"), &[]);
        check(CODE, "", &["crates/model/src/a.rs:1"]);
        check(CODE, &row("BATCH", "11", "kernel"), &["crates/model/src/a.rs:1"]);
        check(CODE, &row("BATCH", "10", "somebody"), &["docs/model/constants.md:3"]);
        check("", &row("BATCH", "10", "kernel"), &["docs/model/constants.md:3"]);
        check(
            "fn f() {\n    const A: [u64; 2] =\n        [1, 2];\n}",
            &row("A", "[1, 2]", "own"),
            &[],
        );
        check("impl B { const A: Self = Self(1 << 20); }", &row("A", "Self(1 << 20)", "own"), &[]);
    }

    #[test]
    fn what_has_no_number_and_what_is_for_tests_needs_no_row() {
        check("const A: u64 = B + size_of::<u32>() as u64;", "", &[]);
        check("#[cfg(test)] mod tests { const A: u64 = 1; }", "", &[]);
        let sources = [
            source("crates/model/src/lib.rs", "#[cfg(test)]\nmod vectors;\nmod a;"),
            source("crates/model/src/vectors.rs", "const A: u64 = 1;"),
        ];
        let (codes, _) = syntax::parse(&sources);
        assert_eq!(super::check(&codes, &sources), []);
    }
}
