//! What a machine is called of which there is a file.

use std::path::Path;

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
