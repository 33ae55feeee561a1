//! The table of lsblk(8), brought into the form of `lsblk -J`.
//!
//! ```text
//! NAME          SIZE ROTA MODEL            PHY-SEC LOG-SEC
//! sda           3.6T    1 WDC WD40 EFRX       4096     512      a model may hold spaces, or be missing
//! ├─sda1        3.6T    1                     4096     512      what is below is a part of what is above
//! ```
//!
//! A cell belongs to the title that stands above it; where a forum took the spaces away, cells are counted.

use serde_json::{Map, Value, json};

use crate::nicenum;

/// More devices no machine has.
const DEVICES_MAX: usize = 4096;

/// Returns the table as `lsblk -J` would print it.
pub(super) fn read(text: &str) -> Value {
    let mut disks: Vec<Value> = Vec::new();
    let mut titles: Vec<Span> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()).take(DEVICES_MAX) {
        let words = spans(line);
        if words.first().is_some_and(|word| matches!(word.text.as_str(), "NAME" | "KNAME" | "PATH"))
        {
            titles = words;
            continue;
        }
        let Some(device) = device(&titles, line) else { continue };
        let inner = line.starts_with(|c: char| !c.is_alphanumeric() && c != '/');
        let part = device.get("type").is_some_and(|kind| kind != "disk");
        match disks.last_mut().and_then(Value::as_object_mut).filter(|_| inner || part) {
            Some(above) => {
                let children = above.entry("children").or_insert_with(|| json!([]));
                children.as_array_mut().into_iter().for_each(|all| all.push(device.clone()));
            }
            None => disks.push(device),
        }
    }
    json!({ "blockdevices": disks })
}

/// A word and where it stands, in characters.
#[derive(Debug)]
struct Span {
    text: String,
    from: usize,
    to: usize,
}

fn spans(line: &str) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let mut inside = false;
    for (at, c) in line.chars().enumerate() {
        if c.is_whitespace() {
            inside = false;
            continue;
        }
        match spans.last_mut().filter(|_| inside) {
            Some(span) => {
                span.text.push(c);
                span.to = at + 1;
            }
            None => spans.push(Span { text: c.to_string(), from: at, to: at + 1 }),
        }
        inside = true;
    }
    spans
}

fn device(titles: &[Span], line: &str) -> Option<Value> {
    let words = spans(line);
    let mut cells: Vec<String> = vec![String::new(); titles.len()];
    // The marks of the tree are none of the name.
    let mark = |text: &str| text.chars().all(|c| !c.is_alphanumeric());
    let named: Vec<&Span> = words.iter().skip_while(|word| mark(&word.text)).collect();
    // Without its spaces a table has its cells in order, and may lack the last.
    let narrow = titles.windows(2).all(|two| {
        two.iter().map(|title| title.from).max() == two.first().map(|title| title.to + 1)
    });
    if narrow && named.len() <= titles.len() {
        for (cell, word) in cells.iter_mut().zip(&named) {
            cell.clone_from(&word.text);
        }
    } else if named.len() == titles.len() {
        cells = named.iter().map(|word| word.text.clone()).collect();
    } else {
        for (index, word) in named.iter().enumerate() {
            let column = if index == 0 { 0 } else { column(titles, word)? };
            let cell = cells.get_mut(column)?;
            if !cell.is_empty() {
                cell.push(' ');
            }
            cell.push_str(&word.text);
        }
    }
    let mut device = Map::new();
    for (title, cell) in titles.iter().zip(cells).filter(|(_, cell)| !cell.is_empty()) {
        let key = title.text.to_ascii_lowercase();
        let value = match key.as_str() {
            "size" => json!(nicenum::binary(&cell).and_then(nicenum::whole)?),
            "name" | "kname" | "path" => {
                json!(cell.trim_start_matches(|c: char| { !c.is_alphanumeric() && c != '/' }))
            }
            _ => json!(cell),
        };
        device.insert(key, value);
    }
    let path = device.get("path").and_then(Value::as_str).map(str::to_owned);
    let name = device.get("name").or_else(|| device.get("kname")).and_then(Value::as_str);
    let name = name.map(str::to_owned).or(path)?;
    let last = name.rsplit('/').next().unwrap_or(&name).to_owned();
    device.insert("name".to_owned(), json!(last));
    let inner = line.starts_with(|c: char| !c.is_alphanumeric() && c != '/');
    device.entry("type").or_insert_with(|| json!(if inner { "part" } else { "disk" }));
    Some(Value::Object(device))
}

/// Returns the title above a word: one that it overlaps, or the last one before it.
fn column(titles: &[Span], word: &Span) -> Option<usize> {
    let over = titles.iter().position(|title| title.from < word.to && word.from < title.to);
    over.or_else(|| titles.iter().rposition(|title| title.from <= word.from))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::read;

    const TABLE: &str = "\
NAME     SIZE ROTA MODEL           PHY-SEC LOG-SEC
sda      3.6T    1 WDC WD40 EFRX      4096     512
├─sda1   3.6T    1                    4096     512
└─sda9     8M    1                    4096     512
sdb      100G    0                     512     512
";

    #[test]
    fn cells_stand_below_their_titles() {
        let found = read(TABLE);
        let cell = |pointer: &str| found.pointer(pointer).map(ToString::to_string);
        assert_eq!(cell("/blockdevices/0/model").as_deref(), Some("\"WDC WD40 EFRX\""));
        assert_eq!(cell("/blockdevices/0/children/1/name").as_deref(), Some("\"sda9\""));
        assert_eq!(cell("/blockdevices/1/phy-sec").as_deref(), Some("\"512\""));
        assert_eq!(cell("/blockdevices/1/size").as_deref(), Some("107374182400"));
        assert_eq!(cell("/blockdevices/1/model"), None);
    }

    #[test]
    fn a_list_says_what_is_a_part() {
        let found = read(
            "NAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINT\nsda 8:0 0 3.6T 0 disk\n└─sda1 8:1 0 3.6T 0 part /boot\n",
        );
        assert_eq!(found["blockdevices"][0]["children"][0]["name"], "sda1");
        assert_eq!(found["blockdevices"][0]["type"], "disk");
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in "((NAME|SIZE|├─|sda|[0-9]{1,2}T| |é|\n){0,30})", at in 0..TABLE.len()) {
            let _ignored = (read(&text), TABLE.get(..at).map(read));
        }
    }
}
