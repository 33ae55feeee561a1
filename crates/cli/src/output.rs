//! Where text goes: standard output, standard error, and files that appear whole or not at all.

use std::io::{ErrorKind, IsTerminal, Write as _};
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
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
#[derive(Debug)]
pub(crate) struct Pending {
    path: PathBuf,
    draft: NamedTempFile,
}

impl Pending {
    /// Begins a file beside `path`, so that a long run does not end with a folder that is missing.
    pub(crate) fn begin(path: &Path) -> anyhow::Result<Self> {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".arcwright-");
        readable_by_others(&mut builder);
        let draft = builder
            .tempfile_in(folder)
            .with_context(|| format!("failed to create a file in {}", visible_path(folder)))?;
        Ok(Self { path: path.to_owned(), draft })
    }

    /// Fills the file and gives it its name.
    pub(crate) fn complete(self, text: &str) -> anyhow::Result<()> {
        self.complete_bytes(text.as_bytes())
    }

    /// Fills the file and gives it its name, unless something has that name by now.
    pub(crate) fn complete_new(mut self, text: &str) -> anyhow::Result<()> {
        let failed = || format!("failed to write {}", visible_path(&self.path));
        self.draft.write_all(text.as_bytes()).with_context(failed)?;
        self.draft.as_file().sync_all().with_context(failed)?;
        self.draft
            .persist_noclobber(&self.path)
            .map_err(|error| error.error)
            .with_context(failed)?;
        Ok(())
    }

    /// Fills the file with bytes and gives it its name.
    pub(crate) fn complete_bytes(mut self, bytes: &[u8]) -> anyhow::Result<()> {
        let failed = || format!("failed to write {}", visible_path(&self.path));
        self.draft.write_all(bytes).with_context(failed)?;
        self.draft.as_file().sync_all().with_context(failed)?;
        self.draft.persist(&self.path).map_err(|error| error.error).with_context(failed)?;
        Ok(())
    }
}

/// Asks for the usual permissions, from which the user's mask still takes away.
fn readable_by_others(builder: &mut tempfile::Builder<'_, '_>) {
    builder.permissions(std::fs::Permissions::from_mode(0o666));
}
