//! One pool's part of the output, by its labels.

use super::{dedup, row};

/// One pool's part of the output.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// Fields with their lines.
    pub(super) fields: Vec<(String, Vec<String>)>,
    /// Lines of `config:` with their number.
    pub(super) config: Vec<(usize, String)>,
    /// The time of the mail that it stands in.
    pub(super) mailed: Option<String>,
    /// What later lines say happened since.
    pub(super) since: Vec<String>,
}

impl Block {
    pub(super) fn has(&self, label: &str) -> bool {
        self.fields.iter().any(|(name, _)| name == label)
    }

    /// Returns whether its list has begun.
    pub(super) fn has_devices(&self) -> bool {
        self.config.iter().any(|(_, line)| row::titles(line).is_some())
    }

    pub(super) fn lines(&self, label: &str) -> Option<&[String]> {
        self.fields.iter().find(|(name, _)| name == label).map(|(_, lines)| lines.as_slice())
    }

    /// Returns what is to be said of a second table of deduplication, which is not used.
    pub(super) fn other_table(&self) -> Option<String> {
        let fields = self.fields.iter().filter(|(name, _)| name == "dedup");
        dedup::another(fields.filter_map(|(_, lines)| lines.first()))
    }

    /// Returns whether it is the table of deduplication alone.
    pub(super) fn is_of_dedup(&self) -> bool {
        let is_table = |name: &str| name == "dedup" || name == dedup::SIMULATED;
        self.config.is_empty() && self.fields.iter().all(|(name, _)| is_table(name))
    }

    /// Returns whether it has only what stands below the tree, or a line that somebody picked out.
    pub(super) fn is_tail(&self) -> bool {
        // The command may have told the pool's name.
        const LAST: [&str; 5] = ["pool", "errors", "dedup", dedup::SIMULATED, "expand"];
        let is_last = |(name, _): &(String, Vec<String>)| LAST.contains(&&**name);
        let says = self.fields.iter().any(|(name, _)| name != "pool");
        says && self.config.is_empty() && self.fields.iter().all(is_last)
    }

    /// Returns the lines that tell of errors: where the list may not be read, a second one counts them.
    pub(super) fn errors(&self) -> &[String] {
        let all =
            || self.fields.iter().filter(|(name, _)| name == "errors").map(|(_, lines)| lines);
        let says = |lines: &&Vec<String>| {
            !lines.first().is_some_and(|line| line.starts_with("List of errors unavailable"))
        };
        all().find(says).or_else(|| all().next()).map_or(&[], Vec::as_slice)
    }

    /// Returns a field in one line; none when it is not there or says nothing.
    pub(super) fn field(&self, label: &str) -> Option<String> {
        // A resilver of one vdev and a scrub of the pool have a line each (2.0+).
        let all = self.fields.iter().filter(|(name, _)| name == label);
        let parts: Vec<String> = all.map(|(_, lines)| lines.join(" ").trim().to_owned()).collect();
        let text = parts.join("; ");
        (!text.is_empty()).then_some(text)
    }
}
