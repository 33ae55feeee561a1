//! `arcwright serve`: a page in a browser with this machine's caches, live and recorded.
//!
//! ```text
//!   collector ── counters every interval ──> Shared ──> history
//!       └── machine, findings <── judge        │
//!                                              └──> events, answers <── guard, token <── browser
//! ```
//!
//! It shows, plans and predicts; it changes nothing on the machine.

mod answers;
mod assets;
pub(crate) mod demo;
mod events;
mod files;
mod fits;
mod guard;
mod history;
mod load;
mod on_disk;
mod question;
mod questions;
mod readings;
mod routes;
mod shared;
mod telling;
mod token;
mod tunables;
mod whatif;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use arcwright_host::host_name;
use arcwright_host::observe::{Sampler, Tools};
use arcwright_host::record::usual_folder;
use arcwright_units::visible;
use axum::Router;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

pub(super) use self::question::answer_question;

use self::demo::Demo;
use self::history::{HistoryReader, HistoryWriter, InMemory};
use self::questions::Questions;
use self::readings::{MachineReadings, Readings, collect};
use self::routes::Server;
use self::shared::{About, Shared};
use self::token::Access;
use self::tunables::Tunables;
use self::whatif::WhatIfRuns;
use crate::arguments::{HistoryArguments, PolicyArguments, ServeArguments};
use crate::commands::doctor::policy::Policy;
use crate::commands::server::{Hosts, Judging, Limits, accept, judge, spawned};
use crate::commands::tune::facts_of;
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::observing::no_counters;
use crate::output;
use crate::problem::Problem;

/// The bounds of connections: a browser has some at once, and one that listens.
const LIMITS: Limits = Limits {
    connections_max: 64,
    head_time: Duration::from_secs(5),
    life: routes::REQUEST_TIME,
    keeps_alive: true,
};
/// Bodies that may be large, in memory at a time.
const LARGE_BODIES_MAX: usize = 2;
/// How long answers that are under way may still take at the end.
const FAREWELL: Duration = Duration::from_millis(300);
/// The window of findings, and how often they are judged at most.
const WINDOW: Duration = Duration::from_secs(10);
const JUDGE_EVERY: Duration = Duration::from_secs(30);

pub(crate) fn serve(arguments: &ServeArguments) -> Result<Exit, Problem> {
    let address = arguments.listen;
    if !address.ip().is_loopback() && !arguments.allow_remote {
        return Err(Problem::Usage(anyhow!(
            "{address} can be reached from other machines\n\
             hint: 127.0.0.1:{} and ssh -L need no more; --allow-remote allows it, with a token",
            address.port()
        )));
    }
    let policy = Policy::of(&PolicyArguments::default())?;
    let interrupt = Interrupt::listen()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(2)
        .build()
        .context("failed to start the server")?;
    let listener = runtime
        .block_on(TcpListener::bind(address))
        .with_context(|| format!("failed to listen on {address}"))?;
    let local = listener.local_addr().context("failed to listen")?;
    let access = Arc::new(Access::at(local, arguments.token_file.as_deref())?);
    let has_token = matches!(*access, Access::Token(_));
    let (shared, tunables, collector) = match arguments.demo {
        true => begin_demo(arguments, policy, (&interrupt, has_token))?,
        false => begin_machine(arguments, policy, (&interrupt, has_token))?,
    };
    tell(local, &access, arguments);
    let server = Server {
        shared,
        hosts: Arc::new(Hosts::new(local, &arguments.hosts)),
        access,
        tunables: Arc::new(tunables),
        whatif: Arc::new(WhatIfRuns::default()),
        questions: Arc::new(Questions::default()),
        large: Arc::new(Semaphore::new(LARGE_BODIES_MAX)),
        turn: Arc::new(Semaphore::new(1)),
    };
    let app = Router::new().fallback(routes::answer).with_state(server);
    let is_over = || interrupt.asked() || collector.is_finished();
    runtime.block_on(accept(&listener, app, LIMITS, is_over));
    runtime.shutdown_timeout(FAREWELL);
    match interrupt.asked() {
        true => Ok(Exit::Fine),
        false => {
            Err(Problem::Failed(anyhow!("the collector ended; this is a mistake of arcwright")))
        }
    }
}

/// What requests are answered from, and the thread that fills it.
type Begun = (Arc<Shared>, Tunables, JoinHandle<()>);

/// Starts to read this machine.
fn begin_machine(
    arguments: &ServeArguments,
    policy: Policy,
    (interrupt, has_token): (&Interrupt, bool),
) -> Result<Begun, Problem> {
    let root = &arguments.root;
    let tools = Tools::default().until(interrupt.flag());
    let sampler = Sampler::new(root, &tools).map_err(|reason| {
        let why = no_counters(&reason);
        Problem::Failed(why.context("--demo shows a recorded run instead"))
    })?;
    let about = About {
        title: visible(&host_name(root).unwrap_or_else(|| "this machine".to_owned())).into_owned(),
        zfs: arcwright_host::module_version(root)
            .map(|version| visible(version.trim()).into_owned()),
        demo: None,
        interval_ms: millis(arguments.interval),
        release: env!("CARGO_PKG_VERSION"),
        has_token,
    };
    let shared = Arc::new(Shared::new(about, history_of(arguments)?));
    let judging = Judging { root: root.clone(), window: WINDOW, smart: false, every: JUDGE_EVERY };
    let (tell, judgements) = mpsc::channel();
    let end = interrupt.clone();
    // Not waited for at the end: a command may hang.
    let _judge = spawned("judge", move || judge(&judging, &policy, &end, &tell))?;
    let readings = Box::new(MachineReadings::new(sampler, root.clone()));
    let collector =
        begin_to_collect(readings, arguments.interval, (judgements, &shared), interrupt)?;
    let place = root.clone();
    let tunables = Tunables::new(Arc::new(move || facts_of(&place)));
    Ok((shared, tunables, collector))
}

/// Starts to play what was recorded.
fn begin_demo(
    arguments: &ServeArguments,
    policy: Policy,
    (interrupt, has_token): (&Interrupt, bool),
) -> Result<Begun, Problem> {
    let demo = Demo::open()?;
    let about = About {
        title: demo.title().to_owned(),
        zfs: demo.zfs(),
        demo: Some(demo.told().to_owned()),
        interval_ms: millis(arguments.interval),
        release: env!("CARGO_PKG_VERSION"),
        has_token,
    };
    let facts = demo.facts();
    let shared = Arc::new(Shared::new(about, in_memory()));
    let (tell, judgements) = mpsc::channel();
    let (base, of_judge, end) = (demo.machine().clone(), Arc::clone(&shared), interrupt.clone());
    let _judge = spawned("judge", move || demo::judge(&base, &policy, (&of_judge, &tell), &end))?;
    let collector =
        begin_to_collect(Box::new(demo), arguments.interval, (judgements, &shared), interrupt)?;
    Ok((shared, Tunables::new(Arc::new(move || Ok(facts.clone()))), collector))
}

fn begin_to_collect(
    readings: Box<dyn Readings>,
    interval: Duration,
    (judgements, shared): (mpsc::Receiver<crate::commands::server::Judgement>, &Arc<Shared>),
    interrupt: &Interrupt,
) -> anyhow::Result<JoinHandle<()>> {
    let (shared, end) = (Arc::clone(shared), interrupt.clone());
    spawned("collector", move || collect(readings, interval, (&judgements, &shared), &end))
}

/// Both sides of a history.
type Histories = (Box<dyn HistoryWriter>, Box<dyn HistoryReader>);

/// Returns where readings are kept: in the folder that was named, else in the usual one where that can be written.
fn history_of(arguments: &ServeArguments) -> Result<Histories, Problem> {
    let HistoryArguments { history, limit, no_history } = &arguments.history;
    let opened = |folder: &Path| -> anyhow::Result<Histories> {
        let (writer, reader) = on_disk::open(folder, *limit)?;
        Ok((Box::new(writer), Box::new(reader)))
    };
    if let Some(folder) = history {
        return Ok(opened(folder)?);
    }
    // A copy of a machine's files is not this machine, whose history there would be.
    if *no_history || arguments.root != Path::new("/") {
        return Ok(in_memory());
    }
    let usual = usual_history().context("there is no usual folder");
    Ok(usual.and_then(|folder| opened(&folder)).unwrap_or_else(|error| {
        output::remark(&format!(
            "note: {error:#}; the history is in memory and ends with the server (--history DIR)"
        ));
        in_memory()
    }))
}

/// Returns where a service keeps its state, as systemd says, else beside recordings.
fn usual_history() -> Option<PathBuf> {
    let state = std::env::var_os("STATE_DIRECTORY").filter(|folder| !folder.is_empty());
    match state {
        Some(folder) => Some(PathBuf::from(folder).join("history")),
        None => Some(usual_folder()?.with_file_name("history")),
    }
}

fn in_memory() -> Histories {
    let memory = InMemory::default();
    (Box::new(memory.clone()), Box::new(memory))
}

/// Says where the page is; a token stands behind the #, which browsers send to nobody.
fn tell(local: SocketAddr, access: &Access, arguments: &ServeArguments) {
    let token = match access {
        Access::Token(access) if arguments.token_file.is_none() => {
            format!("#token={}", access.token())
        }
        _ => String::new(),
    };
    let what = if arguments.demo { "a recorded run, " } else { "" };
    output::remark(&format!("{what}http://{local}/{token}; Ctrl-C ends it"));
    if !local.ip().is_loopback() {
        output::remark(
            "note: this is plain HTTP, which others on the way can read; put a proxy with TLS before it, or use ssh -L",
        );
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
