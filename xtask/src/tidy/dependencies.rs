//! Every dependency has a line in docs/decisions/dependencies.md: why, licence, owner.

use toml_edit::DocumentMut;

use super::{Source, Violation};

const RECORD: &str = "docs/decisions/dependencies.md";

/// Finds dependencies from outside that nobody wrote a reason for.
pub(super) fn check(sources: &[Source]) -> Vec<Violation> {
    let record = sources.iter().find(|source| source.path == RECORD);
    let record = record.map(|source| source.text.as_str()).unwrap_or_default();
    let manifests = sources.iter().filter(|source| source.path.ends_with("Cargo.toml"));
    let mut findings = Vec::new();
    for manifest in manifests {
        let Ok(document) = manifest.text.parse::<DocumentMut>() else { continue };
        for name in names(&document) {
            if !name.starts_with("arcwright-") && !record.contains(&format!("`{name}`")) {
                findings.push(Violation {
                    place: manifest.path.clone(),
                    what: format!("uses “{name}”; write its line into {RECORD}"),
                });
            }
        }
    }
    findings
}

fn names(document: &DocumentMut) -> Vec<String> {
    let workspace = document.get("workspace").and_then(|item| item.get("dependencies"));
    let tables = [workspace, document.get("dependencies"), document.get("dev-dependencies")];
    let tables = tables.into_iter().flatten().filter_map(|item| item.as_table_like());
    tables.flat_map(|table| table.iter().map(|(name, _)| name.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::check;

    #[test]
    fn a_dependency_without_a_line_is_found() {
        let manifest = source("crates/x/Cargo.toml", "[dependencies]\nserde.workspace = true\n");
        let record = source(super::RECORD, "| `serde` | …");
        assert!(check(&[manifest.clone(), record]).is_empty());
        assert_eq!(check(&[manifest]).len(), 1);
    }
}
