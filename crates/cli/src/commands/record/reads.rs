//! Every read of a pool's ARC for a while: whose they were, which missed, and a trace of them.

use std::collections::BTreeMap;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use arcwright_host::observe::{Sampler, Tools, read_objects};
use arcwright_host::read_history::ReadHistory;
use arcwright_machine::ReadTotals;
use arcwright_report::{reads_html, reads_json, reads_text};
use arcwright_scenario::{Event, Watch as _};
use arcwright_units::visible_path;

use crate::arguments::{ReadsGuardArguments, RecordReadsArguments};
use crate::consent::agreed;
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::new_file::refuse_what_is_there;
use crate::output::{self, Pending};
use crate::pages::PendingPage;
use crate::problem::Problem;
use crate::progress::Progress;

/// Time between two looks at the list: at some 60,000 reads a second it overflows in between.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// How much longer the guard waits for a recorder that hangs.
const GRACE: Duration = Duration::from_secs(30);

pub(super) fn record(arguments: &RecordReadsArguments) -> Result<Exit, Problem> {
    if let Some(file) = &arguments.output {
        refuse_what_is_there(file)?;
    }
    let file = arguments.output.as_deref().map(Pending::begin).transpose()?;
    let page = arguments.html.as_deref().map(PendingPage::begin).transpose()?;
    let history = ReadHistory::of_pool(&arguments.root, &arguments.pool).map_err(failed)?;
    let hits = history.before().map_err(failed)?;
    if !arguments.yes && !may_begin(arguments)? {
        return Err(Problem::Usage(anyhow!("nothing was switched on")));
    }
    let interrupt = Interrupt::listen()?;
    let mut guard = guard_of(arguments, &hits)?;
    let begun = history.switch_on().map_err(failed);
    let read = begun.and_then(|()| read(&history, arguments, &interrupt));
    // The guard switches it off, at this end as at every other.
    drop(guard.stdin.take());
    let ended = guard.wait().context("the guard was not heard of")?;
    let still_on = history.before().err();
    if !ended.success() || still_on.is_some() {
        let why = still_on.map_or_else(String::new, |why| format!(": {why}"));
        output::remark(&format!(
            "the read history may still be on{why}; switch it off:\n  echo 0 > /sys/module/zfs/parameters/zfs_read_history"
        ));
        return Err(Problem::Failed(anyhow!("the read history could not be switched off")));
    }
    let totals = read?;
    let names = dataset_names(arguments);
    let table = totals.table(&|objset| names.get(&objset).cloned());
    if let Some(file) = file {
        let sizes = match read_objects(&arguments.root) {
            Ok(blocks) => blocks.sizes(&arguments.pool),
            Err(_) => {
                output::remark("note: no list of blocks: sizes in the trace are assumed");
                BTreeMap::new()
            }
        };
        let mut trace = Vec::new();
        totals.write_trace(&mut trace, &sizes).context("failed to write the trace")?;
        file.complete_new_bytes(&trace)?;
    }
    if let Some(page) = page {
        page.complete(&reads_html(&arguments.pool, &table))?;
    }
    if arguments.json {
        output::print_json(&reads_json(&table).context("failed to write JSON")?)?;
    } else {
        output::print_page(&reads_text(&table, arguments.top, &output::text_options()))?;
    }
    if let Some(path) = arguments.output.as_deref().filter(|_| !arguments.json) {
        let shown = visible_path(path);
        output::print(&format!("\nWrote {shown}. Next:\n  arcwright trace curve {shown}\n"))?;
    }
    Ok(Exit::Fine)
}

/// Says what will happen and asks whether it may.
fn may_begin(arguments: &RecordReadsArguments) -> Result<bool, Problem> {
    let seconds = arguments.length.as_secs();
    output::remark(&format!(
        "This switches on the read history of {} for {seconds} s, and off again. Meanwhile each read of the ARC costs more, \
         and\nan open fault of OpenZFS (https://github.com/openzfs/zfs/issues/15068) may let the kernel touch freed memory \
         while files are\nread ahead. Do not do it on a machine that must not fail.",
        arguments.pool
    ));
    agreed("Begin?")
}

/// Starts the process that switches it off: when this one ends, however it does.
fn guard_of(arguments: &RecordReadsArguments, hits: &str) -> anyhow::Result<Child> {
    let program = std::env::current_exe().context("failed to find this program's own file")?;
    let seconds = arguments.length.saturating_add(GRACE).as_secs();
    Command::new(program)
        .args(["record", "reads-guard", "--root"])
        .arg(&arguments.root)
        .args(["--pool", &arguments.pool, "--hits", hits, "--seconds", &seconds.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        // Ctrl-C goes to all of a terminal's foreground group, and this is not for it.
        .process_group(0)
        .spawn()
        .context("failed to start the guard, without which nothing is switched on")
}

pub(super) fn guard(arguments: &ReadsGuardArguments) -> Result<Exit, Problem> {
    let history = ReadHistory::of_pool(&arguments.root, &arguments.pool).map_err(failed)?;
    let time = Duration::from_secs(arguments.seconds);
    history.guard(&arguments.hits, std::io::stdin(), time).map_err(failed)?;
    Ok(Exit::Fine)
}

fn read(
    history: &ReadHistory,
    arguments: &RecordReadsArguments,
    interrupt: &Interrupt,
) -> Result<ReadTotals, Problem> {
    let mut progress = Progress::new(interrupt.clone());
    progress.event(Event::Stage("recording".to_owned()));
    let begin = Instant::now();
    let mut totals = ReadTotals::default();
    let own = std::process::id();
    loop {
        totals.take(&history.read().map_err(failed)?, own);
        if interrupt.asked() || begin.elapsed() >= arguments.length {
            break;
        }
        if totals.is_full() {
            output::remark("note: ended early: as many reads are kept as may be");
            break;
        }
        thread::sleep(LOOK_EVERY);
    }
    Ok(totals)
}

/// Returns the pool's datasets by their numbers, as their counters are named.
fn dataset_names(arguments: &RecordReadsArguments) -> BTreeMap<u64, String> {
    let Ok(mut sampler) = Sampler::new(&arguments.root, &Tools::default()) else {
        return BTreeMap::new();
    };
    let names = crate::commands::who::dataset_names(&sampler.sample_with_pools());
    let ours = names.into_iter().filter(|((pool, _), _)| *pool == arguments.pool);
    ours.map(|((_, objset), name)| (objset, name)).collect()
}

fn failed(error: impl std::error::Error + Send + Sync + 'static) -> Problem {
    Problem::Failed(anyhow::Error::from(error))
}
