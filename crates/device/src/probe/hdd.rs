//! A disk that turns: rates by place, the time of a turn, the way of the arm.
//!
//! # Theory
//!
//! Rates: reads in a row at nine places; a line through them gives the outer and the inner rate. The time of a turn
//! and of a way of the arm are in files of their own, since each is a method. What a disk takes to begin with a read
//! that goes to its platter cannot be told from the way of its arm by reading: that value stays the profile's, and
//! the seek curve holds what is left, so that the two together are as measured.
//!
//! Distances are in cylinders of the model's disk: of so many heads and with tracks as long as the rates say. A real
//! one may number its tracks otherwise; then the curve is one of distances in bytes, which is what a load has.

use super::file::{DeviceFile, grouped};
use super::numbers::{Line, mean, median, quantile};
use super::target::{PAGE, ProbeError, ProbeRead, ReadTime, Reader};
use super::{Budget, EmulatedTarget, rotation, seeks};
use crate::profile::{DeviceProfile, HddSpec, Kind, ProfileError};

/// Places at which the rate is measured.
const PLACES: u64 = 9;
/// Bytes of a read in a row.
const CHUNK: u32 = 1 << 20;
/// Reads of pages that lie in the drive's buffer.
const HITS: usize = 40;

pub(super) fn measure(
    reader: &mut Reader<'_>,
    mut file: DeviceFile,
    budget: Budget,
) -> Result<DeviceFile, ProbeError> {
    reader.progress("answers from the drive's buffer", 0.0);
    let hit = hit(reader)?;
    let rates = rates(reader, budget)?;
    let line = set_rates(&mut file, &rates, reader.size())?;
    let turn = rotation::measure(reader, &line, budget)?;
    file.set("rpm", turn.value(), turn.note());
    let spec = spec_of(&file)?;
    let overhead = hit - f64::from(PAGE) / (spec.interface.0 as f64);
    file.set("overhead_hit_ms", format!("{:.3}", overhead.max(1e-6) * 1e3), "median".to_owned());
    let disk = seeks::Disk { spec: &spec, turn: turn.seconds, hit };
    let curve = seeks::measure(reader, &disk, budget)?;
    file.set("seek_ms", seeks::value(&curve), seeks::note(&curve, turn.seconds));
    let same = profile_of(&file)?;
    check(reader, &same, budget)?.into_iter().for_each(|line| file.remark(line));
    Ok(file)
}

/// Returns the profile that the file is so far.
fn profile_of(file: &DeviceFile) -> Result<DeviceProfile, ProbeError> {
    let strange = |error: ProfileError| ProbeError::Strange {
        what: format!("what was measured is no disk: {}", error.reason),
    };
    file.profile("measured").map_err(strange)
}

fn spec_of(file: &DeviceFile) -> Result<HddSpec, ProbeError> {
    let profile = profile_of(file)?;
    match profile.kind() {
        Kind::Hdd(spec) => Ok(spec.clone()),
        Kind::Instant | Kind::Flash(_) => {
            Err(ProbeError::Strange { what: "the profile is no disk".to_owned() })
        }
    }
}

/// Returns the time in which the drive answers from its buffer, in seconds.
fn hit(reader: &mut Reader<'_>) -> Result<f64, ProbeError> {
    let place = reader.size() / 3;
    let latencies = reader.pages(&[place; HITS])?;
    Ok(median(latencies.get(1..).unwrap_or_default()).unwrap_or_default())
}

/// Returns the rate in bytes per second at places from 0, the outside, to 1.
fn rates(reader: &mut Reader<'_>, budget: Budget) -> Result<Vec<(f64, f64)>, ProbeError> {
    let count = budget.count(48, 12) as u64;
    let span = count * u64::from(CHUNK);
    let last = reader.size().saturating_sub(span);
    let mut rates = Vec::new();
    for place in 0..PLACES {
        let share = place as f64 / (PLACES - 1) as f64;
        reader.progress("rates from the outside in", 0.02 + 0.13 * share);
        let start = last / (PLACES - 1) * place;
        let reads: Vec<ProbeRead> =
            (0..count).map(|number| reader.at(start + number * u64::from(CHUNK), CHUNK)).collect();
        let times = reader.read(&reads, 1)?;
        rates.push((share, steady_rate(&times, CHUNK)));
    }
    Ok(rates)
}

/// Returns the rate of reads in a row, without the first quarter, which had to find its place.
pub(super) fn steady_rate(times: &[ReadTime], size: u32) -> f64 {
    let kept = times.get(times.len() / 4..).unwrap_or_default();
    let (Some(first), Some(last)) = (kept.first(), kept.last()) else { return 0.0 };
    let bytes = (kept.len() - 1) as f64 * f64::from(size);
    bytes / (last.end.saturating_sub(first.end)).as_secs_f64().max(1e-9)
}

/// Puts the rates into the file; returns the line through them.
fn set_rates(file: &mut DeviceFile, rates: &[(f64, f64)], size: u64) -> Result<Line, ProbeError> {
    let strange = || ProbeError::Strange { what: "rates are not those of a disk".to_owned() };
    let line = Line::through(rates).ok_or_else(strange)?;
    if line.at(0.0).min(line.at(1.0)) < 1e4 {
        return Err(strange());
    }
    let off = format!("a line through nine places, off by {:.0} % at most", line.off(rates) * 1e2);
    let megabytes: Vec<String> =
        rates.iter().map(|(_, rate)| format!("{:.0}", rate / 1e6)).collect();
    file.set("capacity_bytes", grouped(size), "as the system says".to_owned());
    file.set("outer_bytes_per_sec", format!("{:.1}e6", line.at(0.0) / 1e6), off.clone());
    file.set("inner_bytes_per_sec", format!("{:.1}e6", line.at(1.0) / 1e6), off);
    file.remark(format!("Rates from the outside in, MB/s: {}.", megabytes.join(", ")));
    Ok(line)
}

/// Compares reads at random with what the file predicts of them.
fn check(
    reader: &mut Reader<'_>,
    profile: &DeviceProfile,
    budget: Budget,
) -> Result<[String; 2], ProbeError> {
    reader.progress("checking with reads at random", 0.95);
    let count = budget.count(120, 30);
    let places = reader.places(count, 0, reader.size());
    let seen = reader.pages(&places)?;
    let mut emulated = EmulatedTarget::new(profile);
    let told = Reader::new(&mut emulated, reader.draws.clone()).pages(&places)?;
    let tail = |latencies: &[f64]| quantile(latencies, 0.95).unwrap_or_default() * 1e3;
    let pair = |latencies: &[f64]| (mean(latencies) * 1e3, tail(latencies));
    let ((mean, most), (told_mean, told_most)) = (pair(&seen), pair(&told));
    Ok([
        format!(
            "Check: {count} reads of 4 KiB at random took {mean:.1} ms in the mean, 95 % within {most:.1} ms;"
        ),
        format!(
            "by this file they take {told_mean:.1} ms in the mean, 95 % within {told_most:.1} ms."
        ),
    ])
}
