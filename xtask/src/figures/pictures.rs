//! Pictures in pages, drawn by the runs that they name, and terminals that show what commands print.
//!
//! ```text
//!   <!-- picture: run scenarios/a.toml --chart speed -->      the chart that --svg writes
//!   ![what it shows](../pictures/a.svg)
//!   <!-- terminal: doctor --from a.txt; watch --picture 100x30 -->      what commands print, one after the other
//!   ![what it shows](../pictures/session.svg)
//! ```
//!
//! A picture lies where its page says, and is as the runs draw it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};

use super::terminal::{Screen, recording};

/// What a page says about one of its pictures.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Picture {
    drawn_by: Drawing,
    /// Where it lies, as seen from the page.
    pub(super) path: String,
}

/// What draws a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Drawing {
    Chart(String),
    Terminal(Vec<String>),
}

/// Returns the pictures of a page that runs draw.
pub(super) fn of_page(text: &str) -> anyhow::Result<Vec<Picture>> {
    let mut pictures = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let inner = line.trim().strip_prefix("<!--").and_then(|line| line.strip_suffix("-->"));
        let Some(drawn_by) = inner.and_then(|inner| Drawing::parse(inner.trim())) else { continue };
        let behind = lines.next().map(|(_, line)| line).unwrap_or_default();
        let path =
            image(behind).with_context(|| format!("line {}: no picture follows", number + 1))?;
        pictures.push(Picture { drawn_by, path: path.to_owned() });
    }
    Ok(pictures)
}

impl Drawing {
    fn parse(mark: &str) -> Option<Self> {
        if let Some(command) = mark.strip_prefix("picture:") {
            return Some(Self::Chart(command.trim().to_owned()));
        }
        let commands = mark.strip_prefix("terminal:")?;
        Some(Self::Terminal(commands.split(';').map(|command| command.trim().to_owned()).collect()))
    }

    fn drawn(&self) -> anyhow::Result<String> {
        match self {
            Self::Chart(command) => chart(command),
            Self::Terminal(commands) => {
                let screens = commands.iter().map(|command| screen(command));
                Ok(recording(&screens.collect::<anyhow::Result<Vec<_>>>()?))
            }
        }
    }
}

/// Returns the place of an image, which has a text for those who do not see it.
fn image(line: &str) -> Option<&str> {
    let (alt, path) = line.strip_prefix("![")?.strip_suffix(')')?.split_once("](")?;
    (!alt.is_empty() && path.ends_with(".svg")).then_some(path)
}

/// The pictures that were drawn: a picture of several pages has one command, and is drawn once.
#[derive(Debug, Default)]
pub(super) struct Drawn(BTreeMap<PathBuf, Drawing>);

impl Drawn {
    /// Draws a picture, and says whether it is another than what lies beside the page.
    pub(super) fn update(
        &mut self,
        page: &Path,
        picture: &Picture,
        check: bool,
    ) -> anyhow::Result<bool> {
        let path = crate::joined(page.parent().unwrap_or(page), &picture.path);
        if let Some(before) = self.0.get(&path) {
            ensure!(
                *before == picture.drawn_by,
                "{}: another page draws it by other commands, {before:?}",
                picture.path
            );
            return Ok(false);
        }
        let drawn = picture.drawn_by.drawn()?;
        let is_stale = fs::read_to_string(&path).ok().as_deref() != Some(&drawn);
        if is_stale && !check {
            fs::create_dir_all(path.parent().unwrap_or(page))?;
            fs::write(&path, drawn).with_context(|| path.display().to_string())?;
        }
        self.0.insert(path, picture.drawn_by.clone());
        Ok(is_stale)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// Returns the chart of a command.
fn chart(command: &str) -> anyhow::Result<String> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("chart.svg");
    super::started(&format!("{command} --svg '{}'", path.display()))?;
    fs::read_to_string(&path).with_context(|| format!("arcwright {command} draws no chart"))
}

/// Returns what a command shows in a terminal.
fn screen(command: &str) -> anyhow::Result<Screen> {
    let home = tempfile::tempdir()?;
    let preferences: PathBuf = home.path().join("arcwright");
    fs::create_dir_all(&preferences)?;
    fs::write(preferences.join("config.toml"), "colour = \"always\"\n")?;
    let printed = super::started_with(command, |program| {
        program.env_remove("NO_COLOR").env("XDG_CONFIG_HOME", home.path())
    })?;
    if printed.trim().is_empty() {
        bail!("arcwright {command} prints nothing");
    }
    Ok(Screen::of(command, &printed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_says_what_draws_its_pictures() {
        let page = "Text.\n<!-- picture: run a.toml -->\n![Speed](b/a.svg)\n\n\
                    <!-- terminal: doctor; run a.toml -->\n![Two commands](c.svg)\n![Another](d.svg)\n";
        let expected = [
            Picture {
                drawn_by: Drawing::Chart("run a.toml".to_owned()),
                path: "b/a.svg".to_owned(),
            },
            Picture {
                drawn_by: Drawing::Terminal(vec!["doctor".to_owned(), "run a.toml".to_owned()]),
                path: "c.svg".to_owned(),
            },
        ];
        assert_eq!(of_page(page).unwrap(), expected);
    }

    #[test]
    fn a_picture_of_two_pages_is_drawn_by_one_command() {
        let folder = tempfile::tempdir().unwrap();
        let (page, other) = (folder.path().join("a.md"), folder.path().join("docs/b.md"));
        let drawn = |command: &str| Drawing::Chart(command.to_owned());
        let picture = |command, path: &str| Picture { drawn_by: drawn(command), path: path.into() };
        let mut all = Drawn(BTreeMap::from([(folder.path().join("docs/c.svg"), drawn("run"))]));
        assert!(!all.update(&page, &picture("run", "docs/c.svg"), true).unwrap());
        assert!(!all.update(&other, &picture("run", "c.svg"), true).unwrap());
        let error = all.update(&other, &picture("doctor", "c.svg"), true).unwrap_err();
        assert!(error.to_string().contains("another page draws it"), "{error}");
    }

    #[test]
    fn a_picture_needs_a_text() {
        for behind in ["", "![](a.svg)", "Text.", "![Text](a.png)"] {
            let page = format!("<!-- picture: run a.toml -->\n{behind}\n");
            assert!(of_page(&page).unwrap_err().to_string().contains("line 1"), "{behind}");
        }
    }
}
