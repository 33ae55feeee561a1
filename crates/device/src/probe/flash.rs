//! Flash: the time of one read, the rate of many, the rate in a row.
//!
//! # Theory
//!
//! One read at a time takes a page and a command. Many under way at last wait for commands alone, and large ones for
//! the link: the highest rate of small reads gives the time of a command, that of large ones the link. How many
//! pages are read side by side follows from the rates between: of some counts of channels that one is taken whose
//! model comes nearest to all of them.
//!
//! What a machine cannot send, it cannot measure: where its processor is slower than the device, the command takes as
//! long as the processor, and the file is right for this machine.

use arcwright_units::Nanos;

use super::file::{DeviceFile, grouped};
use super::numbers::{Draws, median, quantile};
use super::target::{PAGE, ProbeError, ProbeRead, ReadTime, Reader};
use super::{Budget, EmulatedTarget, hdd};
use crate::profile::DeviceProfile;

/// How many reads are under way at a time.
const DEPTHS: [usize; 4] = [4, 16, 64, 128];
/// Counts of channels that are tried.
const CHANNELS: [u16; 13] = [1, 2, 4, 8, 10, 16, 24, 32, 48, 64, 96, 128, 256];
/// How long so many are under way, and reads at most.
const DEPTH_SECONDS: f64 = 4.0;
const READS_MAX: usize = 100_000;
/// Bytes of a read in a row, and how many are under way.
const CHUNK: u32 = 1 << 20;
const CHUNK_DEPTH: usize = 8;
/// Reads that the model is asked for at each depth: so many are steady.
const EMULATED: usize = 2000;

pub(super) fn measure(
    reader: &mut Reader<'_>,
    mut file: DeviceFile,
    profile: &DeviceProfile,
    budget: Budget,
) -> Result<DeviceFile, ProbeError> {
    let size = reader.size();
    reader.progress("one read at a time", 0.0);
    let places = reader.places(budget.count(10_000, 500), 0, size);
    let reads: Vec<ProbeRead> = places.iter().map(|place| reader.page(*place)).collect();
    let times = reader.read(&reads, 1)?;
    let latencies: Vec<f64> = times.iter().map(|time| time.seconds()).collect();
    let at = |share| quantile(&latencies, share).unwrap_or_default();
    let one = median(&latencies).unwrap_or_default();
    if one <= 0.0 {
        return Err(ProbeError::Strange { what: "reads take no time".to_owned() });
    }
    let row = in_a_row(reader, budget)?;
    let rates = at_depths(reader, budget)?;
    let most = rates.iter().map(|(_, rate)| *rate).fold(1.0 / one, f64::max);
    let transfer = f64::from(PAGE) / row;
    let command = (1.0 / most).min(one);
    let page = (one - command.max(transfer)).max(one / 100.0);
    let micros = |seconds: f64| format!("{:.1}", seconds * 1e6);
    let quartiles = format!("{} to {}", micros(at(0.25)), micros(at(0.75)));
    file.set("capacity_bytes", grouped(size), "as the system says".to_owned());
    file.set(
        "read_latency_us",
        micros(page),
        format!("{} us with the command (half of them {quartiles})", micros(one)),
    );
    file.set("read_bytes_per_sec", rate_of(row), format!("{CHUNK_DEPTH} reads of 1 MiB under way"));
    file.set("command_us", micros(command), format!("{most:.0} reads of 4 KiB per second"));
    let seen =
        std::iter::once((1, per_second(&times))).chain(rates.iter().copied()).collect::<Vec<_>>();
    let (channels, told) = channels(&file, profile, &seen)?;
    file.set("channels", channels.to_string(), "fitted to the reads per second below".to_owned());
    for ((depth, rate), told) in seen.iter().zip(told) {
        file.remark(format!(
            "Reads of 4 KiB per second, {depth} under way: measured {rate:.0}, this file {told:.0}."
        ));
    }
    file.remark(format!("One at a time, 99 % within {} us.", micros(at(0.99))));
    Ok(file)
}

/// Returns a rate in whole bytes per second as files have it.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
fn rate_of(rate: f64) -> String {
    grouped(rate.round() as u64)
}

/// Returns the rate in bytes per second of large reads in a row.
fn in_a_row(reader: &mut Reader<'_>, budget: Budget) -> Result<f64, ProbeError> {
    reader.progress("large reads in a row", 0.2);
    let chunk = u64::from(CHUNK);
    // A part of the device that is surely there, from its beginning on.
    let there = reader.size() / chunk;
    let mut reads = |first: u64, count: u64| {
        let reads: Vec<ProbeRead> =
            (first..first + count).map(|number| reader.at(number % there * chunk, CHUNK)).collect();
        reader.read(&reads, CHUNK_DEPTH)
    };
    let short = 32.min(there);
    let rough = hdd::steady_rate(&reads(0, short)?, CHUNK);
    // Some four seconds of it, and no more than there is.
    let seconds = 4.0 * budget.seconds.min(60) as f64 / 60.0;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a count of chunks"
    )]
    let count = ((rough * seconds / chunk as f64) as u64)
        .clamp(short, there.max(short) - short.min(there / 2));
    let rate = hdd::steady_rate(&reads(short, count)?, CHUNK);
    match rate {
        1e4..1e12 => Ok(rate),
        _ => {
            let what =
                "the times of large reads make no rate: the machine may have been busy, try again";
            Err(ProbeError::Strange { what: what.to_owned() })
        }
    }
}

/// Returns reads per second with so many under way.
fn at_depths(reader: &mut Reader<'_>, budget: Budget) -> Result<Vec<(usize, f64)>, ProbeError> {
    let mut rates = Vec::new();
    for (depth, number) in DEPTHS.into_iter().zip(0..) {
        reader.progress(&format!("{depth} reads at a time"), 0.4 + 0.12 * f64::from(number));
        let mut measured = |count: usize| {
            let places = reader.places(count, 0, reader.size());
            let reads: Vec<ProbeRead> = places.iter().map(|place| reader.page(*place)).collect();
            Ok(per_second(&reader.read(&reads, depth)?))
        };
        let rough = measured(depth * 5)?;
        let seconds = DEPTH_SECONDS * budget.seconds.min(60) as f64 / 60.0;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let count = ((rough * seconds) as usize).clamp(depth * 20, READS_MAX);
        rates.push((depth, measured(count)?));
    }
    Ok(rates)
}

/// Returns reads per second while as many as wanted were under way: all but the first and last tenth.
fn per_second(times: &[ReadTime]) -> f64 {
    let mut ends: Vec<Nanos> = times.iter().map(|time| time.end).collect();
    ends.sort_unstable();
    let tenth = ends.len() / 10;
    let kept = ends.get(tenth..ends.len() - tenth).unwrap_or_default();
    let (Some(first), Some(last)) = (kept.first(), kept.last()) else { return 0.0 };
    (kept.len() - 1) as f64 / (last.saturating_sub(*first)).as_secs_f64().max(1e-9)
}

/// Returns how many channels come nearest to what was seen, and the rates with so many.
fn channels(
    file: &DeviceFile,
    profile: &DeviceProfile,
    seen: &[(usize, f64)],
) -> Result<(u16, Vec<f64>), ProbeError> {
    let mut best: Option<(f64, u16, Vec<f64>)> = None;
    for channels in CHANNELS {
        let mut tried = file.clone();
        tried.set("channels", channels.to_string(), String::new());
        let strange = |error: crate::ProfileError| ProbeError::Strange {
            what: format!("what was measured is no flash: {}", error.reason),
        };
        let rates = emulated(&tried.profile(profile.title()).map_err(strange)?, seen)?;
        let off = |((_, seen), told): (&(usize, f64), &f64)| (seen / told).ln().powi(2);
        let off: f64 = seen.iter().zip(&rates).map(off).sum();
        // With more than are needed nothing changes: the fewest of those that are as near.
        if best.as_ref().is_none_or(|(least, _, _)| off < least * 0.99) {
            best = Some((off, channels, rates));
        }
    }
    let none = || ProbeError::Strange { what: "no count of channels fits".to_owned() };
    best.map(|(_, channels, rates)| (channels, rates)).ok_or_else(none)
}

/// Returns the reads per second of a model at the depths that were seen.
fn emulated(profile: &DeviceProfile, seen: &[(usize, f64)]) -> Result<Vec<f64>, ProbeError> {
    let mut rates = Vec::new();
    for (depth, _) in seen {
        let mut target = EmulatedTarget::new(profile);
        let mut reader = Reader::new(&mut target, Draws(1));
        let places = reader.places(EMULATED, 0, reader.size());
        let reads: Vec<ProbeRead> = places.iter().map(|place| reader.page(*place)).collect();
        rates.push(per_second(&reader.read(&reads, *depth)?));
    }
    Ok(rates)
}
