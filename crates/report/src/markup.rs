//! Markup in the making: tags are the program's own, and all that came from outside is text.
//!
//! There is one way for text from outside onto a page, [`escaped`]: characters that steer a terminal or hide are written
//! out first, as on every other page, and what would be markup is an entity then.

use std::fmt::Write as _;

use arcwright_units::visible_lines;

/// HTML or SVG, well-formed as long as what is opened is closed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Markup(String);

/// Attributes of a tag: their names and values.
pub(crate) type Attributes<'a> = [(&'static str, &'a str)];

impl Markup {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Opens a tag.
    pub(crate) fn open(&mut self, tag: &'static str, attributes: &Attributes<'_>) {
        self.begin(tag, attributes);
        self.0.push('>');
    }

    /// Adds a tag without content.
    pub(crate) fn empty(&mut self, tag: &'static str, attributes: &Attributes<'_>) {
        self.begin(tag, attributes);
        self.0.push_str("/>");
    }

    pub(crate) fn close(&mut self, tag: &'static str) {
        // Writing into a string cannot fail.
        let _ = write!(self.0, "</{tag}>");
    }

    /// Adds text, whatever it holds.
    pub(crate) fn text(&mut self, text: &str) {
        self.0.push_str(&escaped(text));
    }

    /// Adds a tag with nothing but text in it.
    pub(crate) fn element(&mut self, tag: &'static str, attributes: &Attributes<'_>, text: &str) {
        self.open(tag, attributes);
        self.text(text);
        self.close(tag);
    }

    /// Adds a tag with other markup in it.
    pub(crate) fn wrap(&mut self, tag: &'static str, attributes: &Attributes<'_>, inner: &Self) {
        self.open(tag, attributes);
        self.add(inner);
        self.close(tag);
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.0.push_str(&other.0);
    }

    /// Adds what is part of the program: styles, scripts.
    pub(crate) fn verbatim(&mut self, text: &'static str) {
        self.0.push_str(text);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn into_text(self) -> String {
        self.0
    }

    fn begin(&mut self, tag: &'static str, attributes: &Attributes<'_>) {
        self.0.push('<');
        self.0.push_str(tag);
        for (name, value) in attributes {
            let _ = write!(self.0, " {name}=\"{}\"", escaped(value));
        }
    }
}

/// Returns text that is nothing but text on a page, between tags and in quotes.
pub(crate) fn escaped(text: &str) -> String {
    let text = visible_lines(text);
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Markup, escaped};

    #[test]
    fn what_came_from_outside_is_text() {
        let check = |text: &str, expected: &str| assert_eq!(escaped(text), expected, "{text:?}");
        check("tank/a b", "tank/a b");
        check("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;");
        check("\" onload='x' &amp;", "&quot; onload=&#39;x&#39; &amp;amp;");
        check("\u{1b}[31m\u{0}\u{202e}", "\\x1b[31m\\x00\\u{202e}");
        check("two\nlines", "two\nlines");
        let mut markup = Markup::new();
        markup.element("p", &[("title", "\"><b>")], "</p>");
        assert_eq!(markup.into_text(), "<p title=\"&quot;&gt;&lt;b&gt;\">&lt;/p&gt;</p>");
    }
}
