//! Folders of the crate import from those below them alone, so that there are no circles.

use std::path::{Path, PathBuf};

/// Folders and files at the top, by height.
const HEIGHTS: [(&str, u8); 11] = [
    ("engine", 6),
    ("worker", 5),
    ("fuse", 4),
    ("hooks", 3),
    ("zpool", 2),
    ("disks", 2),
    ("schedule", 1),
    ("protocol", 1),
    ("openzfs", 1),
    ("os", 0),
    ("error", 0),
];

#[test]
fn folders_import_only_from_those_below() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for path in files_below(&source) {
        let place = path.strip_prefix(&source).unwrap().to_str().unwrap();
        let own = place.split('/').next().unwrap().trim_end_matches(".rs");
        if own == "lib" || own == "main" {
            continue;
        }
        let height = height(own).unwrap_or_else(|| panic!("{place} has no height; give it one"));
        let text = std::fs::read_to_string(&path).unwrap();
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let names = code.flat_map(names_in_crate);
        let upward =
            names.filter(|name| *name != own && self::height(name).is_some_and(|it| it >= height));
        wrong.extend(upward.map(|name| format!("{place} imports {name}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn height(name: &str) -> Option<u8> {
    HEIGHTS.iter().find(|(folder, _)| *folder == name).map(|(_, height)| *height)
}

/// Returns the names that a line takes from the crate's root: `crate::a::B`, `crate::{a, b}`.
fn names_in_crate(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for rest in line.split("crate::").skip(1) {
        let end = if rest.starts_with('{') { '}' } else { ':' };
        let list = rest.split([end, ';']).next().unwrap_or_default().trim_start_matches('{');
        found.extend(list.split(',').filter_map(|name| name.trim().split([':', ' ']).next()));
    }
    found
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = entries.partition(|path| path.is_dir());
    files.into_iter().chain(folders.iter().flat_map(|folder| files_below(folder))).collect()
}
