//! What clients ask of a file, whatever stands behind it: an object, one with an intent log, the daemon's.

use arcwright_workload::Waits;

use crate::LabError;

/// A file that clients read and write.
pub(crate) trait OpenFile: Sync {
    /// Fills `target` from `offset` on.
    ///
    /// # Errors
    /// [`LabError::Zfs`] with the error number.
    fn read(&self, offset: u64, target: &mut [u8]) -> Result<(), LabError>;

    /// Writes `source` at `offset`.
    ///
    /// # Errors
    /// [`LabError::Zfs`] with the error number.
    fn write(&self, offset: u64, source: &[u8]) -> Result<(), LabError>;

    /// Writes `source` at `offset` and waits as asked; what has no intent log waits for nothing.
    ///
    /// # Errors
    /// [`LabError::Zfs`] with the error number.
    fn write_and_wait(&self, offset: u64, source: &[u8], _: Waits) -> Result<(), LabError> {
        self.write(offset, source)
    }

    /// Waits until everything written so far is stable; at once without an intent log.
    fn fsync(&self) {}
}
