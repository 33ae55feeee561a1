//! Performance data of `--check`: `label=value[unit];[warn];[crit];[min];[max]`, apart by blanks.
//!
//! Only what was read stands there: a value that is missing is no zero.

use arcwright_advice::{Advice, Severity};
use arcwright_machine::Machine;

/// Where `pool-full` speaks, and where it hurts (crates/advice/src/rules/pools/pool_full.rs).
const CAPACITY: (u64, u64) = (80, 90);
const ARCSTATS: &str = "zfs/arcstats";

/// Returns the performance data of a machine.
pub(super) fn of(machine: &Machine, advice: &Advice) -> String {
    let mut data = counts(advice);
    data.extend(arc(machine));
    data.extend(hits(machine));
    for pool in &machine.pools {
        if let Some(full) = pool.number("capacity") {
            let (warn, critical) = CAPACITY;
            let name = label(&pool.name);
            data.push(format!("pool_{name}_capacity={full}%;{warn};{critical};0;100"));
        }
    }
    data.join(" ")
}

/// Returns how many findings there are of those that call for something.
pub(super) fn counts(advice: &Advice) -> Vec<String> {
    let count = |severity| advice.findings.iter().filter(|one| one.severity == severity).count();
    vec![
        format!("findings_hurt={};;;0", count(Severity::HurtsNow)),
        format!("findings_look={};;;0", count(Severity::WorthALook)),
    ]
}

fn arc(machine: &Machine) -> Option<String> {
    let now = machine.now()?;
    let size = now.get(ARCSTATS, "size")?;
    let most = now.get(ARCSTATS, "c_max").map(|most| most.to_string()).unwrap_or_default();
    Some(format!("arc_size={size}B;;;0;{most}"))
}

/// Returns the share of accesses that the ARC answered: in the window, or since the module was loaded.
fn hits(machine: &Machine) -> Option<String> {
    let window = machine.window();
    let row = |name: &str| match &window {
        Some(window) => window.counted(ARCSTATS, name),
        None => machine.now()?.get(ARCSTATS, name),
    };
    let (hits, misses) = (row("hits")?, row("misses")?);
    // Accesses that wait for a read under way are counted by themselves since 2.2, as hits before.
    let sum = match row("iohits") {
        Some(waited) => hits.checked_add(misses)?.checked_add(waited)?,
        None => hits.checked_add(misses)?,
    };
    let share = arcwright_units::Ratio::new(hits, sum).value()?;
    Some(format!("arc_hit_pct={:.1}%;;;0;100", share * 100.0))
}

/// Returns a name as a label may hold it: quotes, blanks and `=` end one.
fn label(name: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_.-".contains(letter);
    name.chars().map(|letter| if plain(letter) { letter } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use arcwright_advice::{Estimate, advise};
    use arcwright_machine::{Machine, Pool};

    use super::of;

    #[test]
    fn only_what_was_read_is_there_and_names_stay_labels() {
        let mut pool = Pool { name: "ta nk='|;".to_owned(), ..Pool::default() };
        pool.properties.insert("capacity".to_owned(), "45".to_owned());
        let unread = Pool { name: "other".to_owned(), ..Pool::default() };
        let machine = Machine { pools: vec![pool, unread], ..Machine::default() };
        let advice = advise(&machine, Estimate::CountersOnly);
        let data = of(&machine, &advice);
        assert!(data.ends_with(" pool_ta_nk_____capacity=45%;80;90;0;100"), "{data}");
        assert!(!data.contains("arc_") && !data.contains("other"), "{data}");
    }
}
