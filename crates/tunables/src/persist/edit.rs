//! Edits of one text: our settings put in or taken out, everything else byte for byte as it was.
//!
//! Laws, which the tests try on random texts: without our block the text is what it was; putting the
//! same settings twice is putting them once; taking out what was put in gives the text back.

use super::block;
use super::scan::Syntax;
use crate::{EditError, Module};

/// A setting to stand in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The module, for files that name it.
    pub module: Module,
    /// The parameter, as this machine names it.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Who set it, when and why, in one line.
    pub note: String,
}

/// A directive of our block with the note above it; without a name, lines that somebody else wrote there.
struct Part {
    name: String,
    text: String,
}

impl Part {
    /// Whether it has to stay: a directive, or words of somebody else.
    fn counts(&self) -> bool {
        !self.name.is_empty() || !self.text.trim().is_empty()
    }
}

/// Returns `text` with `settings` in our block; others that stand there stay.
///
/// # Errors
/// [`EditError`] when our block is broken or a value cannot stand in such a file.
pub fn set(text: &str, syntax: Syntax, settings: &[Setting]) -> Result<String, EditError> {
    let mut parts = parts(text)?;
    for setting in settings {
        let new = Part { name: setting.name.clone(), text: lines(setting, syntax)? };
        match parts.iter_mut().find(|part| part.name == setting.name) {
            Some(part) => *part = new,
            None => parts.push(new),
        }
    }
    put(text, &parts)
}

/// Returns `text` without our settings of these names, and without our block when nothing but blank lines
/// is left in it.
///
/// # Errors
/// [`EditError`] when our block is broken.
pub fn unset(text: &str, names: &[String]) -> Result<String, EditError> {
    let mut parts = parts(text)?;
    parts.retain(|part| !names.contains(&part.name));
    put(text, &parts)
}

/// Returns `text` with every setting that our block in `other` has, as it stands there.
///
/// # Errors
/// [`EditError`] when our block is broken in either.
pub fn adopt(text: &str, other: &str) -> Result<String, EditError> {
    let mut mine = parts(text)?;
    for part in parts(other)?.into_iter().filter(|part| !part.name.is_empty()) {
        match mine.iter_mut().find(|there| there.name == part.name) {
            Some(there) => *there = part,
            None => mine.push(part),
        }
    }
    put(text, &mine)
}

/// Returns the names that our block in `text` sets.
///
/// # Errors
/// [`EditError`] when our block is broken.
pub fn settings_of(text: &str) -> Result<Vec<String>, EditError> {
    let parts = parts(text)?;
    Ok(parts.into_iter().map(|part| part.name).filter(|name| !name.is_empty()).collect())
}

fn put(text: &str, parts: &[Part]) -> Result<String, EditError> {
    let holds = parts.iter().any(Part::counts);
    let body: String = parts.iter().filter(|_| holds).map(|part| part.text.as_str()).collect();
    block::put(text, &body)
}

/// Returns the parts of our block in their order. The remark right above a directive is its note; all
/// other lines are parts without a name.
fn parts(text: &str) -> Result<Vec<Part>, EditError> {
    let Some(block) = block::find(text)? else { return Ok(Vec::new()) };
    let body = text.get(block.body).unwrap_or_default();
    let mut parts: Vec<Part> = Vec::new();
    for line in body.split_inclusive('\n') {
        let name = name_in(line).unwrap_or_default().to_owned();
        let note = parts.pop_if(|above| {
            !name.is_empty() && above.name.is_empty() && above.text.starts_with('#')
        });
        let note = note.map(|note| note.text).unwrap_or_default();
        parts.push(Part { name, text: note + line });
    }
    Ok(parts)
}

/// Returns the name that a line of our block sets.
fn name_in(line: &str) -> Option<&str> {
    let code = line.trim();
    if code.starts_with('#') {
        return None;
    }
    let (left, _) = code.split_once('=')?;
    left.split_whitespace().next_back()
}

fn lines(setting: &Setting, syntax: Syntax) -> Result<String, EditError> {
    let Setting { module, name, value, note } = setting;
    let holds = |text: &str| !text.contains(['"', '\n', '\r', '\\', '#']) && !text.is_empty();
    let named = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    if !holds(value) || !name.chars().all(named) || name.is_empty() {
        return Err(EditError::Value { name: name.clone(), value: value.clone() });
    }
    let directive = match syntax {
        Syntax::Modprobe | Syntax::Cmdline if value.contains(' ') => {
            format!("options {} {name}=\"{value}\"", module.name())
        }
        Syntax::Modprobe | Syntax::Cmdline => format!("options {} {name}={value}", module.name()),
        Syntax::Loader => format!("{name}=\"{value}\""),
        Syntax::Sysctl => format!("{name}={value}"),
    };
    // A note is one line, joins no line, and looks like no mark.
    let stays = |c: &char| !c.is_control() && !"\\<>".contains(*c);
    let note: String = note.chars().filter(stays).collect();
    Ok(format!("# {note}\n{directive}\n"))
}
