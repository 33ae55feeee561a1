//! The way of the arm by its distance.
//!
//! # Theory
//!
//! A read at a given distance and a random angle takes the way of the arm, then up to a turn. Of `n` such reads the
//! quickest waited a turn over `n + 1` in the mean, so the quickest less that is the way; it is as uncertain as that.
//!
//! Small case: a way of 1 ms and a turn of 8.33 ms; of 300 reads the quickest takes some 1.03 ms, of which 0.03 are
//! taken away.
//!
//! No place is read twice and none lies where a drive reads ahead, or its buffer would answer.

use super::Budget;
use super::target::{ProbeError, Reader};
use crate::profile::HddSpec;

/// A disk whose arm is measured.
#[derive(Debug, Clone, Copy)]
pub(super) struct Disk<'a> {
    /// All but the seek curve.
    pub(super) spec: &'a HddSpec,
    /// The time of a turn in seconds.
    pub(super) turn: f64,
    /// The time of an answer from the buffer in seconds.
    pub(super) hit: f64,
}

/// A point of the curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SeekPoint {
    /// In cylinders.
    pub(super) distance: u64,
    /// In seconds.
    pub(super) time: f64,
    /// Reads that it is from.
    reads: usize,
}

/// Distances of a few cylinders; longer ones are parts of the stroke.
const SHORT: [u64; 4] = [1, 100, 1000, 10_000];
const PARTS: [f64; 4] = [0.16, 0.33, 0.56, 0.9];
/// Parts of a cylinder in which places are counted.
const STEPS: u64 = 1000;
/// The shortest way that a file takes, in seconds.
const WAY_MIN: f64 = 5e-5;

pub(super) fn measure(
    reader: &mut Reader<'_>,
    disk: &Disk<'_>,
    budget: Budget,
) -> Result<Vec<SeekPoint>, ProbeError> {
    let cylinders = Cylinders::of(disk.spec);
    let distances = distances(cylinders.count);
    let count = budget.count(300, 40);
    let mut curve: Vec<SeekPoint> = Vec::new();
    for (distance, number) in distances.iter().zip(0..) {
        let share = f64::from(number) / distances.len() as f64;
        reader.progress(&format!("the arm over {distance} cylinders"), 0.25 + 0.7 * share);
        let places = cylinders.places(reader, *distance, count);
        let latencies = reader.pages(&places)?;
        // The first read came from elsewhere.
        let moved = latencies.get(1..).unwrap_or_default();
        let moved: Vec<f64> =
            moved.iter().copied().filter(|latency| *latency > 1.5 * disk.hit).collect();
        let quickest = moved.iter().copied().fold(f64::INFINITY, f64::min);
        if moved.len() < count / 2 {
            let what = "most reads far apart were answered from a buffer: is there a cache before the disk?";
            return Err(ProbeError::Strange { what: what.to_owned() });
        }
        let waited = disk.turn / (moved.len() + 1) as f64;
        let way = quickest - waited - disk.spec.overhead_read.as_secs_f64();
        let before = curve.last().map_or(WAY_MIN, |point| point.time);
        curve.push(SeekPoint { distance: *distance, time: way.max(before), reads: moved.len() });
    }
    Ok(curve)
}

/// Returns the curve as a value of a file.
pub(super) fn value(curve: &[SeekPoint]) -> String {
    let point = |point: &SeekPoint| format!("[{}, {:.2}]", point.distance, point.time * 1e3);
    let rows: Vec<String> = curve
        .chunks(4)
        .map(|row| row.iter().map(point).collect::<Vec<_>>().join(", "))
        .map(|row| format!("    {row},"))
        .collect();
    format!("[\n{}\n]", rows.join("\n"))
}

pub(super) fn note(curve: &[SeekPoint], turn: f64) -> String {
    let reads = curve.iter().map(|point| point.reads).min().unwrap_or_default();
    let off = turn / (reads + 1) as f64 * 1e3;
    format!("cylinders and milliseconds, each from {reads} reads or more, ± {off:.2} ms")
}

/// Returns growing distances on a disk of so many cylinders.
fn distances(cylinders: u64) -> Vec<u64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below the count")]
    let part = |part: f64| (cylinders as f64 * part) as u64;
    let short = SHORT.into_iter().filter(|distance| *distance < part(0.08));
    short.chain(PARTS.map(part)).filter(|distance| *distance > 0).collect()
}

/// The cylinders of a disk: where each begins.
#[derive(Debug)]
struct Cylinders {
    /// First cylinder, first byte, bytes of a cylinder, by zone.
    zones: Vec<(u64, u64, u64)>,
    count: u64,
}

impl Cylinders {
    fn of(spec: &HddSpec) -> Self {
        let (mut first, mut byte, mut zones) = (0, 0, Vec::with_capacity(spec.zones.len()));
        for zone in &spec.zones {
            let sectors = u64::from(zone.sectors_per_track) * u64::from(spec.heads);
            let size = sectors * u64::from(spec.sector);
            zones.push((first, byte, size));
            first += u64::from(zone.cylinders);
            byte += u64::from(zone.cylinders) * size;
        }
        Self { zones, count: first }
    }

    /// Returns the byte at a place in thousandths of a cylinder.
    fn byte(&self, place: u64) -> u64 {
        let cylinder = place / STEPS;
        let next = self.zones.partition_point(|(first, _, _)| *first <= cylinder);
        let Some((first, byte, size)) = self.zones.get(next.saturating_sub(1)) else { return 0 };
        byte + (place - first * STEPS) * (size / STEPS)
    }

    /// Returns places each of which is `distance` cylinders from the one before, or up to a quarter more: outwards in
    /// where all of them fit, else to and fro, two cylinders further in each time. The quarter makes angles random.
    fn places(&self, reader: &mut Reader<'_>, distance: u64, count: usize) -> Vec<u64> {
        let steps = count as u64;
        let is_walk = distance.saturating_mul(steps + 1) + steps < self.count * 9 / 10;
        let span = if is_walk { distance * (steps + 1) + steps } else { distance + steps + 3 };
        let room = self.count.saturating_sub(span).max(1);
        let start = reader.draws.below(room * STEPS);
        let mut walked = start;
        let mut place = |step: u64| {
            let more = reader.draws.below(STEPS / 4);
            walked += distance * STEPS + more;
            match (is_walk, step % 2) {
                (true, _) => walked,
                (false, side) => start + (step / 2 * 2 + side * distance) * STEPS + more,
            }
        };
        (0..=steps).map(|step| self.byte(place(step))).collect()
    }
}
