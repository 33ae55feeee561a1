//! Makes a text as long as one likes, of its own kind.

use serde_json::{Map, Value};

/// A way of growing: how it is called, and what makes a text of about so many bytes.
type Way<'a> = (&'static str, Box<dyn Fn(usize) -> String + 'a>);

/// Returns the ways in which a text grows.
pub(super) fn all(text: &str) -> Vec<Way<'_>> {
    if let Ok(value) = serde_json::from_str::<Value>(text)
        && (value.is_object() || value.is_array())
    {
        return vec![("more entries", Box::new(move |bytes| more_entries(&value, bytes)))];
    }
    vec![
        ("alike", Box::new(|bytes| alike(text, bytes))),
        ("new names", Box::new(|bytes| new_names(text, bytes))),
        ("in one line", Box::new(|bytes| in_one_line(text, bytes))),
    ]
}

fn alike(text: &str, bytes: usize) -> String {
    text.repeat(bytes / text.len().max(1))
}

/// Repeats every line, each time with another number behind its first word.
fn new_names(text: &str, bytes: usize) -> String {
    let mut grown = String::with_capacity(bytes + 4096);
    let mut turn = 0_u64;
    while grown.len() < bytes {
        for line in text.lines() {
            let begin = line.len() - line.trim_start().len();
            let (indent, content) = line.split_at(begin);
            let end = content.find(char::is_whitespace).unwrap_or(content.len());
            let (word, rest) = content.split_at(end);
            let is_name = turn > 0 && word.starts_with(|c: char| c.is_ascii_alphabetic());
            let number =
                if is_name && !word.ends_with(':') { turn.to_string() } else { String::new() };
            grown.extend([indent, word, &number, rest, "\n"]);
        }
        turn += 1;
    }
    grown
}

fn in_one_line(text: &str, bytes: usize) -> String {
    alike(&text.replace('\n', " "), bytes)
}

/// Repeats the entries of the largest list or map, under keys of their own.
fn more_entries(value: &Value, bytes: usize) -> String {
    let mut grown = value.clone();
    let size = value.to_string().len().max(1);
    let largest = largest(value);
    let part = value.pointer(&largest).map_or(1, |part| part.to_string().len().max(1));
    let times = bytes.saturating_sub(size) / part + 1;
    if let Some(part) = grown.pointer_mut(&largest) {
        repeat(part, times);
    }
    grown.to_string()
}

fn repeat(part: &mut Value, times: usize) {
    match part {
        Value::Array(entries) => {
            let more = entries.len() * times.saturating_sub(1);
            let copies: Vec<Value> = entries.iter().cycle().take(more).cloned().collect();
            entries.extend(copies);
        }
        Value::Object(map) => {
            let more: Map<String, Value> = (0..times)
                .flat_map(|turn| {
                    map.iter().map(move |(key, value)| (format!("{key}{turn}"), value.clone()))
                })
                .collect();
            map.extend(more);
        }
        _ => {}
    }
}

/// Returns the pointer to the list or map with the most entries, which is where a machine's devices,
/// properties or pools are.
fn largest(value: &Value) -> String {
    let mut best = (0, String::new());
    look(value, "", &mut best);
    best.1
}

fn look(value: &Value, at: &str, best: &mut (usize, String)) {
    let entries: Vec<(String, &Value)> = match value {
        Value::Array(entries) => {
            entries.iter().enumerate().map(|(index, entry)| (index.to_string(), entry)).collect()
        }
        Value::Object(map) => map.iter().map(|(key, entry)| (escaped(key), entry)).collect(),
        _ => return,
    };
    if entries.len() > best.0 {
        *best = (entries.len(), at.to_owned());
    }
    for (key, entry) in entries {
        look(entry, &format!("{at}/{key}"), best);
    }
}

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::all;

    fn check(text: &str, bytes: usize, expected: &[(&str, &str)]) {
        let grown: Vec<(&str, String)> =
            all(text).into_iter().map(|(how, grow)| (how, grow(bytes))).collect();
        let expected: Vec<(&str, String)> =
            expected.iter().map(|(how, text)| (*how, (*text).to_owned())).collect();
        assert_eq!(grown, expected, "{text}");
    }

    #[test]
    fn a_text_grows_in_its_own_kind() {
        check(
            "ada0 1\n",
            14,
            &[
                ("alike", "ada0 1\nada0 1\n"),
                ("new names", "ada0 1\nada01 1\n"),
                ("in one line", "ada0 1 ada0 1 "),
            ],
        );
        check(r#"{"a":[1,2]}"#, 20, &[("more entries", r#"{"a":[1,2,1,2]}"#)]);
    }
}
