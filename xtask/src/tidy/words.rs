//! Words that must not stand in the project: leftovers, paths of one machine, wrong terms.

use super::{Source, Violation};

/// A word, where it counts, and what to write instead.
struct Word {
    text: String,
    everywhere: bool,
    instead: &'static str,
}

/// The list; put together from halves so that it does not find itself.
fn words() -> Vec<Word> {
    let word = |halves: [&str; 2], everywhere: bool, instead: &'static str| Word {
        text: halves.concat(),
        everywhere,
        instead,
    };
    vec![
        word(["FIX", "ME"], true, "do it, or say in a sentence what holds today"),
        word(["dbg", "!("], true, "take it out"),
        word(["#[al", "low("], true, "use #[expect] with a reason"),
        word(["/wo", "rk/"], true, "a path of one machine; use a relative one"),
        word(["/ro", "ot/"], true, "a path of one machine; use a relative one"),
        word(["bash", "_jobs"], true, "a path of one machine; use a relative one"),
        word(
            ["\u{a7}", ""],
            true,
            "a section of a page that nobody has; cite docs/model by heading",
        ),
        word(["ZIL ca", "che"], false, "the ZIL is a log"),
        word(["SLOG write ca", "che"], false, "a SLOG is a log device"),
        word(["L2ARC write ca", "che"], false, "the L2ARC caches reads"),
        word(["hit ra", "te"], false, "hit ratio"),
        word(["hangs ", "on"], false, "depends on"),
        word(["old d", "ays"], false, "zfs-fuse 0.7.0, or the releases that are meant"),
    ]
}

/// Finds unwanted words; wrong terms count in documents and comments, not where they are named.
pub(super) fn check(sources: &[Source]) -> Vec<Violation> {
    let words = words();
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| source.path != "GLOSSARY.md") {
        for (number, line) in source.text.lines().enumerate() {
            let prose = source.path.ends_with(".md") || line.trim_start().starts_with("//");
            let wrong = words
                .iter()
                .find(|word| (word.everywhere || prose) && line.contains(word.text.as_str()));
            findings.extend(wrong.map(|word| Violation {
                place: format!("{}:{}", source.path, number + 1),
                what: format!("says “{}”: {}", word.text, word.instead),
            }));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::check;

    #[test]
    fn a_wrong_term_is_found_in_prose_and_not_in_code() {
        let text = ["// the hit ra", "te"].concat();
        assert_eq!(check(&[source("a.rs", &text)]).len(), 1);
        assert_eq!(check(&[source("README.md", &text)]).len(), 1);
        assert!(check(&[source("a.rs", "// the hit ratio")]).is_empty());
        let code = ["let x = \"hit ra", "te\";"].concat();
        assert!(check(&[source("a.rs", &code)]).is_empty());
    }
}
