//! `arcwright trace curve`: what caches of each size would find.

use anyhow::{Context as _, anyhow};
use arcwright_model::curve::{
    CacheSizes, Curve, CurvePlan, PlannedCurve, footprint, handy_sizes, lru_curve,
};
use arcwright_report::{
    CurveHead, TextOptions, curve_csv, curve_html, curve_json, curve_svg, curve_text,
};
use arcwright_tunables::Version;
use arcwright_units::{Bytes, Nanos};
use arcwright_workload::traces::Trace;

use super::{jobs, load};
use crate::arguments::{CacheChoice, TraceCurveArguments};
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::output;
use crate::pages::PendingPage;
use crate::problem::Problem;

/// Accesses a second of a trace without times, where nothing but the ARC is simulated: it looks at times only to tell
/// uses that are less than 62 ms apart.
const RATE: u64 = 2000;
/// The newest release that the model is held against.
const NEWEST: &str = "2.4.4";

pub(super) fn curve(
    arguments: &TraceCurveArguments,
    interrupt: &Interrupt,
) -> Result<Exit, Problem> {
    check(arguments)?;
    let html = arguments.html.as_deref().map(PendingPage::begin).transpose()?;
    let svg = arguments.svg.as_deref().map(PendingPage::begin).transpose()?;
    let loaded = load(&arguments.trace, arguments.cache == CacheChoice::Openzfs)?;
    let mut trace = loaded.trace;
    // Requests that all have one time have none.
    let has_times = loaded.file.source.timed && loaded.statistics.last > Nanos::ZERO;
    let timed = has_times && arguments.rate.is_none();
    if !timed {
        trace.millis.clear();
        if !arguments.l2arc.is_empty() && arguments.rate.is_none() {
            return Err(Problem::Usage(anyhow!(
                "the trace has no times, and an L2ARC is fed by the second; say how many accesses a second with --rate"
            )));
        }
    }
    let mut notes = Vec::new();
    give_sizes(&mut trace, arguments.trace.recordsize, &mut notes);
    let (curve, cache) = match arguments.cache {
        CacheChoice::Lru => (lru_curve(&trace, &sizes(arguments, &trace)), "an LRU".to_owned()),
        CacheChoice::Openzfs => {
            if !timed && arguments.rate.is_none() {
                notes.push(format!(
                    "The trace has no times; {RATE} accesses a second are assumed (--rate)."
                ));
            }
            notes.push(
                "The ARC holds the trace's blocks alone: no metadata, no prefetch; ARC sizes are what \
                 is left for data."
                    .to_owned(),
            );
            simulated(arguments, &trace, interrupt)
        }
    };
    let stopped = interrupt.asked();
    let name = super::name_of(&arguments.trace);
    let head = CurveHead { name: &name, cache: &cache, notes: &notes };
    if let Some(page) = html {
        page.complete(&curve_html(&curve, &head))?;
    }
    if let Some(page) = svg {
        page.complete(&curve_svg(&curve, &head))?;
    }
    show(&curve, &head, arguments)?;
    if stopped {
        output::remark("stopped early: the curve has only the points that finished");
        return Ok(Exit::Failed);
    }
    Ok(Exit::Fine)
}

fn check(arguments: &TraceCurveArguments) -> Result<(), Problem> {
    let is_lru = arguments.cache == CacheChoice::Lru;
    let zfs_alone = [
        ("--l2arc", !arguments.l2arc.is_empty()),
        ("--openzfs", arguments.openzfs.is_some()),
        ("--rate", arguments.rate.is_some()),
        ("--exact", arguments.exact),
    ];
    match zfs_alone.iter().find(|(_, given)| *given && is_lru) {
        Some((name, _)) => Err(Problem::Usage(anyhow!("{name} says nothing about an LRU"))),
        None => Ok(()),
    }
}

/// Gives blocks whose size the trace does not say one.
fn give_sizes(trace: &mut Trace, size: Bytes, notes: &mut Vec<String>) {
    let size = u32::try_from(size.0).unwrap_or(u32::MAX);
    let mut given = false;
    for bytes in trace.bytes.iter_mut().filter(|bytes| **bytes == 0) {
        *bytes = size;
        given = true;
    }
    if given {
        let size = Bytes(u64::from(size));
        notes.push(format!(
            "The trace says no sizes; each block is taken as {size} (--recordsize)."
        ));
    }
}

fn sizes(arguments: &TraceCurveArguments, trace: &Trace) -> Vec<Bytes> {
    let mut sizes = match arguments.arc.is_empty() {
        true => handy_sizes(footprint(trace)),
        false => arguments.arc.clone(),
    };
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

fn simulated(
    arguments: &TraceCurveArguments,
    trace: &Trace,
    interrupt: &Interrupt,
) -> (Curve, String) {
    let version = arguments.openzfs.or_else(|| Version::parse(NEWEST));
    let l2arcs = match arguments.l2arc.is_empty() {
        true => vec![Bytes::ZERO],
        false => arguments.l2arc.clone(),
    };
    let both = sizes(arguments, trace).into_iter().flat_map(|arc| {
        l2arcs.iter().map(move |l2arc| CacheSizes { arc, l2arc: *l2arc }).collect::<Vec<_>>()
    });
    let planned = PlannedCurve {
        in_user_space: false,
        version,
        sizes: both.collect(),
        write_max: arguments.write_max,
        step: Nanos(Nanos::SECOND.0 / arguments.rate.unwrap_or(RATE)),
        exact: arguments.exact,
    };
    let plan = CurvePlan::new(trace, planned);
    let results = jobs::all(&plan.jobs(), interrupt, |job| plan.run(job));
    let version = version.map(|version| format!(" {version}")).unwrap_or_default();
    let l2arc = if arguments.l2arc.is_empty() { "" } else { " and L2ARC" };
    (plan.finish(&results), format!("the ARC{l2arc} of OpenZFS{version}"))
}

fn show(
    curve: &Curve,
    head: &CurveHead<'_>,
    arguments: &TraceCurveArguments,
) -> anyhow::Result<()> {
    if arguments.json {
        let json = curve_json(curve, head).context("failed to write JSON")?;
        return output::print_json(&json);
    }
    if arguments.csv {
        return output::print(&curve_csv(curve));
    }
    let out = std::io::stdout();
    let options = TextOptions {
        width: output::width(&out),
        colour: output::colour_wanted(&out),
        ..TextOptions::default()
    };
    output::print_page(&curve_text(curve, head, &options))
}
