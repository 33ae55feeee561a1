//! The list of retired words, as GLOSSARY.md has it, and when a name has one of them in it.

/// Where the list is.
pub(super) const GLOSSARY: &str = "GLOSSARY.md";

/// Where a word counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Word,
    Part,
    Type,
    Function,
    File,
}

/// A word that is not said any more.
pub(super) struct Term {
    pub(super) text: String,
    pub(super) place: Place,
    pub(super) instead: String,
    /// Its own parts: one for `luck`, two for `by_core`.
    pub(super) parts: Vec<String>,
    /// It counts only as it stands.
    has_capital: bool,
}

/// Reads the rows `| retired | where | instead |` that name a place.
pub(super) fn read(glossary: &str) -> Vec<Term> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.strip_prefix('|')?.split('|').map(str::trim).collect();
        let [text, place, instead, ..] = cells.as_slice() else { return None };
        let place = match *place {
            "word" => Place::Word,
            "part" => Place::Part,
            "type" => Place::Type,
            "function" => Place::Function,
            "file" => Place::File,
            _ => return None,
        };
        let text = text.trim_matches('`').to_owned();
        let has_capital = text.contains(char::is_uppercase);
        Some(Term { parts: parts(&text), has_capital, text, place, instead: (*instead).to_owned() })
    };
    glossary.lines().filter_map(row).collect()
}

impl Term {
    /// Says whether a name of these parts has the term in it, all of its own in a row.
    pub(super) fn is_among(&self, parts: &[String]) -> bool {
        let is_same = |a: &String, b: &String| match self.has_capital {
            true => a == b,
            false => a.eq_ignore_ascii_case(b),
        };
        let is_here =
            |window: &[String]| window.iter().zip(&self.parts).all(|(a, b)| is_same(a, b));
        parts.windows(self.parts.len()).any(is_here)
    }
}

/// Cuts a name at `_` and before capitals: `ByCore_2` is `By`, `Core`, `2`; `ARC_MAX` is `ARC`, `MAX`.
pub(super) fn parts(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for piece in name.split('_').filter(|piece| !piece.is_empty()) {
        let mut part = String::new();
        let mut before_is_small = false;
        for letter in piece.chars() {
            if letter.is_uppercase() && before_is_small {
                parts.push(std::mem::take(&mut part));
            }
            part.push(letter);
            before_is_small = letter.is_lowercase() || letter.is_ascii_digit();
        }
        parts.push(part);
    }
    parts
}
