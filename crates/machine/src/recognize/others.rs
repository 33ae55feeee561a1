//! Pasted lines that say nothing of ZFS: sizes of folders, jobs of fio, settings of collectors of metrics.
//!
//! They are taken so that what is left over is what nobody understood.

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text};
use crate::nicenum;

const ROWS_MIN: usize = 2;
const FIO: [&str; 28] = [
    "filename",
    "directory",
    "direct",
    "rw",
    "readwrite",
    "rwmixread",
    "rwmixwrite",
    "bs",
    "blocksize",
    "ioengine",
    "iodepth",
    "numjobs",
    "runtime",
    "time_based",
    "group_reporting",
    "refill_buffers",
    "norandommap",
    "randrepeat",
    "size",
    "fsync",
    "sync",
    "end_fsync",
    "ramp_time",
    "stonewall",
    "name",
    "thread",
    "invalidate",
    "nrfiles",
];

/// Takes as many lines of one of these as there are.
pub(super) fn others(lines: &[Line], prompt: &Prompt) -> Option<Taken> {
    let of = |is_row: fn(&str) -> bool| lines.iter().take_while(|line| is_row(&line.text)).count();
    let du = of(is_folder);
    let is_asked = prompt.program() == Some("du");
    let counts = [
        ("du", Some(du).filter(|count| *count >= ROWS_MIN || is_asked && *count > 0)),
        ("fio-job", Some(of(is_fio)).filter(|count| *count > ROWS_MIN)),
        ("telegraf", of_collector(lines)),
        ("dstat", dstat(lines)),
        ("kstat", Some(of(is_stat)).filter(|count| *count > 0)),
    ];
    let (program, count) =
        counts.into_iter().find_map(|(program, count)| Some((program, count?)))?;
    let (name, text) = (format!("commands/{program}"), String::new());
    Some(Taken { lines: count, texts: vec![Text { name, text, again: Again::More }] })
}

/// `4.0K\t./etc`, as du prints it.
fn is_folder(line: &str) -> bool {
    // A web page makes blanks of tabs.
    let Some((size, path)) = line.trim().split_once(char::is_whitespace) else { return false };
    let path = path.trim_start();
    nicenum::binary(size).is_some() && path.starts_with(['.', '/', '~']) && !path.contains("  ")
}

/// An option of a job of fio, or the heading of one: `iodepth=64`, `[seq-write]`.
fn is_fio(line: &str) -> bool {
    let text = line.trim();
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    let heading =
        text.len() < 64 && text.starts_with('[') && text.ends_with(']') && !text.contains(' ');
    heading || FIO.contains(&name.trim()) && !value.trim().is_empty() && !value.trim().contains(' ')
}

/// Returns how many lines are of a table of dstat: groups of columns between dashes, their titles, rows.
fn dstat(lines: &[Line]) -> Option<usize> {
    let groups = lines.first()?.text.trim();
    let is_group = |word: &str| {
        word.starts_with('-') && word.ends_with(|c: char| c == '-' || c.is_ascii_alphanumeric())
    };
    let begins = groups.starts_with("--") && groups.contains(|c: char| c.is_ascii_alphabetic());
    (begins && groups.split_whitespace().all(|word| is_group(word) || word.contains("--")))
        .then_some(())?;
    let is_title = |text: &str| {
        text.contains('|')
            && text.chars().all(|c| c.is_ascii_alphanumeric() || " |%/_-".contains(c))
    };
    let is_value = |word: &str| nicenum::binary(word.trim_end_matches('B')).is_some();
    let is_row = |text: &str| {
        let values = text.split_once('|').map_or(text, |(_, rest)| rest);
        let mut words = values.split(['|', ' ']).filter(|word| !word.is_empty()).peekable();
        words.peek().is_some() && words.all(is_value)
    };
    is_title(lines.get(1)?.text.trim()).then_some(())?;
    let rows = lines.iter().skip(2).take_while(|line| is_row(line.text.trim())).count();
    (rows > 0).then_some(rows + 2)
}

/// A statistic of the kernel that is not of ZFS, as `kstat -p` of Solaris prints it: `unix:0:system_pages:freemem 632476`.
fn is_stat(line: &str) -> bool {
    let Some((name, value)) = line.trim().split_once(char::is_whitespace) else { return false };
    let parts: Vec<&str> = name.split(':').collect();
    let [module, instance, _, _] = parts.as_slice() else { return false };
    let is_module =
        !module.is_empty() && module.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_module
        && *module != "zfs"
        && instance.parse::<u32>().is_ok()
        && value.trim().parse::<f64>().is_ok()
}

/// Returns how many lines are of a file of Telegraf, from the heading of a part on.
fn of_collector(lines: &[Line]) -> Option<usize> {
    let heading = |text: &str| {
        let inner = text.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]"));
        inner
            .is_some_and(|inner| ["inputs.", "outputs."].iter().any(|kind| inner.starts_with(kind)))
    };
    heading(lines.first()?.text.trim()).then_some(())?;
    let is_part = |line: &&Line| {
        let text = line.text.trim();
        let set = text.split_once(" = ").is_some_and(|(name, _)| !name.contains(' '));
        heading(text) || set || text.starts_with('#')
    };
    Some(lines.iter().take_while(is_part).count())
}
