//! The devices or files that a trace speaks of.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// The most devices or files of one trace.
const VOLUMES_MAX: usize = 1 << 20;
/// The longest name, in bytes.
const NAME_MAX: usize = 4096;

/// Names of devices or files in the order in which they were met.
#[derive(Debug, Clone, Default)]
pub struct Volumes {
    names: IndexSet<Vec<u8>, FxBuildHasher>,
}

impl Volumes {
    /// Returns the index of a name.
    ///
    /// # Errors
    /// When there are too many names, or this one is too long.
    pub(super) fn index(&mut self, name: &[u8]) -> Result<u32, String> {
        if let Some(index) = self.names.get_index_of(name) {
            return Ok(u32::try_from(index).unwrap_or(u32::MAX));
        }
        if name.len() > NAME_MAX {
            return Err(format!("a name of {} bytes; at most {NAME_MAX}", name.len()));
        }
        if self.names.len() >= VOLUMES_MAX {
            return Err(format!("more than {VOLUMES_MAX} devices or files"));
        }
        let (index, _) = self.names.insert_full(name.to_vec());
        Ok(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// Returns how many names there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// Returns a name; what is not text is replaced.
    #[must_use]
    pub fn name(&self, index: u32) -> Option<String> {
        let name = self.names.get_index(index as usize)?;
        Some(String::from_utf8_lossy(name).into_owned())
    }
}
