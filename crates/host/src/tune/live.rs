//! Values of the running module: a file per parameter on Linux, sysctl on FreeBSD.

use arcwright_tunables::persist::Command;
use arcwright_tunables::{Kernel, Value};

use super::files::Files;
use super::system::{Commands, text_of};
use super::{HostError, Root};

/// Where parameters of a running module are.
#[derive(Clone, Copy)]
pub(super) struct Live<'a> {
    pub(super) files: &'a dyn Files,
    pub(super) commands: &'a dyn Commands,
    pub(super) root: &'a Root,
    pub(super) kernel: Kernel,
}

impl Live<'_> {
    /// Returns the value of a parameter; none when the module lacks it.
    pub(super) fn read(&self, module: &str, name: &str) -> Result<Option<String>, HostError> {
        match self.kernel {
            Kernel::Linux => {
                let text = super::atomic::text(self.files, &path(self.root, module, name))?;
                Ok(text.map(|text| text.trim_end().to_owned()))
            }
            Kernel::Freebsd if self.root.is_machine() => {
                let command = Command::new(&["sysctl", "-n", name]);
                text_of(self.commands, &command).map(|text| Some(text.trim_end().to_owned()))
            }
            Kernel::Freebsd => Ok(None),
        }
    }

    /// Sets a parameter and reads it back.
    pub(super) fn set(&self, module: &str, name: &str, value: &str) -> Result<(), HostError> {
        match self.kernel {
            Kernel::Linux => {
                let path = path(self.root, module, name);
                let bytes = format!("{value}\n");
                self.files.store(&path, bytes.as_bytes()).map_err(HostError::file("set", &path))?;
            }
            Kernel::Freebsd if self.root.is_machine() => {
                let assignment = format!("{name}={value}");
                text_of(self.commands, &Command::new(&["sysctl", &assignment]))?;
            }
            Kernel::Freebsd => return Err(HostError::NotLive { name: name.to_owned() }),
        }
        let found = self.read(module, name)?.unwrap_or_default();
        if is_same(&found, value) {
            return Ok(());
        }
        Err(HostError::NotTaken { name: name.to_owned(), wanted: value.to_owned(), found })
    }
}

/// Returns a value as a sentence names it.
pub(super) fn shown(value: &str) -> &str {
    if value.is_empty() { "empty" } else { value }
}

/// Says whether what reads `found` was set to `value`; a list shows its choice in brackets.
pub(super) fn is_same(found: &str, value: &str) -> bool {
    let chosen = found.split_whitespace().any(|word| word == format!("[{value}]"));
    chosen || Value::read(found) == Value::read(value)
}

fn path(root: &Root, module: &str, name: &str) -> crate::root::RootedPath {
    root.at(&format!("/sys/module/{module}/parameters/{name}"))
}
