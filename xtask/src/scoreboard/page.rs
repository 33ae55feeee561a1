//! The page: totals, a row per class, and every case that is not right, the worst first.

use std::collections::BTreeMap;

use super::Board;
use super::judge::Score;

/// What is counted of some cases.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Totals {
    all: usize,
    recognised: usize,
    right: usize,
    missed: usize,
    wrong: usize,
    harmful: usize,
}

impl Totals {
    fn add(&mut self, score: &Score) {
        self.all += 1;
        self.recognised += usize::from(score.lacking.is_empty());
        self.right += usize::from(score.is_right());
        self.missed += usize::from(!score.missed.is_empty());
        self.wrong += usize::from(!score.wrong.is_empty());
        self.harmful += usize::from(!score.harmful.is_empty());
    }

    fn row(&self, name: &str) -> String {
        let Self { all, recognised, right, missed, wrong, harmful } = self;
        format!("| {name} | {all} | {recognised} | {right} | {missed} | {wrong} | {harmful} |\n")
    }
}

/// Groups of cases, by the first word of their class.
const GROUPS: [(&str, &str); 4] = [
    ("text", "written texts"),
    ("form", "machines as pasted"),
    ("fault", "one fault in a machine"),
    ("less", "one source less"),
];
const HEAD: &str = "| | cases | read whole | right | missed | false | harmful |\n\
                    |---|---|---|---|---|---|---|\n";

fn group(score: &Score) -> &'static str {
    let first = score.class.split(": ").next().unwrap_or_default();
    GROUPS.iter().find(|(key, _)| *key == first).map_or("written texts", |(_, name)| *name)
}

fn counted<'a>(scores: impl Iterator<Item = (&'a str, &'a Score)>) -> BTreeMap<&'a str, Totals> {
    let mut totals: BTreeMap<&str, Totals> = BTreeMap::new();
    scores.for_each(|(name, score)| totals.entry(name).or_default().add(score));
    totals
}

/// Returns the table of totals.
pub(super) fn totals(board: &Board) -> String {
    let totals = counted(board.scores.iter().map(|score| (group(score), score)));
    let rows = GROUPS.iter().filter_map(|(_, name)| Some(totals.get(name)?.row(name)));
    format!("{HEAD}{}", rows.collect::<String>())
}

/// Returns the page.
pub(super) fn page(board: &Board) -> String {
    let mut page = format!("{OPENING}{}", totals(board));
    page.push_str(KINDS);
    page.push_str(HEAD);
    let classes = counted(board.scores.iter().map(|score| (score.class.as_str(), score)));
    for (class, totals) in &classes {
        page.push_str(&totals.row(class));
    }
    page.push_str(SKIPPED);
    for ((fault, why), count) in &board.skipped {
        page.extend([format!("| {fault} | {why} | {count} |\n")]);
    }
    page.push_str(NOT_RIGHT);
    let mut scores: Vec<&Score> = board.scores.iter().collect();
    scores.sort_by_key(|score| score.order());
    for score in scores {
        let reasons = reasons(score);
        if !reasons.is_empty() {
            page.extend([format!("| {} | {} |\n", cell(&score.name), cell(&reasons))]);
        }
    }
    page
}

fn reasons(score: &Score) -> String {
    let lists = [
        ("**harmful**", &score.harmful),
        ("false", &score.wrong),
        ("missed", &score.missed),
        ("not read", &score.lacking),
    ];
    let said = lists.iter().filter(|(_, list)| !list.is_empty());
    said.map(|(name, list)| format!("{name}: {}", list.join("; "))).collect::<Vec<_>>().join(". ")
}

/// Returns text as a cell of a table.
fn cell(text: &str) -> String {
    const CHARS_MAX: usize = 320;
    let mut shown: String = text.chars().take(CHARS_MAX).collect();
    if text.chars().nth(CHARS_MAX).is_some() {
        shown.push('…');
    }
    shown.replace('|', " or ").replace(['\n', '\r', '\t'], " ").replace('<', "&lt;")
}

/// Returns what is worse than a committed page says, group by group.
pub(super) fn worse(committed: &str, board: &Board) -> Vec<String> {
    let (before, now) = (numbers(committed), numbers(&totals(board)));
    let mut worse = Vec::new();
    for (name, before) in before {
        let Some(now) = now.get(&name) else { continue };
        let share = |part: usize, all: usize| part * 10_000 / all.max(1);
        let harm = (now.get(5), before.get(5));
        if let (Some(now), Some(before)) = harm
            && now > before
        {
            worse.push(format!("{name}: {now} harmful, before {before}"));
        }
        let better = [("read whole", 1), ("right", 2)];
        for (what, index) in better {
            let pair = (now.get(index), before.get(index), now.first(), before.first());
            let (Some(n), Some(b), Some(all_now), Some(all_before)) = pair else { continue };
            if share(*n, *all_now) < share(*b, *all_before) {
                worse.push(format!("{name}: {n} of {all_now} {what}, before {b} of {all_before}"));
            }
        }
    }
    worse
}

/// Reads the rows of totals.
fn numbers(page: &str) -> BTreeMap<String, Vec<usize>> {
    let is_group = |name: &str| GROUPS.iter().any(|(_, group)| *group == name);
    let row = |line: &str| {
        let mut cells = line.trim_matches('|').split('|').map(str::trim);
        let name = cells.next().filter(|name| is_group(name))?.to_owned();
        Some((name, cells.filter_map(|cell| cell.parse().ok()).collect()))
    };
    page.lines().filter_map(row).collect()
}

const OPENING: &str = "\
# What doctor makes of texts whose right answer is known

Made by `cargo xtask scoreboard`; a test fails when the totals get worse or more advice does harm.

*Written texts* are posts as people write them, in the formats that tools of OpenZFS 0.6 to 2.4 and of FreeBSD print,
modelled on public threads (`fixtures/pastes`, each with its source and an expert's verdict; prose and numbers are our
own). The others are made from the captured machines of `fixtures/`: *as pasted* in the forms that web pages, mails and
terminals give them; with *one fault* put into their texts; with *one source less*, where no verdict may get better.

*Read whole*: every fact was read, and no line is left over but prose. *Right*: everything that an expert would say is
said, and nothing else calls for a change. *Missed*: something of it is not said. *False*: something else is said, or
taking a source away made something better. *Harmful*: advice that does damage, or “nothing to change” where something is.
A case may be counted in several columns.

These texts are known to those who write the rules: the table shows that nothing gets worse, not how good doctor is. Posts
that nobody here had read were collected several times in November 2026, each with an expert's verdict before doctor saw it,
and what a set showed was mended before the next. In sets 5 to 7, 43 of the 142 texts were rewritten in the form of
the originals, and those of sets 8 and 9 were copied by hand; many are pages of paste sites, whose form was new to doctor, and
posts about caches. Those of set 10 are whole threads and articles, of which a third are questions about the health of pools; sets 11 to 13 are like it, and were scored by
another reader, who held every sentence against the text, and every line that a program printed against what was read. Those of set 14 are blogs, mails and incident reports, those of set 15 mostly threads of issues, those of sets 16 and 17 excerpts of threads and blogs that end within a line, those of sets 18 to 20 for the most part whole posts. The texts are others' prose, and not part of the repository.

| set | texts | read whole | with something definite to say | all of it said | a part | texts of which something false was said | harmful |
|---|---|---|---|---|---|---|---|
| 1 to 3 | 112 | not counted | 78 | 35 | 23 | not counted | 1 |
| 4 | 50 | 41 | 35 | 25 | not counted | 1 | 0 |
| 5 | 58 | 51 | 37 | 24 | 6 | 4 | 2 |
| 6 | 56 | 47 | 30 | 11 | 3 | 3 | 1 |
| 7 | 28 | 24 | 16 | 8 | 6 | 0 | 0 |
| 8 | 24 | 20 | 16 | 9 | 4 | 0 | 0 |
| 9 | 24 | 21 | 16 | 7 | 4 | 0 | 0 |
| 10 | 24 | 13 | 17 | 4 | 9 | 7 | 2 |
| 11 | 24 | 8 | 17 | 0 | 17 | 11 | 3 |
| 12 | 24 | 5 | 20 | 1 | 18 | 6 | 3 |
| 13 | 24 | 8 | 21 | 0 | 18 | 7 | 1 |
| 14 | 24 | 15 | 21 | 2 | 19 | 14 | 0 |
| 15 | 26 | 10 | 26 | 3 | 19 | 21 | 3 |
| 16 | 26 | 7 | 23 | 2 | 22 | 18 | 3 |
| 17 | 26 | 11 | 20 | 1 | 20 | 15 | 2 |
| 18 | 26 | 13 | 20 | 1 | 20 | 18 | 2 |
| 19 | 26 | 12 | 19 | 0 | 19 | 19 | 1 |
| 20 | 26 | 10 | 23 | 0 | 23 | 16 | 0 |

";
const KINDS: &str = "\n## By kind\n\n";
const SKIPPED: &str =
    "\n## Faults that do not apply\n\n| fault | why | machines |\n|---|---|---|\n";
const NOT_RIGHT: &str = "\n## What is not right, worst first\n\n| case | why |\n|---|---|\n";
