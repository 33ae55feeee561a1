//! The files of the page, which the program carries.

use std::sync::LazyLock;

use axum::http::StatusCode;
use axum::response::Response;

use super::answers::{self, CSS, HTML, JAVASCRIPT, SVG, TEXT};

/// One file: its path, its media type, what it holds.
struct Asset {
    path: &'static str,
    media_type: &'static str,
    bytes: &'static [u8],
}

const fn asset(path: &'static str, media_type: &'static str, bytes: &'static [u8]) -> Asset {
    Asset { path, media_type, bytes }
}

/// The page of whoever may see it; there is nothing secret in these files.
static ASSETS: &[Asset] = &[
    asset("/style.css", CSS, include_bytes!("../../../page/style.css")),
    asset("/serve.css", CSS, include_bytes!("../../../page/serve/serve.css")),
    asset("/icon.svg", SVG, include_bytes!("../../../page/serve/icon.svg")),
    asset("/uPlot.min.css", CSS, include_bytes!("../../../page/vendor/uPlot.min.css")),
    asset(
        "/uPlot.iife.min.js",
        JAVASCRIPT,
        include_bytes!("../../../page/vendor/uPlot.iife.min.js"),
    ),
    asset("/dom.js", JAVASCRIPT, include_bytes!("../../../page/dom.js")),
    asset("/advice.js", JAVASCRIPT, include_bytes!("../../../page/advice.js")),
    asset("/main.js", JAVASCRIPT, include_bytes!("../../../page/serve/main.js")),
    asset("/login.js", JAVASCRIPT, include_bytes!("../../../page/serve/login.js")),
    asset("/server.js", JAVASCRIPT, include_bytes!("../../../page/serve/server.js")),
    asset("/units.js", JAVASCRIPT, include_bytes!("../../../page/serve/units.js")),
    asset("/timechart.js", JAVASCRIPT, include_bytes!("../../../page/serve/timechart.js")),
    asset("/panels.js", JAVASCRIPT, include_bytes!("../../../page/serve/panels.js")),
    asset("/live.js", JAVASCRIPT, include_bytes!("../../../page/serve/live.js")),
    asset("/history.js", JAVASCRIPT, include_bytes!("../../../page/serve/history.js")),
    asset("/findings.js", JAVASCRIPT, include_bytes!("../../../page/serve/findings.js")),
    asset("/datasets.js", JAVASCRIPT, include_bytes!("../../../page/serve/datasets.js")),
    asset("/tunables.js", JAVASCRIPT, include_bytes!("../../../page/serve/tunables.js")),
    asset("/whatif.js", JAVASCRIPT, include_bytes!("../../../page/serve/whatif.js")),
    // Tabs that the browser page has as well: its files, with another engine below them.
    asset("/visiting.js", JAVASCRIPT, include_bytes!("../../../page/serve/visiting.js")),
    asset("/engine.js", JAVASCRIPT, include_bytes!("../../../page/serve/engine.js")),
    asset("/paste.js", JAVASCRIPT, include_bytes!("../../../page/findings.js")),
    asset("/drop.js", JAVASCRIPT, include_bytes!("../../../page/drop.js")),
    asset("/experiment.js", JAVASCRIPT, include_bytes!("../../../page/experiment.js")),
    asset("/link.js", JAVASCRIPT, include_bytes!("../../../page/link.js")),
    asset("/result.js", JAVASCRIPT, include_bytes!("../../../page/result.js")),
    asset("/charts.js", JAVASCRIPT, include_bytes!("../../../page/charts.js")),
    asset("/sliders.js", JAVASCRIPT, include_bytes!("../../../page/sliders.js")),
    asset("/example.txt", TEXT, include_bytes!("../../../page/example.txt")),
];

/// The page, with the parts that the browser page has as well.
static INDEX: LazyLock<String> = LazyLock::new(|| {
    let (served, page) =
        (include_str!("../../../page/serve/index.html"), include_str!("../../../page/index.html"));
    PARTS.iter().fold(served.to_owned(), |served, (mark, begin, end)| {
        served.replace(mark, part(page, begin, end).unwrap_or_default())
    })
});
/// Parts of the browser page: where they stand in this one, how they begin there, and how they end.
const PARTS: [(&str, &str, &str); 2] = [
    ("<!-- of the browser page: paste-form -->", "  <form id=\"paste-form\"", "</form>"),
    ("<!-- of the browser page: experiment -->", "<section id=\"experiment\"", "</section>"),
];
static LOGIN: &[u8] = include_bytes!("../../../page/serve/login.html");

/// Returns the first part of a page from what begins it to what ends it.
fn part<'a>(page: &'a str, begin: &str, end: &str) -> Option<&'a str> {
    let rest = page.get(page.find(begin)?..)?;
    rest.get(..rest.find(end)? + end.len())
}

/// Returns the page itself, or the form that asks for the token.
pub(super) fn index(is_admitted: bool) -> Response {
    let (status, page) = match is_admitted {
        true => (StatusCode::OK, INDEX.as_bytes()),
        false => (StatusCode::UNAUTHORIZED, LOGIN),
    };
    answers::asset(status, HTML, page)
}

/// Returns a file of the page; paths are compared as they are, so that none leads elsewhere.
pub(super) fn find(path: &str) -> Option<Response> {
    let asset = ASSETS.iter().find(|asset| asset.path == path)?;
    Some(answers::asset(StatusCode::OK, asset.media_type, asset.bytes))
}

#[cfg(test)]
mod tests {
    use super::{ASSETS, INDEX, LOGIN, PARTS};

    /// All that a browser loads, unpacked.
    const BYTES_MAX: usize = 300_000;

    #[test]
    fn the_page_is_small_and_names_no_other_place() {
        let all: usize = ASSETS.iter().map(|asset| asset.bytes.len()).sum();
        assert!(all + INDEX.len() <= BYTES_MAX, "{} bytes", all + INDEX.len());
        for bytes in ASSETS.iter().map(|asset| asset.bytes).chain([INDEX.as_bytes(), LOGIN]) {
            let text = std::str::from_utf8(bytes).unwrap();
            for place in ["src=\"http", "href=\"http", "import(\"http", "url(http", "style=\""] {
                assert!(!text.contains(place), "{place}");
            }
        }
    }

    #[test]
    fn what_the_browser_page_has_as_well_is_the_same() {
        let page = include_str!("../../../page/index.html");
        for (mark, begin, end) in PARTS {
            let (_, rest) = page.split_once(begin).unwrap();
            let (inner, _) = rest.split_once(end).unwrap();
            assert!(INDEX.contains(&format!("{begin}{inner}{end}")), "{begin}");
            assert!(!INDEX.contains(mark), "{mark}");
        }
    }
}
