//! Parameters of a disk, and how a data file gives them.

use arcwright_units::{Bytes, Nanos, Rate};
use serde::Deserialize;

use super::basis::{DISK_KEYS, SHINGLE_KEYS};
use super::bounds::{self, Bounded, CAPACITY, RATE};

/// Parameters of a disk.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HddSpec {
    /// Time of one turn.
    pub(crate) turn: Nanos,
    /// Surfaces.
    pub(crate) heads: u32,
    /// Zones from the outside in.
    pub(crate) zones: Vec<ZoneSpec>,
    /// Bytes per sector.
    pub(crate) sector: u32,
    /// Time from one cylinder to another, by distance.
    pub(crate) seek: Vec<(u32, Nanos)>,
    /// Added to a seek before a write.
    pub(crate) write_settle: Nanos,
    /// Time from one head to the next in the same cylinder.
    pub(crate) head_switch: Nanos,
    /// Processing of a read that must go to the platter.
    pub(crate) overhead_read: Nanos,
    /// Processing of a write, into the buffer if there is one.
    pub(crate) overhead_write: Nanos,
    /// Processing of a read that the buffer answers.
    pub(crate) overhead_hit: Nanos,
    /// Rate of the interface.
    pub(crate) interface: Rate,
    /// Segments of the read buffer.
    pub(crate) segments: u32,
    /// Size of one.
    pub(crate) segment_size: Bytes,
    /// The most that is read ahead after a read.
    pub(crate) read_ahead: Bytes,
    /// Dirty bytes that the write-back buffer holds; zero writes through.
    pub(crate) write_buffer: Bytes,
    /// Commands that the drive reorders.
    pub(crate) queue_depth: u32,
    /// Whether it takes the sectors of a track in any order, so that no read of a track takes more
    /// than one turn.
    pub(crate) zero_latency: bool,
    /// How it hides that its tracks overlap; none where they do not.
    pub(crate) shingle: Option<ShingleSpec>,
}

/// How a drive with shingled tracks hides them from the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShingleSpec {
    /// Bytes that can only be written as a whole.
    pub(crate) band: Bytes,
    /// Cache on the platters.
    pub(crate) cache: Bytes,
    /// Entries of the cache's map.
    pub(crate) entries: u32,
    /// What is written in so long a row goes straight to its bands.
    pub(crate) direct: Bytes,
    /// After so long without a request it cleans.
    pub(crate) idle: Nanos,
}

/// One zone of a disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ZoneSpec {
    pub(crate) cylinders: u32,
    pub(crate) sectors_per_track: u32,
    /// Sectors by which the next track of the cylinder is turned back.
    pub(crate) track_skew: u32,
    /// Sectors by which the first track of the next cylinder is turned back.
    pub(crate) cylinder_skew: u32,
}

/// A disk as written: either measured zones and seeks, or the figures of a data sheet.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HddFile {
    rpm: f64,
    heads: u32,
    #[serde(default = "sector_default")]
    sector_bytes: u32,
    /// Measured zones: cylinders, sectors per track, track skew, cylinder skew.
    #[serde(default)]
    zones: Vec<(u32, u32, u32, u32)>,
    /// Data sheet: capacity and sustained rates, from which zones are made.
    sheet: Option<Sheet>,
    /// Distance in cylinders, milliseconds.
    seek_ms: Vec<(u32, f64)>,
    write_settle_ms: f64,
    head_switch_ms: f64,
    overhead_read_ms: f64,
    overhead_write_ms: f64,
    overhead_hit_ms: f64,
    interface_bytes_per_sec: u64,
    segments: u32,
    segment_bytes: u64,
    read_ahead_bytes: u64,
    write_buffer_bytes: u64,
    queue_depth: u32,
    #[serde(default)]
    zero_latency: bool,
    /// Drives with shingled tracks.
    shingled: Option<ShingleFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShingleFile {
    band_bytes: u64,
    media_cache_bytes: u64,
    media_cache_entries: u32,
    direct_bytes: u64,
    idle_ms: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sheet {
    capacity_bytes: u64,
    outer_bytes_per_sec: f64,
    inner_bytes_per_sec: f64,
    zones: u32,
    cylinder_switch_ms: f64,
}

fn sector_default() -> u32 {
    512
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts and times of a data sheet; `as` saturates, and zero is refused afterwards"
)]
fn whole(value: f64) -> u32 {
    value.round() as u32
}

fn ms(value: f64) -> Nanos {
    Nanos::from_secs_f64(value / 1e3)
}

/// Most rows of a list.
const POINTS_MAX: usize = 1000;
/// Times in milliseconds.
const LATENCY: std::ops::RangeInclusive<f64> = 0.0..=1e4;

impl Sheet {
    fn bounded(&self) -> [Bounded; 5] {
        [
            ("capacity_bytes", self.capacity_bytes as f64, CAPACITY),
            ("outer_bytes_per_sec", self.outer_bytes_per_sec, RATE),
            ("inner_bytes_per_sec", self.inner_bytes_per_sec, RATE),
            ("zones", f64::from(self.zones), 1.0..=1000.0),
            ("cylinder_switch_ms", self.cylinder_switch_ms, LATENCY),
        ]
    }
}

impl ShingleFile {
    fn bounded(&self) -> [Bounded; 5] {
        [
            ("band_bytes", self.band_bytes as f64, 1e6..=1e10),
            ("media_cache_bytes", self.media_cache_bytes as f64, 1e7..=1e13),
            ("media_cache_entries", f64::from(self.media_cache_entries), 1.0..=1e8),
            ("direct_bytes", self.direct_bytes as f64, 1.0..=1e12),
            ("idle_ms", self.idle_ms, LATENCY),
        ]
    }

    fn build(&self) -> Result<ShingleSpec, String> {
        bounds::check(&self.bounded())?;
        if self.band_bytes > self.media_cache_bytes {
            return Err("media_cache_bytes must be at least band_bytes".to_owned());
        }
        Ok(ShingleSpec {
            band: Bytes(self.band_bytes),
            cache: Bytes(self.media_cache_bytes),
            entries: self.media_cache_entries,
            direct: Bytes(self.direct_bytes),
            idle: ms(self.idle_ms),
        })
    }
}

impl HddFile {
    /// Returns the keys of its values: what only a data sheet has is none of a file with zones, and what only shingled
    /// drives have none of others.
    pub(super) fn keys(&self) -> Vec<&'static str> {
        let of_sheet =
            ["capacity_bytes", "outer_bytes_per_sec", "inner_bytes_per_sec", "cylinder_switch_ms"];
        let is_there = |key: &&str| self.sheet.is_some() || !of_sheet.contains(key);
        let more = self.shingled.iter().flat_map(|_| SHINGLE_KEYS);
        DISK_KEYS.into_iter().filter(is_there).chain(more).collect()
    }

    /// Returns the values with where they must lie.
    fn bounded(&self) -> [Bounded; 14] {
        [
            ("rpm", self.rpm, 100.0..=1e5),
            ("heads", f64::from(self.heads), 1.0..=1000.0),
            ("sector_bytes", f64::from(self.sector_bytes), 512.0..=65_536.0),
            ("write_settle_ms", self.write_settle_ms, LATENCY),
            ("head_switch_ms", self.head_switch_ms, LATENCY),
            ("overhead_read_ms", self.overhead_read_ms, LATENCY),
            ("overhead_write_ms", self.overhead_write_ms, LATENCY),
            ("overhead_hit_ms", self.overhead_hit_ms, LATENCY),
            ("interface_bytes_per_sec", self.interface_bytes_per_sec as f64, RATE),
            ("segments", f64::from(self.segments), 0.0..=4096.0),
            ("segment_bytes", self.segment_bytes as f64, 0.0..=1e9),
            ("read_ahead_bytes", self.read_ahead_bytes as f64, 0.0..=1e9),
            ("write_buffer_bytes", self.write_buffer_bytes as f64, 0.0..=1e11),
            ("queue_depth", f64::from(self.queue_depth), 0.0..=65_536.0),
        ]
    }

    pub(super) fn build(&self) -> Result<HddSpec, String> {
        bounds::check(&self.bounded())?;
        if !self.sector_bytes.is_power_of_two() {
            return Err("sector_bytes must be a power of two".to_owned());
        }
        if let Some(sheet) = &self.sheet {
            bounds::check(&sheet.bounded())?;
        }
        let seeks: Vec<Bounded> =
            self.seek_ms.iter().map(|(_, time)| ("seek_ms", *time, LATENCY)).collect();
        bounds::check(&seeks)?;
        if self.seek_ms.len() > POINTS_MAX || self.zones.len() > POINTS_MAX {
            return Err(format!("seek_ms and zones have at most {POINTS_MAX} rows"));
        }
        if self.seek_ms.is_empty() || !self.seek_ms.is_sorted_by(|a, b| a.0 < b.0) {
            return Err("seek_ms must be a list with growing distances".to_owned());
        }
        let turn = Nanos::from_secs_f64(60.0 / self.rpm);
        let zones = match &self.sheet {
            Some(sheet) => self.zones_of(sheet, turn),
            None => self.zones.iter().map(zone_of).collect(),
        };
        if zones.is_empty() || zones.iter().any(|z| z.cylinders == 0 || z.sectors_per_track == 0) {
            return Err("needs zones with cylinders and sectors".to_owned());
        }
        if zones.iter().any(|z| z.track_skew.max(z.cylinder_skew) > z.sectors_per_track) {
            return Err("a switch of heads or cylinders takes at most one turn".to_owned());
        }
        let cylinders = zones.iter().map(|zone| {
            f64::from(zone.cylinders) * f64::from(zone.sectors_per_track) * f64::from(self.heads)
        });
        let size = cylinders.sum::<f64>() * f64::from(self.sector_bytes);
        bounds::check(&[("the capacity of all zones", size, CAPACITY)])?;
        Ok(HddSpec {
            turn,
            heads: self.heads,
            zones,
            sector: self.sector_bytes,
            seek: self.seek_ms.iter().map(|(distance, time)| (*distance, ms(*time))).collect(),
            write_settle: ms(self.write_settle_ms),
            head_switch: ms(self.head_switch_ms),
            overhead_read: ms(self.overhead_read_ms),
            overhead_write: ms(self.overhead_write_ms),
            overhead_hit: ms(self.overhead_hit_ms),
            interface: Rate(self.interface_bytes_per_sec),
            segments: self.segments,
            segment_size: Bytes(self.segment_bytes),
            read_ahead: Bytes(self.read_ahead_bytes),
            write_buffer: Bytes(self.write_buffer_bytes),
            queue_depth: self.queue_depth.max(1),
            zero_latency: self.zero_latency,
            shingle: self.shingled.as_ref().map(ShingleFile::build).transpose()?,
        })
    }

    /// Makes zones with rates falling evenly from the outside in.
    ///
    /// A track holds what the sustained rate reads in one turn plus the switch to the next track.
    fn zones_of(&self, sheet: &Sheet, turn: Nanos) -> Vec<ZoneSpec> {
        let count = sheet.zones.max(2);
        let sector = f64::from(self.sector_bytes);
        let heads = f64::from(self.heads);
        let cylinder_switch = sheet.cylinder_switch_ms / 1e3;
        let switch = self.head_switch_ms / 1e3;
        let switch_mean = (switch * (heads - 1.0) + cylinder_switch) / heads;
        let zone = |number: u32| {
            let share = f64::from(number) / f64::from(count - 1);
            let rate = sheet.outer_bytes_per_sec
                + share * (sheet.inner_bytes_per_sec - sheet.outer_bytes_per_sec);
            let sectors = (rate * (turn.as_secs_f64() + switch_mean) / sector).round();
            let tracks = sheet.capacity_bytes as f64 / f64::from(count) / (sectors * sector);
            let skew = |seconds: f64| whole((seconds / turn.as_secs_f64() * sectors).ceil());
            ZoneSpec {
                cylinders: whole((tracks / heads).ceil()),
                sectors_per_track: whole(sectors),
                track_skew: skew(switch),
                cylinder_skew: skew(cylinder_switch),
            }
        };
        (0..count).map(zone).collect()
    }
}

fn zone_of(row: &(u32, u32, u32, u32)) -> ZoneSpec {
    let (cylinders, sectors_per_track, track_skew, cylinder_skew) = *row;
    ZoneSpec { cylinders, sectors_per_track, track_skew, cylinder_skew }
}

impl HddSpec {
    pub(super) fn capacity(&self) -> Bytes {
        let sectors = self.zones.iter().map(|zone| {
            u64::from(zone.cylinders) * u64::from(self.heads) * u64::from(zone.sectors_per_track)
        });
        Bytes(sectors.sum::<u64>() * u64::from(self.sector))
    }

    /// Sustained rate of the outermost zone: a cylinder per as many turns as heads, and switches.
    pub(super) fn outer_rate(&self) -> Rate {
        let Some(zone) = self.zones.first() else { return Rate(0) };
        let heads = u64::from(self.heads);
        let sectors = u64::from(zone.sectors_per_track) * heads;
        let switches = u64::from(zone.track_skew) * (heads - 1) + u64::from(zone.cylinder_skew);
        let turns = (sectors + switches) as f64 / f64::from(zone.sectors_per_track);
        Rate::of(Bytes(sectors * u64::from(self.sector)), self.turn.scaled(turns))
    }
}
