//! Pages and charts on their way to files: begun before what they show is made, and there whole or not at all.
//!
//! A file that is there already is replaced if it is a page or a chart as this program writes them; another one stays.

use std::io::Read as _;
use std::path::Path;

use anyhow::anyhow;
use arcwright_report::{chart_svg, run_html};
use arcwright_scenario::Outcome;
use arcwright_units::visible_path;

use crate::arguments::{ChartName, Pages};
use crate::output::{self, Pending};
use crate::problem::Problem;

/// What every page and every chart begins with.
const BEGINNINGS: [&[u8]; 2] = [b"<!DOCTYPE html>\n<html lang=\"en\"", b"<svg xmlns="];
/// What every one says of itself.
const SIGNATURE: &str = "arcwright";

/// A file that will be a page.
#[derive(Debug)]
pub(crate) struct PendingPage {
    pending: Pending,
    shown: String,
}

/// Files that will be there beside what is printed.
#[derive(Debug)]
pub(crate) struct PendingPages {
    html: Option<PendingPage>,
    svg: Option<(PendingPage, ChartName)>,
}

impl PendingPage {
    /// Makes sure that the file can be written and that nothing of somebody else is lost.
    pub(crate) fn begin(path: &Path) -> Result<Self, Problem> {
        let shown = visible_path(path);
        let pending = Pending::begin(path)?;
        if !is_ours_or_new(path) {
            let why = format!("{shown} is there already and is no report; name another file");
            return Err(Problem::Usage(anyhow!(why)));
        }
        Ok(Self { pending, shown })
    }

    /// Writes the file and says so.
    pub(crate) fn complete(self, text: &str) -> anyhow::Result<()> {
        self.pending.complete(text)?;
        output::remark(&format!("wrote {}", self.shown));
        Ok(())
    }
}

impl PendingPages {
    pub(crate) fn begin(pages: &Pages) -> Result<Self, Problem> {
        let html = pages.html.as_deref().map(PendingPage::begin).transpose()?;
        let svg = pages.svg.as_deref().map(PendingPage::begin).transpose()?;
        Ok(Self { html, svg: svg.map(|page| (page, pages.chart)) })
    }

    /// Writes what was asked for.
    pub(crate) fn complete(self, outcome: &Outcome) -> Result<(), Problem> {
        if let Some(page) = self.html {
            page.complete(&run_html(outcome))?;
        }
        if let Some((page, chart)) = self.svg {
            let drawn = chart_svg(outcome, chart.kind())
                .map_err(|error| Problem::Failed(anyhow!("no chart to write: {error}")))?;
            page.complete(&drawn)?;
        }
        Ok(())
    }
}

/// Says whether a file is not there yet, is empty, or was written as a page.
fn is_ours_or_new(path: &Path) -> bool {
    // As much as holds the title of any page.
    const READ_MAX: u64 = 64 << 10;
    let Ok(file) = std::fs::File::open(path) else { return path.symlink_metadata().is_err() };
    let mut begin = Vec::new();
    if file.take(READ_MAX).read_to_end(&mut begin).is_err() {
        return false;
    }
    let is_page = BEGINNINGS.iter().any(|beginning| begin.starts_with(beginning));
    let text = String::from_utf8_lossy(&begin);
    begin.is_empty() || (is_page && text.contains(SIGNATURE))
}
