//! Asking the user on the terminal whether to go on.

use std::io::IsTerminal as _;

use anyhow::anyhow;

use crate::output;
use crate::problem::Problem;

/// Asks a question, to which only a clear yes is one.
///
/// # Errors
/// Without a terminal nobody can be asked: `--yes` is named.
pub(crate) fn agreed(question: &str) -> Result<bool, Problem> {
    let input = std::io::stdin();
    if !input.is_terminal() {
        return Err(Problem::Usage(anyhow!(
            "no terminal to ask for confirmation; use --yes to continue without asking"
        )));
    }
    output::print(&format!("{question} [y/N] "))?;
    let mut answer = String::new();
    input.read_line(&mut answer).map_err(anyhow::Error::from)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
