//! Where a byte lies on a disk: cylinder, surface, angle.
//!
//! Blocks fill a track, then the next surface of the cylinder, then the next cylinder, zone by zone
//! from the outside in. Each new track begins a skew later, so that a sequential reader finds its
//! next sector after switching heads (Ruemmler and Wilkes, "An introduction to disk drive
//! modeling", IEEE Computer 27(3), 1994).

use std::cell::Cell;
use std::ops::Range;

use arcwright_units::Bytes;

use crate::profile::HddSpec;

/// The layout of a disk.
#[derive(Debug, Clone)]
pub(super) struct Geometry {
    zones: Vec<Zone>,
    heads: Divisor,
    /// The two tracks that were asked for last: readers stay on one for a while, with the head on it
    /// or on the one before.
    known: [Cell<Track>; 2],
}

/// A track: its first sector, the one behind its last, and what its sectors have in common.
#[derive(Debug, Clone, Copy, Default)]
struct Track {
    first: u64,
    end: u64,
    /// Sectors that the track's first one is turned by.
    skew: u64,
    inverse: f64,
    place: Place,
}

impl Track {
    fn place(&self, sector: u64) -> Place {
        let in_track = sector - self.first;
        let per_track = self.place.sectors_per_track;
        let turned = self.skew + in_track;
        let turned = if turned >= per_track { turned - per_track } else { turned };
        Place {
            angle: float(turned) * self.inverse,
            index_in_track: in_track,
            left_in_track: per_track - in_track,
            ..self.place
        }
    }
}

/// A divisor with its inverse: a multiplication and a correction instead of a division, which took
/// a quarter of a sequential run.
#[derive(Debug, Clone, Copy)]
struct Divisor {
    value: u64,
    inverse: f64,
}

impl Divisor {
    fn new(value: u64) -> Self {
        let value = value.max(1);
        Self { value, inverse: 1.0 / float(value) }
    }

    /// Returns quotient and remainder; exact below 2^51, as every sector and track is.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the quotient is not negative and below 2^51"
    )]
    fn divide(self, number: u64) -> (u64, u64) {
        let quotient = (float(number) * self.inverse) as i64 as u64;
        let product = quotient * self.value;
        if product > number {
            (quotient - 1, number + self.value - product)
        } else if number - product >= self.value {
            (quotient + 1, number - product - self.value)
        } else {
            (quotient, number - product)
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Zone {
    first_sector: u64,
    first_cylinder: u64,
    cylinders: u64,
    sectors_per_track: Divisor,
    track_skew: u64,
    cylinder_skew: u64,
}

/// The place of a sector.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Place {
    /// Cylinder, from the outside in.
    pub(super) cylinder: u64,
    /// Tracks since the beginning of the disk.
    pub(super) track: u64,
    /// Part of a turn, 0 to 1, at which the sector begins.
    pub(super) angle: f64,
    /// Sectors from the beginning of the track to here.
    pub(super) index_in_track: u64,
    /// Sectors from here to the end of the track, this one included.
    pub(super) left_in_track: u64,
    /// Sectors per track here.
    pub(super) sectors_per_track: u64,
    /// Parts of a turn that pass between the last sector of this track and the first of the next.
    pub(super) gap_to_next: f64,
}

impl Geometry {
    /// Lays out `spec` with `factor` times fewer cylinders, and more at the end if `size` needs
    /// them.
    pub(super) fn new(spec: &HddSpec, factor: u64, size: Bytes) -> Self {
        let heads = Divisor::new(u64::from(spec.heads));
        let mut zones: Vec<Zone> = Vec::with_capacity(spec.zones.len());
        let (mut first_sector, mut first_cylinder) = (0, 0);
        for zone in &spec.zones {
            let cylinders = u64::from(zone.cylinders).div_ceil(factor.max(1)).max(1);
            let sectors_per_track = Divisor::new(u64::from(zone.sectors_per_track));
            zones.push(Zone {
                first_sector,
                first_cylinder,
                cylinders,
                sectors_per_track,
                track_skew: u64::from(zone.track_skew),
                cylinder_skew: u64::from(zone.cylinder_skew),
            });
            first_sector += cylinders * heads.value * sectors_per_track.value;
            first_cylinder += cylinders;
        }
        let sectors = size.0.div_ceil(u64::from(spec.sector.max(1)));
        if let Some(last) = zones.last_mut() {
            let missing = sectors.saturating_sub(first_sector);
            last.cylinders += missing.div_ceil(heads.value * last.sectors_per_track.value);
        }
        Self { zones, heads, known: Default::default() }
    }

    /// Returns the place of a sector; sectors behind the end lie in the last zone.
    pub(super) fn place(&self, sector: u64) -> Place {
        for track in &self.known {
            let track = track.get();
            if (track.first..track.end).contains(&sector) {
                return track.place(sector);
            }
        }
        let track = self.track(sector);
        let [last, before] = &self.known;
        before.set(last.get());
        last.set(track);
        track.place(sector)
    }

    fn track(&self, sector: u64) -> Track {
        let index = self.zones.partition_point(|zone| zone.first_sector <= sector);
        let Some(zone) = self.zones.get(index.saturating_sub(1)) else {
            // A disk without zones, which no profile is: every sector is a track.
            let place = Place { left_in_track: 1, sectors_per_track: 1, ..Place::default() };
            return Track { first: sector, end: sector + 1, place, ..Track::default() };
        };
        let per_track = zone.sectors_per_track;
        let (track, in_track) = per_track.divide(sector - zone.first_sector);
        let (cylinder, surface) = self.heads.divide(track);
        let switches = track - cylinder;
        let skewed = switches * zone.track_skew + cylinder * zone.cylinder_skew;
        let last_surface = surface == self.heads.value - 1;
        let gap = if last_surface { zone.cylinder_skew } else { zone.track_skew };
        Track {
            first: sector - in_track,
            end: sector - in_track + per_track.value,
            skew: per_track.divide(skewed).1,
            inverse: per_track.inverse,
            place: Place {
                cylinder: zone.first_cylinder + cylinder.min(zone.cylinders),
                track: zone.first_cylinder * self.heads.value + track,
                angle: 0.0,
                index_in_track: 0,
                left_in_track: per_track.value,
                sectors_per_track: per_track.value,
                gap_to_next: float(gap) * per_track.inverse,
            },
        }
    }

    /// Returns the turns that reading `sectors` from `sector` on takes, switches included; `first` is the
    /// place of the first one.
    pub(super) fn turns(&self, first: &Place, sector: u64, sectors: u64) -> f64 {
        let mut turns = 0.0;
        let (mut at, mut left) = (sector, sectors);
        while left > 0 {
            let place = if at == sector { *first } else { self.place(at) };
            let here = left.min(place.left_in_track);
            turns += float(here) / float(place.sectors_per_track);
            left -= here;
            at += here;
            if left > 0 {
                turns += place.gap_to_next;
            }
        }
        turns
    }

    /// Returns how many of `sectors` pass in `turns`; `first` is the place of the first one.
    pub(super) fn passed(&self, first: &Place, sectors: Range<u64>, turns: f64) -> u64 {
        let (sector, sectors_max) = (sectors.start, sectors.end.saturating_sub(sectors.start));
        let (mut passed, mut turns) = (0, turns);
        while passed < sectors_max {
            let place = if passed == 0 { *first } else { self.place(sector + passed) };
            let here = place.left_in_track.min(sectors_max - passed);
            let needed = float(here) / float(place.sectors_per_track);
            if turns < needed {
                return passed + sectors_in(place.sectors_per_track, turns).min(here);
            }
            passed += here;
            turns -= needed + place.gap_to_next;
        }
        passed
    }
}

/// Returns a number below 2^63, as all here are, in floating point: one instruction, where the whole range
/// takes several.
pub(super) fn float(number: u64) -> f64 {
    number.cast_signed() as f64
}

/// Returns the whole sectors of a track that pass in `turns`; none before it begins.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates, and less than nothing is no sector"
)]
pub(super) fn sectors_in(sectors_per_track: u64, turns: f64) -> u64 {
    (turns * float(sectors_per_track)) as u64
}

#[cfg(test)]
mod tests {
    use arcwright_units::Bytes;

    use crate::profile::{Kind, profile};

    use super::{Divisor, Geometry};

    #[test]
    fn a_divisor_divides() {
        for value in [1, 2, 3, 7, 10, 1000, 2048, 3906, 4_194_303] {
            for base in [0u64, 1, value, 1 << 20, 1 << 33, (1 << 40) + 12_345, 1 << 50] {
                for number in base.saturating_sub(3)..base + 4 {
                    let expected = (number / value, number % value);
                    assert_eq!(Divisor::new(value).divide(number), expected, "{number} / {value}");
                }
            }
        }
    }

    fn geometry(factor: u64) -> Geometry {
        match profile("hdd-nas-7200").unwrap().kind() {
            Kind::Hdd(spec) => Geometry::new(spec, factor, Bytes::ZERO),
            _ => unreachable!("a disk"),
        }
    }

    #[test]
    fn the_next_sector_of_a_track_is_the_next_angle() {
        let geometry = geometry(1);
        let (a, b) = (geometry.place(0), geometry.place(1));
        assert_eq!((a.cylinder, a.track), (b.cylinder, b.track));
        assert!((b.angle - a.angle - 1.0 / a.sectors_per_track as f64).abs() < 1e-9);
    }

    #[test]
    fn a_full_track_takes_one_turn_and_two_take_the_skew_besides() {
        let geometry = geometry(1);
        let place = geometry.place(0);
        let track = place.sectors_per_track;
        assert!((geometry.turns(&place, 0, track) - 1.0).abs() < 1e-9);
        assert!((geometry.turns(&place, 0, 2 * track) - 2.0 - place.gap_to_next).abs() < 1e-9);
    }

    #[test]
    fn inner_zones_have_shorter_tracks_and_cylinders_only_grow() {
        let geometry = geometry(32);
        let places: Vec<_> = (0..100).map(|i| geometry.place(i * 450_000)).collect();
        assert!(places.is_sorted_by_key(|place| place.cylinder));
        assert!(places[99].sectors_per_track < places[0].sectors_per_track);
    }
}
