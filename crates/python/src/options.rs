//! Options as Python hands them over: JSON, whose sizes are texts with a unit.

use arcwright_units::Bytes;
use serde::Deserialize;

use crate::error::Problem;

/// What steers a run.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RunOptions {
    /// Values of the scenario that are replaced, by key.
    pub(crate) overrides: Vec<(String, String)>,
    /// Arms that run; none: all.
    pub(crate) arms: Vec<String>,
    pub(crate) openzfs: Option<String>,
    pub(crate) seed: Option<u64>,
    pub(crate) scale: Option<u64>,
    /// Threads; none: one for each core.
    pub(crate) threads: Option<usize>,
    pub(crate) max_memory: Option<String>,
}

impl RunOptions {
    /// Returns the memory that all arms which run at once may take: three quarters of what is free.
    pub(crate) fn memory_max(&self) -> Result<Bytes, Problem> {
        /// Where the system does not say what is free.
        const UNKNOWN: Bytes = Bytes::gib(4);
        let share = |free: Bytes| Bytes(free.0 / 4 * 3);
        match &self.max_memory {
            Some(size) => Bytes::parse(size).map_err(Problem::new),
            None => Ok(arcwright_host::free_memory().map_or(UNKNOWN, share)),
        }
    }
}

/// Reads sizes.
pub(crate) fn sizes(texts: &[String]) -> Result<Vec<Bytes>, Problem> {
    texts.iter().map(|text| size(text)).collect()
}

/// Reads a size above zero.
pub(crate) fn size(text: &str) -> Result<Bytes, Problem> {
    match Bytes::parse(text) {
        Ok(Bytes::ZERO) => Err(Problem::new("expected a size above zero")),
        Ok(size) => Ok(size),
        Err(error) => Err(Problem::new(error)),
    }
}

/// Reads the size of a block.
pub(crate) fn block_size(text: &str) -> Result<Bytes, Problem> {
    let size = size(text)?;
    match size.0.is_power_of_two() && (512..=16 << 20).contains(&size.0) {
        true => Ok(size),
        false => Err(Problem::new("expected a power of two from 512 bytes to 16MiB")),
    }
}
