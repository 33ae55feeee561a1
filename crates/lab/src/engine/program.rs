//! The program that is started for every arm: this one, or `arcwright-lab` beside it.
//!
//! A worker loads OpenZFS's shared library, which a static program cannot. So a program that is built
//! without workers looks for one that has them, in places that only those can write who could have
//! replaced the program itself:
//!
//! ```text
//!   ARCWRIGHT_LAB                          what the user names
//!   BIN/arcwright-lab                      beside the program
//!   BIN/../libexec/arcwright/arcwright-lab where packages install it
//! ```

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use arcwright_scenario::EngineError;

use crate::openzfs::check_owners;

/// The program's name.
const NAME: &str = "arcwright-lab";
/// The variable that names it.
const VARIABLE: &str = "ARCWRIGHT_LAB";
/// What it is called with.
const WORK: &str = "work";

/// A program that calls `worker::main`, and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerProgram {
    /// Its file.
    pub file: PathBuf,
    /// What makes it a worker.
    pub arguments: Vec<String>,
}

impl WorkerProgram {
    /// Returns `arcwright-lab`: what `ARCWRIGHT_LAB` names, else the one installed with this program.
    ///
    /// # Errors
    /// [`EngineError::Missing`] with what to install; a program where other users could have put it.
    pub fn find() -> Result<Self, EngineError> {
        let named = std::env::var_os(VARIABLE);
        let own = std::env::current_exe().and_then(std::fs::canonicalize).unwrap_or_default();
        find(named.as_deref(), &own).map(Self::named)
    }

    fn named(file: PathBuf) -> Self {
        Self { file, arguments: vec![WORK.to_owned()] }
    }
}

fn find(named: Option<&OsStr>, own: &Path) -> Result<PathBuf, EngineError> {
    if let Some(named) = named.filter(|named| !named.is_empty()) {
        let file = PathBuf::from(named);
        return if file.is_absolute() && file.is_file() { Ok(file) } else { Err(misnamed(&file)) };
    }
    let installed = places(own).into_iter().find(|place| place.is_file()).ok_or_else(missing)?;
    match check_owners(&installed) {
        Ok(()) => Ok(installed),
        Err(why) => Err(EngineError::Missing {
            what: format!("{NAME} is not started: {why}"),
            hint: format!("name it with {VARIABLE}=PATH if it is yours"),
        }),
    }
}

fn places(own: &Path) -> Vec<PathBuf> {
    let Some(folder) = own.parent() else { return Vec::new() };
    let prefix = folder.parent().unwrap_or(folder);
    vec![folder.join(NAME), prefix.join("libexec/arcwright").join(NAME)]
}

fn missing() -> EngineError {
    let what = format!("the lab needs the program {NAME}, which is not installed");
    let hint = if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        format!("install the package {NAME}, or name the program with {VARIABLE}=PATH")
    } else {
        "the lab runs on Linux on x86-64 only; --engine model runs here".to_owned()
    };
    EngineError::Missing { what, hint }
}

fn misnamed(file: &Path) -> EngineError {
    EngineError::Missing {
        what: format!(
            "{VARIABLE} names {}, which is no file with an absolute path",
            file.display()
        ),
        hint: format!("name the file of {NAME}, or leave {VARIABLE} empty"),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    use super::find;

    fn put(folder: &Path, name: &str) {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, b"").unwrap();
    }

    #[test]
    fn it_is_found_beside_the_program_then_in_libexec() {
        let root = tempfile::tempdir().unwrap();
        let own = root.path().join("bin/arcwright");
        let error = find(None, &own).unwrap_err().to_string();
        assert!(error.contains("not installed"), "{error}");
        put(root.path(), "libexec/arcwright/arcwright-lab");
        assert!(find(None, &own).unwrap().ends_with("libexec/arcwright/arcwright-lab"));
        put(root.path(), "bin/arcwright-lab");
        assert!(find(None, &own).unwrap().ends_with("bin/arcwright-lab"));
    }

    #[test]
    fn what_every_user_can_write_is_not_started_unless_it_is_named() {
        let root = tempfile::tempdir().unwrap();
        let own = root.path().join("bin/arcwright");
        put(root.path(), "bin/arcwright-lab");
        let open = fs::Permissions::from_mode(0o777);
        fs::set_permissions(root.path().join("bin/arcwright-lab"), open).unwrap();
        let error = find(None, &own).unwrap_err().to_string();
        assert!(error.contains("can be written by every user"), "{error}");
        let file = root.path().join("bin/arcwright-lab");
        assert_eq!(find(Some(file.as_os_str()), &own).unwrap(), file);
    }

    #[test]
    fn a_name_is_absolute_and_leads_somewhere() {
        for named in ["arcwright-lab", "/nowhere/arcwright-lab"] {
            let error = find(Some(OsStr::new(named)), Path::new("/nowhere/bin/arcwright"));
            assert!(error.unwrap_err().to_string().contains("ARCWRIGHT_LAB"), "{named}");
        }
    }
}
