//! A trace in the place of a scenario's own load: its first half warms the caches, its second half counts.

use std::str::FromStr as _;

use arcwright_units::Bytes;
use toml_edit::{DocumentMut, Value};

use crate::overrides::OverrideError;

/// The phase of a trace that counts, and the one before.
pub const TRACE_LOAD: &str = "load";
const TRACE_WARMUP: &str = "warm up";
/// What a scenario says of its load and of questions about it.
const OF_LOAD: [&str; 7] = ["file", "tree", "zvol", "phase", "arm", "answer", "reported"];

/// Returns the phases that play a trace, which the file calls `path`; files of some datasets have other record sizes than the pool's own
/// dataset.
#[must_use]
pub fn trace_phases(path: &str, recordsizes: &[(String, Bytes)]) -> String {
    let path = Value::from(path).to_string();
    let size = |(name, size): &(String, Bytes)| {
        let size = size.to_string().replace(' ', "");
        format!("{} = \"{size}\"", Value::from(name))
    };
    let sizes: Vec<String> = recordsizes.iter().map(size).collect();
    let sizes = match sizes.is_empty() {
        true => String::new(),
        false => format!(", recordsizes = {{ {} }}", sizes.join(", ")),
    };
    format!(
        "\n[[phase]]\n\
         # The first half of the trace, so that the second finds caches that were in use.\n\
         name = \"{TRACE_WARMUP}\"\n\
         clients = [{{ trace = {path}{sizes}, until = \"50%\" }}]\n\
         \n[[phase]]\n\
         # The second half: what counts.\n\
         name = \"{TRACE_LOAD}\"\n\
         clients = [{{ trace = {path}{sizes}, since = \"50%\" }}]\n"
    )
}

/// Returns the text of a scenario with a trace in the place of its files, phases, arms and answers.
///
/// # Errors
/// [`OverrideError::NotToml`].
pub fn with_trace(text: &str, path: &str) -> Result<String, OverrideError> {
    let mut document = DocumentMut::from_str(text)
        .map_err(|error| OverrideError::NotToml { reason: error.message().trim().to_owned() })?;
    OF_LOAD.iter().for_each(|key| drop(document.remove(key)));
    Ok(format!("{document}{}", trace_phases(path, &[])))
}

#[cfg(test)]
mod tests {
    use arcwright_units::Bytes;

    use super::{trace_phases, with_trace};

    #[test]
    fn record_sizes_stand_beside_the_trace() {
        let sizes =
            [("tank/db".to_owned(), Bytes::kib(16)), ("tank/\"m".to_owned(), Bytes::mib(1))];
        let with = trace_phases("nas.csv", &sizes);
        let line = "{ trace = \"nas.csv\", recordsizes = { \"tank/db\" = \"16KiB\", 'tank/\"m' = \"1MiB\" }, until = \"50%\" }";
        assert!(with.contains(line), "{with}");
    }

    #[test]
    fn a_trace_takes_the_place_of_the_load() {
        let text = "title = \"t\"\nphase = [{ name = \"p\" }]\n[system]\nmemory = \"8GiB\"\n[[file]]\nname = \"f\"\n";
        let with = with_trace(text, "nas \"1\".csv").unwrap();
        let system = "title = \"t\"\n[system]\nmemory = \"8GiB\"\n";
        assert_eq!(with, format!("{system}{}", trace_phases("nas \"1\".csv", &[])));
        assert!(
            with.contains("clients = [{ trace = 'nas \"1\".csv', since = \"50%\" }]"),
            "{with}"
        );
        let error = with_trace("[", "a").unwrap_err().to_string();
        assert!(error.starts_with("the file is not TOML: "), "{error}");
    }
}
