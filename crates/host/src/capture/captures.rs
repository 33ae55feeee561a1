//! Whether a folder is one machine's or holds captures of several.
//!
//! A folder is one machine when it looks like a copied tree (`proc`, `commands`, `sample-0`, `arcstats`, …)
//! or holds nothing but text files and copies of kstats: those are readings of one machine (`before/`,
//! `after/`). It holds captures when there is an archive in it, or two folders that are whole captures;
//! text files beside them are machines as well.

use std::fs;
use std::path::{Path, PathBuf};

use arcwright_capture::{is_root, is_tar, is_text_form};

/// Captures of one folder; more than that many machines are several fleets.
const CAPTURES_MAX: usize = 10_000;
/// The first bytes of a file that tell whether it is an archive.
const HEAD_BYTES: u64 = 512;

/// Returns the captures in a folder, by name; none when it is a file or one machine's.
#[must_use]
pub fn captures_in(path: &Path) -> Option<Vec<PathBuf>> {
    if !path.is_dir() || is_tree(path) {
        return None;
    }
    let (mut archives, mut folders, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    for entry in entries(path) {
        if entry.is_dir() {
            if is_capture(&entry) {
                folders.push(entry);
            }
        } else if is_archive(&entry) {
            archives.push(entry);
        } else if is_text(&entry) {
            texts.push(entry);
        }
    }
    if archives.is_empty() && folders.len() < 2 {
        return None;
    }
    let mut all: Vec<PathBuf> = archives.into_iter().chain(folders).chain(texts).collect();
    all.sort();
    all.truncate(CAPTURES_MAX);
    Some(all)
}

/// Lists a folder; links and what cannot be read are left out.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let entries = entries.filter_map(Result::ok);
    let real = entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
    real.map(|entry| entry.path()).collect()
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Says whether a folder is where the copy of a machine's files begins.
fn is_tree(folder: &Path) -> bool {
    let names = entries(folder).into_iter().map(|entry| name_of(&entry));
    names.into_iter().any(|name| is_root(&name) || name == "arcstats")
}

/// Says whether a folder is a whole capture, or holds but one folder that is.
fn is_capture(folder: &Path) -> bool {
    let is_whole = |folder: &Path| {
        ["manifest.json", "commands", "sample-0"].iter().any(|name| folder.join(name).exists())
    };
    match entries(folder).as_slice() {
        [one] if one.is_dir() => is_whole(one) || is_whole(folder),
        _ => is_whole(folder),
    }
}

fn is_archive(path: &Path) -> bool {
    let head = crate::plain::read_head(path, HEAD_BYTES);
    head.is_some_and(|head| head.starts_with(&[0x1f, 0x8b]) || is_tar(&head) || is_text_form(&head))
}

fn is_text(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().into_owned());
    path.is_file() && ending.is_some_and(|ending| ["txt", "log"].contains(&ending.as_str()))
}
