//! What the kernel's caches of objects take: `name bytes`, a line each.

use arcwright_units::Bytes;

use crate::machine::Machine;
use crate::sources::Sources;

pub(crate) const NAME: &str = "commands/slabs";
/// What all caches of SPL together are called, where only their sum was read.
pub const ALL_OF_SPL: &str = "all-of-spl";
/// Kernels have some hundred.
const CACHES_MAX: usize = 5000;

pub(super) fn collect(sources: &Sources, machine: &mut Machine) {
    let text = sources.text(NAME).unwrap_or_default();
    for line in text.lines().take(CACHES_MAX) {
        let Some((name, bytes)) = line.split_once(' ') else { continue };
        if let Ok(bytes) = bytes.trim().parse() {
            machine.slabs.insert(name.to_owned(), Bytes(bytes));
        }
    }
}
