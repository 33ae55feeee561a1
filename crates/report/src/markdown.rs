//! Outcomes as Markdown, to be put into a forum, an issue or a wiki: the same parts as for a terminal.

use arcwright_scenario::Outcome;

use crate::harmless::harmless;
use crate::table::escaped;
use crate::text::{Sheet, TextOptions};

/// Returns an outcome as Markdown; tables are those of GitHub and most forums.
#[must_use]
pub fn markdown(outcome: &Outcome, options: &TextOptions) -> String {
    let outcome = &*harmless(outcome);
    let sheet = Sheet::of(outcome, options);
    let scenario = &outcome.scenario;
    let mut parts = vec![format!("## {}", escaped(&scenario.title))];
    if !scenario.question.is_empty() {
        parts.push(escaped(&scenario.question));
    }
    parts.push(format!("*{}*", escaped(&sheet.engine())));
    parts.extend(listed("Answer", &sheet.answers()));
    parts.extend(listed("Notes", &sheet.notes().map(|note| note.0).collect::<Vec<_>>()));
    if outcome.arms.is_empty() {
        parts.push("No arm was finished.".to_owned());
    } else {
        let title = format!("### Throughput, {}", options.precision.rate_unit());
        parts.push(format!("{title}\n\n{}", sheet.speed_of(&outcome.arms).markdown().trim_end()));
        if let Some(clients) = sheet.clients() {
            parts.push(format!("### Clients\n\n{}", clients.markdown().trim_end()));
            parts.extend(sheet.clients_legend().map(escaped));
        }
        let sources = sheet.sources().markdown();
        parts.push(format!("### Where the bytes came from\n\n{}", sources.trim_end()));
        parts.push(escaped(Sheet::LEGEND));
    }
    let set = sheet.changes().into_iter().map(|(who, what)| format!("{who}: {}", what.join(", ")));
    parts.extend(listed("What the arms set", &set.collect::<Vec<_>>()));
    parts.join("\n\n") + "\n"
}

fn listed(title: &str, lines: &[String]) -> Option<String> {
    let items: String = lines.iter().map(|line| format!("\n- {}", escaped(line))).collect();
    (!items.is_empty()).then(|| format!("### {title}\n{items}"))
}

#[cfg(test)]
mod tests {
    use super::markdown;
    use crate::{TextOptions, fixture};

    #[test]
    fn a_result_has_the_parts_of_the_terminal() {
        let text = markdown(&fixture::steam(), &TextOptions::default());
        let heads: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
        assert_eq!(heads.first(), Some(&"## Steam library: raidz1 with an SSD read cache"));
        for part in ["### Throughput, MiB/s", "### Where the bytes came from"] {
            assert!(heads.contains(&part), "{text}");
        }
        assert!(text.contains("| phase | as installed | dumb LRU |\n|:--|--:|--:|\n"), "{text}");
        assert!(text.contains("| **second read** | 226 | 1440 +537 % |"), "{text}");
    }

    #[test]
    fn every_row_has_as_many_columns_as_its_head() {
        let mut outcome = fixture::steam();
        outcome.arms[1].name = "a|b <img src=x> ![y](http://z)\n| c".to_owned();
        outcome.scenario.title = "](http://z) <script>".to_owned();
        let text = markdown(&outcome, &TextOptions::default());
        let columns = |line: &str| line.replace("\\|", "").matches('|').count();
        let mut above = None;
        for line in text.lines() {
            let here = line.starts_with('|').then(|| columns(line));
            assert!(above.is_none() || here.is_none() || above == here, "{line}\n{text}");
            above = here;
        }
        let bare = text.replace("\\<", "").replace("\\]", "").replace("\\:", "");
        for harm in ["<", "](", "://"] {
            assert!(!bare.contains(harm), "{harm}: {text}");
        }
    }
}
