//! What can go wrong, how it is shown, and which exit code it has.

use arcwright_scenario::EngineError;
use arcwright_units::visible_lines;
use miette::{GraphicalReportHandler, GraphicalTheme};

use crate::exit::Exit;
use crate::output;

/// A reason to end without the result that was asked for.
#[derive(Debug)]
pub(crate) enum Problem {
    /// The scenario file is wrong; shown with the place in the file.
    Scenario(miette::Report),
    /// The engine cannot do it; shown with its hint.
    Engine(EngineError),
    /// The arguments are wrong in a way that only the scenario tells.
    Usage(anyhow::Error),
    /// Anything else: files, the terminal.
    Failed(anyhow::Error),
}

impl Problem {
    pub(crate) fn exit(&self) -> Exit {
        match self {
            // A plugin's 1 and 2 mean that a machine is in trouble.
            _ if asks_as_a_plugin() => Exit::Unknown,
            Self::Scenario(_) | Self::Usage(_) | Self::Engine(EngineError::TooLarge { .. }) => {
                Exit::WrongUse
            }
            Self::Engine(_) | Self::Failed(_) => Exit::Failed,
        }
    }

    /// Returns it in one line, where it is one of several things that may go wrong.
    pub(crate) fn sentence(&self) -> String {
        match self {
            Self::Scenario(report) => report.to_string(),
            Self::Engine(error) => error.to_string(),
            Self::Usage(error) | Self::Failed(error) => format!("{error:#}"),
        }
    }

    /// Writes the problem to standard error.
    pub(crate) fn show(&self) {
        match self {
            Self::Scenario(report) => show_report(report),
            Self::Engine(error) => output::complain(&with_hint(error)),
            Self::Usage(error) | Self::Failed(error) => {
                output::complain(&format!("error: {error:#}\n"));
            }
        }
    }
}

/// Shows what is wrong with the arguments, or the help that they ask for; returns how to end.
pub(crate) fn of_arguments(error: &clap::Error) -> Exit {
    let plain = error.render().to_string();
    if visible_lines(&plain) == plain {
        let printed = error.print();
        let is_lost = printed.is_err_and(|error| error.kind() != std::io::ErrorKind::BrokenPipe);
        if is_lost && !error.use_stderr() {
            output::remark("error: failed to write to standard output");
            return Exit::Failed;
        }
    } else {
        output::complain(&plain);
    }
    match error.use_stderr() {
        true if asks_as_a_plugin() => Exit::Unknown,
        true => Exit::WrongUse,
        false => Exit::Fine,
    }
}

/// Says whether the program was called as a monitoring plugin, for which 2 means that a machine is
/// in trouble and not that a word on the command line is wrong.
fn asks_as_a_plugin() -> bool {
    let mut words = std::env::args_os().skip(1);
    words.next().is_some_and(|verb| verb == "doctor") && words.any(|word| word == "--check")
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Scenario(report) => write!(f, "{report}"),
            Self::Engine(error) => write!(f, "{error}"),
            Self::Usage(error) | Self::Failed(error) => write!(f, "{error:#}"),
        }
    }
}

impl From<anyhow::Error> for Problem {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(error)
    }
}

impl From<EngineError> for Problem {
    fn from(error: EngineError) -> Self {
        Self::Engine(error)
    }
}

/// Shows a mistake with its place in the file: in colours only where the file holds nothing odd.
fn show_report(report: &miette::Report) {
    let plain = graphical(report, GraphicalTheme::unicode_nocolor());
    let is_clean = visible_lines(&plain) == plain;
    if is_clean && output::colour_wanted(&std::io::stderr()) {
        output::complain_page(&graphical(report, GraphicalTheme::unicode()));
    } else {
        output::complain(&plain);
    }
}

fn graphical(report: &miette::Report, theme: GraphicalTheme) -> String {
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_links(false)
        .with_width(output::width(&std::io::stderr()));
    let mut text = String::new();
    match handler.render_report(&mut text, report.as_ref()) {
        Ok(()) => text,
        Err(_) => format!("error: {report}\n"),
    }
}

fn with_hint(error: &EngineError) -> String {
    let hint = match error {
        EngineError::Unsupported { hint, .. } | EngineError::Failed { hint, .. } => hint.as_deref(),
        EngineError::Missing { hint, .. } | EngineError::TooLarge { hint, .. } => {
            Some(hint.as_str())
        }
    };
    let hint = hint.map(|hint| format!("hint: {hint}\n")).unwrap_or_default();
    format!("error: {error}\n{hint}")
}

#[cfg(test)]
mod tests {
    use arcwright_scenario::EngineError;

    use super::{Problem, graphical, with_hint};
    use crate::exit::Exit;

    #[test]
    fn a_hint_stands_on_its_own_line() {
        let error = EngineError::Missing {
            what: "libzpool is missing".to_owned(),
            hint: "apt install libzpool5linux".to_owned(),
        };
        let text = "error: libzpool is missing\nhint: apt install libzpool5linux\n";
        assert_eq!(with_hint(&error), text);
        assert_eq!(Problem::Engine(error).exit(), Exit::Failed);
    }

    #[test]
    fn a_wrong_scenario_is_wrong_use() {
        let report = miette::miette!(help = "did you mean “memory”?", "unknown key “memroy”");
        let text = graphical(&report, miette::GraphicalTheme::unicode_nocolor());
        assert!(text.contains("unknown key “memroy”") && text.contains("did you mean"), "{text}");
        assert_eq!(Problem::Scenario(report).exit(), Exit::WrongUse);
    }
}
