//! What is written: which part waits for the intent log, and whether it goes to places of what is there.

use arcwright_units::Bytes;

use crate::load::{Flow, Measured, Traffic};

/// Writes that are this part of all of them, or less, are not told apart from the others.
const FEW: f64 = 0.02;
/// Bytes of records written for each that was asked for from which requests rewrite parts of records.
const REWRITTEN_MIN: f64 = 1.7;

/// Where what is written goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Placed {
    /// In a row, to a new file.
    InRow,
    /// To places of what is there: of what is read again, or of a file of such a size where nothing is.
    Over(Bytes),
}

/// What is written to a dataset: with a commit each, and without.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Writes {
    pub(crate) waiting: Flow,
    pub(crate) others: Flow,
    pub(crate) depth: u64,
}

impl Writes {
    pub(crate) fn of(traffic: &Traffic) -> Self {
        let (written, log) = (traffic.written, traffic.log());
        // A record in the log holds what was written, and nothing waits for more than was.
        let bytes = log.bytes.min(written.bytes);
        let requests = log.requests.min(written.requests);
        let waiting = match bytes > written.bytes * FEW && requests > 0.0 {
            true => Flow { requests, bytes },
            false => Flow::default(),
        };
        let rest = Flow {
            requests: (written.requests - waiting.requests).max(0.0),
            bytes: written.bytes - waiting.bytes,
        };
        let others = match rest.bytes > written.bytes * FEW {
            true => Flow { requests: rest.requests.max(rest.bytes / (1 << 20) as f64), ..rest },
            false => Flow::default(),
        };
        let depth = traffic.committers.map_or_else(|| 1.0, f64::ceil).clamp(1.0, 64.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to 64")]
        let depth = depth as u64;
        Self { waiting, others, depth }
    }

    /// Says whether requests go to places of what is there: where they are smaller than records, and much more was
    /// written to disks than was asked for.
    pub(crate) fn in_place(&self, traffic: &Traffic, measured: &Measured) -> bool {
        if measured.rewritten.is_some_and(|rewritten| rewritten < REWRITTEN_MIN) {
            return false;
        }
        let is_small = |flow: &Flow| flow.size().is_some_and(|size| size < traffic.record());
        [self.waiting, self.others].iter().any(is_small)
    }

    pub(crate) fn waits(&self) -> bool {
        self.waiting.is_load()
    }
}
