//! Parameters of a flash device, and how a data file gives them.

use arcwright_units::{Bytes, Nanos, Rate};
use serde::Deserialize;

use super::bounds::{self, Bounded, CAPACITY, RATE};

/// Parameters of a flash device.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FlashSpec {
    /// Page reads that go on at the same time.
    pub(crate) channels: u16,
    /// Neighbouring bytes that one of them reads.
    pub(crate) stripe: Bytes,
    /// Time of a page read with everything around it, the floor of a read.
    pub(crate) read_latency: Nanos,
    /// The link, or the controller if that is slower.
    pub(crate) read_rate: Rate,
    /// Time between two commands, the ceiling of small requests per second.
    pub(crate) command: Nanos,
    /// Floor of a write.
    pub(crate) write_latency: Nanos,
    /// Rate of writes while the fast cache has room.
    pub(crate) write_rate_burst: Rate,
    /// Rate of writes afterwards.
    pub(crate) write_rate: Rate,
    /// Size of the fast cache; zero for none.
    pub(crate) cache_size: Bytes,
    /// Rate at which an idle device empties it.
    pub(crate) cache_refill: Rate,
    /// A flush after writes.
    pub(crate) flush: Nanos,
    /// Whether what was acknowledged survives a loss of power, so that a flush stops nothing.
    pub(crate) power_loss_protection: bool,
    /// Page read during programs, in hundredths of `read_latency`.
    pub(crate) read_while_writing_percent: u64,
    /// Bytes programmed for each thousand bytes written.
    pub(crate) amplification_permille: u64,
    /// Bytes that may be written in its life; zero when nobody says.
    pub(crate) endurance: Bytes,
}

/// A flash device as written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FlashFile {
    channels: u16,
    stripe_bytes: u64,
    read_latency_us: f64,
    read_bytes_per_sec: u64,
    command_us: f64,
    write_latency_us: f64,
    write_burst_bytes_per_sec: u64,
    write_bytes_per_sec: u64,
    cache_bytes: u64,
    cache_refill_bytes_per_sec: u64,
    flush_us: f64,
    power_loss_protection: bool,
    read_while_writing_percent: u64,
    write_amplification_permille: u64,
    endurance_bytes: u64,
}

impl FlashFile {
    /// Returns the values with where they must lie; latencies up to a second, in microseconds.
    fn bounded(&self) -> [Bounded; 13] {
        const LATENCY: std::ops::RangeInclusive<f64> = 0.0..=1e6;
        [
            ("channels", f64::from(self.channels), 1.0..=4096.0),
            ("stripe_bytes", self.stripe_bytes as f64, 512.0..=1e9),
            ("read_latency_us", self.read_latency_us, LATENCY),
            ("read_bytes_per_sec", self.read_bytes_per_sec as f64, RATE),
            ("command_us", self.command_us, LATENCY),
            ("write_latency_us", self.write_latency_us, LATENCY),
            ("write_burst_bytes_per_sec", self.write_burst_bytes_per_sec as f64, RATE),
            ("write_bytes_per_sec", self.write_bytes_per_sec as f64, RATE),
            ("cache_bytes", self.cache_bytes as f64, 0.0..=*CAPACITY.end()),
            ("flush_us", self.flush_us, LATENCY),
            ("read_while_writing_percent", self.read_while_writing_percent as f64, 0.0..=1e5),
            ("write_amplification_permille", self.write_amplification_permille as f64, 0.0..=1e6),
            ("endurance_bytes", self.endurance_bytes as f64, 0.0..=1e18),
        ]
    }

    pub(super) fn build(&self) -> Result<FlashSpec, String> {
        bounds::check(&self.bounded())?;
        let us = |value: f64| Nanos::from_secs_f64(value / 1e6);
        Ok(FlashSpec {
            channels: self.channels,
            stripe: Bytes(self.stripe_bytes),
            read_latency: us(self.read_latency_us),
            read_rate: Rate(self.read_bytes_per_sec),
            command: us(self.command_us),
            write_latency: us(self.write_latency_us),
            write_rate_burst: Rate(self.write_burst_bytes_per_sec),
            write_rate: Rate(self.write_bytes_per_sec),
            cache_size: Bytes(self.cache_bytes),
            cache_refill: Rate(self.cache_refill_bytes_per_sec),
            flush: us(self.flush_us),
            power_loss_protection: self.power_loss_protection,
            read_while_writing_percent: self.read_while_writing_percent.max(100),
            amplification_permille: self.write_amplification_permille.max(1000),
            endurance: Bytes(self.endurance_bytes),
        })
    }
}
