//! Files beside the scenario that hold a profile: of a device, of a processor.

use arcwright_units::Bytes;

use super::Fetch;
use super::tree::Node;
use crate::error::Checked;

/// No such file is longer; those that come with the program have 2 KiB.
pub const PROFILE_BYTES_MAX: usize = 16 << 10;

/// Returns whether a text names a file and no profile that comes with the program.
#[must_use]
pub fn is_path(text: &str) -> bool {
    text.contains('/') || text.ends_with(".toml")
}

/// Returns the text of the file that `node` names; `what` says what kind of file it is to be.
pub(super) fn text_of(node: &Node, path: &str, what: &str, fetch: Fetch<'_>) -> Checked<String> {
    let text = fetch(path).map_err(|why| {
        let why = why.strip_prefix(&format!("{path}: ")).unwrap_or(&why);
        let fault = node.fault(format!("no {what} file “{path}”: {why}"));
        fault.help("its path is relative to the folder of the scenario")
    })?;
    if text.len() > PROFILE_BYTES_MAX {
        let (size, most) = (Bytes(text.len() as u64), Bytes(PROFILE_BYTES_MAX as u64));
        return Err(node.fault(format!("{path} has {size}, and a {what} file at most {most}")));
    }
    Ok(text)
}
