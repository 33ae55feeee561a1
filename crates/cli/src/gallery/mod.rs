//! The scenarios that come with the program, by arguments: they run by name from any folder.
//!
//! A bare word is such a name, in whatever folder the user stands; a file with that very name is meant by
//! `./NAME`.

use std::path::Path;

use arcwright_scenario::{GALLERY, GalleryScenario};

/// What `arcwright init` writes.
pub(crate) const TEMPLATE: &str = include_str!("template.toml");

/// Returns the scenario that an argument names, if it is a bare word.
pub(crate) fn find(argument: &Path) -> Option<&'static GalleryScenario> {
    GalleryScenario::find(argument.to_str()?)
}

/// Says whether an argument is a bare word, as names of the gallery are.
pub(crate) fn is_bare(argument: &Path) -> bool {
    argument.extension().is_none() && argument.components().count() == 1
}

/// Returns the name that was probably meant where there is no such file.
pub(crate) fn nearest(argument: &Path) -> Option<&'static str> {
    let stem = argument.file_stem()?.to_str()?;
    arcwright_units::nearest(stem, GALLERY.iter().map(|entry| entry.name))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use arcwright_scenario::Scenario;

    use super::{TEMPLATE, find, nearest};

    #[test]
    fn the_template_is_a_scenario() {
        Scenario::parse(TEMPLATE, "template.toml").unwrap();
    }

    #[test]
    fn a_bare_word_is_a_name_and_a_path_is_a_file() {
        assert!(find(Path::new("steam-library")).is_some());
        for path in ["./steam-library", "steam-library.toml", "scenarios/steam-library", ""] {
            assert!(find(Path::new(path)).is_none(), "{path}");
        }
        assert_eq!(nearest(Path::new("steam-libary.toml")), Some("steam-library"));
        assert_eq!(nearest(Path::new("entirely-else")), None);
    }
}
