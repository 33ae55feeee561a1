//! Which machines files are of, and what they are called.

use std::path::{Path, PathBuf};

use anyhow::anyhow;

use crate::problem::Problem;

/// Endings that say what a file is and not whose.
const ENDINGS: [&str; 7] = [".tar.gz", ".tgz", ".tar", ".txt.gz", ".txt", ".log", ".gz"];

/// Returns a file's name without the ending that says how it is packed.
pub(crate) fn name_of(path: &Path) -> String {
    if path == Path::new("-") {
        return "standard input".to_owned();
    }
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let ending = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending));
    ending.filter(|stem| !stem.is_empty()).map_or_else(|| name.clone(), str::to_owned)
}

/// Returns what was named, folders of several machines as what is `inside` them.
pub(crate) fn machines(
    from: &[PathBuf],
    inside: impl Fn(&Path) -> Vec<PathBuf>,
) -> Result<Vec<PathBuf>, Problem> {
    if from.iter().filter(|path| *path == Path::new("-")).count() > 1 {
        let why = "- is standard input, which can be read only once; give files for the others";
        return Err(Problem::Usage(anyhow!(why)));
    }
    let mut paths = Vec::new();
    for path in from {
        match inside(path) {
            found if found.is_empty() => paths.push(path.clone()),
            found => paths.extend(found),
        }
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::name_of;

    #[test]
    fn a_machine_is_called_by_its_file_without_the_ending() {
        for (path, name) in [
            ("a/nas.tar.gz", "nas"),
            ("nas.example.org", "nas.example.org"),
            ("nas.example.org.tgz", "nas.example.org"),
            (".txt", ".txt"),
            ("folder/", "folder"),
            ("-", "standard input"),
        ] {
            assert_eq!(name_of(Path::new(path)), name);
        }
    }
}
