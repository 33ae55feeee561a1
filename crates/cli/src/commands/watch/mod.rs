//! `arcwright watch`: the dashboard, over a machine, a capture or an experiment that runs.

mod experiment;

use std::io::IsTerminal as _;
use std::sync::mpsc::Receiver;
use std::thread::JoinHandle;

use anyhow::Context as _;
use arcwright_tui::{Dashboard, Pace, Palette, Update};

use crate::arguments::WatchArguments;
use crate::exit::Exit;
use crate::output;
use crate::problem::Problem;

/// What is watched: its title, what comes of it, and how that is taken in.
struct Watched {
    title: String,
    feed: Receiver<Update>,
    pace: Pace,
    /// What fills the feed; it tidies up once nobody takes from it.
    source: JoinHandle<()>,
}

pub(crate) fn watch(arguments: &WatchArguments) -> Result<Exit, Problem> {
    let is_terminal = std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
    if arguments.picture.is_none() && !is_terminal {
        let what = "watch needs a terminal; --picture prints the screen as text";
        return Err(Problem::Usage(anyhow::anyhow!(what)));
    }
    let watched = match &arguments.scenario {
        Some(scenario) => experiment::begin(arguments, scenario)?,
        None => return Err(Problem::Usage(anyhow::anyhow!("name an experiment: --scenario FILE"))),
    };
    let colour = output::colour_wanted(&std::io::stdout());
    let mut board = Dashboard::new(watched.title, Palette::new(colour));
    let result = match arguments.picture {
        Some(size) => picture(&mut board, &watched.feed, (size, arguments.after)),
        None => arcwright_tui::show(&mut board, &watched.feed, watched.pace)
            .context("failed to show the dashboard")
            .map(|()| Exit::Fine)
            .map_err(Problem::Failed),
    };
    drop(watched.feed);
    // A source that panicked has said so.
    let _ended = watched.source.join();
    result
}

/// Prints the screen as it is after so many readings, or when nothing more comes.
fn picture(
    board: &mut Dashboard,
    feed: &Receiver<Update>,
    (size, after): ((u16, u16), Option<u32>),
) -> Result<Exit, Problem> {
    let mut readings = 0;
    let mut failed = None;
    for update in feed {
        readings += u32::from(matches!(update, Update::Moment(_)));
        if let Update::Failed(why) = &update {
            failed = Some(why.clone());
        }
        board.take(update);
        if after == Some(readings) {
            break;
        }
    }
    if let Some(why) = failed {
        return Err(Problem::Failed(anyhow::anyhow!(why)));
    }
    output::print(&board.picture(size))?;
    Ok(Exit::Fine)
}
