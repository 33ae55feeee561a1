//! Pasted `zdb -l`: labels of a disk, each below its number.

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text};
use crate::read::labels::{DEVICE, NAME};

/// A label with a hundred members has fewer lines.
const LINES_MAX: usize = 2048;

/// Takes one label, or the line that says that there is none, with the rules of dashes around it.
pub(super) fn labels(lines: &[Line], prompt: &Prompt) -> Option<Taken> {
    let is_rule = |text: &str| text.len() >= 8 && text.bytes().all(|c| c == b'-');
    let at = |index: usize| lines.get(index).map(|line| line.text.trim()).unwrap_or_default();
    if is_none(at(0)) || is_sum(at(0)) {
        return Some(Taken { lines: 1, texts: vec![text(String::new())] });
    }
    let begin = usize::from(is_rule(at(0)));
    is_title(at(begin)).then_some(())?;
    let mut count = begin + 1;
    count += usize::from(is_rule(at(count)));
    if is_none(at(count)) {
        return Some(Taken { lines: count + 1, texts: vec![text(String::new())] });
    }
    let key = |text: &str| {
        let word = |c: char| c.is_ascii_alphanumeric() || "_[].-:".contains(c);
        let key = text.split_once(':').map(|(key, _)| key)?;
        (!key.is_empty() && key.chars().all(word) && key != "pool").then_some(())
    };
    let body = lines.iter().skip(count).take(LINES_MAX);
    let body: Vec<&str> =
        body.map(|line| &*line.text).take_while(|text| key(text.trim()).is_some()).collect();
    let is_label = body.iter().any(|text| text.trim().starts_with("pool_guid: "));
    is_label.then_some(())?;
    let device = prompt.arguments();
    let device = device.iter().skip(1).rfind(|word| word.starts_with('/')).map(String::as_str);
    let head = format!(
        "{DEVICE}{}\n",
        device.filter(|_| prompt.program() == Some("zdb")).unwrap_or_default()
    );
    let own = format!("{}\n", body.join("\n"));
    let texts = vec![
        text(format!("{head}{own}")),
        // The sectors of its vdevs are those of a configuration.
        Text { name: "commands/zdb".to_owned(), text: own, again: Again::More },
    ];
    Some(Taken { lines: count + body.len(), texts })
}

fn text(text: String) -> Text {
    Text { name: NAME.to_owned(), text, again: Again::More }
}

/// `LABEL 0`, `LABEL 2 (Bad label cksum)`.
fn is_title(text: &str) -> bool {
    let number = text.strip_prefix("LABEL ").and_then(|rest| rest.split(' ').next());
    number.is_some_and(|number| matches!(number, "0" | "1" | "2" | "3"))
}

/// `failed to unpack label 0`, `failed to read label 3`.
fn is_none(text: &str) -> bool {
    text.starts_with("failed to unpack label ") || text.starts_with("failed to read label ")
}

/// `labels = 0 1 2 3`, below a label that several have.
fn is_sum(text: &str) -> bool {
    let numbers = text.strip_prefix("labels = ");
    numbers.is_some_and(|rest| {
        rest.split_whitespace().all(|word| matches!(word, "0" | "1" | "2" | "3"))
    })
}
