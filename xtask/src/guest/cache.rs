//! The user's cache folder for what takes minutes to make: `arcwright/guest` below it.
//!
//! A thing is made in a draft folder beside its place and renamed at the end, with the sums of its
//! files; it is used only while they hold. What a killed run left broken is made anew. Two guests that
//! ask for the same at once get the same: one looks and makes at a time.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, bail};

use super::program::output;

/// The recipe's number; raised when what is made changes.
const RECIPE: u32 = 1;
const SUMS: &str = "SHA256SUMS";

/// Held while a thing is looked for and made.
static TURN: Mutex<()> = Mutex::new(());

/// Returns the folder of `part` below the user's cache. Where there is none, `fill` makes it: it gets the draft and
/// returns the folder's name.
pub(super) fn provide(
    part: &str,
    fill: impl FnOnce(&Path) -> anyhow::Result<String>,
) -> anyhow::Result<PathBuf> {
    provide_in(&root()?, part, fill)
}

fn provide_in(
    root: &Path,
    part: &str,
    fill: impl FnOnce(&Path) -> anyhow::Result<String>,
) -> anyhow::Result<PathBuf> {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    match find(root, part) {
        Some(folder) => Ok(folder),
        None => make(root, part, fill),
    }
}

/// Returns a whole folder whose name holds `-part-`, the last one by name; none when there is none.
fn find(root: &Path, part: &str) -> Option<PathBuf> {
    let (part, recipe) = (format!("-{part}-"), format!("-r{RECIPE}"));
    let entries = fs::read_dir(root).into_iter().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.') && name.contains(&part) && name.ends_with(&recipe))
        .collect();
    names.sort();
    names.iter().rev().map(|name| root.join(name)).find(|folder| is_whole(folder))
}

fn make(
    root: &Path,
    name: &str,
    fill: impl FnOnce(&Path) -> anyhow::Result<String>,
) -> anyhow::Result<PathBuf> {
    let draft = root.join(format!(".{name}-{}", std::process::id()));
    // Left behind by a killed run with the same process number.
    let _gone = fs::remove_dir_all(&draft);
    fs::create_dir_all(&draft).with_context(|| format!("failed to make {}", draft.display()))?;
    let made = fill(&draft).and_then(|full| place(&draft, &root.join(full)));
    let _gone = fs::remove_dir_all(&draft);
    made
}

/// Returns the name under which a thing is kept: `kernel-version-recipe`.
pub(super) fn name(first: &str, version: &str) -> String {
    let plain = |text: &str| text.replace(['/', ':', '~'], "_");
    format!("{}-{}-r{RECIPE}", plain(first), plain(version))
}

fn place(draft: &Path, place: &Path) -> anyhow::Result<PathBuf> {
    let sum = "find . -type f ! -name SHA256SUMS -print0 | sort -z | xargs -0 sha256sum";
    let sums = output(std::process::Command::new("sh").args(["-c", sum]).current_dir(draft))?;
    fs::write(draft.join(SUMS), sums)?;
    if place.exists() && !is_whole(place) {
        fs::remove_dir_all(place).with_context(|| format!("{} is broken", place.display()))?;
    }
    // Somebody else may have made it meanwhile; theirs is as good.
    if fs::rename(draft, place).is_err() && !is_whole(place) {
        bail!("failed to put {} in its place", place.display());
    }
    Ok(place.to_path_buf())
}

fn is_whole(folder: &Path) -> bool {
    let mut check = std::process::Command::new("sha256sum");
    let check = check.args(["--check", "--quiet", "--strict", SUMS]).current_dir(folder);
    folder.join(SUMS).exists() && output(check).is_ok()
}

/// Names the folder outright, for who runs all else with an empty home.
const GUEST_CACHE: &str = "ARCWRIGHT_GUEST_CACHE";

fn root() -> anyhow::Result<PathBuf> {
    if let Some(folder) = std::env::var_os(GUEST_CACHE) {
        return Ok(PathBuf::from(folder));
    }
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let cache = cache.or_else(home).context("neither XDG_CACHE_HOME nor HOME is set")?;
    Ok(cache.join("arcwright/guest"))
}

/// Returns where programs are kept that chores need and no package has.
pub(crate) fn tools() -> anyhow::Result<PathBuf> {
    Ok(root()?.with_file_name("tools"))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::{is_whole, name, place, provide_in};

    #[test]
    fn who_asks_at_the_same_time_gets_the_same_and_it_is_made_once() {
        let root = tempfile::tempdir().unwrap();
        let made = AtomicUsize::new(0);
        let ask = || {
            let fill = |draft: &Path| {
                made.fetch_add(1, Ordering::Relaxed);
                fs::write(draft.join("kernel"), "whole")?;
                // The draft is nobody else's until it is whole.
                std::thread::sleep(Duration::from_millis(50));
                assert!(draft.join("kernel").exists(), "the draft was taken away");
                Ok(name("debian-gdisk", "1.0"))
            };
            provide_in(root.path(), "gdisk", fill).unwrap()
        };
        let folders = std::thread::scope(|scope| {
            let asked: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
            asked.into_iter().map(|one| one.join().unwrap()).collect::<Vec<_>>()
        });
        assert_eq!(folders, vec![root.path().join("debian-gdisk-1.0-r1"); 4]);
        assert_eq!(made.into_inner(), 1);
    }

    #[test]
    fn a_folder_counts_only_while_its_sums_hold() {
        let root = tempfile::tempdir().unwrap();
        let (draft, folder) = (root.path().join("draft"), root.path().join("folder"));
        let fill = || {
            fs::create_dir(&draft).unwrap();
            fs::write(draft.join("kernel"), "whole").unwrap();
        };
        fill();
        assert!(!is_whole(&draft), "a draft has no sums");
        place(&draft, &folder).unwrap();
        assert!(is_whole(&folder));
        fs::write(folder.join("kernel"), "cut").unwrap();
        assert!(!is_whole(&folder));
        fill();
        place(&draft, &folder).unwrap();
        assert!(is_whole(&folder), "what was broken is replaced");
        fill();
        place(&draft, &folder).unwrap();
        assert!(is_whole(&folder), "what is whole is kept");
    }
}
