//! What `zpool status -x` says when nothing is wrong.

use crate::machine::Machine;
use crate::read::properties::pool_named;

/// Takes what `zpool status -x` says when nothing is wrong; whether it was there.
pub(super) fn take(machine: &mut Machine, text: &str) -> bool {
    let mut found = false;
    for line in text.lines().map(str::trim) {
        found |= line == "all pools are healthy";
        let named = line.strip_prefix("pool '").and_then(|rest| rest.strip_suffix("' is healthy"));
        if let Some(name) = named {
            if let Some(pool) = pool_named(&mut machine.pools, name) {
                pool.state.get_or_insert_with(|| "ONLINE".to_owned());
            }
            found = true;
        }
    }
    found
}
