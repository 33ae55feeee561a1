//! What `zpool status` says of a pool in words of its own, besides its devices and its files: which host it
//! belongs to, the form of what is on its disks, its features.
//!
//! The words are those of cmd/zpool/zpool_main.c, `print_status_reason`, 0.6 to 2.4.

use arcwright_machine::Pool;

use crate::changes;
use crate::finding::{Finding, Severity};
use crate::format;
use crate::rule::Rule;
use crate::rules::pool_state::one_line;
use crate::rules::pools::health::new;
use crate::rules::pools::steps::status;
use crate::verdict::{Judged, Verdict};
use crate::view::View;

pub(crate) const RULE: Rule =
    Rule { about: "what else ZFS says of pools (hosts, features)", judge };

/// What a reason means that `zpool status` gives.
struct Known {
    /// Words of the reason; one of them is in it.
    words: &'static [&'static str],
    id: &'static str,
    severity: Severity,
    /// What is said, behind the pool's name.
    title: &'static str,
    cause: &'static str,
    what: &'static str,
    /// Commands, with `POOL` for the pool's name.
    commands: &'static [&'static str],
    cost: &'static str,
    risk: &'static str,
    source: &'static str,
}

/// What is said of a pool that this version of ZFS cannot open, whatever its devices.
const TOO_NEW: [&str; 2] =
    ["newer, incompatible on-disk version", "feature(s) not supported on this system"];

const KNOWN: [Known; 5] = [
    Known {
        words: &["Mismatch between pool hostid and system hostid"],
        id: "pool-of-another-host",
        severity: Severity::Note,
        title: "was last used under another host number (hostid): export and import it once, if no other host has it",
        cause: "The pool was taken over without a regular import, mostly at boot from a cache file or an initramfs \
                that has another hostid than the running system. Nothing is wrong with its contents.",
        what: "see that no other host has the pool; then export it and import it once; where the system itself is on \
               it, make the initramfs anew instead",
        commands: &["zpool export POOL && zpool import POOL"],
        cost: "A moment without the pool.",
        risk: "Two hosts that write to one pool destroy it: do not force an import while another has it.",
        source: "spl(4) spl_hostid",
    },
    Known {
        words: &["Errata #"],
        id: "pool-errata",
        severity: Severity::WorthALook,
        title: "has parts in a form that an earlier mistake of ZFS wrote (errata): follow its own words",
        cause: "A version before this one wrote something in a form that this one reads, and asks to have written anew.",
        what: "read what zpool status asks for, keep a backup, and do it with this version",
        commands: &["zpool status POOL   # see and action"],
        cost: "Perhaps a copy of some datasets.",
        risk: "As long as it is not done, an older or newer system may not read those parts.",
        source: "openzfs-docs, ZFS-8000-ER (errata)",
    },
    Known {
        words: &["only be accessed in read-only mode"],
        id: "pool-read-only",
        severity: Severity::WorthALook,
        title: "can only be read here: it uses features that this version of ZFS cannot write",
        cause: "A feature was enabled by a newer version, or by one of another system. What is stored can be read.",
        what: "import it where the features are known, or update ZFS here",
        commands: &["zpool get all POOL   # unsupported@… names the features", "zpool version"],
        cost: "None.",
        risk: "None to what is stored.",
        source: "zpool-features(7)",
    },
    Known {
        words: &TOO_NEW,
        id: "pool-too-new",
        severity: Severity::HurtsNow,
        title: "cannot be used by this version of ZFS: a newer one has upgraded it",
        cause: "Its form, or a feature in use, is unknown to the module that runs here. What is stored is intact.",
        what: "use it with a version at least as new as the one that upgraded it",
        commands: &["zpool version   # here, and where it was used last"],
        cost: "An update.",
        risk: "None to what is stored; there is no way back to the older form but a copy.",
        source: "zpool-features(7)",
    },
    Known {
        words: &["requested by the 'compatibility' property", "compatibility list"],
        id: "pool-compatibility",
        severity: Severity::Note,
        title: "has other features than its compatibility property asks for: no fault, unless another system must read it",
        cause: "The property names a list of features, and those in use are not that list, or the list was not found.",
        what: "",
        commands: &[],
        cost: "None.",
        risk: "None here.",
        source: "zpoolprops(7) compatibility",
    },
];

/// Reasons that are none: what is stored has an older form, which older systems can read.
const NOT_UPGRADED: [&str; 4] = [
    "legacy on-disk format",
    "older on-disk format",
    "supported features are not enabled",
    "supported and requested features are not enabled",
];

/// Names that installers give to the pool that the machine starts from.
const STARTED_FROM: [&str; 5] = ["boot-pool", "freenas-boot", "rpool", "bpool", "zroot"];

fn judge(view: &View<'_>) -> Judged {
    let pools = || view.pools().map(|pools| pools.iter().filter(|pool| pool.offer.is_none()));
    let found = pools()?.filter_map(of_pool).collect();
    let is_old = |pool: &&Pool| says(pool, &NOT_UPGRADED);
    let old: Vec<String> = pools()?.filter(is_old).map(|pool| pool.name.clone()).collect();
    if old.is_empty() {
        return Ok(Verdict::found_or(found, Verdict::Silent));
    }
    let starts = old.iter().find(|name| STARTED_FROM.contains(&name.as_str()));
    let loader = starts.map_or_else(String::new, |name| {
        format!(
            ", and the boot loader must know all features of {name}, if the machine starts from it"
        )
    });
    let what = format!(
        "That {} {} not use every feature of this version is no fault; an upgrade could not be taken back{loader}",
        format::list(&old),
        format::plural(old.len(), "does", "do"),
    );
    Ok(Verdict::found_or(found, Verdict::fine(what, Vec::new())))
}

/// Returns whether one of some words is in the reason of a pool's status.
fn says(pool: &Pool, words: &[&str]) -> bool {
    let reason = pool.status.as_deref().map(one_line);
    reason.is_some_and(|reason| words.iter().any(|part| reason.contains(part)))
}

/// Returns whether a pool is closed because this version of ZFS does not know its form: no device is to blame.
pub(super) fn is_too_new(pool: &Pool) -> bool {
    let action = pool.action.as_deref().map(one_line);
    let asks = |action: String| {
        ["Access the pool from a system that supports", "Access the pool using newer software"]
            .iter()
            .any(|words| action.contains(words))
    };
    // What to do about it tells as much where the reason was not read.
    let is_told = says(pool, &TOO_NEW) || action.is_some_and(asks);
    is_told && !says(pool, &["read-only mode"])
}

fn of_pool(pool: &Pool) -> Option<Finding> {
    let known = KNOWN.iter().find(|known| says(pool, known.words))?;
    let title = format!("{} {}", pool.name, known.title);
    let mut finding = new(pool, (known.id, known.severity), title, &[]);
    finding.cause = known.cause.to_owned();
    if !known.commands.is_empty() {
        let name = format::shell(&pool.name);
        let commands: Vec<String> =
            known.commands.iter().map(|line| line.replace("POOL", &name)).collect();
        let mut remedy = changes::by_hand(known.what, &commands);
        remedy.verify = vec![status(pool)];
        finding.remedy = Some(remedy);
    }
    finding.cost = known.cost.to_owned();
    finding.risk = known.risk.to_owned();
    finding.sources.push(known.source.to_owned());
    Some(finding)
}
