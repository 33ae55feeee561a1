//! What a parameter is told to be: by the module, or by a file where the value in force was not read.

use crate::config::Set;
use crate::finding::Evidence;
use crate::view::View;

/// A parameter's value and where it is from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Told<'a> {
    pub(crate) value: u64,
    /// The file that sets it, where the value in force was not read.
    pub(crate) file: Option<&'a Set>,
}

impl Told<'_> {
    /// Returns the end of a title that states it: that nobody read the value in force, where a file tells it.
    pub(crate) const fn unread(&self) -> &'static str {
        if self.file.is_some() { " (in a file; the value in force was not read)" } else { "" }
    }

    /// Returns what it rests on.
    pub(crate) fn evidence(&self, view: &View<'_>, name: &str) -> Vec<Evidence> {
        match self.file {
            Some(set) => vec![set.evidence()],
            None => view.settings([name]),
        }
    }
}

/// Returns what a parameter is; none where neither the module nor a file tells.
pub(crate) fn told<'a>(view: &'a View<'_>, name: &str) -> Option<Told<'a>> {
    if let Some(value) = view.machine.parameter(name) {
        return Some(Told { value, file: None });
    }
    let set = view.files.set_of(name)?;
    Some(Told { value: set.number()?, file: Some(set) })
}
