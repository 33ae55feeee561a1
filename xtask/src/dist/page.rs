//! The guide on scenario files as a man page: headings, paragraphs, lists, tables as terms with what they mean,
//! examples as they are.

use std::mem::take;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use roff::{Inline, Roff, bold, italic, roman};

/// Returns `arcwright-scenario(5)` from the guide.
pub(super) fn scenario(guide: &str, day: &str, version: &str) -> String {
    let mut page = Page::default();
    let source = format!("arcwright {version}");
    page.control("TH", &["ARCWRIGHT-SCENARIO", "5", day, &source, "File formats"]);
    page.control("SH", &["NAME"]);
    page.roff.text([roman("arcwright-scenario - an experiment on ZFS caches, as a TOML file")]);
    page.control("SH", &["DESCRIPTION"]);
    for event in Parser::new_ext(guide, Options::ENABLE_TABLES) {
        page.take(event);
    }
    page.control("SH", &["SEE ALSO"]);
    page.roff.text([bold("arcwright"), roman("(1), "), bold("arcwright-run"), roman("(1)")]);
    page.roff.render()
}

#[derive(Default)]
struct Page {
    roff: Roff,
    /// The text of the paragraph, heading or cell that is being read.
    inlines: Vec<Inline>,
    /// What text is now: bold, italic or neither.
    style: Style,
    /// The cells of the row that is being read.
    cells: Vec<Vec<Inline>>,
    /// What the columns are called.
    columns: Vec<String>,
    /// Whether the row that is being read says what the columns are called.
    in_head: bool,
    /// Whether an item of a list has just begun, whose text goes beside its dot.
    in_item: bool,
    /// How many lists are open.
    lists: usize,
}

#[derive(Default, Clone, Copy)]
enum Style {
    #[default]
    Plain,
    Bold,
    Italic,
}

impl Page {
    fn control(&mut self, name: &str, words: &[&str]) {
        self.roff.control(name, words.iter().copied());
    }

    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.begin(&tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.say(&text),
            Event::Code(text) => self.inlines.push(bold(text.to_string())),
            Event::SoftBreak | Event::HardBreak => self.say(" "),
            _ => {}
        }
    }

    fn say(&mut self, text: &str) {
        let text = text.to_owned();
        self.inlines.push(match self.style {
            Style::Plain => roman(text),
            Style::Bold => bold(text),
            Style::Italic => italic(text),
        });
    }

    fn begin(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Emphasis => self.style = Style::Italic,
            Tag::Strong => self.style = Style::Bold,
            Tag::List(_) => self.lists += 1,
            Tag::Item => self.in_item = true,
            Tag::TableHead => self.in_head = true,
            Tag::TableRow => self.cells.clear(),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis | TagEnd::Strong => self.style = Style::Plain,
            TagEnd::Heading(level) => self.heading(level),
            TagEnd::Paragraph => self.paragraph(),
            TagEnd::Item => self.item(),
            TagEnd::List(_) => self.lists = self.lists.saturating_sub(1),
            TagEnd::CodeBlock => self.example(),
            TagEnd::TableCell => {
                let cell = take(&mut self.inlines);
                self.cells.push(cell);
            }
            TagEnd::TableHead => {
                self.columns = take(&mut self.cells).iter().map(|cell| plain(cell)).collect();
                self.in_head = false;
            }
            TagEnd::TableRow => self.row(),
            _ => {}
        }
    }

    fn heading(&mut self, level: HeadingLevel) {
        let text = plain(&take(&mut self.inlines));
        match level {
            // The page has a title of its own.
            HeadingLevel::H1 => {}
            HeadingLevel::H2 => self.control("SH", &[&text.to_uppercase()]),
            _ => self.control("SS", &[&text]),
        }
    }

    fn paragraph(&mut self) {
        if self.in_item {
            // The text of an item ends with the item.
            return;
        }
        self.control("PP", &[]);
        let text = take(&mut self.inlines);
        self.roff.text(text);
    }

    fn item(&mut self) {
        let text = take(&mut self.inlines);
        if !text.is_empty() {
            self.control("IP", &["\u{2022}", "2"]);
            self.roff.text(text);
        }
        self.in_item = false;
    }

    fn example(&mut self) {
        let text = plain(&take(&mut self.inlines));
        self.control("PP", &[]);
        self.control("RS", &["4"]);
        self.control("nf", &[]);
        for line in text.lines() {
            self.roff.text([roman(line.to_owned())]);
        }
        self.control("fi", &[]);
        self.control("RE", &[]);
    }

    /// A row is a term with what the other columns say of it; the last one is named, being a default mostly.
    fn row(&mut self) {
        let mut cells = take(&mut self.cells).into_iter();
        let Some(term) = cells.next() else { return };
        self.control("TP", &[]);
        self.roff.text(term);
        let mut said = Vec::new();
        for (cell, column) in cells.zip(self.columns.iter().skip(1)) {
            if !said.is_empty() {
                said.push(roman(format!("; {column}: ")));
            }
            said.extend(cell);
        }
        self.roff.text(said);
    }
}

fn plain(inlines: &[Inline]) -> String {
    let text = inlines.iter().map(|inline| match inline {
        Inline::Roman(text) | Inline::Bold(text) | Inline::Italic(text) => text.as_str(),
        Inline::LineBreak => " ",
    });
    text.collect()
}

#[cfg(test)]
mod tests {
    use super::scenario;

    fn check(guide: &str, expected: &str) {
        let page = scenario(guide, "2026-11-23", "0.1.0");
        let body = page.split("DESCRIPTION\n").nth(1).unwrap().split(".SH \"SEE ALSO\"").next();
        assert_eq!(body.unwrap().trim_end(), expected, "{page}");
    }

    #[test]
    fn a_table_becomes_terms() {
        let table =
            "| key | meaning | default |\n|---|---|---|\n| `a-b` | one \\\\ line | none |\n";
        check(table, ".TP\n\\fBa\\-b\\fR\none \\\\ line; default: none");
    }

    #[test]
    fn an_example_stays_as_it_is() {
        check(
            "```toml\n.x = 'y'\n\nz\n```\n",
            ".PP\n.RS 4\n.nf\n\\&.x = \\*(Aqy\\*(Aq\n\nz\n.fi\n.RE",
        );
    }

    #[test]
    fn lists_and_headings() {
        check(
            "# T\n\n## Top\n\na *b*\n\n- x\n- y\n",
            ".SH TOP\n.PP\na \\fIb\\fR\n.IP \u{2022} 2\nx\n.IP \u{2022} 2\ny",
        );
    }
}
