//! Every Rust file opens with `//!`: what it is.

use super::{Source, Violation};

/// Finds Rust files without a header.
pub(super) fn check(sources: &[Source]) -> Vec<Violation> {
    let bare = |source: &&Source| {
        source.path.ends_with(".rs") && !source.text.trim_start().starts_with("//!")
    };
    let finding = |source: &Source| Violation {
        place: format!("{}:1", source.path),
        what: "has no header; open the file with //! and say what it is".to_owned(),
    };
    sources.iter().filter(bare).map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::check;

    #[test]
    fn a_file_without_a_header_is_found_and_one_with_it_is_not() {
        assert!(check(&[source("a.rs", "//! What it is.\nfn f() {}")]).is_empty());
        assert_eq!(check(&[source("a.rs", "fn f() {}")]).len(), 1);
    }
}
