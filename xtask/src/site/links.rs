//! Links of the built site: each leads to a file, and to a place in it, that are there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{bail, ensure};

use crate::joined;

/// Follows every link of every page, and says how many there are.
pub(super) fn check(site: &Path) -> anyhow::Result<usize> {
    let mut pages = BTreeMap::new();
    let mut folders = vec![site.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "html") {
                let text = fs::read_to_string(&path)?;
                pages.insert(path, text);
            }
        }
    }
    let ids: BTreeMap<&Path, BTreeSet<&str>> = pages
        .iter()
        .map(|(path, text)| (path.as_path(), values(text, " id=\"").collect()))
        .collect();
    let mut wrong = Vec::new();
    let mut links = 0;
    for (page, text) in &pages {
        for link in values(text, " href=\"").chain(values(text, " src=\"")) {
            // Elsewhere: the network is not asked.
            if link.contains("://") || link.starts_with("data:") || link.starts_with("mailto:") {
                continue;
            }
            links += 1;
            if !leads_somewhere(page, link, &ids) {
                wrong.push(format!("{}: {link}", page.strip_prefix(site)?.display()));
            }
        }
    }
    ensure!(links > 0, "the site has no links");
    if !wrong.is_empty() {
        bail!("{} links lead nowhere:\n{}", wrong.len(), wrong.join("\n"));
    }
    Ok(links)
}

fn leads_somewhere(page: &Path, link: &str, ids: &BTreeMap<&Path, BTreeSet<&str>>) -> bool {
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let path = path.split('?').next().unwrap_or(path);
    let target =
        if path.is_empty() { page.to_owned() } else { joined(page.parent().unwrap_or(page), path) };
    let target = if target.is_dir() { target.join("index.html") } else { target };
    target.is_file()
        && (anchor.is_empty() || ids.get(target.as_path()).is_none_or(|ids| ids.contains(anchor)))
}

/// Returns the values of an attribute, given with the quote that begins it.
fn values<'a>(text: &'a str, attribute: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(attribute).skip(1).filter_map(|rest| rest.split('"').next())
}

#[cfg(test)]
mod tests {
    use super::check;

    #[track_caller]
    fn checked(body: &str) -> Result<usize, String> {
        let site = tempfile::tempdir().unwrap();
        std::fs::write(site.path().join("index.html"), body).unwrap();
        std::fs::write(site.path().join("b.html"), "<h1 id=\"top\">").unwrap();
        check(site.path()).map_err(|error| error.to_string())
    }

    #[test]
    fn links_to_what_is_there_are_right() {
        assert_eq!(checked("<a href=\"b.html#top\"></a><a href=\"#x\" id=\"x\"></a>"), Ok(2));
    }

    #[test]
    fn links_to_nothing_are_named() {
        for link in ["c.html", "b.html#bottom", "#none", "../b.html"] {
            let error = checked(&format!("<a href=\"{link}\"></a>")).unwrap_err();
            assert!(error.contains(link), "{error}");
        }
    }
}
