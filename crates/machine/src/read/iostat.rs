//! `zpool iostat` in its forms of 0.7 to 2.4: plain, `-v`, `-l`, `-q`, with and without `-H` and `-p`;
//! histograms (`-w`, `-r`) stand in a file of their own.
//!
//! With `-H` there are no titles: how many columns there are tells which they are (see `columns.rs`),
//! and vdevs are not indented, so the names of pools must be known to tell them apart. Without it the
//! titles tell, and indentation. A row that a forum broke goes on below; of one that it cut, the last value
//! is left out, for it may be half of one. Several reports one after the other begin with the same pool again;
//! the first of them counts since the pool was imported, unless `-y` left it out.

mod columns;
mod flat;
mod histograms;
mod series;

use std::collections::BTreeMap;

use super::list::Row;
use super::properties::POOLS_MAX;
use super::status::class_of;
use crate::pool::Class;
use crate::sample::LeafIo;
use columns::Column;
use series::Series;

/// What vdevs did by pool and vdev, the pool itself by its own name.
pub(crate) type Report = BTreeMap<String, BTreeMap<String, LeafIo>>;

/// What was asked of `zpool iostat`, as far as it is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RequestedColumns {
    /// `-l` was given.
    pub(crate) waits: bool,
    /// `-q` was given.
    pub(crate) queues: bool,
}

/// Reports in their order, and lines that are none of any with their number.
#[derive(Debug, Default)]
pub(crate) struct Reports {
    pub(crate) series: Series,
    pub(crate) strays: Vec<(usize, String)>,
    /// The rows of the first report below titles: indented as the vdevs are built.
    pub(super) rows: Vec<Row>,
}

/// Reads the text of `zpool iostat`; `pools` are the names of pools as far as they are known.
pub(crate) fn parse(text: &str, pools: &[&str], asked: RequestedColumns) -> Reports {
    match histograms::are_in(text) {
        true => histograms::parse(text, pools),
        false => Tables { pools, asked, ..Tables::default() }.read(text),
    }
}

#[derive(Default)]
struct Tables<'a> {
    pools: &'a [&'a str],
    asked: RequestedColumns,
    /// Those that titles announce; none before the first title.
    titled: Option<Vec<Column>>,
    found: Reports,
    pool: Option<String>,
    groups: usize,
    class: Class,
    /// Spaces before the lower titles: those of a text that is indented as a whole.
    base: usize,
    /// A row that has fewer values than titles, with its number: the rest may follow below it.
    short: Option<(usize, String)>,
    /// Whether a row had all of its values.
    has_whole: bool,
    /// Where a page took the indentation: whether a rule or titles stand right above.
    flat: Option<bool>,
}

impl Tables<'_> {
    fn read(mut self, text: &str) -> Reports {
        let is_flat = flat::is_flat(text);
        let mut begins = false;
        for (index, line) in text.lines().enumerate() {
            self.flat = is_flat.then_some(begins);
            begins = is_flat && (flat::begins_pool(line) || begins && line.trim().is_empty());
            if let Some(columns) = columns::of_titles(line) {
                self.end_short();
                self.titled = Some(columns);
            } else if let Some(columns) = columns::of_lower_titles(line) {
                self.end_short();
                self.base = indent_of(line);
                // Above it the upper titles may be missing or cut.
                let known = self.titled.as_ref().map_or(0, Vec::len);
                self.titled =
                    self.titled.take().filter(|_| known >= columns.len()).or(Some(columns));
            } else if !is_ornament(line) {
                self.line(index + 1, line);
            }
        }
        // A row that is shorter than those above it, and the last line: there the text ends.
        let last = last_line(text);
        let is_last = |(number, _): &(usize, String)| last.is_some_and(|(last, _)| last == *number);
        let torn = self.short.clone().filter(|short| self.has_whole && is_last(short));
        self.end_short();
        self.found.strays.extend(torn.filter(|torn| !self.found.strays.contains(torn)));
        self.found
    }

    fn line(&mut self, number: usize, line: &str) {
        let only_values = line.split_whitespace().all(columns::is_value);
        if let Some((begun, start)) = self.short.take_if(|_| only_values) {
            let whole = format!("{start} {}", line.trim());
            if !self.row(&whole) {
                self.short = Some((begun, whole));
            }
            return;
        }
        self.end_short();
        if self.row(line) {
            return;
        }
        if self.is_short(line) {
            self.short = Some((number, line.to_owned()));
        } else {
            self.found.strays.push((number, line.trim_end().to_owned()));
        }
    }

    /// Returns whether a line may be the beginning of a row: a name, and values but not all.
    fn is_short(&self, line: &str) -> bool {
        let mut words = line.split_whitespace();
        let named = words.next().is_some_and(|name| !columns::is_value(name));
        self.titled.is_some() && named && words.all(columns::is_value)
    }

    /// Takes what was cut off at the right, without its last value, which may be half of one.
    fn end_short(&mut self) {
        const VALUES_MIN: usize = 3;
        let Some((number, line)) = self.short.take() else { return };
        let Some(columns) = self.titled.clone() else { return };
        let count = line.split_whitespace().count().saturating_sub(2);
        let enough = count >= VALUES_MIN;
        self.titled = columns.get(..count).filter(|_| enough).map(<[Column]>::to_vec);
        if !(enough && self.row(&line)) {
            self.found.strays.push((number, line.trim_end().to_owned()));
        }
        self.titled = Some(columns);
    }

    /// Takes a row; whether it was one.
    fn row(&mut self, line: &str) -> bool {
        let indented = indent_of(line) > self.base;
        let words: Vec<&str> = match line.contains('\t') {
            true => line.split('\t').map(str::trim).collect(),
            false => line.split_whitespace().collect(),
        };
        let Some((name, values)) = words.split_first() else { return true };
        let is_value = |word: &&str| columns::is_value(word);
        let count = values.iter().take_while(|word| is_value(word)).count();
        let columns = match &self.titled {
            Some(columns) if count >= columns.len() => {
                self.has_whole |= values.iter().any(|word| *word != "-");
                columns.clone()
            }
            Some(columns) => return self.spaced_row(&words, columns.clone(), indented),
            None => match columns::of_count(count, self.asked) {
                Some(columns) => columns,
                None => return false,
            },
        };
        if values.iter().take(columns.len()).all(|word| *word == "-") {
            // The heading of a class (`logs  -  -  -`), or a spare that does nothing.
            self.class = class_of(name).unwrap_or(self.class);
            return true;
        }
        // Of a device whose pool is not named nobody knows whose it is.
        if indented && self.flat.is_none() && self.pool.is_none() && self.titled.is_some() {
            return false;
        }
        self.place(name, (indented, values), columns::row(&columns, values));
        true
    }

    /// Takes a row whose name holds spaces: all values stand at its end.
    fn spaced_row(&mut self, words: &[&str], columns: Vec<Column>, indented: bool) -> bool {
        let Some(at) = words.len().checked_sub(columns.len()).filter(|at| *at > 1) else {
            return false;
        };
        let Some((name, values)) = words.split_at_checked(at) else { return false };
        let whole = values.iter().all(|word| columns::is_value(word));
        if whole && values.iter().any(|word| *word != "-") {
            self.place(&name.join(" "), (indented, values), columns::row(&columns, values));
        }
        whole
    }

    fn place(&mut self, name: &str, (indented, values): (bool, &[&str]), io: LeafIo) {
        let titled = self.titled.is_some();
        let known = self.pools.contains(&name);
        let again = self.found.series.has(name);
        let is_pool = match (titled, self.pools.is_empty()) {
            (true, _) => self.flat.unwrap_or(!indented) && may_be_pool(name),
            (false, false) => known,
            (false, true) => self.pool.is_none() || again,
        };
        if is_pool {
            if again || self.found.series.first().is_none() {
                self.found.series.begin();
            }
            self.pool = Some(name.to_owned());
            (self.groups, self.class) = (0, Class::Data);
        }
        let Some(pool) = &self.pool else { return };
        if self.found.series.has_no_room(pool) {
            return;
        }
        let is_first = self.found.series.is_in_first();
        let Some(report) = self.found.series.current() else { return };
        let vdevs = report.entry(pool.clone()).or_default();
        let name = numbered(name, &mut self.groups);
        if titled && is_first && !vdevs.contains_key(&name) {
            let row = row_of((pool, &name), is_pool, self.class, values);
            self.found.rows.push(row);
        }
        vdevs.insert(name, io);
    }
}

/// Returns a row as a list of vdevs has it.
fn row_of((pool, name): (&str, &str), is_pool: bool, class: Class, values: &[&str]) -> Row {
    let cells = ["allocated", "free"].into_iter().zip(values).filter(|(_, value)| **value != "-");
    Row {
        pool: pool.to_owned(),
        table: 0,
        vdev: (!is_pool).then(|| name.to_owned()),
        class,
        cells: cells.map(|(name, value)| (name.to_owned(), (*value).to_owned())).collect(),
    }
}

/// Returns the last line that is not blank, with its number.
fn last_line(text: &str) -> Option<(usize, &str)> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    lines.filter(|(_, line)| !line.trim().is_empty()).last()
}

fn indent_of(line: &str) -> usize {
    line.chars().take_while(|c| *c == ' ').count()
}

/// Returns whether a pool may have such a name: no path, and no word that stands for a group of devices
/// (`pool_namecheck`, module/zcommon/zfs_namecheck.c). Rows that lost their indentation are told so.
fn may_be_pool(name: &str) -> bool {
    const RESERVED: [&str; 3] = ["mirror", "raidz", "draid"];
    !name.contains('/') && !RESERVED.iter().any(|word| name.starts_with(word))
}

/// Old tools call every group `mirror` or `raidz1`; they get the numbers of `zpool status`.
fn numbered(name: &str, groups: &mut usize) -> String {
    let bare = matches!(name, "mirror" | "raidz1" | "raidz2" | "raidz3" | "raidz");
    if !bare {
        return name.to_owned();
    }
    *groups += 1;
    format!("{name}-{}", *groups - 1)
}

/// Returns whether a line is one of the two of titles.
pub(crate) fn is_titles(line: &str) -> bool {
    columns::of_titles(line).is_some()
        || columns::of_lower_titles(line).is_some_and(|c| c.len() > 3)
}

/// Returns whether a line is there for the eye: rules, titles, times, headings of classes.
pub(crate) fn is_ornament(line: &str) -> bool {
    let line = line.trim();
    let rule = line.chars().all(|c| matches!(c, '-' | ' ' | '='));
    let latency_title = ["read  write", "pend  activ"].iter().any(|part| line.contains(part));
    let class = class_of(line).is_some();
    line.is_empty() || rule || latency_title || class || is_time(line)
}

/// Returns whether a line is what `-T d` or `-T u` prints: a date or seconds since 1970.
fn is_time(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let seconds = |word: &&str| word.len() >= 9 && word.chars().all(|c| c.is_ascii_digit());
    let clock = |word: &&str| {
        word.split(':').count() == 3 && word.chars().all(|c| c.is_ascii_digit() || c == ':')
    };
    (words.len() == 1 && words.first().is_some_and(seconds)) || words.iter().any(clock)
}

/// Adds to `report` what `other` knows more of the same vdevs.
pub(crate) fn merge(report: &mut Report, other: Report) {
    for (pool, vdevs) in other {
        let known = report.entry(pool).or_default();
        for (name, io) in vdevs {
            columns::merge(known.entry(name).or_default(), io);
        }
    }
}

#[cfg(test)]
mod tests;
