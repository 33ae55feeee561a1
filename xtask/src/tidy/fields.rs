//! A struct has at most 15 fields; what has more is several things.
//!
//! Rows of data are exempt, for their length is the format's: a struct that `serde`, `clap` or `schemars`
//! derives from, or one that C code lays out (`repr(C)`). So are the structs in `MIRRORS`.

use syn::visit::{self, Visit};
use syn::{ItemStruct, Meta};

use super::debts::Breach;
use super::syntax::{Code, at};

const FIELDS_MAX: usize = 15;
/// Derives that make a struct a row of data.
const ROWS: [&str; 6] = ["Deserialize", "Serialize", "JsonSchema", "Args", "Parser", "Subcommand"];
/// Structs with one field for each thing that a text or a library of others has, and what that is.
const MIRRORS: [(&str, &str); 7] = [
    ("crates/device/src/profile/hdd.rs: HddSpec", "a key of the profile each"),
    ("crates/lab/src/zpool/functions.rs: Functions", "a symbol of libzpool each"),
    ("crates/lab/src/zpool/intent_log/functions.rs: LogFunctions", "a symbol of libzpool each"),
    ("crates/machine/src/drive.rs: Drive", "an attribute that SMART or the kernel tells each"),
    ("crates/machine/src/machine.rs: Machine", "a source that is read of a machine each"),
    ("crates/model/src/cache/arc/counters.rs: Counters", "a row of arcstats each"),
    ("crates/tui/src/rates.rs: Counts", "a row of the kstats that are shown each"),
];

/// Finds structs that are too wide.
pub(super) fn check(codes: &[Code]) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for code in codes {
        Structs { path: &code.path, breaches: &mut breaches }.visit_file(&code.file);
    }
    breaches
}

struct Structs<'a> {
    path: &'a str,
    breaches: &'a mut Vec<Breach>,
}

impl<'ast> Visit<'ast> for Structs<'_> {
    fn visit_item_struct(&mut self, item: &'ast ItemStruct) {
        let count = item.fields.len();
        let name = item.ident.to_string();
        let key = format!("{}: {name}", self.path);
        let is_mirror = MIRRORS.iter().any(|(mirror, _)| *mirror == key);
        if count > FIELDS_MAX && !is_row(item) && !is_mirror {
            self.breaches.push(Breach {
                key,
                place: at(self.path, item.ident.span()),
                what: format!(
                    "“{name}” has {count} fields, {FIELDS_MAX} are allowed; group them by what they are about"
                ),
            });
        }
        visit::visit_item_struct(self, item);
    }
}

fn is_row(item: &ItemStruct) -> bool {
    item.attrs.iter().any(|attribute| {
        let Meta::List(list) = &attribute.meta else { return false };
        let arguments = list.tokens.to_string();
        let mut names = arguments.split([',', ':', ' ']).map(str::trim);
        match attribute.path().get_ident().map(ToString::to_string).as_deref() {
            Some("derive") => names.any(|name| ROWS.contains(&name)),
            Some("repr") => names.any(|name| name == "C"),
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    fn check(head: &str, fields: usize, expected: &[&str]) {
        let fields: String = (0..fields).map(|index| format!("f{index}: u8, ")).collect();
        let text = format!("{head} struct Wide {{ {fields} }}");
        let found = super::super::debts::keys(super::check, "crates/a/src/b.rs", &text);
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn fifteen_fields_are_allowed_and_one_more_is_not() {
        check("", 15, &[]);
        check("", 16, &["crates/a/src/b.rs: Wide"]);
        check("#[derive(Debug)] pub(crate)", 16, &["crates/a/src/b.rs: Wide"]);
    }

    #[test]
    fn a_row_of_data_is_as_wide_as_its_format() {
        check("#[derive(Debug, Deserialize)]", 40, &[]);
        check("#[derive(serde::Serialize, Clone)]", 40, &[]);
        check("#[derive(clap::Args)]", 40, &[]);
        check("#[repr(C)]", 40, &[]);
    }
}
