//! Pasted `zpool get`, `zfs get` and `zfs list`.
//!
//! `-o` leaves columns out; what a column would say the command above the output may say:
//!
//! ```text
//! # zfs get -o value recordsize tank/vm        the property and the dataset
//! VALUE
//! 16K
//! ```

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text, joined};
use crate::read::set;
use crate::read::status::SINCE;

/// Properties that only pools have.
const OF_POOLS: [&str; 12] = [
    "ashift",
    "autotrim",
    "capacity",
    "fragmentation",
    "health",
    "autoexpand",
    "bootfs",
    "cachefile",
    "dedupratio",
    "autoreplace",
    "failmode",
    "multihost",
];
/// What both print where no columns were chosen.
const COLUMNS: [&str; 4] = ["NAME", "PROPERTY", "VALUE", "SOURCE"];
const TITLES: [&str; 5] = ["NAME", "PROPERTY", "VALUE", "RECEIVED", "SOURCE"];

/// Takes `zpool get` or `zfs get`, told apart by their properties.
pub(super) fn properties(lines: &[Line], prompt: &Prompt) -> Option<Taken> {
    let asked = PropertiesCommand::of(prompt);
    let first: Vec<&str> = lines.first()?.text.split_whitespace().collect();
    let titled = first.contains(&"VALUE") && first.iter().all(|word| TITLES.contains(word));
    let columns: Vec<&str> = match (titled, &asked) {
        (true, _) => first,
        (false, Some(asked)) => asked.columns.clone(),
        (false, None) if are_rows(lines) => COLUMNS.to_vec(),
        (false, None) => return None,
    };
    let begins = usize::from(titled);
    let mut rows = Vec::new();
    for line in lines.iter().skip(begins) {
        let known = Prompt::of(&line.text).is_none();
        match cells(&line.text, &columns)
            .filter(|_| known)
            .and_then(|cells| full(&cells, asked.as_ref()))
        {
            Some(row) => rows.push(row),
            None => break,
        }
    }
    let last = rows.last()?;
    let of_pool = rows.iter().any(|row| OF_POOLS.contains(&row.property.as_str()));
    let program = asked.as_ref().map(|asked| asked.program);
    let of_dataset = last.name.contains('/') || program == Some("zfs");
    let name = match program == Some("zpool") || (!of_dataset && of_pool) {
        true => "commands/zpool-get",
        false => "commands/zfs-get",
    };
    let text = rows.iter().map(Row::text).collect();
    let texts = vec![Text { name: name.to_owned(), text, again: Again::More }];
    Some(Taken { lines: begins + rows.len(), texts })
}

/// Returns what a typed command sets a property to, as a row that may take the place of one above:
/// `zfs set compression=on tank/vm`.
pub(super) fn changed(prompt: &Prompt) -> Vec<Text> {
    let words: Vec<&str> = prompt.arguments().iter().map(String::as_str).collect();
    let ["zfs", "set", pairs @ .., dataset] = words.as_slice() else { return Vec::new() };
    let pairs = pairs.iter().filter_map(|pair| pair.split_once('='));
    let plain = |text: &str| !text.is_empty() && !text.contains(['<', '>', '$', '…']);
    let pairs = pairs.filter(|(_, value)| {
        prompt.host.is_some() && plain(dataset) && !dataset.ends_with('/') && plain(value)
    });
    let row = |(property, value): (&str, &str)| Text {
        name: "commands/zfs-get".to_owned(),
        text: format!("{SINCE}{dataset}\t{property}\t{value}\tlocal\n"),
        again: Again::More,
    };
    pairs.map(row).collect()
}

/// Returns what a command would set, typed by somebody or given as advice: which of the two the text does not tell.
pub(super) fn would_set(prompt: &Prompt) -> Option<Text> {
    let words: Vec<&str> = prompt.arguments().iter().map(String::as_str).collect();
    if let [program @ ("zpool" | "zfs"), "create", rest @ ..] = words.as_slice() {
        return created(program, rest);
    }
    let ["zfs", "set", rest @ ..] = words.as_slice() else { return None };
    let pairs: Vec<(&str, &str)> = rest.iter().map_while(|word| word.split_once('=')).collect();
    let (dataset, behind) = rest.get(pairs.len()..)?.split_first()?;
    let ends = behind.first().is_none_or(|word| word.starts_with(['#', '&', ';', '|']));
    given(dataset.trim_end_matches(';'), &pairs).filter(|_| ends)
}

/// Returns properties with their values as given to a dataset; none where a name or a value is none that is plain, or there are none.
fn given(dataset: &str, pairs: &[(&str, &str)]) -> Option<Text> {
    let is_name = |text: &str| {
        let plain = |c: char| c.is_alphanumeric() || "_-.:/ ".contains(c);
        !text.is_empty() && text.chars().all(plain)
    };
    let are_names = pairs.iter().all(|(property, value)| is_name(property) && is_name(value));
    let row = |(property, value): &(&str, &str)| format!("{dataset}\t{property}\t{value}\n");
    (!pairs.is_empty() && are_names && is_name(dataset) && !dataset.ends_with('/')).then(|| Text {
        name: set::NAME.to_owned(),
        text: pairs.iter().map(row).collect(),
        again: Again::More,
    })
}

/// Returns the properties that a new dataset, or that of a new pool, is given: `-O checksum=off tank …`, `-o sync=disabled tank/a`.
fn created(program: &str, words: &[&str]) -> Option<Text> {
    /// Options that are followed by a word of their own.
    const WITH_WORD: [&str; 7] = ["-o", "-O", "-m", "-R", "-t", "-V", "-b"];
    let own = if program == "zpool" { "-O" } else { "-o" };
    let (mut pairs, mut rest) = (Vec::new(), words.iter());
    let name = loop {
        let word = rest.next()?;
        if !word.starts_with('-') {
            break *word;
        }
        let next = if WITH_WORD.contains(word) { rest.next() } else { None };
        pairs.extend(next.filter(|_| *word == own).and_then(|pair| pair.split_once('=')));
    };
    given(name, &pairs)
}

/// Returns whether lines are rows without the titles above them: several of one dataset or pool, each with what
/// only such rows end in, where its value is from.
fn are_rows(lines: &[Line]) -> bool {
    const ROWS_MIN: usize = 3;
    let row = |line: &Line| {
        let cells = cells(&line.text, &COLUMNS)?;
        let row = full(&cells, None)?;
        let from =
            matches!(row.source.as_str(), "-" | "default" | "local" | "received" | "temporary")
                || row.source.starts_with("inherited from ");
        let plain = !row.name.contains(char::is_whitespace);
        (cells.len() == COLUMNS.len() && from && plain).then_some(row.name)
    };
    let names: Vec<String> = lines.iter().take(ROWS_MIN).map_while(row).collect();
    names.len() == ROWS_MIN && names.windows(2).all(|pair| pair.first() == pair.last())
}

/// What `zfs get` or `zpool get` was asked.
struct PropertiesCommand<'a> {
    program: &'a str,
    /// Columns that are printed.
    columns: Vec<&'static str>,
    /// The one property, where it is one.
    property: Option<&'a str>,
    /// The one dataset or pool, where it is one.
    target: Option<&'a str>,
}

impl<'a> PropertiesCommand<'a> {
    fn of(prompt: &'a Prompt) -> Option<Self> {
        let words: Vec<&str> = prompt.arguments().iter().map(String::as_str).collect();
        let [program, "get", rest @ ..] = words.as_slice() else { return None };
        let program = program.rsplit('/').next().filter(|name| matches!(*name, "zfs" | "zpool"))?;
        let mut columns = COLUMNS.to_vec();
        let (mut plain, mut words) = (Vec::new(), rest.iter());
        while let Some(word) = words.next() {
            match *word {
                "|" => break,
                "-o" => columns = chosen(words.next()?)?,
                "-t" | "-s" | "-d" => drop(words.next()),
                word if word.starts_with('-') => {}
                word => plain.push(word),
            }
        }
        let property = plain.first().copied().filter(|name| !name.contains(',') && *name != "all");
        let target = plain.get(1).copied().filter(|_| plain.len() == 2);
        Some(Self { program, columns, property, target })
    }
}

fn chosen(columns: &str) -> Option<Vec<&'static str>> {
    let titled = |column: &str| {
        let title = column.to_ascii_uppercase();
        TITLES.iter().find(|known| **known == title).copied()
    };
    match columns {
        "all" => Some(TITLES.to_vec()),
        _ => columns.split(',').map(titled).collect(),
    }
}

/// Splits a row into as many cells as there are columns: by tabs, by runs of spaces, or by spaces.
fn cells<'a>(line: &'a str, columns: &[&'a str]) -> Option<Vec<(&'a str, &'a str)>> {
    // A tab may only move the whole table to the right.
    let line = line.trim_start();
    let parts: Vec<&str> = if line.contains('\t') {
        line.split('\t').map(str::trim).collect()
    } else {
        let wide: Vec<&str> =
            line.split("  ").map(str::trim).filter(|part| !part.is_empty()).collect();
        // A date pads its day and its hour: `creation  Sat Mar  2  9:16 2019  -`.
        if let [name, property, date, .., day, source] = wide.as_slice()
            && columns == COLUMNS
            && *property == "creation"
        {
            let value = line.find(date).zip(line.rfind(day));
            let value = value.and_then(|(begin, end)| line.get(begin..end + day.len()));
            let row = [*name, *property, value.unwrap_or(date), *source];
            return Some(columns.iter().copied().zip(row).collect());
        }
        match wide.len() == columns.len() || wide.len() + 1 == columns.len() && wide.len() > 2 {
            true => wide,
            false => line.split_whitespace().collect(),
        }
    };
    // Only the source may be missing.
    let fits = parts.len() == columns.len()
        || parts.len() + 1 == columns.len()
            && columns.last() == Some(&"SOURCE")
            && parts.len() >= 3;
    fits.then(|| columns.iter().copied().zip(parts).collect())
}

struct Row {
    name: String,
    property: String,
    value: String,
    source: String,
}

impl Row {
    fn text(&self) -> String {
        format!("{}\t{}\t{}\t{}\n", self.name, self.property, self.value, self.source)
    }
}

/// Returns a row with all of its columns; none where nothing says one, or it is no row.
fn full(cells: &[(&str, &str)], asked: Option<&PropertiesCommand<'_>>) -> Option<Row> {
    let cell = |title: &str| cells.iter().find(|(known, _)| *known == title).map(|(_, cell)| *cell);
    let name = cell("NAME").or_else(|| asked?.target)?;
    let property = cell("PROPERTY").or_else(|| asked?.property)?;
    let is_property =
        |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_@:.-%".contains(c);
    // A line of prose has as many words: `New source :`.
    let value = cell("VALUE").unwrap_or("-");
    let is_value = value == "-" || value.chars().any(char::is_alphanumeric) || value.contains('/');
    let named = is_value && !property.is_empty() && property.chars().all(is_property);
    named.then(|| Row {
        name: name.to_owned(),
        property: property.to_owned(),
        value: value.to_owned(),
        source: cell("SOURCE").unwrap_or("-").to_owned(),
    })
}

/// Takes `zfs list`.
pub(super) fn datasets(lines: &[Line], _prompt: &Prompt) -> Option<Taken> {
    let titles = crate::read::datasets::titles(&lines.first()?.text)?;
    let is_row = |line: &&Line| {
        let words = line.text.split_whitespace().count();
        let cut = line.text.trim().ends_with(['.', '!', '?']) && words > titles.len();
        words >= titles.len() && !cut && Prompt::of(&line.text).is_none()
    };
    let count = 1 + lines.iter().skip(1).take_while(is_row).count();
    let (name, text) = ("commands/zfs-list".to_owned(), joined(lines, count));
    Some(Taken { lines: count, texts: vec![Text { name, text, again: Again::More }] })
}

/// Takes `df`, for what it says of datasets: which are mounted where, and what is left for them.
pub(super) fn df(lines: &[Line], _prompt: &Prompt) -> Option<Taken> {
    const ROWS_MIN: usize = 2;
    let is_titles = |line: &Line| {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        words.first() == Some(&"Filesystem") && words.ends_with(&["Mounted", "on"])
    };
    let titled = usize::from(is_titles(lines.first()?));
    let rows = || lines.iter().skip(titled).map_while(|line| mounted(&line.text));
    let count = rows().count();
    (titled > 0 || count >= ROWS_MIN).then_some(())?;
    // Disks, memory and what other machines share are no datasets.
    let is_dataset = |name: &str| {
        const OTHERS: [&str; 8] =
            ["tmpfs", "devtmpfs", "udev", "overlay", "none", "shm", "efivarfs", "devfs"];
        !name.starts_with('/') && !name.contains(':') && !OTHERS.contains(&name)
    };
    let row = |[name, used, left, place]: [&str; 4]| format!("{name} {left} {used} {place}\n");
    let rows: String = rows().filter(|[name, ..]| is_dataset(name)).map(row).collect();
    let text = format!("NAME AVAIL REFER MOUNTPOINT\n{rows}");
    let name = "commands/zfs-list".to_owned();
    Some(Taken { lines: titled + count, texts: vec![Text { name, text, again: Again::More }] })
}

/// Returns what a row of `df -h` mounts: its name, what is used and left, and where.
fn mounted(line: &str) -> Option<[&str; 4]> {
    let words: Vec<&str> = line.split_whitespace().take(8).collect();
    let (name, size, used, left, share, place) = match words.as_slice() {
        [name, size, used, left, share, place] => (name, size, used, left, share, place),
        // `df -hT` has the kind of file system second.
        [name, _, size, used, left, share, place] => (name, size, used, left, share, place),
        _ => return None,
    };
    let is_size = |word: &str| crate::nicenum::binary(word).is_some();
    let sizes = [size, used, left].iter().all(|word| is_size(word));
    let part = share.strip_suffix('%').is_some_and(|part| part.parse::<u8>().is_ok());
    (sizes && part && place.starts_with('/')).then_some([*name, *used, *left, *place])
}
