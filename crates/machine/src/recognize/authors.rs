//! Who wrote which lines of a thread: what another poster shows is of another machine.
//!
//! ```text
//!   ### Post by ann on 2016-10-12        forums, archives of them
//!   ann · comment · 2026-09-16           issues
//!   ann commented on Jan 3, 2021
//!   [–]ann 3 points 2 years ago          Reddit
//!   On Thu, May 16, 2019, ann wrote:     mails; the marked lines below it are hers
//!   > **ann said:**                      a quotation in somebody else's post
//!   ann / New Member / Jan 3, 2021       XenForo: a name, and below it a rank
//! ```

use std::collections::BTreeMap;

use super::clean::{self, Line};
use crate::machine::Reason;
use crate::sources::Source;

/// Authors are told apart up to this many; no thread has more that show anything.
const AUTHORS_MAX: usize = 200;
/// Nobody has a longer name.
const NAME_CHARS_MAX: usize = 40;
/// What forums call those who post, on a line below the name.
const RANKS: [&str; 16] = [
    "new member",
    "member",
    "active member",
    "well-known member",
    "famous member",
    "renowned member",
    "distinguished member",
    "proxmox staff member",
    "dabbler",
    "explorer",
    "contributor",
    "patron",
    "cadet",
    "neophyte sage",
    "hall of famer",
    "guru",
];

/// Who wrote each line.
#[derive(Debug, Default)]
pub(super) struct Authors {
    names: Vec<String>,
    /// By line, from the first on; none above the first mark.
    lines: Vec<Option<usize>>,
}

impl Authors {
    /// Reads the marks of a thread; nothing where it has fewer than two authors.
    pub(super) fn of(text: &str, lines_max: usize) -> Option<Self> {
        let mut authors = Self::default();
        let (mut poster, mut quoted) = (None, None);
        let mut first_of: BTreeMap<&str, Option<usize>> = BTreeMap::new();
        let all: Vec<&str> = text.lines().take(lines_max).collect();
        for (index, line) in all.iter().enumerate() {
            let is_quote = line.trim_start().starts_with('>');
            let next = all.get(index + 1).copied().unwrap_or_default();
            match mark(line, next) {
                Some(Mark::Post(name)) => (poster, quoted) = (authors.number(&name), None),
                Some(Mark::Quote(name)) => quoted = authors.number(&name),
                // A blank line may stand between the mark and what is quoted.
                None if !is_quote && !line.trim().is_empty() => quoted = None,
                None => {}
            }
            let author = if is_quote && quoted.is_some() { quoted } else { poster };
            // A row of figures that stood in an earlier post is quoted, whatever became of its marks.
            let row = line.trim_start_matches(['>', ' ']).trim_end();
            let author = match tells_figures(row) {
                true => *first_of.entry(row).or_insert(author),
                false => author,
            };
            authors.lines.push(author);
        }
        (authors.names.len() > 1).then_some(authors)
    }

    fn number(&mut self, name: &str) -> Option<usize> {
        let name: String = name.to_lowercase();
        let known = self.names.iter().position(|known| *known == name);
        known.or_else(|| {
            (self.names.len() < AUTHORS_MAX).then(|| self.names.push(name))?;
            Some(self.names.len() - 1)
        })
    }

    /// Returns who wrote a line, counted from 1; none above the first mark.
    pub(super) fn of_line(&self, number: usize) -> Option<usize> {
        *self.lines.get(number.checked_sub(1)?)?
    }

    /// Returns the name of an author.
    pub(super) fn name(&self, author: usize) -> &str {
        self.names.get(author).map(String::as_str).unwrap_or_default()
    }

    /// Returns whose machine it is about, by how much was understood of each author: who opened the thread, else who
    /// shows most. None where somebody who is not named shows something, and may be any of them.
    pub(super) fn owner(&self, shown: &[(usize, usize)]) -> Option<usize> {
        let mut sums = vec![0_usize; self.names.len()];
        for (line, letters) in shown {
            *sums.get_mut(self.of_line(*line)?)? += letters;
        }
        let first = sums.first().is_some_and(|sum| *sum > 0);
        let most =
            || sums.iter().enumerate().max_by_key(|(index, sum)| (**sum, usize::MAX - index));
        if first { Some(0) } else { most().map(|(index, _)| index) }
    }
}

/// Returns whether a line has so many figures that two machines do not print the same.
fn tells_figures(line: &str) -> bool {
    const DIGITS_MIN: usize = 7;
    line.chars().filter(|c| matches!(c, '1'..='9')).take(DIGITS_MIN).count() == DIGITS_MIN
}

/// Leaves out of a thread what others than its owner show of machines of their own; returns what is said of it.
///
/// `read` returns the outputs among lines: the first line of each, and how many letters it has.
pub(super) fn leave_others(
    text: &str,
    lines: &mut Vec<Line>,
    read: impl Fn(&[Line]) -> Vec<(usize, usize)>,
) -> Vec<(String, Source)> {
    let Some(authors) = Authors::of(text, clean::LINES_MAX) else { return Vec::new() };
    let outputs = read(lines);
    let Some(owner) = authors.owner(&outputs) else { return Vec::new() };
    let mut others: Vec<(usize, usize)> = Vec::new();
    for (line, _) in outputs {
        let Some(author) = authors.of_line(line).filter(|author| *author != owner) else {
            continue;
        };
        if others.last().is_none_or(|(last, _)| *last != author) {
            others.push((author, line));
        }
    }
    if !others.is_empty() {
        lines.retain(|line| authors.of_line(line.number).is_none_or(|author| author == owner));
    }
    let told = others.into_iter().map(|(author, line)| {
        let words = format!(
            "not read: an output in a post of {}, another machine than that of {}; give it by itself",
            authors.name(author),
            authors.name(owner)
        );
        (format!("pasted line {line}"), Source::Unreadable(Reason::Garbled(words)))
    });
    told.collect()
}

/// What a line says of who wrote what stands below it.
#[derive(Debug, PartialEq, Eq)]
enum Mark {
    Post(String),
    Quote(String),
}

fn mark(line: &str, next: &str) -> Option<Mark> {
    const LENGTH_MAX: usize = 200;
    let plain = line.trim().trim_start_matches(['#', '>', '*', '_', ' ']);
    (!plain.is_empty() && line.len() <= LENGTH_MAX).then_some(())?;
    let ends = plain.trim_end_matches(['*', '_', ' ']);
    if let Some(words) = ends.strip_suffix("said:").or_else(|| ends.strip_suffix("wrote:")) {
        // `On Thu, May 16, 2019 at 5:07 PM Ann Example <ann@example.org> wrote:`
        let name = words.trim().split(" AM ").last()?.split(" PM ").last()?;
        let name = name.split_once('<').map_or(name, |(name, _)| name);
        return name_of(name).map(Mark::Quote);
    }
    post(plain, next).and_then(name_of).map(Mark::Post)
}

/// Returns the name in a mark that opens a post.
fn post<'a>(plain: &'a str, next: &str) -> Option<&'a str> {
    if let Some(rest) = plain.strip_prefix("Post by ").or_else(|| plain.strip_prefix("Posted by "))
    {
        return Some(rest.split_once(" on ").map_or(rest, |(name, _)| name));
    }
    if let Some((name, rest)) = plain.split_once(" · ") {
        let kind = rest.split(" · ").next()?.trim();
        return matches!(kind, "comment" | "reply" | "answer" | "author").then_some(name);
    }
    if let Some(at) = plain.find(" commented") {
        let (name, rest) = plain.split_at_checked(at)?;
        let rest = rest.strip_prefix(" commented")?.trim_end_matches(['*', ':', ' ']);
        return (rest.is_empty() || rest.starts_with(" on ") || rest.ends_with(" ago"))
            .then_some(name);
    }
    if let Some((_, rest)) = plain.split_once("[–]").filter(|(before, _)| before.is_empty()) {
        return rest.split_whitespace().next();
    }
    let rank = next.trim().to_lowercase();
    RANKS.contains(&rank.as_str()).then_some(plain)
}

/// Returns a name without what stands around it; none where it is a sentence or holds numbers alone.
fn name_of(text: &str) -> Option<String> {
    let name = text.trim().trim_matches(['*', '_', '@', ',', '[', ']', '"', ' ']);
    let is_short = !name.is_empty() && name.chars().count() <= NAME_CHARS_MAX;
    let words = name.split_whitespace().count();
    (is_short && words <= 3 && name.chars().any(char::is_alphabetic)).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Authors, Mark, mark};

    #[test]
    fn marks_name_who_wrote() {
        let post = |name: &str| Some(Mark::Post(name.to_owned()));
        let quote = |name: &str| Some(Mark::Quote(name.to_owned()));
        for (line, next, expected) in [
            ("### Post by ann on 2016-10-12", "", post("ann")),
            ("ann · comment · 2026-09-16", "", post("ann")),
            ("openzfs/zfs · issue #5488 · closed", "", None),
            ("**ann** commented on Jan 3, 2021", "", post("ann")),
            ("ann commented 3 weeks ago", "", post("ann")),
            ("I commented out the line", "", None),
            ("[–]ann 3 points 2 years ago", "", post("ann")),
            ("ann", "New Member", post("ann")),
            ("ann", "zpool status", None),
            ("> **ann said:**", "> text", quote("ann")),
            (
                "On Thu, May 16, 2019 at 5:07 PM Ann Example <ann@example.org> wrote:",
                "",
                quote("Ann Example"),
            ),
            ("And that is exactly what the manual page of that version said:", "", None),
        ] {
            assert_eq!(mark(line, next), expected, "{line}");
        }
    }

    #[test]
    fn lines_are_of_who_posted_or_is_quoted() {
        let text = "### Post by ann on 1\na\n### Post by bob on 2\n> ann said:\n> a\nb\n### Post by ann on 3\nc\n";
        let authors = Authors::of(text, 100).unwrap();
        let of: Vec<&str> =
            (1..=8).map(|line| authors.name(authors.of_line(line).unwrap())).collect();
        assert_eq!(of, ["ann", "ann", "bob", "ann", "ann", "bob", "ann", "ann"]);
        assert_eq!(authors.owner(&[(6, 100), (8, 1)]), Some(0));
        assert_eq!(authors.owner(&[(6, 100)]), Some(1));
        let above = Authors::of(&format!("1 2 3\n{text}"), 100).unwrap();
        assert_eq!(above.owner(&[(1, 1), (7, 100)]), None);
        assert!(Authors::of("### Post by ann on 1\na\n", 100).is_none());
    }
}
