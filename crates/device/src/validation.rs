//! The disk model against measured drives: traces, their replay, and `DiskSim`'s demerit figure.
//!
//! `DiskSim` 4.0 (Bucy, Schindler, Schlosser, Ganger, CMU-PDL-08-101) publishes traces of real
//! drives with the service time of every request. A replay asks the model for the same requests,
//! each as long after the completion of the one before as it was measured, and compares the
//! distributions of service times. The demerit figure is the root mean square of the horizontal
//! distance between the two cumulative distributions (Ruemmler and Wilkes 1994), in milliseconds.
//! This file reads and computes; who has the traces hands over their text.
//!
//! Small case: measured 1 and 3 ms, modelled 4 and 1 ms: sorted 1, 3 and 1, 4, distances 0 and 1,
//! demerit sqrt((0 + 1) / 2) = 0.71 ms.

use arcwright_units::Nanos;

use crate::profile::{DeviceProfile, ProfileError};
use crate::request::{Completion, Io, Request};

/// A drive that was measured.
#[derive(Debug, Clone, Copy)]
pub struct MeasuredDrive {
    /// Short name, as in the names of its files.
    pub name: &'static str,
    /// File with the requests and their measured service times.
    pub trace_file: &'static str,
    /// Demerit figure of `DiskSim` for this drive and trace, in milliseconds.
    pub disksim_demerit_ms: f64,
    text: &'static str,
}

const DRIVES: [MeasuredDrive; 4] = [
    MeasuredDrive {
        name: "atlas10k",
        trace_file: "disksim_atlas10k.trace",
        disksim_demerit_ms: 0.268,
        text: include_str!("../validation/atlas10k.toml"),
    },
    MeasuredDrive {
        name: "barracuda",
        trace_file: "disksim_barracuda.trace",
        disksim_demerit_ms: 0.349,
        text: include_str!("../validation/barracuda.toml"),
    },
    MeasuredDrive {
        name: "ibm18es",
        trace_file: "disksim_ibm18es.trace",
        disksim_demerit_ms: 0.135,
        text: include_str!("../validation/ibm18es.toml"),
    },
    MeasuredDrive {
        name: "hp_c2490a",
        trace_file: "disksim_hp_c2490a.trace",
        disksim_demerit_ms: 0.254,
        text: include_str!("../validation/hp_c2490a.toml"),
    },
];

/// Returns the measured drives.
#[must_use]
pub fn measured_drives() -> &'static [MeasuredDrive] {
    &DRIVES
}

impl MeasuredDrive {
    /// Returns its parameters.
    ///
    /// # Errors
    /// [`ProfileError`] when its data file is not well-formed.
    pub fn profile(&self) -> Result<DeviceProfile, ProfileError> {
        DeviceProfile::parse(self.name, self.text)
    }
}

/// One measured request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measured {
    /// What was asked.
    pub request: Request,
    /// How long the drive took.
    pub service: Nanos,
    /// How long after its completion the next request came.
    pub pause: Nanos,
}

/// Sectors of the traces.
const SECTOR: u64 = 512;

/// Reads a trace: `R|W Hit|Miss sector sectors service_us pause_us`, one request per line.
///
/// Lines of another shape are left out; the second value is how many.
#[must_use]
pub fn parse_trace(text: &str) -> (Vec<Measured>, usize) {
    let mut bad = 0;
    let parsed = text.lines().filter(|line| !line.trim().is_empty()).filter_map(|line| {
        let measured = parse_line(line);
        bad += usize::from(measured.is_none());
        measured
    });
    let trace = parsed.collect();
    (trace, bad)
}

fn parse_line(line: &str) -> Option<Measured> {
    let mut words = line.split_whitespace();
    let io = match words.next()? {
        "R" => Io::Read,
        "W" => Io::Write,
        _ => return None,
    };
    let sector: u64 = words.nth(1)?.parse().ok()?;
    let sectors: u64 = words.next()?.parse().ok()?;
    let micros = |word: &str| word.parse::<f64>().ok().map(|us| Nanos::from_secs_f64(us / 1e6));
    let service = micros(words.next()?)?;
    let pause = micros(words.next()?)?;
    let offset = sector.checked_mul(SECTOR)?;
    let size = u32::try_from(sectors.checked_mul(SECTOR)?).ok()?;
    Some(Measured { request: Request { io, offset, size }, service, pause })
}

/// A drive and the model, side by side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// Requests compared.
    pub requests: usize,
    /// Mean measured service time in milliseconds.
    pub measured_ms: f64,
    /// Mean service time of the model in milliseconds.
    pub modelled_ms: f64,
    /// Demerit figure in milliseconds.
    pub demerit_ms: f64,
}

/// Replays `trace` on a disk of `profile` and compares.
#[must_use]
pub fn compare(profile: &DeviceProfile, trace: &[Measured]) -> Comparison {
    let measured: Vec<Nanos> = trace.iter().map(|request| request.service).collect();
    let modelled = replay(profile, trace);
    Comparison {
        requests: trace.len(),
        measured_ms: mean_ms(&measured),
        modelled_ms: mean_ms(&modelled),
        demerit_ms: demerit_ms(&measured, &modelled),
    }
}

fn mean_ms(times: &[Nanos]) -> f64 {
    let sum: f64 = times.iter().map(|time| time.as_secs_f64() * 1e3).sum();
    sum / times.len().max(1) as f64
}

/// Returns the service times of the model, request by request.
#[must_use]
pub fn replay(profile: &DeviceProfile, trace: &[Measured]) -> Vec<Nanos> {
    let mut device = crate::Device::new(profile, profile.capacity(), 0);
    let mut done: Vec<Completion> = Vec::with_capacity(1);
    let mut now = Nanos::ZERO;
    let mut times = Vec::with_capacity(trace.len());
    for measured in trace {
        device.submit(now, 0, measured.request);
        done.clear();
        while done.is_empty() {
            let Some(next) = device.next_event() else { return times };
            device.advance(next, &mut done);
        }
        let end = done.first().map_or(now, |completion| completion.at);
        times.push(end - now);
        now = end + measured.pause;
    }
    times
}

/// Returns the demerit figure in milliseconds; zero of nothing, not a number for unequal counts.
#[must_use]
pub fn demerit_ms(measured: &[Nanos], modelled: &[Nanos]) -> f64 {
    if measured.len() != modelled.len() {
        return f64::NAN;
    }
    let sorted = |times: &[Nanos]| {
        let mut times = times.to_vec();
        times.sort_unstable();
        times
    };
    let pairs = sorted(measured).into_iter().zip(sorted(modelled));
    let squares = pairs.map(|(a, b)| {
        let distance = (a.0.abs_diff(b.0)) as f64 / 1e6;
        distance * distance
    });
    (squares.sum::<f64>() / (measured.len().max(1)) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use arcwright_units::Nanos;

    use super::{Measured, demerit_ms, measured_drives, parse_trace};
    use crate::{Io, Request};

    #[test]
    fn a_line_is_a_request_with_its_times() {
        let text = "R Hit   1390458 14 12434.375000 27307.318970\nW Miss 0 4 663.0 1.5\nnonsense\n";
        let (trace, bad) = parse_trace(text);
        assert_eq!(bad, 1);
        assert_eq!(trace.len(), 2);
        assert_eq!(
            trace[0],
            Measured {
                request: Request { io: Io::Read, offset: 1_390_458 * 512, size: 14 * 512 },
                service: Nanos(12_434_375),
                pause: Nanos(27_307_319),
            }
        );
    }

    #[test]
    fn the_demerit_compares_sorted_times() {
        let ms = |times: &[u64]| times.iter().map(|t| Nanos::millis(*t)).collect::<Vec<_>>();
        assert!(demerit_ms(&ms(&[1, 3]), &ms(&[3, 1])).abs() < 1e-12);
        assert!((demerit_ms(&ms(&[1, 3]), &ms(&[4, 1])) - 0.5f64.sqrt()).abs() < 1e-12);
        assert!(demerit_ms(&ms(&[1]), &ms(&[])).is_nan());
    }

    #[test]
    fn every_measured_drive_has_parameters() {
        for drive in measured_drives() {
            assert!(drive.profile().is_ok(), "{:?}", drive.profile());
        }
    }
}
