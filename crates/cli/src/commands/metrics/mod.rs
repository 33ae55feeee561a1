//! `arcwright metrics`: counters and findings for Prometheus, printed, as a file, or answered.

mod collect;
mod serve;

use std::ffi::OsStr;
use std::path::Path;
use std::time::Instant;

use anyhow::anyhow;
use arcwright_advice::{Estimate, advise};
use arcwright_host::capture::open_whole;
use arcwright_host::observe::{Options, Tools, observe};
use arcwright_machine::{Machine, Sources};
use arcwright_metrics::{Collection, DatasetSeries, Families, TextFormat};
use arcwright_units::{Nanos, visible_path};

use crate::arguments::{MetricsArguments, MetricsFormat, PolicyArguments};
use crate::commands::doctor::policy::Policy;
use crate::commands::server::{nanos, now};
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::observing::{Observing, explained};
use crate::output::{self, Pending};
use crate::preferences::preferences;
use crate::problem::Problem;

pub(crate) fn metrics(arguments: &MetricsArguments) -> Result<Exit, Problem> {
    let policy = Policy::of(&PolicyArguments::default())?;
    if let Some(address) = arguments.listen {
        return serve::serve(address, arguments, policy);
    }
    let Some(path) = &arguments.textfile else {
        let format = match arguments.format {
            MetricsFormat::OpenMetrics => TextFormat::OpenMetrics,
            MetricsFormat::Text => TextFormat::Plain,
        };
        let text = once(arguments, &policy)?.text(format);
        output::print(&text)?;
        return Ok(Exit::Fine);
    };
    refuse_what_is_not_read(path)?;
    let pending = Pending::begin(path)?;
    let text = once(arguments, &policy)?.text(TextFormat::Plain);
    pending.complete_for_all(&text)?;
    Ok(Exit::Fine)
}

/// The collector passes over files of other names without a word.
fn refuse_what_is_not_read(path: &Path) -> Result<(), Problem> {
    if path.extension() == Some(OsStr::new("prom")) {
        return Ok(());
    }
    let name = visible_path(path);
    Err(Problem::Usage(anyhow!("{name}: node_exporter reads files whose names end in .prom")))
}

/// Reads a machine once.
fn once(arguments: &MetricsArguments, policy: &Policy) -> Result<Families, Problem> {
    let begin = Instant::now();
    let (sources, read_at) = match &arguments.from {
        Some(path) => {
            let opened = open_whole(path).map_err(anyhow::Error::from)?;
            let made = opened.manifest.and_then(|manifest| manifest.time_s);
            (opened.sources, made.map(Nanos::secs))
        }
        None => (live(arguments)?, now()),
    };
    let read_in = arguments.from.is_none().then(|| nanos(begin.elapsed()));
    let machine = Machine::read(&sources);
    let judged = policy.applied(advise(&machine, Estimate::CountersOnly));
    let mut families = Families::default();
    families.add_machine(&machine, datasets(arguments));
    families.add_findings(&judged.advice, judged.is_verdict);
    let collection = Collection { read_at, read_in, judged_at: read_at, judged_in: read_in };
    families.add_collection(&collection, env!("CARGO_PKG_VERSION"));
    Ok(families)
}

fn live(arguments: &MetricsArguments) -> Result<Sources, Problem> {
    let interrupt = Interrupt::listen_and_end()?;
    let options = Options {
        root: arguments.root.clone(),
        tools: Tools::default().until(interrupt.flag()),
        window: preferences().window(arguments.window),
        smart: arguments.smart,
        ..Options::default()
    };
    let mut observing = Observing::new(interrupt);
    let found = observe(&options, &mut observing);
    if observing.finish() {
        return Err(Problem::Failed(anyhow!("stopped before the metrics were complete")));
    }
    Ok(found.map_err(explained)?)
}

const fn datasets(arguments: &MetricsArguments) -> DatasetSeries {
    if arguments.datasets { DatasetSeries::On } else { DatasetSeries::Off }
}
