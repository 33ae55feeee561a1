//! Where text goes: standard output, standard error, and files that appear whole or not at all.

use std::io::{ErrorKind, IsTerminal, Write as _};
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use arcwright_host::plain::kind_of;
use arcwright_report::TextOptions;
use arcwright_units::{visible_json, visible_lines, visible_page, visible_path};
use tempfile::NamedTempFile;

use crate::preferences::{Colour, preferences};

/// The width of text where no terminal tells its own.
const WIDTH_DEFAULT: usize = 80;
/// Narrower than this, a table of two arms cannot be shown.
const WIDTH_MIN: usize = 60;

/// Returns the width of the terminal that `stream` goes to, else that of `COLUMNS`, else the default.
///
/// A terminal of which only the width is known (`stty cols 80` in a new one, without rows) counts as
/// one that does not tell its size.
pub(crate) fn width(stream: &impl AsFd) -> usize {
    let told = terminal_size::terminal_size_of(stream).map(|(width, _)| usize::from(width.0));
    let wanted = || std::env::var("COLUMNS").ok()?.parse().ok().filter(|columns| *columns > 0);
    told.or_else(wanted).map_or(WIDTH_DEFAULT, |width: usize| width.max(WIDTH_MIN))
}

/// Says whether text for `stream` may be coloured: on a terminal, and never with `NO_COLOR`.
///
/// A user's own `colour` stands above both.
pub(crate) fn colour_wanted(stream: &impl IsTerminal) -> bool {
    match preferences().colour {
        Colour::Always => return true,
        Colour::Never => return false,
        Colour::Auto => {}
    }
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    stream.is_terminal() && !refused && !dumb
}

/// Returns how a report is written to standard output.
pub(crate) fn text_options() -> TextOptions {
    let out = std::io::stdout();
    TextOptions { width: width(&out), colour: colour_wanted(&out), ..TextOptions::default() }
}

/// Writes plain text to standard output, whatever steers a terminal written out.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    write_out(&visible_lines(text))
}

/// Writes a page that may carry the program's own colours, everything else as [`print()`] does.
pub(crate) fn print_page(page: &str) -> anyhow::Result<()> {
    write_out(&visible_page(page))
}

/// Writes JSON; what steers a terminal is there as JSON's escapes, so that the value is the same.
pub(crate) fn print_json(json: &str) -> anyhow::Result<()> {
    write_out(&visible_json(json))
}

/// A reader that has gone away (`| head`) is no error.
fn write_out(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result.context("failed to write to standard output"),
    }
}

/// Writes a line to standard error, whatever steers a terminal written out.
pub(crate) fn remark(line: &str) {
    complain(&format!("{line}\n"));
}

/// Writes text of several lines to standard error, as [`remark`] does.
pub(crate) fn complain(text: &str) {
    // There is nobody left to tell when standard error is closed.
    std::io::stderr().write_all(visible_lines(text).as_bytes()).unwrap_or_default();
}

/// Writes a page with colours of the program's own to standard error; it holds nothing else that steers a
/// terminal, as who calls this has made sure.
pub(crate) fn complain_page(page: &str) {
    std::io::stderr().write_all(page.as_bytes()).unwrap_or_default();
}

/// A file that is being made: it is there whole under its name, or not at all.
///
/// Its draft is made at the end: what is killed before leaves nothing behind.
#[derive(Debug)]
pub(crate) struct Pending {
    path: PathBuf,
}

impl Pending {
    /// Makes sure that `path` can be written, so that a long run does not end with a folder that is missing.
    pub(crate) fn begin(path: &Path) -> anyhow::Result<Self> {
        refuse_what_is_no_file(path)?;
        let pending = Self { path: path.to_owned() };
        drop(pending.draft()?);
        Ok(pending)
    }

    /// Fills the file and gives it its name.
    pub(crate) fn complete(self, text: &str) -> anyhow::Result<()> {
        self.complete_bytes(text.as_bytes())
    }

    /// Fills the file and gives it its name, unless something has that name by now.
    pub(crate) fn complete_new(self, text: &str) -> anyhow::Result<()> {
        self.complete_new_bytes(text.as_bytes())
    }

    /// Fills the file with bytes and gives it its name, unless something has that name by now.
    pub(crate) fn complete_new_bytes(self, bytes: &[u8]) -> anyhow::Result<()> {
        let named = self.filled(bytes)?.persist_noclobber(&self.path);
        named.map_err(|error| error.error).with_context(|| self.failed())?;
        Ok(())
    }

    /// Fills the file with bytes and gives it its name.
    pub(crate) fn complete_bytes(self, bytes: &[u8]) -> anyhow::Result<()> {
        let draft = self.filled(bytes)?;
        // Whatever has come there since it was begun.
        refuse_what_is_no_file(&self.path)?;
        draft.persist(&self.path).map_err(|error| error.error).with_context(|| self.failed())?;
        Ok(())
    }

    /// Fills the file so that everybody may read it, whatever the user's mask says, and gives it its name.
    pub(crate) fn complete_for_all(self, text: &str) -> anyhow::Result<()> {
        let draft = self.filled(text.as_bytes())?;
        let everybody = std::fs::Permissions::from_mode(0o644);
        draft.as_file().set_permissions(everybody).with_context(|| self.failed())?;
        refuse_what_is_no_file(&self.path)?;
        draft.persist(&self.path).map_err(|error| error.error).with_context(|| self.failed())?;
        Ok(())
    }

    /// Makes a draft that its owner alone may read, for what is written piece by piece.
    pub(crate) fn private_draft(&self) -> anyhow::Result<NamedTempFile> {
        let draft = self.draft()?;
        let owner = std::fs::Permissions::from_mode(0o600);
        draft.as_file().set_permissions(owner).with_context(|| self.failed())?;
        Ok(draft)
    }

    /// Gives a draft its name, unless something has that name by now.
    pub(crate) fn complete_new_draft(self, draft: NamedTempFile) -> anyhow::Result<()> {
        draft.as_file().sync_all().with_context(|| self.failed())?;
        let named = draft.persist_noclobber(&self.path);
        named.map_err(|error| error.error).with_context(|| self.failed())?;
        Ok(())
    }

    fn failed(&self) -> String {
        format!("failed to write {}", visible_path(&self.path))
    }

    fn filled(&self, bytes: &[u8]) -> anyhow::Result<NamedTempFile> {
        let mut draft = self.draft()?;
        draft.as_file_mut().write_all(bytes).with_context(|| self.failed())?;
        draft.as_file().sync_all().with_context(|| self.failed())?;
        Ok(draft)
    }

    fn draft(&self) -> anyhow::Result<NamedTempFile> {
        let folder = match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".arcwright-");
        readable_by_others(&mut builder);
        builder.tempfile_in(folder).map_err(|error| {
            // The name of the draft, which the library adds, says nothing to anybody.
            let why = error.to_string();
            let why = why.rsplit_once(" at path ").map_or(why.as_str(), |(why, _)| why).to_owned();
            anyhow!("failed to create a file in {}: {why}", visible_path(folder))
        })
    }
}

/// Refuses to put a file in the place of a folder, a pipe or a device: for root, that would be the end of
/// `/dev/null`, and of `/dev/stdout`, which is a link to an open file.
fn refuse_what_is_no_file(path: &Path) -> anyhow::Result<()> {
    let leads_to_an_open_file = std::fs::read_link(path).is_ok_and(|to| to.starts_with("/proc"));
    let kind = std::fs::metadata(path).ok().and_then(|metadata| kind_of(&metadata));
    match kind.or(leads_to_an_open_file.then_some("an open file")) {
        Some(kind) => {
            let name = visible_path(path);
            Err(anyhow!("{name} is {kind}; name a file, or one that is not there yet"))
        }
        None => Ok(()),
    }
}

/// Asks for the usual permissions, from which the user's mask still takes away.
fn readable_by_others(builder: &mut tempfile::Builder<'_, '_>) {
    builder.permissions(std::fs::Permissions::from_mode(0o666));
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::Pending;

    #[test]
    fn nothing_but_a_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let made = std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap();
        assert!(made.success());
        symlink("/dev/null", at("link to a device")).unwrap();
        symlink("/proc/self/fd/0", at("link to an open file")).unwrap();
        let check = |path: &Path, expected: &str| {
            let error = Pending::begin(path).unwrap_err().to_string();
            assert!(error.contains(expected), "{}: {error}", path.display());
        };
        check(Path::new("/dev/null"), "/dev/null is a device");
        check(folder.path(), "is a folder");
        check(Path::new("."), "is a folder");
        check(&at("pipe"), "is a pipe");
        check(&at("link to a device"), "is a device");
        assert!(Pending::begin(&at("link to an open file")).is_err());
        fs::write(at("older"), "older").unwrap();
        symlink("older", at("link to a file")).unwrap();
        Pending::begin(&at("link to a file")).unwrap().complete("newer").unwrap();
        assert_eq!(fs::read_to_string(at("older")).unwrap(), "older");
        assert_eq!(fs::read_to_string(at("link to a file")).unwrap(), "newer");
    }

    #[test]
    fn what_was_only_begun_is_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let pending = Pending::begin(&folder.path().join("result.json")).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        pending.complete_new("{}").unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_is_missing_is_named_once() {
        let error = Pending::begin(Path::new("/nonexistent/result.json")).unwrap_err().to_string();
        assert_eq!(
            error,
            "failed to create a file in /nonexistent: No such file or directory (os error 2)"
        );
    }
}
