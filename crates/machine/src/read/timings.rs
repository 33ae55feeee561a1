//! What somebody timed by hand: results of fio, dd, pv, rsync and diskinfo.
//!
//! ```text
//! $ dd if=/tank/film of=/dev/null bs=1M
//! 8388608000 bytes transferred in 61.856323 secs (135614398 bytes/sec)      FreeBSD
//! 8388608000 bytes (8.4 GB, 7.8 GiB) copied, 61.9 s, 136 MB/s               Linux
//! 20.0GiB 0:01:06 [ 324MiB/s] [====>] 100%                                  pv
//! sent 1,234,567 bytes  received 35 bytes  54,321.90 bytes/sec              rsync
//!    4 kbytes:    158.1 usec/IO =     24.7 Mbytes/s                         diskinfo -wS
//! ```
//!
//! Rates are those of the whole where the text tells bytes and seconds, not those of its last moment.

mod fio;

use arcwright_units::Bytes;

use crate::machine::{Machine, Timing};
use crate::nicenum;
use crate::sources::Sources;

const TEXT: &str = "commands/timings";
/// More than this nobody reads.
const TIMINGS_MAX: usize = 256;

/// Which program a line is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// fio.
    Fio,
    /// dd.
    Dd,
    /// pv.
    Pv,
    /// rsync.
    Rsync,
    /// diskinfo: writes of each size, followed by a flush.
    Diskinfo,
}

/// Returns which program prints such a line; none for any other line.
pub(crate) fn kind_of(line: &str) -> Option<Kind> {
    let text = line.trim();
    if fio::is_line(text) {
        Some(Kind::Fio)
    } else if dd(text).is_some() || is_records(text) {
        Some(Kind::Dd)
    } else if pv(text).is_some() {
        Some(Kind::Pv)
    } else if rsync(text).is_some() || text.starts_with("total size is ") {
        Some(Kind::Rsync)
    } else if diskinfo(text).is_some() || text == "Synchronous random writes:" {
        Some(Kind::Diskinfo)
    } else {
        None
    }
}

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    let Some(text) = sources.text(TEXT) else { return };
    let mut reader = fio::Reader::default();
    let mut command = Command::default();
    let mut row = Row::default();
    let mut last = None;
    for line in text.lines() {
        let text = line.trim();
        if machine.timings.len() >= TIMINGS_MAX {
            break;
        }
        if let Some(typed) = text.strip_prefix("$ ") {
            (command, last) = (Command::of(typed), None);
            row.begin(typed);
            continue;
        }
        let kind = kind_of(text);
        match kind {
            Some(Kind::Fio) => {
                let before = machine.timings.len();
                reader.line(text, &mut machine.timings);
                for timing in machine.timings.iter_mut().skip(before) {
                    timing.place.clone_from(&command.place);
                }
            }
            Some(Kind::Dd) => {
                machine.timings.extend(dd(text).map(|timing| match row.next() {
                    Some(own) => own.fill(timing),
                    None => command.fill(timing),
                }));
            }
            Some(Kind::Pv) => {
                // Its line is printed again and again; the last one is about all.
                if last == Some(Kind::Pv) {
                    machine.timings.pop();
                }
                machine.timings.extend(pv(text).map(|timing| command.fill(timing)));
            }
            Some(Kind::Rsync) => machine.timings.extend(rsync(text)),
            Some(Kind::Diskinfo) => machine.timings.extend(diskinfo(text)),
            None => {}
        }
        last = kind;
    }
}

/// Several commands of `dd` in one line, `dd …; sleep 30; dd …`: each has a result of its own, in their order.
#[derive(Debug, Default)]
struct Row {
    typed: String,
    commands: Vec<Command>,
    /// Results so far.
    count: usize,
}

impl Row {
    /// Takes what was typed; the same once more goes on where it was.
    fn begin(&mut self, typed: &str) {
        if self.typed == typed {
            return;
        }
        let parts = typed.split(';').flat_map(|part| part.split("&&")).map(str::trim);
        let of_dd = parts.filter(|part| {
            let program = part.split_whitespace().find(|word| !matches!(*word, "sudo" | "time"));
            program == Some("dd")
        });
        let commands: Vec<Command> = of_dd.map(Command::of).collect();
        *self = Self { typed: typed.to_owned(), commands, count: 0 };
    }

    /// Returns the command that the next result is of; none where there is only one.
    fn next(&mut self) -> Option<&Command> {
        let place = self.count.checked_rem(self.commands.len())?;
        self.count += 1;
        self.commands.get(place).filter(|_| self.commands.len() > 1)
    }
}

/// What `dd` or `pv` was asked.
#[derive(Debug, Clone, Default)]
struct Command {
    from: Option<String>,
    to: Option<String>,
    request: Option<u64>,
    /// Where fio works: `--directory=/tank/db`, `--filename=/tank/db/file`.
    place: Option<String>,
}

impl Command {
    fn of(typed: &str) -> Self {
        let value = |key: &str| {
            let mut words = typed.split_whitespace();
            words.find_map(|word| word.strip_prefix(key)?.strip_prefix('=')).map(str::to_owned)
        };
        let request = value("bs").and_then(|text| nicenum::binary(&text)).and_then(nicenum::whole);
        let words: Vec<&str> = typed.split_whitespace().collect();
        if words.first() == Some(&"pv") {
            return Self::of_pv(&words);
        }
        let place = ["--directory", "--filename"].iter().find_map(|key| value(key));
        let place = place.filter(|place| place.starts_with('/'));
        Self { from: value("if"), to: value("of"), request, place }
    }

    /// `pv FILE >/dev/null`, `pv < FILE > COPY`.
    fn of_pv(words: &[&str]) -> Self {
        let spaced = words.join(" ").replace('>', " > ").replace('<', " < ");
        let words: Vec<&str> = spaced.split_whitespace().skip(1).collect();
        let after = |mark: &str| {
            let at = words.iter().position(|word| *word == mark)?;
            words.get(at + 1).map(|word| (*word).to_owned())
        };
        let plain = |word: &&&str| !word.starts_with(['-', '>', '<', '|', '&', '2']);
        let first = words.first().filter(plain).map(|word| (*word).to_owned());
        Self { from: first.or_else(|| after("<")), to: after(">"), ..Self::default() }
    }

    fn fill(&self, mut timing: Timing) -> Timing {
        let empty = |path: &Option<String>| path.as_deref().is_none_or(|path| path == "/dev/null");
        let made = |path: &Option<String>| {
            path.as_deref().is_some_and(|path| path.ends_with("zero") || path.ends_with("random"))
        };
        if made(&self.from) && !empty(&self.to) {
            (timing.is_write, timing.what) = (Some(true), self.to.clone().unwrap_or_default());
        } else if empty(&self.to) && self.from.is_some() {
            (timing.is_write, timing.what) = (Some(false), self.from.clone().unwrap_or_default());
        } else if let (Some(from), Some(to)) = (&self.from, &self.to) {
            timing.what = format!("{from} to {to}");
        }
        timing.request = self.request.map(Bytes);
        timing
    }
}

/// Returns a timing of which nothing is known.
fn blank(program: &str) -> Timing {
    Timing {
        program: program.to_owned(),
        what: String::new(),
        place: None,
        is_write: None,
        bytes: None,
        bytes_per_s: None,
        ops_per_s: None,
        request: None,
        latency_mean_ns: None,
        latency_p99_ns: None,
        latency_max_ns: None,
        flush_mean_ns: None,
        flush_p99_ns: None,
        flush_max_ns: None,
    }
}

/// Returns bytes and a duration as a timing; none where the duration is no time at all.
fn of_whole(program: &str, bytes: f64, seconds: f64) -> Option<Timing> {
    let rate = bytes / seconds;
    (seconds > 0.0 && rate.is_finite()).then(|| Timing {
        bytes: nicenum::whole(bytes).map(Bytes),
        bytes_per_s: Some(rate),
        ..blank(program)
    })
}

/// Reads a number in which commas part the thousands: `1,234.5`.
fn parted(text: &str) -> Option<f64> {
    let plain: String = text.chars().filter(|c| *c != ',').collect();
    nicenum::binary(&plain)
}

/// `8388608000 bytes (8.4 GB) copied, 61.9 s, 136 MB/s`, `… bytes transferred in 61.9 secs (…)`.
fn dd(line: &str) -> Option<Timing> {
    let (bytes, rest) = line.split_once(" bytes ")?;
    let bytes: f64 = bytes.trim().parse().ok().filter(|bytes: &f64| *bytes >= 0.0)?;
    let after = |mark: &str| rest.split_once(mark).map(|(_, rest)| rest.trim_start());
    let duration = after("transferred in ").or_else(|| after("copied, "))?;
    let seconds: f64 = duration.split([' ', ',']).next()?.parse().ok()?;
    of_whole("dd", bytes, seconds)
}

/// `8000+0 records in`.
fn is_records(line: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let count = line.strip_suffix(" records in").or_else(|| line.strip_suffix(" records out"));
    count
        .and_then(|count| count.split_once('+'))
        .is_some_and(|(whole, part)| number(whole) && number(part))
}

/// `20.0GiB 0:01:06 [ 324MiB/s] [====>] 100%`; a terminal's lines over one another may stand in one.
fn pv(line: &str) -> Option<Timing> {
    line.contains('[').then_some(())?;
    let words: Vec<&str> = line.split_whitespace().collect();
    let last = words.windows(3).rev().find_map(|three| {
        let [size, clock, rate] = three else { return None };
        let sized = size.ends_with('B') && rate.starts_with('[');
        let bytes = nicenum::binary(size).filter(|_| sized)?;
        Some((bytes, seconds(clock)?))
    })?;
    of_whole("pv", last.0, last.1)
}

/// Returns the seconds of `0:01:06`.
fn seconds(clock: &str) -> Option<f64> {
    let parts: Vec<&str> = clock.split(':').collect();
    (2..=4).contains(&parts.len()).then_some(())?;
    parts.iter().try_fold(0.0, |sum, part| {
        let number: f64 = part.parse().ok().filter(|number: &f64| *number >= 0.0)?;
        Some(sum * 60.0 + number)
    })
}

/// `sent … bytes  received … bytes  … bytes/sec`, or a file's last line of progress.
fn rsync(line: &str) -> Option<Timing> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (bytes, rate) = match words.as_slice() {
        ["sent", sent, "bytes", "received", received, "bytes", rate, "bytes/sec"] => {
            (parted(sent)? + parted(received)?, parted(rate)?)
        }
        [bytes, "100%", rate, clock, ..] if seconds(clock).is_some() => {
            let rate = rate.strip_suffix("/s")?.strip_suffix('B')?;
            // rsync counts by 1024 and writes kB.
            (parted(bytes)?, nicenum::binary(rate)?)
        }
        _ => return None,
    };
    let bytes = nicenum::whole(bytes).map(Bytes);
    Some(Timing { bytes, bytes_per_s: Some(rate), ..blank("rsync") })
}

/// `4 kbytes: 158.1 usec/IO = 24.7 Mbytes/s`, both by 1024.
fn diskinfo(line: &str) -> Option<Timing> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [size, "kbytes:", latency, "usec/IO", "=", rate, "Mbytes/s"] = words.as_slice() else {
        return None;
    };
    let number = |word: &str| word.parse().ok().filter(|number: &f64| *number >= 0.0);
    let latency_ns = nicenum::whole(number(latency)? * 1000.0);
    Some(Timing {
        is_write: Some(true),
        request: nicenum::whole(number(size)? * 1024.0).map(Bytes),
        latency_mean_ns: latency_ns,
        bytes_per_s: Some(number(rate)? * f64::from(1_u32 << 20)),
        ..blank("diskinfo")
    })
}

#[cfg(test)]
mod tests;
