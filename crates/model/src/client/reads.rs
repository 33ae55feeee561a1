//! Reads of a request: its blocks are held one after the other; those that are not there are waited
//! for together.

use arcwright_units::Nanos;

use super::Request;
use crate::stack::{HoldOutcome, Pins, ReadPath};
use crate::versions::work::Work;

/// Looks at the blocks of a request from where it stopped; returns the time when it is through.
pub(super) fn look_at_blocks(
    request: &mut Request,
    pins: &mut Pins,
    reads: &mut ReadPath,
    mut now: Nanos,
) -> Nanos {
    if request.at > request.last {
        return now;
    }
    let (file, size) = (request.file, u64::from(request.access.size));
    let first = reads.blocks.file(file).first;
    while request.at <= request.last {
        let block = first.plus(request.at);
        let is_there = reads.cache.dbufs.exists(block);
        let work = if is_there { Work::DbufHold } else { Work::DbufCreate };
        now += reads.clock.work(work);
        let held = reads.hold_block(pins, file, request.at, now);
        match held {
            HoldOutcome::Later => return now,
            HoldOutcome::Sent => now += reads.clock.lock_ops(reads.lock_ops_to_read(block)),
            HoldOutcome::There | HoldOutcome::OnItsWay => {}
        }
        now = reads.prefetch_by_block(file, (request.at, held != HoldOutcome::Sent), size, now);
        request.missed |= held != HoldOutcome::There;
        request.at += 1;
    }
    match request.stream {
        Some(stream) => reads.prefetch_ahead(file, stream, Some(request.missed), now),
        None => now,
    }
}
