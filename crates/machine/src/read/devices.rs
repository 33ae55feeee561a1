//! What the tools of the operating system tell of devices: `iostat -x`, `gstat`.
//!
//! The first report of `iostat` counts since the machine was started, unless `-y` left it out; those after it
//! count over intervals, and so do all of gstat, which says in its line `dT:` for how long. Of several
//! intervals the mean counts, and only of devices that each of them has: a mean over fewer is one of
//! another time. A single report whose rates are all those of a whole second or two counts over an interval,
//! too: somebody left out the one before. A report begins with titles, or where a device comes again whose titles
//! were lost.

pub(crate) mod columns;

use std::collections::{BTreeMap, BTreeSet};

use crate::devices::{DeviceIo, DeviceTable};
use crate::machine::Machine;
use crate::nicenum;
use crate::sources::Sources;
use columns::Titles;

/// What `iostat -x` printed.
pub(crate) const IOSTAT: &str = "commands/iostat";
/// The same with `-y`, so that its first report is of an interval too.
pub(crate) const IOSTAT_WINDOW: &str = "commands/iostat-y";
/// What gstat printed.
pub(crate) const GSTAT: &str = "commands/gstat";
/// A line before the first of a run of the program.
pub(crate) const RUN: &str = "!";
/// A line before the first report of a run, where the head above it shows that it is the first.
pub(crate) const FIRST: &str = "^";
/// A line in the place of a report whose titles were not read.
pub(crate) const UNTITLED: &str = "?";
/// An interval of gstat that is shorter says nothing; its own default is a second.
const SECONDS_MIN: f64 = 0.5;
/// No machine has more.
const DEVICES_MAX: usize = 4096;

/// What devices did by their names, over one time.
#[derive(Debug, Default)]
struct Report {
    devices: BTreeMap<String, DeviceIo>,
    /// How long it counted, where that is known.
    seconds: Option<f64>,
    /// Rates that are not 0, as long as all are those of a whole second or two.
    of_seconds: Option<usize>,
}

impl Report {
    fn new(seconds: Option<f64>) -> Self {
        Self { seconds, of_seconds: Some(0), ..Self::default() }
    }

    /// Returns whether it counted over an interval by the look of its rates.
    fn is_of_interval(&self) -> bool {
        /// One in fifty rates looks so by chance.
        const RATES_MIN: usize = 4;
        self.of_seconds.is_some_and(|rates| rates >= RATES_MIN)
    }
}

/// Returns whether a text is one of these.
pub(crate) fn is_name(name: &str) -> bool {
    [IOSTAT, IOSTAT_WINDOW, GSTAT].contains(&name)
}

/// Returns whether a text of these begins with the first line of a report.
pub(crate) fn begins(line: &str) -> bool {
    let marked = [RUN, FIRST, UNTITLED].contains(&line);
    marked || columns::seconds(line).is_some() || Titles::of(line).is_some()
}

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    let mut tables = Vec::new();
    for name in [GSTAT, IOSTAT_WINDOW, IOSTAT] {
        let Some(text) = sources.text(name) else { continue };
        let (reports, stray) = reports(text);
        if let Some((line, stray)) = stray {
            let words = "expected as many values as titles, found";
            machine.garbled(name, format!("line {line}: {words} “{stray}”"));
        }
        tables.extend(table(name, &reports));
    }
    // What tells of now says more than what counts since the start.
    tables.sort_by_key(|table| table.since_boot != Some(false));
    machine.device_table = tables.into_iter().next();
}

/// Returns the reports of a text, and the first line that is of none.
fn reports(text: &str) -> (Vec<Report>, Option<(usize, String)>) {
    let (mut reports, mut stray) = (Vec::<Report>::new(), None);
    let (mut titles, mut seconds) = (None::<Titles>, None);
    let is_first = text.lines().any(|line| line == FIRST);
    for (index, line) in text.lines().enumerate() {
        if line == UNTITLED {
            titles = None;
            reports.push(Report::new(seconds.take()));
        } else if let Some(told) = columns::seconds(line) {
            seconds = Some(told);
        } else if let Some(found) = Titles::of(line) {
            titles = Some(found);
            reports.push(Report::new(seconds.take()));
        } else if let Some(device) = titles.as_ref().and_then(|titles| titles.row(line)) {
            let again = reports.last().is_none_or(|last| last.devices.contains_key(&device.name));
            if again {
                reports.push(Report::new(seconds.take()));
            }
            let rates = titles
                .as_ref()
                .filter(|_| !is_first)
                .and_then(|titles| columns::rates_of_seconds(titles, line));
            if let Some(last) = reports.last_mut().filter(|last| last.devices.len() < DEVICES_MAX) {
                let known = last.of_seconds.zip(rates);
                last.of_seconds = known.map(|(known, rates)| known.saturating_add(rates));
                last.devices.insert(device.name.clone(), device);
            }
        } else if ![RUN, FIRST].contains(&line) {
            stray = stray.or_else(|| Some((index + 1, line.trim().to_owned())));
        }
    }
    (reports, stray)
}

/// Returns what reports come to; none where they have no device.
fn table(name: &str, reports: &[Report]) -> Option<DeviceTable> {
    let (first, later) = reports.split_first()?;
    let told = |report: &Report| report.seconds.is_some_and(|seconds| seconds >= SECONDS_MIN);
    let (devices, since_boot) = match name {
        GSTAT => (means(reports), reports.iter().all(told).then_some(false)),
        IOSTAT_WINDOW => (means(reports), Some(false)),
        _ if !later.is_empty() => (means(later), Some(false)),
        _ => (means(std::slice::from_ref(first)), Some(!first.is_of_interval())),
    };
    let program = if name == GSTAT { "gstat" } else { "iostat" }.to_owned();
    (!devices.is_empty()).then_some(DeviceTable { program, since_boot, devices })
}

/// Returns the means of the devices that all reports have.
fn means(reports: &[Report]) -> Vec<DeviceIo> {
    let names: BTreeSet<&String> =
        reports.iter().flat_map(|report| report.devices.keys()).collect();
    let of = |name: &String| {
        let all: Option<Vec<&DeviceIo>> =
            reports.iter().map(|report| report.devices.get(name)).collect();
        Some(mean(name, &all?))
    };
    names.into_iter().filter_map(of).collect()
}

fn mean(name: &str, all: &[&DeviceIo]) -> DeviceIo {
    if let [only] = all {
        return (*only).clone();
    }
    let rate = |value: fn(&DeviceIo) -> Option<f64>| {
        let values: Option<Vec<f64>> = all.iter().map(|device| value(device)).collect();
        let values = values.filter(|values| !values.is_empty())?;
        Some(values.iter().sum::<f64>() / count(values.len()))
    };
    let reads = |device: &DeviceIo| device.read_ops_per_s;
    let writes = |device: &DeviceIo| device.write_ops_per_s;
    DeviceIo {
        name: name.to_owned(),
        read_ops_per_s: rate(reads),
        write_ops_per_s: rate(writes),
        read_bytes_per_s: rate(|device| device.read_bytes_per_s),
        write_bytes_per_s: rate(|device| device.write_bytes_per_s),
        read_wait_ns: mean_wait(all, |device| device.read_wait_ns, reads),
        write_wait_ns: mean_wait(all, |device| device.write_wait_ns, writes),
        wait_ns: mean_wait(all, |device| device.wait_ns, DeviceIo::ops_per_s),
        queue: rate(|device| device.queue),
        busy_pct: rate(|device| device.busy_pct),
    }
}

/// Returns the mean over all requests: each report counts as much as it had of them.
///
/// None where a report had requests and no wait for them, or does not tell how many it had.
fn mean_wait(
    all: &[&DeviceIo],
    wait: fn(&DeviceIo) -> Option<u64>,
    rate: fn(&DeviceIo) -> Option<f64>,
) -> Option<u64> {
    let (mut time, mut requests) = (0.0, 0.0);
    for device in all {
        let rate = rate(device).filter(|rate| *rate >= 0.0)?;
        if rate > 0.0 {
            let wait = wait(device)?;
            time += wait as f64 * rate;
            requests += rate;
        }
    }
    (requests > 0.0).then(|| nicenum::whole(time / requests)).flatten()
}

fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}
