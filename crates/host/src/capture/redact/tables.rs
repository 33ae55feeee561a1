//! Tables and reports of OpenZFS: counters, rows of vdevs, `zpool status`.

use arcwright_machine::{STATUS_LABELS, is_state};

use super::names::Names;
use super::vocabulary::{each_word, is_cell, is_identifier, is_number, is_word, sentence};

/// Replaces the names in a kstat: of counters, the kernel's, the first word of a row stays.
pub(super) fn kstat(names: &mut Names, text: &str) -> String {
    let row = |line: &str| {
        let mut words = line.split_whitespace();
        if words.next() == Some("dataset_name") {
            let kind = words.next().filter(|kind| is_number(kind)).unwrap_or("7");
            let name = line.split_once(kind).map(|(_, name)| name).unwrap_or_default().trim();
            return format!("{:<31} {kind}    {}", "dataset_name", names.dataset(name));
        }
        // A row has a counter's name and what it counts; a word alone is no counter, nor is one among others.
        let counts = |word: &str| is_cell(word) && word.contains(|c: char| c.is_ascii_digit());
        let mut is_first = line.split_whitespace().nth(1).is_some_and(counts);
        each_word(line, |word| {
            let is_counter = std::mem::take(&mut is_first) && is_identifier(word);
            if is_counter || is_cell(word) { word.to_owned() } else { names.word(word) }
        })
    };
    lines(text, row)
}

/// Replaces the names in rows of `zpool list` or `zpool iostat`.
pub(super) fn rows(names: &mut Names, text: &str) -> String {
    lines(text, |line| row(names, line))
}

/// Replaces the names in histograms, whose rows begin with a time or a size.
pub(super) fn histogram(names: &mut Names, text: &str) -> String {
    lines(text, |line| match line.split_whitespace().all(is_number) {
        true => line.to_owned(),
        false => row(names, line),
    })
}

fn row(names: &mut Names, line: &str) -> String {
    let begin = line.find(|c: char| !c.is_whitespace()).unwrap_or(line.len());
    let (indent, content) = line.split_at(begin);
    let words: Vec<&str> = content.split_whitespace().collect();
    let is_rule = !content.is_empty() && content.chars().all(|c| c == '-' || c.is_whitespace());
    let stateless = !words.iter().any(|word| is_state(word));
    if is_rule || (words.len() > 1 && stateless && words.iter().all(|word| is_word(word))) {
        return line.to_owned();
    }
    let (name, rest) = match content.find('\t') {
        Some(tab) => content.split_at(tab),
        None => content.split_at(name_end(content)),
    };
    // A pool may be called as the heading of a class is: the heading has no figures.
    let figures = rest
        .split_whitespace()
        .any(|word| is_state(word) || word.starts_with(|c: char| c.is_ascii_digit()));
    let name = name.trim_end();
    let new = match figures && !name.contains('-') && names.knows_pool(name) {
        true => names.pool(name),
        false => names.row(name),
    };
    let blank = content.len() - rest.len() - name.len();
    // Columns stay below their titles as far as the names let them.
    let blank = match blank {
        0 | 1 => blank,
        _ => (name.len() + blank).saturating_sub(new.len()).max(2),
    };
    format!("{indent}{new}{:blank$}{}", "", cells(names, rest))
}

/// Returns where the name ends in a row of aligned columns: before the first state or number. A name
/// may hold blanks.
fn name_end(content: &str) -> usize {
    let mut at = 0;
    for (index, word) in content.split_inclusive(char::is_whitespace).enumerate() {
        let bare = word.trim();
        if index > 0 && !bare.is_empty() && (is_state(bare) || is_number(bare)) {
            return at;
        }
        at += word.len();
    }
    content.find(char::is_whitespace).unwrap_or(content.len())
}

fn cells(names: &mut Names, text: &str) -> String {
    match text.split_whitespace().all(is_cell) {
        true => text.to_owned(),
        false => sentence(names, text),
    }
}

/// Replaces the names in `zpool status`.
pub(super) fn status(names: &mut Names, text: &str) -> String {
    let mut part = "";
    lines(text, |line| {
        let labelled = line.split_once(':').and_then(|(label, rest)| {
            let mut labels = STATUS_LABELS.into_iter().chain(["config"]);
            let known = labels.find(|known| *known == label.trim() && label.len() < 12)?;
            Some((known, label, rest))
        });
        let Some((known, label, rest)) = labelled else {
            return match part {
                "config" => row(names, line),
                "errors" => damaged(names, line),
                "comment" => String::new(),
                _ => sentence(names, line),
            };
        };
        part = known;
        match known {
            "pool" => format!("{label}: {}", names.pool(rest.trim())),
            "comment" => format!("{label}: -"),
            _ => format!("{label}:{}", sentence(names, rest)),
        }
    })
}

/// Replaces what is listed as damaged: a path, an object of a dataset, an object of the pool.
pub(super) fn damaged(names: &mut Names, line: &str) -> String {
    let content = line.trim();
    if content.is_empty() {
        return String::new();
    }
    let indent = line.get(..line.len() - line.trim_start().len()).unwrap_or_default();
    let new = match content.rsplit_once(":<") {
        Some((of, object)) if is_number(object.trim_end_matches('>')) => match of {
            "<metadata>" => content.to_owned(),
            of => format!("{}:<{object}", names.dataset(of)),
        },
        _ => names.path(content),
    };
    format!("{indent}{new}")
}

/// Replaces the names in a table whose first column is a device: `/proc/swaps`, `swapinfo`.
pub(super) fn devices(names: &mut Names, text: &str) -> String {
    lines(text, |line| {
        let mut is_first = true;
        each_word(line, |word| {
            let is_name = std::mem::take(&mut is_first) && !is_word(word);
            if is_cell(word) && !is_name { word.to_owned() } else { names.device(word) }
        })
    })
}

/// Returns each line as `one` wants it.
pub(super) fn lines(text: &str, mut one: impl FnMut(&str) -> String) -> String {
    let mut done = String::with_capacity(text.len());
    for line in text.lines() {
        done.push_str(&one(line));
        done.push('\n');
    }
    done
}
