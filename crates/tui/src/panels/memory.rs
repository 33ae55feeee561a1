//! The memory: what programs have, what the ARC has and of what, what is free; and the ARC's size against its target.

use arcwright_units::Bytes;
use ratatui::text::Line;

use super::{Need, Sheet};
use crate::counts::{Count, Counts};
use crate::format;
use crate::rates::float;
use crate::text::{Part, bar, flow};

/// The bar, its legend, the target.
const LEAST: u16 = 4;

pub(super) fn need(sheet: &Sheet<'_>, columns: u16) -> Need {
    let best = u16::try_from(lines(sheet, columns).len()).unwrap_or(LEAST).max(LEAST);
    Need { least: LEAST, best, ..Need::default() }
}

pub(super) fn lines(sheet: &Sheet<'_>, columns: u16) -> Vec<Line<'static>> {
    let Some(now) = sheet.board.history.now() else {
        return vec![Line::styled("no reading yet", sheet.board.palette.dim())];
    };
    let columns = usize::from(columns);
    let palette = sheet.board.palette;
    let (memory, arc) = (&now.memory, &now.arc);
    let metadata = arc.metadata.unwrap_or(0).min(arc.size.unwrap_or(0));
    let rest = arc.size.unwrap_or(0) - metadata;
    // What neither the ARC nor anybody could have at once, programs and the kernel have. Where the parts are more than the
    // whole, as in the lab, whose memory has no programs, the split is not known.
    let programs = memory
        .total
        .zip(memory.available)
        .and_then(|(total, available)| total.checked_sub(available)?.checked_sub(arc.size?));
    let mut shares =
        vec![(float(rest), palette.arc(), '█'), (float(metadata), palette.metadata(), '▓')];
    let mut parts: Vec<Part> = Vec::new();
    match programs {
        Some(programs) => {
            shares.insert(0, (float(programs), palette.programs(), '▒'));
            shares.push((memory.available.map_or(0.0, float), palette.dim(), '░'));
            parts.push((
                Some(('▒', palette.programs())),
                format!("programs {}", amount(Some(programs))),
            ));
        }
        None => {
            let free = arc.target_max.unwrap_or(0).saturating_sub(arc.size.unwrap_or(0));
            shares.push((float(free), palette.dim(), '░'));
        }
    }
    parts.push((Some(('█', palette.arc())), format!("ARC {}", amount(arc.size))));
    if programs.is_some() {
        let free = format!("free or reclaimable {}", amount(memory.available));
        parts.push((Some(('░', palette.dim())), free));
    }
    let mut lines = vec![Line::from(bar(&shares, columns))];
    lines.extend(flow(parts, columns));
    lines.extend(flow(facts(sheet, now), columns));
    lines
}

/// Returns what is said of the ARC's size, the most important first.
fn facts(sheet: &Sheet<'_>, now: &Counts) -> Vec<Part> {
    let (arc, memory) = (&now.arc, &now.memory);
    let named = |name: &str, size: Count| (None, format!("{name} {}", amount(size)));
    let mut facts = vec![named("target", arc.target), named("max", arc.target_max)];
    let ghosts = sheet.rates.as_ref().and_then(|rates| rates.ghost_hits);
    // A few are no sign of anything.
    let lost = ghosts.filter(|ghosts| *ghosts >= 0.5);
    facts.extend(
        lost.map(|lost| (None, format!("lost too early {:<8}", format::per_second(Some(lost))))),
    );
    if arc.metadata.is_some() {
        let sign = Some(('▓', sheet.board.palette.metadata()));
        facts.push((sign, format!("metadata {}", amount(arc.metadata))));
    }
    facts.extend(arc.headers.map(|_| named("headers", arc.headers)));
    facts.extend(memory.total.map(|_| named("memory", memory.total)));
    facts
}

/// Prints a size in columns that do not change with it.
fn amount(size: Count) -> String {
    let text = size.map_or_else(|| format::ABSENT.to_owned(), |size| Bytes(size).to_string());
    format!("{text:<8}")
}
