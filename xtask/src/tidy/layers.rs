//! Imports point downwards only, and pure crates stay pure.
//!
//! ```text
//!   cli, python > web > tui, report, metrics, fixtures > advice > whatif > ssd > host, lab, twin >
//!       model, capture, recording > scenario, machine > workload, device, tunables, kstat > units
//! ```

use super::{Source, Violation};

/// Crates by height; a crate may use only lower ones. The lab alone may have unsafe code.
const HEIGHTS: [(&str, u8); 25] = [
    ("cli", 10),
    ("tui", 8),
    ("report", 8),
    ("metrics", 8),
    ("fixtures", 8),
    ("whatif", 6),
    ("web", 9),
    ("python", 10),
    ("host", 4),
    ("lab", 4),
    ("twin", 4),
    ("advice", 7),
    ("ssd", 5),
    ("model", 3),
    ("capture", 3),
    ("recording", 3),
    ("scenario", 2),
    ("machine", 2),
    ("workload", 1),
    ("device", 1),
    ("tunables", 1),
    ("kstat", 1),
    ("units", 0),
    ("xtask", 11),
    ("fuzz", 10),
];
/// Crates without clock, file, thread, environment.
const PURE: [&str; 17] = [
    "units",
    "kstat",
    "device",
    "workload",
    "scenario",
    "tunables",
    "machine",
    "capture",
    "recording",
    "model",
    "twin",
    "advice",
    "ssd",
    "whatif",
    "report",
    "metrics",
    "web",
];
const PREFIX: &str = "arcwright-";

/// Finds imports that point upwards or sideways, pure crates without their bans, stray unsafe code.
pub(super) fn check(sources: &[Source]) -> Vec<Violation> {
    let manifests = sources.iter().filter(|source| source.path.ends_with("/Cargo.toml"));
    let mut findings: Vec<Violation> = manifests.flat_map(edges).collect();
    for krate in PURE {
        let bans = format!("crates/{krate}/clippy.toml");
        let exists = sources.iter().any(|s| s.path == format!("crates/{krate}/Cargo.toml"));
        let banned =
            sources.iter().any(|s| s.path == bans && s.text.contains("disallowed-methods"));
        if exists && !banned {
            let what = "is missing its bans; copy those of another pure crate".to_owned();
            findings.push(Violation { place: bans, what });
        }
    }
    findings.extend(sources.iter().filter_map(unsafe_outside_the_lab));
    findings
}

fn height(krate: &str) -> Option<u8> {
    HEIGHTS.iter().find(|(name, _)| *name == krate).map(|(_, height)| *height)
}

fn edges(manifest: &Source) -> Vec<Violation> {
    let folder = manifest.path.trim_end_matches("/Cargo.toml").rsplit('/').next();
    let Some(own) = folder.and_then(height) else {
        let what = "belongs to a crate without a layer; add it to tidy's list".to_owned();
        return vec![Violation { place: manifest.path.clone(), what }];
    };
    let used = manifest.text.lines().take_while(|line| !line.starts_with("[dev-dependencies]"));
    let used = used.enumerate().filter_map(|(number, line)| {
        let rest = line.strip_prefix(PREFIX)?;
        Some((number + 1, rest.split(['.', ' ', '=']).next()?))
    });
    let upward = |(number, krate): (usize, &str)| {
        let wrong = height(krate).is_none_or(|other| other >= own);
        wrong.then(|| Violation {
            place: format!("{}:{number}", manifest.path),
            what: format!(
                "imports “{krate}”, which does not lie below it; move what is shared down"
            ),
        })
    };
    used.filter_map(upward).collect()
}

fn unsafe_outside_the_lab(source: &Source) -> Option<Violation> {
    let word = concat!("uns", "afe ");
    let is_rust = source.path.ends_with(".rs") && !source.path.starts_with("crates/lab/");
    let line = source.text.lines().position(|line| {
        let code = line.split("//").next().unwrap_or_default();
        code.trim_start().starts_with(word) || code.contains(&format!(" {word}{{"))
    });
    line.filter(|_| is_rust).map(|line| Violation {
        place: format!("{}:{}", source.path, line + 1),
        what: "has unsafe code; only crates/lab may".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::check;

    fn manifest(krate: &str, line: &str) -> super::Source {
        source(&format!("crates/{krate}/Cargo.toml"), &format!("[dependencies]\n{line}\n"))
    }

    #[test]
    fn downward_is_fine_upward_and_sideways_are_not() {
        assert!(check(&[manifest("lab", "arcwright-device.workspace = true")]).is_empty());
        assert_eq!(check(&[manifest("lab", "arcwright-report.workspace = true")]).len(), 1);
        assert_eq!(check(&[manifest("host", "arcwright-lab.workspace = true")]).len(), 1);
    }

    #[test]
    fn a_pure_crate_needs_its_bans() {
        let bans = source("crates/units/clippy.toml", "disallowed-methods = []");
        assert!(check(&[manifest("units", ""), bans]).is_empty());
        assert_eq!(check(&[manifest("units", "")]).len(), 1);
    }

    #[test]
    fn unsafe_code_is_for_the_lab() {
        let text = concat!("fn f() { let x = uns", "afe { g() }; }");
        assert!(check(&[source("crates/lab/src/a.rs", text)]).is_empty());
        assert_eq!(check(&[source("crates/units/src/a.rs", text)]).len(), 1);
    }
}
