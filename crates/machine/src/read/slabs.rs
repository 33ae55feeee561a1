//! What the kernel's caches of objects take: `name bytes`, a line each, and behind them the bytes of objects in use
//! where they were told.

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
        let mut words = line.split_whitespace();
        let (Some(name), Some(bytes)) = (words.next(), words.next()) else { continue };
        let Ok(bytes) = bytes.parse() else { continue };
        machine.slabs.insert(name.to_owned(), Bytes(bytes));
        match words.next().and_then(|used| used.parse().ok()) {
            Some(used) => machine.slabs_used.insert(name.to_owned(), Bytes(used)),
            None => machine.slabs_used.remove(name),
        };
    }
}
