//! Pasted `arcstat` (`zarcstat` from 2.4): titles and lines, or lines below a command that names its
//! columns (`arcstat -f time,hits,miss 1`).

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text};
use crate::read::arcstat::{INTERVAL, NAME, columns};

const PROGRAMS: [&str; 4] = ["arcstat", "zarcstat", "arcstat.py", "arcstat.pl"];

/// Takes the lines of an `arcstat`.
pub(super) fn arcstat(lines: &[Line], prompt: &Prompt) -> Option<Taken> {
    if let Some(Folded { count, titles, rows }) = folded(lines) {
        let mut text = titles.join(" ") + "\n";
        if let Some(seconds) = prompt.interval(&PROGRAMS) {
            text.extend([INTERVAL, &seconds.to_string(), "\n"]);
        }
        rows.iter().for_each(|row| text.extend([row, "\n"]));
        let texts = vec![Text { name: NAME.to_owned(), text, again: Again::More }];
        return Some(Taken { lines: count, texts });
    }
    let own = columns::titles(&lines.first()?.text);
    let asked = || {
        let named = PROGRAMS.iter().find_map(|program| prompt.option(program, "-f"));
        named.and_then(columns::titles)
    };
    let open = || prompt.open.columns.as_ref().and_then(|line| columns::titles(line));
    let (titles, is_new) = match (&own, open()) {
        (Some(own), _) => (own.clone(), true),
        (None, Some(open)) => (open, false),
        (None, None) => (asked()?, true),
    };
    let (mut rows, mut count) = (Vec::new(), usize::from(own.is_some()));
    for line in lines.iter().skip(count) {
        // Titles come again every screenful.
        let again = || columns::titles(&line.text).is_some_and(|found| found == titles);
        if columns::row(&titles, &line.text).is_some() {
            rows.push(line.text.trim());
        } else if !again() {
            break;
        }
        count += 1;
    }
    // Titles alone tell that it was an arcstat whose lines an unknown one interrupted.
    (own.is_some() || !rows.is_empty()).then_some(())?;
    let mut text = String::new();
    if is_new {
        text = titles.join(" ") + "\n";
        if let Some(seconds) = prompt.interval(&PROGRAMS) {
            text.extend([INTERVAL, &seconds.to_string(), "\n"]);
        }
    }
    rows.iter().for_each(|row| text.extend([row, "\n"]));
    let texts = vec![Text { name: NAME.to_owned(), text, again: Again::More }];
    Some(Taken { lines: count, texts })
}

/// A table whose lines were broken, put together.
struct Folded {
    /// Lines that it takes.
    count: usize,
    titles: Vec<String>,
    rows: Vec<String>,
}

/// Reads a table whose titles or rows go over several lines each: a mail or a narrow window broke them, or a page has
/// one cell a line.
///
/// ```text
///     time  read  hits  miss          titles, in two lines
///   hit%  arcsz     c
/// 10:00:01    2K    2K   110          a row likewise
///     94   3.2G  3.2G
/// ```
fn folded(lines: &[Line]) -> Option<Folded> {
    const LINES_MAX: usize = 64;
    /// Fewer titles alone on their lines are words of a sentence.
    const TITLES_MIN: usize = 4;
    // Titles that come again are a table of their own.
    let mut all: Vec<&str> = Vec::new();
    let mut above = 0;
    for line in lines.iter().take(LINES_MAX) {
        let is_new = |more: &Vec<&str>| !more.iter().any(|title| all.contains(title));
        let more = columns::titles_in(&line.text).filter(|more| !more.is_empty() && is_new(more));
        let Some(more) = more else { break };
        all.extend(more);
        above += 1;
    }
    let titles = columns::titles(&all.join(" ")).filter(|titles| titles.len() >= TITLES_MIN)?;
    let (mut count, mut rows, mut is_broken) = (above, Vec::new(), above > 1);
    while let Some((row, used)) = row_over_lines(lines.get(count..)?, &titles) {
        is_broken |= used > 1;
        count += used;
        rows.push(row);
    }
    // Where cells are left over one is missing above, and all that follow it stand in another's column.
    let is_cell = |word: &str| word.starts_with(|c: char| c.is_ascii_digit()) || word == "-";
    let is_left = |line: &Line| {
        let mut words = line.text.split_whitespace().peekable();
        words.peek().is_some() && words.all(is_cell)
    };
    let is_whole = !lines.get(count).is_some_and(is_left);
    (is_broken && is_whole && !rows.is_empty()).then_some(Folded { count, titles, rows })
}

/// Returns the row that the first lines have together, and how many of them; none where their cells are more or no row.
fn row_over_lines(lines: &[Line], titles: &[String]) -> Option<(String, usize)> {
    let (mut row, mut cells) = (String::new(), 0);
    for (index, line) in lines.iter().take(titles.len()).enumerate() {
        let width = columns::width(&line.text);
        cells += width;
        if width == 0 || cells > titles.len() {
            return None;
        }
        row.extend([line.text.trim(), " "]);
        if cells == titles.len() {
            let row = row.trim_end().to_owned();
            return columns::row(titles, &row).map(|_| (row, index + 1));
        }
    }
    None
}
