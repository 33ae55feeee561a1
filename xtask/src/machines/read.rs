//! The machines: scenario files with a link in their heads.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use arcwright_scenario::Scenario;

/// Where they are.
const FOLDER: &str = "fidelity/machines";

/// A real machine that somebody measured.
#[derive(Debug)]
pub(super) struct Machine {
    /// Name of its file or folder.
    pub(super) name: String,
    /// Where the figures were published.
    pub(super) link: String,
    /// One scenario, or one for each layout of its pool; the first has the arm that others are held against.
    pub(super) layouts: Vec<Scenario>,
}

/// Returns all machines, by name.
pub(super) fn all() -> anyhow::Result<Vec<Machine>> {
    let mut machines = Vec::new();
    for path in sorted(&crate::root().join(FOLDER))? {
        let files = match path.is_dir() {
            true => sorted(&path)?,
            false => vec![path.clone()],
        };
        let files: Vec<PathBuf> = files.into_iter().filter(|file| is_scenario(file)).collect();
        if !files.is_empty() {
            machines.push(machine(&path, &files)?);
        }
    }
    Ok(machines)
}

fn machine(path: &Path, files: &[PathBuf]) -> anyhow::Result<Machine> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut links = Vec::new();
    let mut layouts = Vec::new();
    for file in files {
        let shown = file.display();
        let text = fs::read_to_string(file).with_context(|| format!("failed to read {shown}"))?;
        links.push(link(&text).with_context(|| format!("no line “# Link: …” heads {shown}"))?);
        let beside = |job: &str| {
            let path = file.parent().unwrap_or(file).join(job);
            fs::read_to_string(path).map_err(|error| error.to_string())
        };
        let scenario = Scenario::parse_with(&text, &name, &beside);
        layouts.push(scenario.with_context(|| format!("failed to understand {shown}"))?);
    }
    links.dedup();
    let [link] = links.as_slice() else { bail!("files of {name} have different links") };
    Ok(Machine { name, link: link.clone(), layouts })
}

/// Returns the link in the head of a file.
fn link(text: &str) -> Option<String> {
    let mut head = text.lines().take_while(|line| line.starts_with('#'));
    let rest = head.find_map(|line| line.strip_prefix("# Link: "))?;
    rest.split_whitespace().next().map(str::to_owned)
}

fn is_scenario(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "toml")
}

fn sorted(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let failed = || format!("failed to read {}", folder.display());
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).with_context(failed)? {
        paths.push(entry.with_context(failed)?.path());
    }
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::link;

    #[test]
    fn a_link_is_in_the_head() {
        let found = link("# A pool\n#\n# Link: https://a.example/b (Somebody, 2020)\ntitle = 1\n");
        assert_eq!(found.as_deref(), Some("https://a.example/b"));
        assert_eq!(link("title = 1\n# Link: https://a.example\n"), None);
    }
}
