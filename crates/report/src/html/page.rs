//! The frame of a page: one file that asks for nothing else, with the style and the one script in it.
//!
//! Its content policy allows that style and that script alone, which copies commands; without scripts the buttons are not
//! there.

use crate::markup::Markup;

/// Colours and what is drawn in them.
pub(crate) const CHART_STYLE: &str = include_str!("chart.css");
const PAGE_STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("copy.js");
/// The policy, with the digest of the script, which a test computes.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src \
                      'sha256-1ysNTy+UrrpILO9BBtSfTgvgukUsvcZyOZAdnaofFEo='; base-uri 'none'; form-action 'none'";

/// The program, by which it knows its own files again.
pub(crate) const GENERATOR: &str = concat!("arcwright ", env!("CARGO_PKG_VERSION"));

/// What a page is about.
pub(crate) struct Page<'a> {
    pub(crate) title: &'a str,
    /// Everything above the charts.
    pub(crate) head: Markup,
    /// Links to the parts of the page: where, and what.
    pub(crate) parts: Vec<(&'static str, &'static str)>,
    pub(crate) body: Markup,
}

impl Page<'_> {
    /// Returns the whole file.
    pub(crate) fn render(&self) -> String {
        let mut page = Markup::new();
        page.verbatim("<!DOCTYPE html>\n");
        page.open("html", &[("lang", "en")]);
        page.add(&self.about());
        page.open("body", &[]);
        page.open("header", &[]);
        page.add(&self.head);
        page.close("header");
        page.open("main", &[]);
        page.add(&self.links());
        page.add(&self.body);
        page.close("main");
        page.element("footer", &[], &format!("Made by {GENERATOR}."));
        page.open("script", &[]);
        page.verbatim(SCRIPT);
        page.close("script");
        page.close("body");
        page.close("html");
        page.into_text() + "\n"
    }

    fn about(&self) -> Markup {
        let mut head = Markup::new();
        head.open("head", &[]);
        head.empty("meta", &[("charset", "utf-8")]);
        head.empty("meta", &[("name", "generator"), ("content", GENERATOR)]);
        head.empty("meta", &[("http-equiv", "Content-Security-Policy"), ("content", POLICY)]);
        head.empty(
            "meta",
            &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")],
        );
        head.element("title", &[], self.title);
        head.open("style", &[]);
        head.verbatim(CHART_STYLE);
        head.verbatim(PAGE_STYLE);
        head.close("style");
        head.close("head");
        head
    }

    fn links(&self) -> Markup {
        let mut nav = Markup::new();
        if self.parts.is_empty() {
            return nav;
        }
        nav.open("nav", &[("aria-label", "Parts of this page")]);
        for (id, text) in &self.parts {
            nav.element("a", &[("href", &format!("#{id}"))], text);
        }
        nav.close("nav");
        nav
    }
}

/// Returns a command that can be copied.
pub(crate) fn command(text: &str) -> Markup {
    let mut markup = Markup::new();
    markup.open("div", &[("class", "command")]);
    markup.element("pre", &[], text);
    let label = format!("copy: {text}");
    let button = [("type", "button"), ("data-copy", ""), ("hidden", ""), ("aria-label", &label)];
    markup.element("button", &button, "copy");
    markup.close("div");
    markup
}

/// Returns a list of sentences; nothing without any.
pub(crate) fn list<'a>(items: impl Iterator<Item = &'a str>) -> Markup {
    let (mut list, mut is_empty) = (Markup::new(), true);
    list.open("ul", &[]);
    for item in items {
        list.element("li", &[], item);
        is_empty = false;
    }
    list.close("ul");
    if is_empty { Markup::new() } else { list }
}
