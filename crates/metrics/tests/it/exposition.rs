//! A strict reader of OpenMetrics text, written after the specification and not after the writer.

use std::collections::{BTreeMap, BTreeSet};

/// Series by name and labels as they stand in the text, with their values.
pub(crate) type Series = BTreeMap<String, String>;

/// Reads a text, or says which rule it breaks.
pub(crate) fn read(text: &str) -> Result<Series, String> {
    let body = text.strip_suffix("# EOF\n").ok_or("does not end in # EOF")?;
    let mut series = Series::new();
    let mut seen = BTreeSet::new();
    let mut family = Family::default();
    for line in body.lines() {
        match line.strip_prefix("# ") {
            Some(about) => {
                let (word, rest) = about.split_once(' ').ok_or(line)?;
                let (name, rest) = rest.split_once(' ').ok_or(line)?;
                if word == "HELP" {
                    family = Family { name: name.to_owned(), ..Family::default() };
                    (seen.insert(name.to_owned())).then_some(()).ok_or(format!("twice: {name}"))?;
                }
                (family.name == name).then_some(()).ok_or(format!("out of place: {line}"))?;
                family.told(word, rest).ok_or(format!("wrong: {line}"))?;
            }
            None => {
                let (key, value) = family.sample(line).ok_or(format!("wrong: {line}"))?;
                let twice = series.insert(key, value).is_some();
                (!twice).then_some(()).ok_or(format!("twice: {line}"))?;
            }
        }
    }
    Ok(series)
}

/// A family as its lines before the first series tell it.
#[derive(Default)]
struct Family {
    name: String,
    kind: String,
}

impl Family {
    fn told(&mut self, word: &str, rest: &str) -> Option<()> {
        match word {
            "HELP" => {
                is_name(&self.name).then_some(())?;
                (rest.len() > 8 && unescaped(rest).is_some()).then_some(())
            }
            "TYPE" if self.kind.is_empty() => {
                self.kind = rest.to_owned();
                let reserved = ["_total", "_created", "_count", "_sum", "_bucket"];
                let is_free = !reserved.iter().any(|ending| self.name.ends_with(ending));
                (is_free && ["counter", "gauge"].contains(&rest)).then_some(())
            }
            "UNIT" if !self.kind.is_empty() => {
                let is_base = ["bytes", "seconds", "ratio"].contains(&rest);
                (is_base && self.name.ends_with(&format!("_{rest}"))).then_some(())
            }
            _ => None,
        }
    }

    /// Reads `name{label="value",…} number`.
    fn sample(&self, line: &str) -> Option<(String, String)> {
        let (key, value) = line.rsplit_once(' ')?;
        let (name, labels) = match key.split_once('{') {
            Some((name, labels)) => (name, labels.strip_suffix('}')?),
            None => (key, ""),
        };
        let ending = if self.kind == "counter" { "_total" } else { "" };
        (!self.kind.is_empty() && name == format!("{}{ending}", self.name)).then_some(())?;
        let names = labels_of(labels)?;
        names.windows(2).all(|pair| pair[0] < pair[1]).then_some(())?;
        let number: f64 = value.parse().ok().filter(|number: &f64| number.is_finite())?;
        let digits = value.chars().all(|c| c.is_ascii_digit() || ".-e".contains(c));
        (digits && (self.kind != "counter" || number >= 0.0)).then_some(())?;
        Some((key.to_owned(), value.to_owned()))
    }
}

/// Returns the names of labels in their order.
fn labels_of(mut rest: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    while !rest.is_empty() {
        let (name, after) = rest.split_once("=\"")?;
        (is_name(name) && !name.starts_with("__")).then_some(())?;
        let end = end_of_string(after)?;
        unescaped(&after[..end])?;
        names.push(name.to_owned());
        rest = &after[end + 1..];
        if let Some(more) = rest.strip_prefix(',') {
            (!more.is_empty()).then_some(())?;
            rest = more;
        } else {
            rest.is_empty().then_some(())?;
        }
    }
    Some(names)
}

/// Returns where the quotation mark is that no backslash stands before.
fn end_of_string(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let is_end = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        is_end.then_some(at)
    })
}

/// Returns the text that was meant; none where an escape is unknown or something steers a terminal.
pub(crate) fn unescaped(text: &str) -> Option<String> {
    let mut letters = text.chars();
    let mut out = String::new();
    while let Some(letter) = letters.next() {
        (!arcwright_units::is_hidden(letter)).then_some(())?;
        out.push(match letter {
            '\\' => match letters.next()? {
                'n' => '\n',
                letter @ ('\\' | '"') => letter,
                _ => return None,
            },
            letter => letter,
        });
    }
    Some(out)
}

fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(fits)
}

#[test]
fn the_reader_knows_what_is_wrong() {
    let clean = "# HELP a_bytes Some bytes.\n# TYPE a_bytes counter\n# UNIT a_bytes bytes\n\
                 a_bytes_total{b=\"c\\\"d\",e=\"\"} 1\n# EOF\n";
    assert_eq!(read(clean).unwrap().len(), 1);
    let broken = [
        ("# EOF\n", ""),
        ("_total", ""),
        ("a_bytes_total{b", "a_bytes_total{f"),
        ("counter", "gauge"),
        ("counter", "kilo"),
        (" 1\n", " NaN\n"),
        (" 1\n", " -1\n"),
        ("\\\"", "\""),
        ("\\\"", "\\x"),
        ("\\\"", "\u{1b}"),
        ("# UNIT a_bytes bytes", "# UNIT a_bytes seconds"),
        ("# HELP a_bytes Some bytes.\n", ""),
        ("\n# EOF", "\na_bytes_total{b=\"c\\\"d\",e=\"\"} 1\n# EOF"),
    ];
    for (what, instead) in broken {
        let text = clean.replacen(what, instead, 1);
        assert!(read(&text).is_err(), "{text}");
    }
}
