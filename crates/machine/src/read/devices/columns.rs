//! The columns of `iostat -x` and `gstat`, by their titles and never by their place.
//!
//! sysstat's iostat(1) on Linux, iostat(8) and gstat(8) of `FreeBSD`, iostat(8) of illumos. Titles mean the
//! same wherever they occur, but for `kBps` of gstat, which stands once for reads and once for writes:
//! those between `r/s` and `ms/r` are the reads'. A row has as many words as there are titles, or it is not
//! read: which of its values is missing is not known.

use crate::devices::DeviceIo;
use crate::nicenum;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Column {
    Name,
    Skipped,
    Ops(Way),
    /// Bytes, in units of so many.
    Bytes(Way, f64),
    /// Milliseconds.
    Wait(Way),
    Queue,
    Busy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Read,
    Write,
    Both,
}

/// Titles that are read.
const READ: [(&str, Column); 29] = [
    ("Device:", Column::Name),
    ("Device", Column::Name),
    ("device", Column::Name),
    ("Name", Column::Name),
    ("r/s", Column::Ops(Way::Read)),
    ("w/s", Column::Ops(Way::Write)),
    ("rsec/s", Column::Bytes(Way::Read, 512.0)),
    ("wsec/s", Column::Bytes(Way::Write, 512.0)),
    ("rkB/s", Column::Bytes(Way::Read, KIB)),
    ("wkB/s", Column::Bytes(Way::Write, KIB)),
    ("rMB/s", Column::Bytes(Way::Read, MIB)),
    ("wMB/s", Column::Bytes(Way::Write, MIB)),
    ("kr/s", Column::Bytes(Way::Read, KIB)),
    ("kw/s", Column::Bytes(Way::Write, KIB)),
    ("Mr/s", Column::Bytes(Way::Read, MIB)),
    ("Mw/s", Column::Bytes(Way::Write, MIB)),
    ("r_await", Column::Wait(Way::Read)),
    ("w_await", Column::Wait(Way::Write)),
    ("await", Column::Wait(Way::Both)),
    ("ms/r", Column::Wait(Way::Read)),
    ("ms/w", Column::Wait(Way::Write)),
    ("ms/t", Column::Wait(Way::Both)),
    ("svc_t", Column::Wait(Way::Both)),
    ("asvc_t", Column::Wait(Way::Both)),
    ("avgqu-sz", Column::Queue),
    ("aqu-sz", Column::Queue),
    ("qlen", Column::Queue),
    ("L(q)", Column::Queue),
    ("actv", Column::Queue),
];
/// Titles of the share of time in which a device was busy.
const BUSY: [&str; 3] = ["%util", "%b", "%busy"];
/// Titles that only one program has.
const OF_GSTAT: [&str; 4] = ["L(q)", "%busy", "kBps", "ops/s"];
/// What illumos puts behind the columns of devices with `-c`.
const OF_PROCESSORS: [&str; 4] = ["us", "sy", "wt", "id"];
const KIB: f64 = 1024.0;
const MIB: f64 = 1_048_576.0;
/// Fewer titles that are read make no table.
const TITLES_MIN: usize = 3;
/// Nanoseconds of a millisecond.
const NANOS_OF_MS: f64 = 1e6;

/// The titles of a table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Titles {
    columns: Vec<Column>,
    /// How many columns of the processors stand behind them, of which only the first row has values (illumos, `-xc`).
    of_processors: usize,
}

impl Titles {
    /// Returns the titles that a line is; none for any other line.
    pub(crate) fn of(line: &str) -> Option<Self> {
        let all = cells(line);
        let words = all.strip_suffix(&OF_PROCESSORS).unwrap_or(&all);
        let of_processors = all.len().saturating_sub(words.len());
        // Most lines have no such word at either end.
        let is_name = |word: &&&str| column(word) == Some(Column::Name);
        let first = words.first().filter(is_name).is_some();
        let last = words.last().filter(is_name).is_some();
        (first != last).then_some(())?;
        let of = |(at, word): (usize, &&str)| match *word {
            "kBps" => way_of_bytes(words, at).map(|way| Column::Bytes(way, KIB)),
            word => column(word),
        };
        let columns: Vec<Column> =
            words.iter().enumerate().map(|word| of(word).unwrap_or(Column::Skipped)).collect();
        let told: Vec<&Column> =
            columns.iter().filter(|c| !matches!(c, Column::Skipped | Column::Name)).collect();
        let twice = told
            .iter()
            .enumerate()
            .any(|(at, one)| told.iter().skip(at + 1).any(|other| other == one));
        let names = columns.iter().filter(|c| matches!(c, Column::Name)).count();
        let numbers = words.iter().any(|word| is_cell(word));
        let is_table = told.len() >= TITLES_MIN && names == 1 && !twice && !numbers;
        is_table.then_some(Self { columns, of_processors })
    }

    /// Returns how many words a row has.
    pub(crate) const fn width(&self) -> usize {
        self.columns.len()
    }

    /// Returns what a row says; none when the line is no row, or has other words than titles.
    pub(crate) fn row(&self, line: &str) -> Option<DeviceIo> {
        let mut words = cells(line);
        if words.len() == self.width() + self.of_processors {
            words.truncate(self.width());
        }
        if words.len() != self.width() {
            return None;
        }
        let mut device = DeviceIo::default();
        for (column, word) in self.columns.iter().zip(words) {
            let is_name = matches!(column, Column::Name);
            if is_name == is_cell(word) {
                return None;
            }
            match column {
                Column::Name => word.clone_into(&mut device.name),
                column => set(&mut device, *column, number(word)),
            }
        }
        without_idle(&mut device);
        (!device.name.is_empty()).then_some(device)
    }
}

/// Returns how many of a row's rates are not 0, if each is one of a whole second or two: `312.00`, `17.50`. Means
/// over days have other digits.
pub(crate) fn rates_of_seconds(titles: &Titles, line: &str) -> Option<usize> {
    let is_rate = |column: &Column| {
        matches!(column, Column::Ops(_)) || matches!(column, Column::Bytes(_, unit) if *unit == KIB)
    };
    let words = cells(line);
    let rates = titles.columns.iter().zip(words).filter(|(column, _)| is_rate(column));
    let mut told = 0;
    for (_, word) in rates {
        let whole = word.strip_suffix("00").or_else(|| word.strip_suffix("50"));
        whole.filter(|whole| whole.ends_with(['.', ',']))?;
        told += usize::from(number(word).is_some_and(|rate| rate > 0.0));
    }
    Some(told)
}

/// Returns whether words are titles that lost the one of the names, so that their rows cannot be read.
pub(crate) fn are_torn(words: &[&str]) -> bool {
    let told = words.iter().filter(|word| column(word).is_some()).count();
    told >= TITLES_MIN && !words.iter().any(|word| is_cell(word))
}

/// Returns whether titles are of gstat.
pub(crate) fn is_of_gstat(words: &[&str]) -> bool {
    words.iter().any(|word| OF_GSTAT.contains(word))
}

fn column(word: &str) -> Option<Column> {
    let busy = BUSY.contains(&word).then_some(Column::Busy);
    busy.or_else(|| READ.iter().find(|(title, _)| *title == word).map(|(_, column)| *column))
}

/// Returns whose bytes a `kBps` counts; none where its neighbours do not agree.
fn way_of_bytes(words: &[&str], at: usize) -> Option<Way> {
    // `-s` puts a mean size before it.
    let before = words.get(..at)?.iter().rev().find(|word| **word != "kB");
    let before = match before.copied() {
        Some("r/s") => Some(Way::Read),
        Some("w/s") => Some(Way::Write),
        // Deletes have three columns of their own.
        Some("d/s") => return None,
        _ => None,
    };
    let behind = match words.get(at + 1).copied() {
        Some("ms/r") => Some(Way::Read),
        Some("ms/w") => Some(Way::Write),
        Some("ms/d") => return None,
        _ => None,
    };
    match (before, behind) {
        (Some(one), Some(other)) => (one == other).then_some(one),
        (one, other) => one.or(other),
    }
}

/// Returns the words of a line; gstat draws a bar before the name.
pub(crate) fn cells(line: &str) -> Vec<&str> {
    let apart = |c: char| c.is_whitespace() || c == '|';
    line.split(apart).filter(|word| !word.is_empty()).collect()
}

/// Returns whether a word stands in a column of numbers, be it one or not.
pub(crate) fn is_cell(word: &str) -> bool {
    let digits = word.trim_end_matches(['%', 'k', 'K', 'M', 'G', 'T']);
    let plain = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '-');
    let number = digits.contains(|c: char| c.is_ascii_digit()) && digits.chars().all(plain);
    number || matches!(word, "-" | "nan" | "-nan" | "inf")
}

/// Returns whether words are a name and `min` numbers or more, as a row has them.
pub(crate) fn is_row_like(words: &[&str], min: usize) -> bool {
    /// The widest table, `iostat -x` with discards and flushes, has 23 columns.
    const WORDS_MAX: usize = 26;
    if words.len() > WORDS_MAX {
        return false;
    }
    let names = words.iter().filter(|word| !is_cell(word)).count();
    let at_end = words.first().into_iter().chain(words.last()).any(|word| !is_cell(word));
    names == 1 && at_end && words.len() > min
}

/// Returns a number with a point, or with the comma of other countries, of which no tool of these prints
/// three digits; none for one with a unit, which stands for several.
fn number(word: &str) -> Option<f64> {
    let text = word.strip_suffix('%').unwrap_or(word);
    let number = match text.split_once(',') {
        Some((whole, part)) if part.len() < 3 => format!("{whole}.{part}"),
        Some(_) => return None,
        None => text.to_owned(),
    };
    let plain = number.chars().all(|c| c.is_ascii_digit() || c == '.');
    plain.then(|| number.parse::<f64>().ok()).flatten().filter(|number| number.is_finite())
}

fn set(device: &mut DeviceIo, column: Column, value: Option<f64>) {
    let wait = || value.and_then(|ms| nicenum::whole(ms * NANOS_OF_MS));
    match column {
        Column::Ops(Way::Read) => device.read_ops_per_s = value,
        Column::Ops(Way::Write) => device.write_ops_per_s = value,
        Column::Bytes(Way::Read, unit) => device.read_bytes_per_s = value.map(|v| v * unit),
        Column::Bytes(Way::Write, unit) => device.write_bytes_per_s = value.map(|v| v * unit),
        Column::Wait(Way::Read) => device.read_wait_ns = wait(),
        Column::Wait(Way::Write) => device.write_wait_ns = wait(),
        Column::Wait(Way::Both) => device.wait_ns = wait(),
        Column::Queue => device.queue = value,
        Column::Busy => device.busy_pct = value,
        Column::Name | Column::Skipped | Column::Ops(Way::Both) | Column::Bytes(Way::Both, _) => {}
    }
}

/// Takes the waits of what did not happen, for which the tools print 0.0.
fn without_idle(device: &mut DeviceIo) {
    let rates = [device.read_ops_per_s, device.write_ops_per_s, device.ops_per_s()];
    let waits = [&mut device.read_wait_ns, &mut device.write_wait_ns, &mut device.wait_ns];
    for (wait, rate) in waits.into_iter().zip(rates) {
        let happened = rate.is_some_and(|rate| rate > 0.0);
        *wait = wait.filter(|wait| *wait > 0 || happened);
    }
}

/// Returns the seconds that gstat counted over, `dT: 1.002s  w: 1.000s`; none for any other line.
pub(crate) fn seconds(line: &str) -> Option<f64> {
    let rest = line.trim().strip_prefix("dT:")?;
    number(rest.split_whitespace().next()?.strip_suffix('s')?)
}
