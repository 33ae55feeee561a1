//! Commands of marks, as a shell reads them.

use anyhow::bail;

/// Splits a command into words; those in quotes hold blanks.
pub(super) fn split(command: &str) -> anyhow::Result<Vec<String>> {
    let mut words = Vec::new();
    let (mut word, mut quote, mut is_open) = (String::new(), None, false);
    for c in command.chars() {
        match (quote, c) {
            (Some(mark), c) if c == mark => quote = None,
            (Some(_), c) => word.push(c),
            (None, '\'' | '"') => (quote, is_open) = (Some(c), true),
            (None, ' ') => {
                if is_open || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                is_open = false;
            }
            (None, c) => word.push(c),
        }
    }
    if quote.is_some() {
        bail!("a quote has no end");
    }
    if is_open || !word.is_empty() {
        words.push(word);
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn a_command_is_split_as_a_shell_does() {
        let check = |command: &str, expected: &[&str]| {
            assert_eq!(split(command).unwrap(), expected, "{command}");
        };
        check("run a.toml --arm \"dumb LRU\"", &["run", "a.toml", "--arm", "dumb LRU"]);
        check("run --set 'arm.\"x\".a=1'", &["run", "--set", "arm.\"x\".a=1"]);
        assert!(split("run 'a").is_err());
    }
}
