//! `cargo xtask guest fixture`: the texts of a machine in a known situation, for tests that have no
//! such machine. A case is `vm/cases/NAME.sh`; its first lines name its layout.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use arcwright_host::capture::{open, pack_text};

use super::run;

/// Seconds that a case may take.
const LIMIT: u64 = 900;

pub(super) fn capture(version: &str, cases: &[String]) -> anyhow::Result<()> {
    let cases = if cases.is_empty() { all()? } else { cases.to_vec() };
    for case in &cases {
        one(version, case).with_context(|| format!("failed to capture the case “{case}”"))?;
    }
    Ok(())
}

fn all() -> anyhow::Result<Vec<String>> {
    let folder = crate::root().join("vm/cases");
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        names.extend(name.strip_suffix(".sh").map(str::to_owned));
    }
    names.sort();
    Ok(names)
}

fn one(version: &str, case: &str) -> anyhow::Result<()> {
    let path = crate::root().join("vm/cases").join(format!("{case}.sh"));
    let script =
        fs::read_to_string(&path).with_context(|| format!("failed to read {}", path.display()))?;
    let folder = run::scratch(&format!("case-{version}-{case}"));
    // A case begins with new drives.
    let _gone = fs::remove_dir_all(&folder);
    let guest = run::guest(version, layout_of(&script)?, folder, LIMIT)?;
    let job = run::begin(&guest)?;
    job.add(&path, "run")?;
    job.add_text(&options_of(&script), "root/etc/modprobe.d/zfs.conf")?;
    let answer = guest.run(&job)?;
    if answer.code != 0 {
        bail!("its script ended with {}", answer.code);
    }
    let place = arcwright_fixtures::path(&format!("guest-{version}-{case}"));
    let sources = open(&answer.out.join("machine"))?;
    fs::write(&place, pack_text(&sources, None)?)
        .with_context(|| format!("failed to write {}", place.display()))?;
    let parameters = answer.out.join("parameters.txt");
    if parameters.exists() {
        fs::copy(&parameters, parameters_of(version))?;
    }
    println!("wrote {}", place.display());
    fs::remove_dir_all(&guest.folder)?;
    Ok(())
}

/// Returns where the list of a version's module parameters is kept.
pub(super) fn parameters_of(version: &str) -> PathBuf {
    crate::root().join(format!("fixtures/parameters-{version}.txt"))
}

/// Reads the line `# layout: NAME`.
fn layout_of(script: &str) -> anyhow::Result<&str> {
    let line = script.lines().find_map(|line| line.strip_prefix("# layout:"));
    line.map(str::trim).context("the script has no line “# layout: NAME”")
}

/// Reads the lines `# modprobe: options zfs …`, which the guest has in /etc/modprobe.d/zfs.conf.
fn options_of(script: &str) -> String {
    let lines = script.lines().filter_map(|line| line.strip_prefix("# modprobe:"));
    lines.map(|line| line.trim().to_owned() + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::{layout_of, options_of};

    #[test]
    fn a_case_names_its_layout_and_its_options() {
        let script = "#!/bin/sh\n# layout: slow\n# modprobe: options zfs a=1\n# other\n";
        assert_eq!(layout_of(script).unwrap(), "slow");
        assert_eq!(options_of(script), "options zfs a=1\n");
        assert!(layout_of("#!/bin/sh\n").is_err());
    }
}
