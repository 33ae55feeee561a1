//! Disks that turn.
//!
//! # Theory
//!
//! The time of a request that goes to the platter is
//!
//! ```text
//!   overhead + seek(distance) + wait for the angle + transfer (with head and cylinder switches)
//! ```
//!
//! The spindle's phase is state: the angle under the head is the time modulo one turn, so a request
//! that comes a moment too late waits a whole turn, and one that comes in time does not wait
//! (Ruemmler and Wilkes 1994; DiskSim 4.0, Bucy et al. 2008). After a read the drive goes on
//! reading into its buffer; what it has passed costs only the interface, and what it will pass soon
//! is waited for without moving. Waiting requests are reordered by shortest positioning time, with
//! ageing. Writes that fit the write-back buffer are done at once and reach the platter when the
//! drive is idle, when the buffer fills, or when a flush asks for it.
//!
//! Simplifications: no thermal recalibration, no bad sectors, one angle for all surfaces; all
//! tracks of a cylinder before the next cylinder, though large disks fill many tracks of one surface first.
//! A flush is a barrier, as in ATA: what comes later waits for it. The drive leaves a stream as soon as
//! something else waits, with no least amount to read ahead: two distant streams with one request at a time
//! between them pay a seek for every request. Shingled tracks are a layer above (`shingled/`).
//!
//! Small case: 7200 rpm, 8.33 ms a turn. A random 4 KiB read costs about 0.15 + 8.5 + 4.17 ms; the
//! one that follows it on the track is in the buffer when it comes 1 ms later.

mod buffer;
mod geometry;
mod mechanism;
mod model;
mod plan;
mod seek;
mod writes;

pub(crate) use model::Hdd;
