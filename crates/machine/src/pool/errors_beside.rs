//! What is known of a pool's errors, and of what happened since, beside the counts of its devices.

use super::Vdev;

/// Errors of a pool beside those that its devices have counted now, and whether there may be more or fewer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ErrorsBeside {
    /// In the pool's own row: requests that no copy could answer.
    pub own: Option<[u64; 3]>,
    /// Devices that had counted errors in an earlier text about the pool, as they stood there with most of them.
    pub before: Vec<Vdev>,
    /// Whether the text about it lacks a line that the tool always prints, or has one that was not understood: what is
    /// ill may stand there.
    pub lacks_lines: bool,
    /// Devices whose counts were cleared in between and that had errors again, by their names.
    pub again: Vec<String>,
    /// Devices that a typed `zpool replace` replaced, by their names, which the new ones may have too.
    pub replaced: Vec<String>,
    /// What a later line of the text says happened since its state was read, which may be another by now:
    /// `zpool clear tank`, `the end of its resilver`.
    pub since: Option<String>,
    /// Devices that a `zpool remove` below its state names: they were removed since, or are to be.
    pub removed: Vec<String>,
    /// The time of the mail that tells of it, where its state is of one: it may be of a moment.
    pub mailed: Option<String>,
    /// A command on it that hangs in the kernel by a list of processes: `zpool clear tank`.
    pub hangs: Option<String>,
}

impl ErrorsBeside {
    /// The state of the pool is read anew: nothing has happened since.
    pub(crate) fn begin_anew(&mut self) {
        self.since = None;
        self.removed.clear();
    }
}
