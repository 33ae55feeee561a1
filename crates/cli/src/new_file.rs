//! Files that the program writes where nothing is yet.

use std::path::Path;

use anyhow::anyhow;
use arcwright_units::visible_path;

use crate::problem::Problem;

/// Refuses a file that is there already, before anything takes time.
pub(crate) fn refuse_what_is_there(path: &Path) -> Result<(), Problem> {
    if path.symlink_metadata().is_err() {
        return Ok(());
    }
    let shown = visible_path(path);
    Err(Problem::Usage(anyhow!("{shown} is there already; name another file")))
}
