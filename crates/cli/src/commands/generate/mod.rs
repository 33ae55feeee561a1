//! `arcwright generate`: man pages and completions, made from the same definition as the command line.

use std::path::Path;

use anyhow::Context as _;
use arcwright_units::visible_path;
use clap::CommandFactory as _;
use clap_complete::env::Shells;

use crate::arguments::{Arguments, GenerateVerb, Shell};
use crate::exit::Exit;
use crate::output::{self, Pending};
use crate::problem::Problem;

/// The program's name, for the shells.
const NAME: &str = "arcwright";
/// What the program's own page says beside its options: codes, variables, files.
const SECTIONS: &str = include_str!("sections.roff");

pub(crate) fn generate(verb: &GenerateVerb) -> Result<Exit, Problem> {
    match verb {
        GenerateVerb::Man { folder } => man(folder)?,
        GenerateVerb::Completions { shell } => output::print(&completions(*shell)?)?,
    }
    Ok(Exit::Fine)
}

/// Writes a page for the program and one for each command.
fn man(folder: &Path) -> anyhow::Result<()> {
    let mut command = Arguments::command()
        .version(env!("CARGO_PKG_VERSION"))
        .disable_version_flag(true)
        .disable_help_subcommand(true);
    command.build();
    for page in pages(&command) {
        let name = page.get_display_name().unwrap_or(NAME);
        let path = folder.join(format!("{name}.1"));
        let failed = || format!("failed to write {}", visible_path(&path));
        let mut bytes = Vec::new();
        let titled = clap_mangen::Man::new(page.clone())
            .title(name.to_uppercase())
            .date(option_env!("ARCWRIGHT_BUILD_DATE").unwrap_or_default())
            .source(concat!("arcwright ", env!("CARGO_PKG_VERSION")))
            .manual("User Commands");
        titled.render(&mut bytes).with_context(failed)?;
        if name == NAME {
            bytes.extend_from_slice(SECTIONS.as_bytes());
        }
        Pending::begin(&path)?.complete_bytes(&bytes)?;
    }
    Ok(())
}

/// Returns a command and all below it that are not hidden.
fn pages(command: &clap::Command) -> Vec<&clap::Command> {
    let below = command.get_subcommands().filter(|below| !below.is_hide_set());
    std::iter::once(command).chain(below.flat_map(pages)).collect()
}

/// Returns what a shell sources; it then asks the program itself for what fits.
fn completions(shell: Shell) -> anyhow::Result<String> {
    let name = match shell {
        // Our own: the usual one loses words with an equals sign.
        Shell::Bash => return Ok(include_str!("completion.bash").to_owned()),
        Shell::Zsh => "zsh",
        Shell::Fish => "fish",
    };
    let shells = Shells::builtins();
    let completer = shells.completer(name).context("the shell is not known")?;
    let mut bytes = Vec::new();
    completer
        .write_registration("COMPLETE", NAME, NAME, NAME, &mut bytes)
        .context("failed to write the completions")?;
    String::from_utf8(bytes).context("the completions are no text")
}
