//! Pasted `arcstat` (`zarcstat` from 2.4): titles and lines, or lines below a command that names its
//! columns (`arcstat -f time,hits,miss 1`).

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text};
use crate::read::arcstat::{INTERVAL, NAME, columns};

const PROGRAMS: [&str; 4] = ["arcstat", "zarcstat", "arcstat.py", "arcstat.pl"];

/// Takes the lines of an `arcstat`.
pub(super) fn arcstat(lines: &[Line], prompt: &Prompt) -> Option<Taken> {
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
