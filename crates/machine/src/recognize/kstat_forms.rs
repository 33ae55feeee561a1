//! Kstats as other tools print them: `kstat` of Solaris, `::arc` of its debugger, two columns of `awk`, and
//! the metrics of an exporter. None of them has the type that Linux prints between a row's name and value.

use std::collections::BTreeMap;

use arcwright_kstat::{KstatValue, NamedKstat};

use super::clean::Line;
use super::kstats::{self, ARCSTATS};
use super::prompt::Prompt;
use super::{Again, Taken, Text};
use crate::nicenum;

type Rows = Vec<(String, KstatValue)>;

/// Takes any of them.
pub(super) fn forms(lines: &[Line], prompt: &Prompt) -> Option<Taken> {
    let (count, path, rows) = solaris(lines)
        .or_else(|| debugger(lines, prompt))
        .or_else(|| metrics(lines))
        .or_else(|| picked(lines, prompt))?;
    let kstat = NamedKstat::of_rows(&path, rows);
    let texts = match kstat.rows.is_empty() {
        true => Text { name: "commands/kstat".to_owned(), text: String::new(), again: Again::More },
        false => Text {
            name: format!("proc/spl/kstat/{path}"),
            text: kstat.to_text(),
            again: Again::Sample,
        },
    };
    Some(Taken { lines: count, texts: vec![texts] })
}

type Found = (usize, String, Rows);

pub(super) fn is_row_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// `module: zfs   instance: 0`, `name: arcstats   class: misc`, and rows of two words.
fn solaris(lines: &[Line]) -> Option<Found> {
    let words: Vec<&str> = lines.first()?.text.split_whitespace().collect();
    let ["module:", module, "instance:", _] = words.as_slice() else { return None };
    let words: Vec<&str> = lines.get(1)?.text.split_whitespace().collect();
    let ["name:", name, "class:", ..] = words.as_slice() else { return None };
    let rows: Vec<_> = lines.iter().skip(2).map_while(|line| pairs(&line.text)).collect();
    let count = 2 + rows.len();
    let rows = rows.into_iter().flatten().filter_map(|(row, value)| Some((own_name(&row), value?)));
    // Of other modules nothing is read.
    let rows = rows.filter(|_| *module == "zfs").collect();
    Some((count, format!("zfs/{name}"), rows))
}

/// Returns the rows of a line: a name and its value, or several beside each other.
fn pairs(line: &str) -> Option<Vec<(String, Option<KstatValue>)>> {
    const WORDS_MAX: usize = 8;
    let words: Vec<&str> = line.split_whitespace().take(WORDS_MAX + 1).collect();
    (!words.is_empty() && words.len() <= WORDS_MAX).then_some(())?;
    let pair = |pair: &[&str]| {
        let [row, value] = pair else { return None };
        // When a kstat was made and read stands among its rows, in seconds.
        is_row_name(row).then(|| ((*row).to_owned(), value.parse().ok().map(KstatValue::U64)))
    };
    let pairs: Option<Vec<_>> = words.chunks(2).map(pair).collect();
    // Beside another row stand numbers; a sentence has words.
    let is_number = |pair: &&[&str]| pair.last().is_some_and(|word| word.parse::<f64>().is_ok());
    pairs.filter(|pairs| pairs.len() == 1 || words.chunks(2).all(|pair| is_number(&pair)))
}

/// Oracle's Solaris dropped the beginning of some names.
fn own_name(row: &str) -> String {
    match row {
        "meta_used" | "meta_limit" | "meta_max" | "meta_min" => format!("arc_{row}"),
        row => row.to_owned(),
    }
}

/// `::arc` of mdb: `c_max   =   8191 MB`.
fn debugger(lines: &[Line], prompt: &Prompt) -> Option<Found> {
    const ROWS_MIN: usize = 3;
    const FIRST_ROWS: usize = 24;
    let row = |line: &Line| {
        let (name, value) = line.text.split_once('=')?;
        let name = name.trim();
        let mut words = value.split_whitespace();
        let number: u64 = words.next()?.parse().ok()?;
        let scale = match (words.next(), words.next()) {
            (None, _) => 1,
            (Some("MB"), None) => 1 << 20,
            _ => return None,
        };
        (is_row_name(name))
            .then(|| Some((own_name(name), KstatValue::U64(number.checked_mul(scale)?))))?
    };
    // Its first rows show what it is; assignments of other kinds may go on for long.
    let first: Rows = lines.iter().take(FIRST_ROWS).map_while(row).collect();
    let asked = prompt.arguments().iter().any(|word| word.contains("::arc"));
    (asked || kstats::is_arc(&first)).then_some(())?;
    let rows: Rows = lines.iter().map_while(row).collect();
    (rows.len() >= if asked { 1 } else { ROWS_MIN })
        .then(|| (rows.len(), ARCSTATS.to_owned(), rows))
}

/// Metrics of the exporter for Prometheus: `node_zfs_arc_c_max 6.7458187264e+10`.
fn metrics(lines: &[Line]) -> Option<Found> {
    const START: &str = "node_zfs_arc_";
    let row = |line: &Line| {
        let text = line.text.trim();
        if text.starts_with("# HELP node_zfs_") || text.starts_with("# TYPE node_zfs_") {
            return Some(None);
        }
        let (name, value) = text.strip_prefix("node_zfs_")?.split_once(' ')?;
        let number = nicenum::whole(value.trim().parse().ok()?)?;
        // Metrics of other kstats are known as such and not read.
        let row = name.strip_prefix("arc_").filter(|row| is_row_name(row));
        Some(row.map(|row| (row.to_owned(), KstatValue::U64(number))))
    };
    let first = lines.first()?.text.trim();
    (first.starts_with(START) || first.starts_with("# HELP node_zfs_")).then_some(())?;
    let rows: Vec<_> = lines.iter().map_while(row).collect();
    let (count, rows) = (rows.len(), rows.into_iter().flatten().collect());
    Some((count, ARCSTATS.to_owned(), rows))
}

/// Two columns below a command that picked them out of a kstat: `awk '/^size/ {print $1, $3 / 1048576}'`.
fn picked(lines: &[Line], prompt: &Prompt) -> Option<Found> {
    let path = prompt.kstat()?.to_owned();
    let unit = unit(prompt);
    let row = |line: &Line| {
        let mut words = line.text.split_whitespace();
        let (name, value) = (words.next()?, words.next()?);
        let name = name.trim_end_matches([':', '=']);
        (is_row_name(name) && words.next().is_none()).then_some(())?;
        let number: f64 = value.parse().ok().filter(|number| *number >= 0.0)?;
        let value = match (value.parse::<u64>(), unit) {
            (Ok(exact), None) => Some(exact),
            (_, Some(unit)) => nicenum::whole(number * unit),
            (Err(_), None) => None,
        };
        Some((name.to_owned(), KstatValue::U64(value?)))
    };
    let rows: BTreeMap<String, KstatValue> = lines.iter().map_while(row).collect();
    let count = lines.iter().map_while(row).count();
    (count > 0).then(|| (count, path, rows.into_iter().collect()))
}

/// Returns what a command divides bytes by; none when it does not.
fn unit(prompt: &Prompt) -> Option<f64> {
    const UNITS: [(&str, u32); 8] = [
        ("/1073741824", 30),
        ("/1024/1024/1024", 30),
        ("/1024^3", 30),
        ("/1024**3", 30),
        ("/1048576", 20),
        ("/1024/1024", 20),
        ("/1024^2", 20),
        ("/1024**2", 20),
    ];
    let text: String = prompt.arguments().concat().replace(['(', ')'], "");
    let (_, power) = UNITS.iter().find(|(how, _)| text.contains(how))?;
    Some(2_f64.powi(power.cast_signed()))
}
