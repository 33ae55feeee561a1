//! Files stay small: 400 lines at most, catalogues of data exempt. Functions are clippy's to watch.
//!
//! A ratchet: what is larger today stands in `EXEMPT` with its size, which may only shrink.

use super::{Source, Violation};

const LINES_MAX: usize = 400;
/// Files that are larger, with the most lines they may have.
const EXEMPT: [(&str, usize); 0] = [];

/// Finds Rust files that are too long.
pub(super) fn check(sources: &[Source]) -> Vec<Violation> {
    let long = |source: &Source| {
        let exempt = EXEMPT.iter().find(|(path, _)| *path == source.path);
        let limit = exempt.map_or(LINES_MAX, |(_, limit)| *limit);
        let lines = source.text.lines().count();
        (source.path.ends_with(".rs") && lines > limit).then(|| Violation {
            place: source.path.clone(),
            what: format!("has {lines} lines, {limit} are allowed; split it by nouns"),
        })
    };
    sources.iter().filter_map(long).collect()
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::check;

    #[test]
    fn four_hundred_lines_are_allowed_and_one_more_is_not() {
        assert!(check(&[source("a.rs", &"x\n".repeat(400))]).is_empty());
        assert_eq!(check(&[source("a.rs", &"x\n".repeat(401))]).len(), 1);
    }
}
