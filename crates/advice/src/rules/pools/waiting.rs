//! What to do while a pool resilvers; not a rule itself.

use arcwright_machine::Pool;

use crate::changes;
use crate::finding::Remedy;
use crate::format;
use crate::rules::pool_state::{self, unsound};
use crate::rules::pools::steps::{DEVICES_MAX, Ill, status};

/// Returns what to do while a pool resilvers.
pub(super) fn wait(pool: &Pool, ill: &[&Ill<'_>]) -> Remedy {
    let mut remedy = wait_alone(pool);
    let name = format::shell(&pool.name);
    let is_old = |ill: &&&Ill<'_>| pool_state::is_replaced_one(pool, ill.leaf);
    if let Some(old) = ill.iter().find(is_old) {
        let more = format!(
            "; {}, which is being replaced, leaves by itself at the end, and is detached only if it is still listed then",
            old.leaf.name
        );
        remedy.what.push_str(&more);
    }
    let by_hand =
        |ill: &&&Ill<'_>| ill.state == "OFFLINE" && !pool_state::is_being_replaced(pool, ill.leaf);
    for ill in ill.iter().filter(by_hand).take(DEVICES_MAX) {
        let more = format!(
            "; {} was taken offline by hand: if it works, bring it back, for it has most of what it should hold",
            ill.leaf.name
        );
        remedy.what.push_str(&more);
        let device = format::shell(&ill.leaf.name);
        remedy.lasting.push(format!("zpool online {name} {device}   # only if it works"));
    }
    remedy
}

fn wait_alone(pool: &Pool) -> Remedy {
    let what = match unsound(pool) {
        None => "wait for the resilver to end; until then replace nothing else and start no scrub",
        Some(_) => {
            "wait for the resilver to end, and meanwhile copy what matters elsewhere: it reads from \
             a device that ZFS has found to be failing; until then replace nothing else and start \
             no scrub"
        }
    };
    let mut remedy = changes::by_hand(what, &[]);
    remedy.verify = vec![status(pool)];
    remedy
}
