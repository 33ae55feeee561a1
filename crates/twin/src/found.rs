//! What the model counts under a load.

use arcwright_kstat::{ArcDelta, Delta};
use arcwright_scenario::PhaseRun;

use crate::counted::{Counted, Share};

/// What the model counts under a load, per second.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Found {
    pub(crate) accesses: f64,
    pub(crate) misses: f64,
    /// Accesses to metadata, and misses.
    pub(crate) metadata: (f64, f64),
    pub(crate) ghosts: Option<Share>,
    pub(crate) recent: Option<Share>,
    pub(crate) read: f64,
    pub(crate) written: f64,
    /// How long it took.
    pub(crate) seconds: f64,
}

impl Found {
    pub(crate) fn of(run: &PhaseRun, scale: u64) -> Option<Self> {
        let seconds = run.duration_ns.as_secs_f64();
        if seconds <= 0.0 {
            return None;
        }
        let kstats = [("zfs/arcstats".to_owned(), run.kstats.get("arcstats")?.clone())].into();
        let delta = Delta { span: run.duration_ns, kstats, resets: Vec::new() };
        let per_s = |count: u64| count as f64 * scale as f64 / seconds;
        let Counted { accesses, misses, metadata, ghosts, recent } =
            Counted::of(&ArcDelta::of(&delta)?, per_s)?;
        // Bytes of a record are at full scale already, and so are those of a second.
        let (read, written) = (run.device_read_bytes.0, run.device_write_bytes.0);
        Some(Self {
            accesses,
            misses,
            metadata: metadata?,
            ghosts,
            recent,
            read: read as f64 / seconds,
            written: written as f64 / seconds,
            seconds,
        })
    }
}
