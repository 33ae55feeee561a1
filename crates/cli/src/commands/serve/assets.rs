//! The files of the page, which the program has within it, packed by its build script.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::sync::LazyLock;

use axum::http::StatusCode;
use axum::response::Response;
use flate2::read::DeflateDecoder;

use super::answers::{self, CSS, HTML, JAVASCRIPT, SVG, TEXT};
use super::files::{PARTS as PAGES, SERVED};

/// How long each file is, in the order of `files.rs`.
const LENGTHS: &[usize] = &include!(concat!(env!("OUT_DIR"), "/page.lengths"));
/// All files, one behind the other.
static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/page.deflate"));

/// The files, by their place in the folder of the page.
static FILES: LazyLock<BTreeMap<&'static str, &'static [u8]>> = LazyLock::new(|| {
    let mut bytes = Vec::with_capacity(LENGTHS.iter().sum());
    // It was packed with this program; a test unpacks it.
    let unpacked = DeflateDecoder::new(PACKED).read_to_end(&mut bytes);
    let mut rest: &'static [u8] = if unpacked.is_ok() { bytes.leak() } else { &[] };
    let named = PAGES.iter().chain(SERVED.iter().map(|(_, file)| file)).zip(LENGTHS);
    named
        .map_while(|(file, length)| {
            let (bytes, behind) = rest.split_at_checked(*length)?;
            rest = behind;
            Some((*file, bytes))
        })
        .collect()
});

/// The page, with the parts that the browser page has as well.
static INDEX: LazyLock<String> = LazyLock::new(|| {
    let (served, page) = (text("serve/index.html"), text("index.html"));
    PARTS.iter().fold(served.to_owned(), |served, (mark, begin, end)| {
        served.replace(mark, part(page, begin, end).unwrap_or_default())
    })
});
/// Parts of the browser page: where they stand in this one, how they begin there, and how they end.
const PARTS: [(&str, &str, &str); 2] = [
    ("<!-- of the browser page: paste-form -->", "  <form id=\"paste-form\"", "</form>"),
    ("<!-- of the browser page: experiment -->", "<section id=\"experiment\"", "</section>"),
];

/// Returns what a file holds.
fn bytes(file: &str) -> &'static [u8] {
    FILES.get(file).copied().unwrap_or_default()
}

fn text(file: &str) -> &'static str {
    std::str::from_utf8(bytes(file)).unwrap_or_default()
}

/// Returns the first part of a page from what begins it to what ends it.
fn part<'a>(page: &'a str, begin: &str, end: &str) -> Option<&'a str> {
    let rest = page.get(page.find(begin)?..)?;
    rest.get(..rest.find(end)? + end.len())
}

/// Returns the page itself, or the form that asks for the token.
pub(super) fn index(is_admitted: bool) -> Response {
    let (status, page) = match is_admitted {
        true => (StatusCode::OK, INDEX.as_bytes()),
        false => (StatusCode::UNAUTHORIZED, bytes("serve/login.html")),
    };
    answers::asset(status, HTML, page)
}

/// Returns a file of the page; paths are compared as they are, so that none leads elsewhere.
pub(super) fn find(path: &str) -> Option<Response> {
    let (path, file) = SERVED.iter().find(|(served, _)| *served == path)?;
    Some(answers::asset(StatusCode::OK, media_type(path)?, bytes(file)))
}

fn media_type(path: &str) -> Option<&'static str> {
    match path.rsplit_once('.')?.1 {
        "css" => Some(CSS),
        "js" => Some(JAVASCRIPT),
        "svg" => Some(SVG),
        "txt" => Some(TEXT),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{FILES, INDEX, PAGES, PARTS, SERVED, media_type, text};

    /// All that a browser loads, unpacked.
    const BYTES_MAX: usize = 300_000;

    #[test]
    fn the_page_is_small_and_names_no_other_place() {
        let files = SERVED.iter().map(|(_, file)| text(file));
        let all: usize = files.clone().map(str::len).sum();
        assert!(all + INDEX.len() <= BYTES_MAX, "{} bytes", all + INDEX.len());
        for text in files.chain([INDEX.as_str(), text("serve/login.html")]) {
            for place in ["src=\"http", "href=\"http", "import(\"http", "url(http", "style=\""] {
                assert!(!text.contains(place), "{place}");
            }
        }
    }

    #[test]
    fn every_file_is_packed_as_it_is() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
        for file in PAGES.iter().chain(SERVED.iter().map(|(_, file)| file)) {
            assert_eq!(text(file), std::fs::read_to_string(folder.join(file)).unwrap(), "{file}");
        }
        assert_eq!(FILES.len(), PAGES.len() + SERVED.len());
        assert!(SERVED.iter().all(|(path, _)| media_type(path).is_some()));
    }

    #[test]
    fn what_the_browser_page_has_as_well_is_the_same() {
        let page = text("index.html");
        for (mark, begin, end) in PARTS {
            let (_, rest) = page.split_once(begin).unwrap();
            let (inner, _) = rest.split_once(end).unwrap();
            assert!(INDEX.contains(&format!("{begin}{inner}{end}")), "{begin}");
            assert!(!INDEX.contains(mark), "{mark}");
        }
    }
}
