//! Remedies that agree: of two findings that would set one parameter or property to two values, the one
//! that comes first keeps its remedy and the other points to it.
//!
//! ```text
//!   l2arc-prefetch-excluded   l2arc_write_max=256MiB
//!   l2arc-feed-slow           l2arc_write_max=128MiB   ->  “first see …: it sets l2arc_write_max”
//! ```

use std::collections::BTreeMap;

use crate::config::number;
use crate::finding::{Finding, Gain, Remedy};

/// Rewrites the remedies of findings, which stand in the order of their weight.
pub(crate) fn remedies(findings: &mut [Finding]) {
    let mut taken: BTreeMap<String, (String, String)> = BTreeMap::new();
    for finding in findings {
        let Some(remedy) = &finding.remedy else { continue };
        let settings = settings(remedy);
        let other = settings.iter().find_map(|(what, value)| {
            let (held, title) = taken.get(what)?;
            (held != value).then(|| (what.clone(), title.clone()))
        });
        match other {
            Some((what, title)) => {
                finding.remedy = Some(see_first(remedy, &what, &title));
                finding.gain = Gain::NotEstimated("it depends on the other remedy".to_owned());
            }
            None => taken.extend(
                settings.into_iter().map(|(what, value)| (what, (value, finding.title.clone()))),
            ),
        }
    }
}

fn see_first(remedy: &Remedy, what: &str, title: &str) -> Remedy {
    Remedy {
        what: format!("first apply the remedy of “{title}”: it sets {what} too; then look again"),
        verify: remedy.verify.clone(),
        ..Remedy::default()
    }
}

/// Returns what a remedy sets: parameters and properties of datasets, with their values.
fn settings(remedy: &Remedy) -> BTreeMap<String, String> {
    let lines = remedy.now.iter().chain(&remedy.lasting);
    lines.flat_map(|line| in_line(line)).collect()
}

fn in_line(line: &str) -> Vec<(String, String)> {
    let command = line.trim_start_matches("# ");
    let is_property = command.starts_with("zfs set ");
    let of = if is_property { command.rsplit(' ').next() } else { None };
    let pair = |word: &str| {
        let (name, value) = word.trim_end_matches([';', '"']).split_once('=')?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_.:".contains(c);
        if name.is_empty() || !name.chars().all(is_name) {
            return None;
        }
        let what = of.map_or_else(|| name.to_owned(), |dataset| format!("{name} of {dataset}"));
        // 8GiB and 8589934592 are one value.
        let value = number(value).map_or_else(|| value.to_owned(), |number| number.to_string());
        Some((what, value))
    };
    let sets = is_property
        || ["arcwright tune apply ", "sysctl ", "in ", "options zfs "]
            .iter()
            .any(|start| command.starts_with(start))
        || command.contains("options zfs ")
        || line.starts_with("# ");
    if sets { command.split(' ').filter_map(pair).collect() } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::{remedies, settings};
    use crate::finding::{Area, Finding, Remedy, Severity};

    fn finding(title: &str, now: &str) -> Finding {
        let severity = Severity::WorthALook;
        let mut finding = Finding::new("arc-small", severity, Area::Arc, title.to_owned());
        finding.remedy = Some(Remedy { now: vec![now.to_owned()], ..Remedy::default() });
        finding
    }

    #[test]
    fn settings_are_read_from_every_form_of_a_command() {
        let check = |line: &str, expected: &[(&str, &str)]| {
            let remedy = Remedy { lasting: vec![line.to_owned()], ..Remedy::default() };
            let read = settings(&remedy);
            let read: Vec<(&str, &str)> =
                read.iter().map(|(what, value)| (what.as_str(), value.as_str())).collect();
            assert_eq!(read, expected, "{line}");
        };
        check("arcwright tune apply a=8GiB b=1", &[("a", "8589934592"), ("b", "1")]);
        check("# in /etc/modprobe.d/zfs.conf:  options zfs a=1", &[("a", "1")]);
        check("sysctl vfs.zfs.arc.max=5", &[("vfs.zfs.arc.max", "5")]);
        check("zfs set sync=standard tank/home", &[("sync of tank/home", "standard")]);
        check("zpool create -o ashift=12 tank sda", &[]);
    }

    #[test]
    fn the_first_of_two_values_stays_and_the_other_points_to_it() {
        let mut findings = vec![
            finding("one", "arcwright tune apply a=1 b=2"),
            finding("two", "arcwright tune apply b=2"),
            finding("three", "arcwright tune apply a=3"),
        ];
        remedies(&mut findings);
        let now: Vec<usize> =
            findings.iter().map(|finding| finding.remedy.as_ref().unwrap().now.len()).collect();
        assert_eq!(now, [1, 1, 0]);
        let what = &findings[2].remedy.as_ref().unwrap().what;
        assert!(what.contains("“one”") && what.contains("sets a too"), "{what}");
    }
}
