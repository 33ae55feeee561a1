//! Pages as mdBook takes them: in their place on the site, with links that lead there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use pulldown_cmark::{Event, Options, Parser, Tag};

use crate::joined;

const SUMMARY: &str = "site/SUMMARY.md";
const REPOSITORY: &str = "https://github.com/arcwright/arcwright";
/// A line that the site alone has: the comment around it is taken away.
const SITE_ONLY: &str = "<!-- site: ";

/// Writes all pages of the site to a folder, and says how many there are.
pub(super) fn stage(root: &Path, to: &Path) -> anyhow::Result<usize> {
    let summary = fs::read_to_string(root.join(SUMMARY)).context(SUMMARY)?;
    let pages: BTreeSet<PathBuf> =
        targets(&summary).iter().map(|link| joined(Path::new("site"), link)).collect();
    complete(root, &pages)?;
    let mut pictures = BTreeSet::new();
    for page in pages.iter().map(PathBuf::as_path).chain([Path::new(SUMMARY)]) {
        let text =
            fs::read_to_string(root.join(page)).with_context(|| page.display().to_string())?;
        let text = Rewriter { root, page, pages: &pages }.rewrite(&text, &mut pictures)?;
        write(&to.join(place(page)), text.as_bytes())?;
    }
    for picture in &pictures {
        let bytes = fs::read(root.join(picture)).with_context(|| picture.display().to_string())?;
        write(&to.join(place(picture)), &bytes)?;
    }
    Ok(pages.len())
}

fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    fs::write(path, bytes).with_context(|| path.display().to_string())
}

/// A page of docs that no reader of the site would find is a mistake.
fn complete(root: &Path, pages: &BTreeSet<PathBuf>) -> anyhow::Result<()> {
    let mut folders = vec![PathBuf::from("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder))? {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                ensure!(pages.contains(&path), "{SUMMARY} does not name {}", path.display());
            }
        }
    }
    Ok(())
}

/// Returns where a file of the repository is on the site.
fn place(path: &Path) -> PathBuf {
    let path = path.strip_prefix("docs").or_else(|_| path.strip_prefix("site")).unwrap_or(path);
    match path.file_name().and_then(|name| name.to_str()) {
        Some("README.md") => path.with_file_name("index.md"),
        _ => path.to_owned(),
    }
}

/// Returns the targets of all links and images of a page.
fn targets(text: &str) -> Vec<String> {
    spans(text).into_iter().map(|(_, target)| target).collect()
}

/// Returns all links and images of a page: the places in the text where they end, and their targets.
fn spans(text: &str) -> Vec<(usize, String)> {
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter();
    let link = |(event, span): (Event<'_>, std::ops::Range<usize>)| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            (!dest_url.is_empty()).then(|| (span.end, dest_url.into_string()))
        }
        _ => None,
    };
    events.filter_map(link).collect()
}

/// Changes the links of one page.
struct Rewriter<'a> {
    root: &'a Path,
    page: &'a Path,
    pages: &'a BTreeSet<PathBuf>,
}

impl Rewriter<'_> {
    fn rewrite(&self, text: &str, pictures: &mut BTreeSet<PathBuf>) -> anyhow::Result<String> {
        let mut rewritten = String::new();
        let mut from = 0;
        for (end, target) in spans(text) {
            let found = text.get(from..end).and_then(|part| part.rfind(&format!("({target}")));
            // An address that stands for itself, or a link with its target elsewhere.
            let Some(at) = found.map(|at| from + at + 1) else { continue };
            rewritten.push_str(text.get(from..at).unwrap_or_default());
            rewritten.push_str(&self.target(&target, pictures)?);
            from = at + target.len();
        }
        rewritten.push_str(text.get(from..).unwrap_or_default());
        Ok(shown(&rewritten))
    }

    /// Returns what a link leads to on the site.
    fn target(&self, link: &str, pictures: &mut BTreeSet<PathBuf>) -> anyhow::Result<String> {
        if link.starts_with('#') || link.contains("://") {
            return Ok(link.to_owned());
        }
        let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
        let anchor = if anchor.is_empty() { String::new() } else { format!("#{anchor}") };
        let here = self.page.parent().unwrap_or(self.page);
        let file = joined(here, path);
        let file = if file == Path::new("README.md") { "docs/index.md".into() } else { file };
        if !self.root.join(&file).exists() {
            bail!("{}: {link} leads nowhere", self.page.display());
        }
        let is_picture = file.extension().is_some_and(|end| end == "svg" || end == "png");
        if !is_picture && !self.pages.contains(&file) {
            return Ok(format!("{REPOSITORY}/blob/main/{}{anchor}", file.display()));
        }
        let up = place(self.page).components().count() - 1;
        let to = format!("{}{}{anchor}", "../".repeat(up), place(&file).display());
        if is_picture {
            pictures.insert(file);
        }
        Ok(to)
    }
}

/// Takes away comments for the chores, and those around what the site alone has.
fn shown(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        match line.strip_prefix(SITE_ONLY).and_then(|rest| rest.strip_suffix(" -->")) {
            Some(line) => lines.push(line),
            None if line.starts_with("<!--") && line.ends_with("-->") => {}
            None => lines.push(line),
        }
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(page: &str, text: &str) -> anyhow::Result<String> {
        let root = crate::root();
        let pages =
            ["docs/index.md", "docs/guide/doctor.md", "docs/model/README.md", "GLOSSARY.md"];
        let pages = pages.map(PathBuf::from).into();
        let rewriter = Rewriter { root: &root, page: Path::new(page), pages: &pages };
        rewriter.rewrite(text, &mut BTreeSet::new())
    }

    #[track_caller]
    fn check(page: &str, link: &str, expected: &str) {
        let text = rewritten(page, &format!("See [here]({link}).")).unwrap();
        assert_eq!(text, format!("See [here]({expected}).\n"));
    }

    #[test]
    fn links_lead_to_the_site_or_to_the_repository() {
        check("docs/guide/doctor.md", "../model/README.md", "../model/index.md");
        check("docs/guide/doctor.md", "../../GLOSSARY.md#caches", "../GLOSSARY.md#caches");
        check("docs/guide/doctor.md", "#as-a-plugin", "#as-a-plugin");
        check("docs/guide/doctor.md", "../../README.md", "../index.md");
        check("GLOSSARY.md", "docs/guide/doctor.md", "guide/doctor.md");
        check("GLOSSARY.md", "https://example.org/a", "https://example.org/a");
        check("GLOSSARY.md", "Cargo.toml", &format!("{REPOSITORY}/blob/main/Cargo.toml"));
    }

    #[test]
    fn a_link_that_leads_nowhere_is_named() {
        let error = rewritten("GLOSSARY.md", "[here](docs/no-such-page.md)").unwrap_err();
        assert!(error.to_string().contains("no-such-page"), "{error}");
    }

    #[test]
    fn code_stays_as_it_is() {
        let text = "```\n[a](b.md)\n```\nand `[a](b.md)`\n";
        assert_eq!(rewritten("GLOSSARY.md", text).unwrap(), text);
    }

    #[test]
    fn comments_go_and_what_the_site_alone_has_stays() {
        let text = "a\n<!-- figures: run x -->\n<!-- site: [try](try/) -->\nb\n";
        assert_eq!(shown(text), "a\n[try](try/)\nb\n");
    }
}
