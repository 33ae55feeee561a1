//! Titles of `zpool list`, and which columns there are without them.

use crate::nicenum;
use crate::read::status::is_state;

/// Titles and the properties that they stand for; others are a property's own name.
const TITLES: [(&str, &str); 13] = [
    ("NAME", "name"),
    ("SIZE", "size"),
    ("ALLOC", "allocated"),
    ("USED", "allocated"),
    ("FREE", "free"),
    ("AVAIL", "free"),
    ("CKPOINT", "checkpoint"),
    ("EXPANDSZ", "expandsize"),
    ("FRAG", "fragmentation"),
    ("CAP", "capacity"),
    ("DEDUP", "dedupratio"),
    ("HEALTH", "health"),
    ("ALTROOT", "altroot"),
];
/// Titles of which a line must have one: no other table has them.
const TELLING: [&str; 5] = ["SIZE", "ALLOC", "FRAG", "CAP", "HEALTH"];

/// Returns the properties that a line of titles names; none for any other line.
pub(crate) fn titles(line: &str) -> Option<Vec<String>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_title = |word: &&str| {
        word.len() > 1
            && word.chars().all(|c| c.is_ascii_uppercase() || matches!(c, '_' | '@' | '-'))
    };
    let foreign = ["PROPERTY", "REFER", "MOUNTPOINT", "TYPE", "RO", "MAJ:MIN", "ROTA", "STATE"];
    let own = words.contains(&"NAME")
        && words.len() > 1
        && words.iter().all(is_title)
        && words.iter().any(|word| TELLING.contains(word))
        && !words.iter().any(|word| foreign.contains(word));
    let property = |word: &&str| title(word).unwrap_or_else(|| word.to_ascii_lowercase());
    own.then(|| words.iter().map(property).collect())
}

/// Returns the property that a title stands for.
pub(super) fn title(word: &str) -> Option<String> {
    TITLES.iter().find(|(title, _)| *title == word).map(|(_, property)| (*property).to_owned())
}

/// Says whether a line is the rest of titles or of a row that was broken over two lines: it has no name.
pub(crate) fn is_rest(line: &str) -> bool {
    let is_cell = |word: &str| {
        let number =
            word.strip_suffix(['%', 'x']).is_some_and(|number| number.parse::<f64>().is_ok());
        word == "-" || number || is_state(word)
    };
    let words: Vec<&str> = line.split_whitespace().collect();
    let all = |is: &dyn Fn(&str) -> bool| !words.is_empty() && words.iter().all(|word| is(word));
    all(&|word| word != "NAME" && title(word).is_some()) || all(&is_cell)
}

/// Returns whether a line has the form of a pool's row without titles.
pub(crate) fn is_bare(line: &str) -> bool {
    let cells: Vec<&str> = line.split_whitespace().collect();
    let size = |index: usize| cells.get(index).is_some_and(|cell| nicenum::binary(cell).is_some());
    of_count(cells.len()).is_some() && (1..=3).all(size)
}

/// Returns whether a row without titles is like no other table's: behind its sizes it has a ratio and a state.
pub(crate) fn is_telling(line: &str) -> bool {
    let cells = || line.split_whitespace().skip(4);
    let is_ratio =
        |cell: &str| cell.strip_suffix('x').is_some_and(|ratio| ratio.parse::<f64>().is_ok());
    cells().any(is_ratio) && cells().any(is_state)
}

/// Returns the properties of a line without titles by how many columns it has.
pub(super) fn of_count(count: usize) -> Option<Vec<String>> {
    let names: &[&str] = match count {
        7 => &["name", "size", "allocated", "free", "capacity", "health", "altroot"],
        8 => &["name", "size", "allocated", "free", "capacity", "dedupratio", "health", "altroot"],
        10 => &[
            "name",
            "size",
            "allocated",
            "free",
            "",
            "",
            "capacity",
            "dedupratio",
            "health",
            "altroot",
        ],
        11 => &[
            "name",
            "size",
            "allocated",
            "free",
            "checkpoint",
            "expandsize",
            "fragmentation",
            "capacity",
            "dedupratio",
            "health",
            "altroot",
        ],
        _ => return None,
    };
    Some(names.iter().map(|name| (*name).to_owned()).collect())
}
