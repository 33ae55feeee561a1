//! How a phase went over time: what was moved, where it came from, and how busy the devices were, at even
//! steps of virtual time ([`Sampler`](crate::Sampler) takes them); and what was read for which reason.

use arcwright_units::{Bytes, Nanos};
use serde::{Deserialize, Serialize};

/// What happened in each step of a phase. Where it is of a phase that was repeated, it is of the last round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct Series {
    /// Virtual time of a step: 1 s, 2 s, 4 s and so on.
    pub interval_ns: Nanos,
    /// Virtual time of all steps, from the start of the first client; the last step may be shorter than the others.
    pub duration_ns: Nanos,
    /// Bytes moved by all clients.
    pub bytes: Vec<Bytes>,
    /// Of those, bytes that were written, copies included.
    pub written_bytes: Vec<Bytes>,
    /// Bytes read from cache devices.
    pub l2arc_read_bytes: Vec<Bytes>,
    /// Bytes written to cache devices.
    pub l2arc_write_bytes: Vec<Bytes>,
    /// Bytes read from the data and special disks, parity and gaps included.
    pub device_read_bytes: Vec<Bytes>,
    /// Bytes written to the data and special disks.
    pub device_write_bytes: Vec<Bytes>,
    /// What requests found in the ARC; absent where the engine cannot see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub demand: Option<DemandSeries>,
    /// Bytes that the L2ARC held at the end of each step; absent where the engine cannot see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l2arc_size: Option<Vec<Bytes>>,
    /// Each device; of many, the busiest.
    pub devices: Vec<DeviceSeries>,
}

impl Series {
    /// Returns the numbers of the full-scale experiment; times stay.
    pub(crate) fn to_full_scale(&self, scale: u64) -> Self {
        let all = |column: &Vec<Bytes>| -> Vec<Bytes> {
            column.iter().map(|bytes| bytes.saturating_mul(scale)).collect()
        };
        let device = |device: &DeviceSeries| DeviceSeries {
            seeks: device.seeks.iter().map(|seeks| seeks.saturating_mul(scale)).collect(),
            ..device.clone()
        };
        Self {
            interval_ns: self.interval_ns,
            duration_ns: self.duration_ns,
            bytes: all(&self.bytes),
            written_bytes: all(&self.written_bytes),
            l2arc_read_bytes: all(&self.l2arc_read_bytes),
            l2arc_write_bytes: all(&self.l2arc_write_bytes),
            device_read_bytes: all(&self.device_read_bytes),
            device_write_bytes: all(&self.device_write_bytes),
            demand: self.demand.as_ref().map(|demand| DemandSeries {
                hit_bytes: all(&demand.hit_bytes),
                joined_bytes: all(&demand.joined_bytes),
                missed_bytes: all(&demand.missed_bytes),
            }),
            l2arc_size: self.l2arc_size.as_ref().map(all),
            devices: self.devices.iter().map(device).collect(),
        }
    }
}

/// Blocks of data that requests asked the ARC for, each time that they did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct DemandSeries {
    /// Bytes of blocks that were in memory.
    pub hit_bytes: Vec<Bytes>,
    /// Bytes of blocks that were on their way, because of a prefetch or another request.
    pub joined_bytes: Vec<Bytes>,
    /// Bytes of blocks that had to be read.
    pub missed_bytes: Vec<Bytes>,
}

/// What one device did in each step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct DeviceSeries {
    /// Its name, as in the record of the phase.
    pub name: String,
    /// Time in which at least one request was being served.
    pub busy_ns: Vec<Nanos>,
    /// Requests that made the head move or wait for the platter (disks only).
    pub seeks: Vec<u64>,
}

/// What was read from devices into the ARC, by why and what; sizes of blocks, without parity and gaps.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize,
)]
pub struct ReadsByClass {
    /// From cache devices.
    pub l2arc: ReadClasses,
    /// From data and special disks.
    pub disks: ReadClasses,
}

/// Bytes by why they were read, and what they are.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize,
)]
pub struct ReadClasses {
    /// Data that a request asked for.
    pub demand_data: Bytes,
    /// Metadata that a request needed.
    pub demand_metadata: Bytes,
    /// Data that was read ahead.
    pub prefetch_data: Bytes,
    /// Metadata that was read ahead.
    pub prefetch_metadata: Bytes,
}

impl ReadsByClass {
    /// Returns what was read since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self { l2arc: self.l2arc.since(&earlier.l2arc), disks: self.disks.since(&earlier.disks) }
    }

    /// Returns the same with every figure through `of`.
    #[must_use]
    pub fn map(&self, of: impl Fn(Bytes) -> Bytes) -> Self {
        Self { l2arc: self.l2arc.map(&of), disks: self.disks.map(&of) }
    }
}

impl ReadClasses {
    fn since(&self, earlier: &Self) -> Self {
        Self {
            demand_data: self.demand_data - earlier.demand_data,
            demand_metadata: self.demand_metadata - earlier.demand_metadata,
            prefetch_data: self.prefetch_data - earlier.prefetch_data,
            prefetch_metadata: self.prefetch_metadata - earlier.prefetch_metadata,
        }
    }

    fn map(&self, of: impl Fn(Bytes) -> Bytes) -> Self {
        Self {
            demand_data: of(self.demand_data),
            demand_metadata: of(self.demand_metadata),
            prefetch_data: of(self.prefetch_data),
            prefetch_metadata: of(self.prefetch_metadata),
        }
    }
}
