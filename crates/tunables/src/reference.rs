//! The catalogue as a page: one table per family, hazards below, what is gone at the end.

use crate::{Entry, Kernel, SetWhen, Value, VersionSpan, entries, gone};

/// Titles of the families, in the page's order.
const FAMILIES: [(&str, &str); 10] = [
    ("arc", "ARC"),
    ("l2arc", "L2ARC"),
    ("dbuf", "dbuf cache"),
    ("prefetch", "Prefetch"),
    ("dio", "Direct I/O"),
    ("zil", "Intent log and cache flushes"),
    ("txg", "Transaction groups, dirty data, throttle"),
    ("vdev", "Disks: queues, aggregation, mirrors"),
    ("metaslab", "Allocation"),
    ("memory", "Memory of buffers"),
];

/// Returns the page as Markdown.
#[must_use]
pub fn reference() -> String {
    let head = "# Tunables\n\n\
        Generated from `crates/tunables/catalogue` by `cargo xtask reference`; not written by hand. A \
        default is that of Linux, on 64 bits, with the first version that has it; `tune show NAME` \
        tells more, and what holds on the machine at hand. “load” is set only when the module is \
        loaded.\n\nThe column “model” says what `run --engine model` does with a setting: it follows it, or \
        it refuses an experiment that sets it, since its figures would not show the effect. “no effect” is \
        what no experiment depends on, such as scrub and trim.\n";
    let families = FAMILIES.iter().map(|(family, title)| {
        let of_it: Vec<&Entry> = entries().iter().filter(|entry| entry.family == *family).collect();
        let rows: String = of_it.iter().map(|entry| row(entry)).collect();
        let hazards: String = of_it.iter().flat_map(|entry| hazards(entry)).collect();
        let hazards = if hazards.is_empty() { hazards } else { format!("\nHazards:\n\n{hazards}") };
        format!(
            "\n## {title}\n\n| name | FreeBSD | default | set | model | what it does |\n\
             |---|---|---|---|---|---|\n{rows}{hazards}"
        )
    });
    let families: String = families.collect();
    let gone: String = gone()
        .iter()
        .map(|gone| {
            let to = gone.to.map(|to| to.to_string()).unwrap_or_default();
            let successor = gone.successor.as_ref().map(|name| format!("`{name}`"));
            let instead: Vec<String> = successor.into_iter().chain(gone.note.clone()).collect();
            format!("| `{}` | {} to {to} | {} |\n", gone.name, gone.from, instead.join(" "))
        })
        .collect();
    format!(
        "{head}{families}\n## Gone, outside these families\n\n| name | versions | instead |\n\
         |---|---|---|\n{gone}"
    )
}

fn row(entry: &Entry) -> String {
    let name = match entry.on {
        Some(Kernel::Freebsd) => format!("`{}` (FreeBSD only)", entry.name),
        _ => format!("`{}`", entry.name),
    };
    let freebsd = entry.freebsd.as_ref().map_or_else(|| "–".to_owned(), |name| format!("`{name}`"));
    let open = entry.defaults.iter().filter(|span| !span.from.is_legacy_freebsd());
    let defaults: Vec<String> = open.map(default).collect();
    let set = if entry.set == SetWhen::Load { "load" } else { "live" };
    let gone = match (entry.last(), &entry.successor, &entry.gone) {
        (Some(_), Some(successor), _) => format!(" Now `{successor}`."),
        (Some(_), None, Some(gone)) => format!(" Gone: {gone}"),
        _ => String::new(),
    };
    let defaults = defaults.join("; ");
    let model = entry.model.about();
    format!("| {name} | {freebsd} | {defaults} | {set} | {model} | {}{gone} |\n", entry.about)
}

fn default(span: &VersionSpan) -> String {
    let value = match (&span.word, &span.rule, span.value) {
        (Some(word), ..) => word.clone(),
        (_, Some(rule), _) => rule.clone(),
        (.., Some(value)) => Value::Number(value).to_string(),
        _ => String::new(),
    };
    let last = span.to.map(|to| format!(" to {to}")).unwrap_or_default();
    format!("{value} ({}{last})", span.from)
}

fn hazards(entry: &Entry) -> Vec<String> {
    let line = |hazard: &crate::Hazard| {
        let stops = if hazard.kind.stops() { "; needs confirmation" } else { "" };
        let kind = hazard.kind.label().to_owned() + &hazard.versions();
        let when = hazard.when.label();
        format!("- `{}` set {when} ({kind}{stops}): {}\n", entry.name, hazard.text)
    };
    entry.hazards.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::{FAMILIES, reference};
    use crate::{entries, gone};

    #[test]
    fn every_parameter_and_everything_gone_is_on_the_page() {
        let page = reference();
        let there = |name: &str| page.contains(&format!("| `{name}`"));
        assert!(entries().iter().all(|entry| there(&entry.name)));
        assert!(gone().iter().all(|gone| there(&gone.name)));
        let known = |family: &str| FAMILIES.iter().any(|(name, _)| *name == family);
        assert!(entries().iter().all(|entry| known(&entry.family)));
    }
}
