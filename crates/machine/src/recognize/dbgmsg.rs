//! Pasted lines of the module's own log about loading a pool (`/proc/spl/kstat/zfs/dbgmsg`; spa.c, spa_misc.c).
//!
//! ```text
//! 1581651557   spa_misc.c:408:spa_load_note(): spa_load(srv, config trusted): LOADING
//! 1581651557   vdev.c:130:vdev_dbgmsg(): raidz-0 vdev (guid 1001): metaslab_init failed [error=52]
//! 1581651557   spa_misc.c:393:spa_load_failed(): spa_load(srv, config trusted): FAILED: vdev_load failed [error=52]
//! ```
//!
//! The last attempt counts. `$import` is the name of a pool that is only looked at.

use std::collections::BTreeSet;

use super::clean::Line;

/// What a run of lines tells.
#[derive(Debug, Default)]
struct Load {
    pool: Option<String>,
    /// Why the last attempt failed; none where it did not.
    why: Option<String>,
    /// What failed in which vdev.
    vdevs: BTreeSet<String>,
    /// States of the pool that were tried, by their transaction groups.
    tried: BTreeSet<u64>,
}

/// Takes lines about loading a pool; what comes of it is a refusal to import it, where it failed.
pub(super) fn loads(lines: &[Line]) -> Option<(usize, String)> {
    let is_titles = lines.first()?.text.split_whitespace().eq(["timestamp", "message"]);
    let skipped = usize::from(is_titles);
    let said = |line: &Line| message(&line.text).map(str::to_owned);
    let all: Vec<String> = lines.get(skipped..)?.iter().map_while(said).collect();
    (!all.is_empty()).then_some(())?;
    let mut load = Load::default();
    all.iter().for_each(|text| load.take(text));
    let text = match (load.pool, load.why) {
        (Some(pool), Some(why)) => {
            let vdevs = load.vdevs.into_iter().collect::<Vec<_>>().join(", ");
            let tried = match (load.tried.first(), load.tried.last()) {
                (Some(first), Some(last)) if first < last => {
                    format!("; {} states tried, of txg {first} to {last}", load.tried.len())
                }
                _ => String::new(),
            };
            format!("zpool\tcannot import '{pool}': loading failed: {why}\t{vdevs}{tried}\n")
        }
        _ => String::new(),
    };
    // What did not fail is read, and tells nothing.
    Some((skipped + all.len(), text))
}

/// Returns what a line says behind its time and place, where it is of loading: `1581651557   spa.c:5638:spa_import(): …`.
fn message(line: &str) -> Option<&str> {
    const DIGITS_MIN: usize = 9;
    const OF_LOADING: [&str; 8] = [
        "spa_load",
        "spa_import",
        "spa_tryimport",
        "uberblock",
        "metaslab_init",
        "vdev_load",
        "vdev_open",
        "spa_open",
    ];
    let (time, rest) = line.trim().split_once(char::is_whitespace)?;
    let is_time = time.len() >= DIGITS_MIN && time.bytes().all(|c| c.is_ascii_digit());
    let (place, said) = rest.trim_start().split_once("(): ")?;
    let is_place = place.contains(".c:") && !place.contains(' ');
    let of_loading = OF_LOADING.iter().any(|word| place.contains(word) || said.contains(word));
    (is_time && is_place && of_loading).then_some(said)
}

impl Load {
    fn take(&mut self, said: &str) {
        // `spa_tryimport: importing srv`, `spa_import: importing srv, max_txg=-1`
        if let Some((_, name)) = said.split_once("importing ") {
            let name = name.split([',', ' ']).next().unwrap_or_default();
            self.pool = Some(name.to_owned()).filter(|name| !name.is_empty());
        } else if let Some((name, rest)) = said
            .strip_prefix("spa_load(")
            .and_then(|rest| rest.split_once("): "))
            .and_then(|(which, rest)| Some((which.split(',').next()?, rest)))
        {
            if name != "$import" {
                self.pool = Some(name.to_owned());
            }
            self.of_step(rest);
        } else if let Some((vdev, what)) = said.split_once(" vdev (guid ")
            && let Some((_, what)) = what.split_once("): ")
            && what.contains(" failed")
        {
            let what = what.rsplit(": ").next().unwrap_or(what);
            self.vdevs.insert(format!("{vdev}: {what}"));
        }
    }

    fn of_step(&mut self, step: &str) {
        if let Some(why) = step.strip_prefix("FAILED: ") {
            self.why = Some(why.to_owned());
        } else if step == "LOADED" {
            self.why = None;
        } else if let Some(txg) = step.strip_prefix("using uberblock with txg=") {
            self.tried.extend(txg.parse::<u64>());
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::machine::Machine;
    use crate::sources::Sources;

    fn check(text: &str, expected: &[[&str; 3]]) {
        let machine = Machine::read(&Sources::recognize(text));
        let found: Vec<[&str; 3]> = machine
            .refusals
            .iter()
            .map(|one| [&*one.subject, &*one.reason, &*one.beside])
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn the_last_attempt_to_load_a_pool_counts() {
        let attempt = |txg: u64| {
            format!(
                "1581651557   spa_misc.c:408:spa_load_note(): spa_load(srv, config untrusted): using uberblock with txg={txg}\n\
                 1581651557   vdev.c:130:vdev_dbgmsg(): raidz-0 vdev (guid 1001): vdev_load: metaslab_init failed [error=52]\n\
                 1581651557   spa_misc.c:393:spa_load_failed(): spa_load(srv, config trusted): FAILED: vdev_load failed [error=52]\n"
            )
        };
        let titles = "timestamp    message \n";
        let why = "loading failed: vdev_load failed [error=52]";
        let of = "raidz-0: metaslab_init failed [error=52]";
        let twice = format!("{of}; 2 states tried, of txg 90 to 91");
        check(&format!("{titles}{}", attempt(91)), &[["srv", why, of]]);
        check(&format!("{titles}{}{}", attempt(91), attempt(90)), &[["srv", why, &twice]]);
        let loaded =
            "1581651560   spa_misc.c:408:spa_load_note(): spa_load(srv, config trusted): LOADED\n";
        check(&format!("{titles}{}{loaded}", attempt(91)), &[]);
    }
}
