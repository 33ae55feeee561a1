//! What is installed, as files below a prefix such as /usr.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::Context as _;
use flate2::{Compression, GzBuilder};

use super::programs::Programs;
use super::{Release, page};
use crate::guest::program::{self, output};

/// Where things go below the prefix.
pub(super) const PROGRAM: &str = "bin/arcwright";
pub(super) const LAB: &str = "libexec/arcwright/arcwright-lab";
pub(super) const MAN: &str = "share/man";
pub(super) const SHARE: &str = "share/arcwright";
pub(super) const DOC: &str = "share/doc/arcwright";
pub(super) const UNITS: &str = "lib/systemd/system";

/// A file.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) bytes: Vec<u8>,
    pub(super) mode: u32,
}

/// Files by their path below the prefix.
#[derive(Debug, Default, Clone)]
pub(super) struct Tree {
    files: BTreeMap<String, Entry>,
}

impl Tree {
    pub(super) fn put(&mut self, path: impl Into<String>, bytes: Vec<u8>, mode: u32) {
        self.files.insert(path.into(), Entry { bytes, mode });
    }

    pub(super) fn files(&self) -> impl Iterator<Item = (&String, &Entry)> {
        self.files.iter()
    }

    /// Returns all folders, the upper ones first.
    pub(super) fn folders<'a>(&'a self) -> BTreeSet<&'a str> {
        let above = |path: &'a String| path.match_indices('/').filter_map(|(at, _)| path.get(..at));
        self.files.keys().flat_map(above).collect()
    }
}

/// Gathers what is installed.
pub(super) fn of(root: &Path, programs: &Programs, release: &Release) -> anyhow::Result<Tree> {
    let mut tree = Tree::default();
    tree.put(PROGRAM, read(&programs.arcwright)?, 0o755);
    if let Some(lab) = &programs.lab {
        tree.put(LAB, read(lab)?, 0o755);
    }
    generated(&mut tree, &programs.own)?;
    let guide = String::from_utf8(read(&root.join("docs/guide/scenario-file.md"))?)?;
    let page = page::scenario(&guide, &release.day()?, release.version);
    tree.put(format!("{MAN}/man5/arcwright-scenario.5"), page.into_bytes(), 0o644);
    for name in ["README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE-APACHE", "LICENSE-MIT"] {
        tree.put(format!("{DOC}/{name}"), read(&root.join(name))?, 0o644);
    }
    for (below, files) in [("", "toml"), ("jobs/", "fio")] {
        for (name, bytes) in in_folder(&root.join("scenarios").join(below), files)? {
            tree.put(format!("{SHARE}/scenarios/{below}{name}"), bytes, 0o644);
        }
    }
    for (folder, ending) in [("prometheus", "yml"), ("grafana", "json")] {
        for (name, bytes) in in_folder(&root.join("packaging").join(folder), ending)? {
            tree.put(format!("{SHARE}/{folder}/{name}"), bytes, 0o644);
        }
    }
    for (name, bytes) in in_folder(&root.join("packaging/systemd"), "")? {
        tree.put(format!("{UNITS}/{name}"), bytes, 0o644);
    }
    Ok(tree)
}

/// Asks the program for its own pages and completions.
fn generated(tree: &mut Tree, own: &Path) -> anyhow::Result<()> {
    let scratch = tempfile::tempdir()?;
    let pages = scratch.path().join("man1");
    fs::create_dir(&pages)?;
    program::run(Command::new(own).args(["generate", "man"]).arg(&pages))?;
    for (name, bytes) in in_folder(&pages, "1")? {
        tree.put(format!("{MAN}/man1/{name}"), bytes, 0o644);
    }
    for (shell, path) in COMPLETIONS {
        let text = output(Command::new(own).args(["generate", "completions", shell]))?;
        tree.put(path, text.into_bytes(), 0o644);
    }
    Ok(())
}

/// Where shells look for completions.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/arcwright"),
    ("zsh", "share/zsh/vendor-completions/_arcwright"),
    ("fish", "share/fish/vendor_completions.d/arcwright.fish"),
];

/// Returns the files of a folder whose names end in `.ending`; all of them for an empty one.
fn in_folder(folder: &Path, ending: &str) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let failed = || format!("failed to read {}", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(failed)? {
        let path = entry.with_context(failed)?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let fits = ending.is_empty() || name.ends_with(&format!(".{ending}"));
        if path.is_file() && fits {
            found.push((name.to_owned(), read(&path)?));
        }
    }
    found.sort();
    Ok(found)
}

pub(super) fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("failed to read {}", path.display()))
}

/// Packs a document as packages want it: without name and time.
pub(super) fn packed(bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut packed = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    packed.write_all(bytes)?;
    Ok(packed.finish()?)
}
