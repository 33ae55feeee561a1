//! `arcwright watch`: the dashboard, over a machine, a capture or an experiment that runs.

mod capture;
mod demo;
mod experiment;
mod live;

use std::io::IsTerminal as _;
use std::sync::mpsc::Receiver;
use std::thread::JoinHandle;

use anyhow::Context as _;
use arcwright_advice::{Advice, Severity};
use arcwright_machine::{Machine, Sample};
use arcwright_tui::{
    Dashboard, DashboardSample, Notice, NoticeSeverity, Pace, Palette, PoolSample, Update,
};

use crate::arguments::WatchArguments;
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::output;
use crate::problem::Problem;

/// What is watched: its title, what comes of it, and how that is taken in.
struct Watched {
    title: String,
    feed: Receiver<Update>,
    pace: Pace,
    /// What fills the feed, if it tidies up once nobody takes from it.
    source: Option<JoinHandle<()>>,
}

pub(crate) fn watch(arguments: &WatchArguments) -> Result<Exit, Problem> {
    let is_terminal = std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
    if arguments.picture.is_none() && !is_terminal {
        let what = "watch needs a terminal; --picture prints the screen as text";
        return Err(Problem::Usage(anyhow::anyhow!(what)));
    }
    let watched = match (&arguments.scenario, &arguments.from) {
        (Some(scenario), _) => experiment::begin(arguments, scenario)?,
        (None, Some(path)) => capture::begin(path)?,
        (None, None) if arguments.demo => demo::begin()?,
        (None, None) => live::begin(arguments.interval)?,
    };
    // A machine goes on for ever; two readings make a picture.
    let is_live = arguments.scenario.is_none() && arguments.from.is_none() && !arguments.demo;
    let after = arguments.after.or(is_live.then_some(2));
    let colour = output::colour_wanted(&std::io::stdout());
    let mut board = Dashboard::new(watched.title, Palette::new(colour));
    let result = match arguments.picture {
        Some(size) => picture(&mut board, &watched.feed, (size, after)),
        None => shown(&mut board, (&watched.feed, watched.pace)).map_err(Problem::Failed),
    };
    drop(watched.feed);
    // A source that panicked has said so.
    let _ended = watched.source.map(JoinHandle::join);
    result
}

/// Shows the dashboard until a key or a signal ends it.
fn shown(board: &mut Dashboard, (feed, pace): (&Receiver<Update>, Pace)) -> anyhow::Result<Exit> {
    let interrupt = Interrupt::listen()?;
    let stop = || interrupt.asked();
    arcwright_tui::show(board, feed, pace, &stop).context("failed to show the dashboard")?;
    Ok(if interrupt.asked() { Exit::Killed } else { Exit::Fine })
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
        readings += u32::from(matches!(update, Update::Sample(_)));
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
    output::print_page(&board.picture(size))?;
    Ok(Exit::Fine)
}

/// Returns what the rules say, in a line each.
fn notices(advice: &Advice) -> Vec<Notice> {
    let found = advice.findings.iter().filter_map(|finding| {
        let severity = match finding.severity {
            Severity::HurtsNow => NoticeSeverity::Hurts,
            Severity::WorthALook => NoticeSeverity::Look,
            Severity::Fine => NoticeSeverity::Fine,
            Severity::Note => return None,
        };
        Some(Notice { severity, text: finding.title.clone() })
    });
    found.collect()
}

/// What is known of a machine beside its counters.
#[derive(Debug, Clone, Default)]
struct MachineFacts {
    pools: Vec<PoolSample>,
    dirty_bytes_max: Option<u64>,
}

impl MachineFacts {
    /// Returns what is known of a machine whose disks are called by `name_of` their leaves.
    fn of(machine: &Machine, name_of: &dyn Fn(&str) -> Option<String>) -> Self {
        let pools = machine.pools.iter().map(|pool| {
            let leaves = pool.vdevs.iter().flat_map(|top| top.leaves());
            let devices = leaves.filter_map(|leaf| name_of(&leaf.name)).collect();
            PoolSample { name: pool.name.clone(), state: pool.state.clone(), devices }
        });
        let dirty_bytes_max = machine.parameter("zfs_dirty_data_max").filter(|max| *max > 0);
        Self { pools: pools.collect(), dirty_bytes_max }
    }

    /// Returns a reading as the dashboard takes it, but for its disks. A pool's state is that of its kstat where it has one.
    fn reading(&self, sample: Sample) -> DashboardSample {
        let mut pools = self.pools.clone();
        for (name, state) in &sample.pool_states {
            match pools.iter_mut().find(|pool| pool.name == *name) {
                Some(pool) => pool.state = Some(state.clone()),
                None => pools.push(PoolSample {
                    name: name.clone(),
                    state: Some(state.clone()),
                    ..PoolSample::default()
                }),
            }
        }
        DashboardSample {
            read_bytes: sample.kstats.of_datasets("nread"),
            written_bytes: sample.kstats.of_datasets("nwritten"),
            txgs: sample.txgs,
            dirty_bytes_max: self.dirty_bytes_max,
            pools,
            kstats: sample.kstats,
            ..DashboardSample::default()
        }
    }
}
