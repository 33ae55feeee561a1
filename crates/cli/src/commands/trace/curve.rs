//! `arcwright trace curve`: what caches of each size would find.

use std::borrow::Cow;

use anyhow::{Context as _, anyhow};
use arcwright_model::curve::{Curve, CurveCache, CurveQuestion, CurveQuestionError};
use arcwright_report::{CurveHead, curve_csv, curve_html, curve_json, curve_svg, curve_text};
use arcwright_units::Nanos;

use super::{jobs, load};
use crate::arguments::{CacheChoice, TraceCurveArguments};
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::output;
use crate::pages::PendingPage;
use crate::problem::Problem;

pub(super) fn curve(
    arguments: &TraceCurveArguments,
    interrupt: &Interrupt,
) -> Result<Exit, Problem> {
    let html = arguments.html.as_deref().map(PendingPage::begin).transpose()?;
    let svg = arguments.svg.as_deref().map(PendingPage::begin).transpose()?;
    let wrong = |error: CurveQuestionError| Problem::Usage(anyhow!(error));
    let question = question(arguments);
    question.check().map_err(wrong)?;
    let loaded = load(&arguments.trace, question.cache == CurveCache::Openzfs)?;
    // Requests that all have one time have none.
    let timed = loaded.file.source.timed && loaded.statistics.last > Nanos::ZERO;
    let work = question.prepared(Cow::Owned(loaded.trace), timed).map_err(wrong)?;
    let curve = work.finish(&jobs::all(&work.jobs(), interrupt, |job| work.run(job)));
    let stopped = interrupt.asked();
    let name = super::name_of(&arguments.trace);
    let head = CurveHead { name: &name, cache: &work.cache, notes: &work.notes };
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

fn question(arguments: &TraceCurveArguments) -> CurveQuestion {
    CurveQuestion {
        cache: match arguments.cache {
            CacheChoice::Openzfs => CurveCache::Openzfs,
            CacheChoice::Lru => CurveCache::Lru,
        },
        version: arguments.openzfs,
        arc: arguments.arc.clone(),
        l2arc: arguments.l2arc.clone(),
        write_max: arguments.write_max,
        rate: arguments.rate,
        exact: arguments.exact,
        sampled: arguments.sampled,
        block: arguments.trace.recordsize,
    }
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
    let options = output::text_options();
    output::print_page(&curve_text(curve, head, &options))
}
