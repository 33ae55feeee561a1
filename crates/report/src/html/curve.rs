//! The page of a miss-ratio curve, and its chart as a file of its own.

use arcwright_model::curve::{Curve, CurvePoint};
use arcwright_units::{Bytes, visible};

use super::chart::curve::{CurveDrawing, CurveLine, Spot, draw};
use super::figure::{Caption, DataTable, chart};
use super::page::{CHART_STYLE, Page, list};
use super::run::section;
use super::svg::Described;
use crate::figures::Precision;
use crate::markup::Markup;
use crate::trace::{CurveHead, knee_of};

/// Returns the page of a curve.
#[must_use]
pub fn curve_html(curve: &Curve, head: &CurveHead<'_>) -> String {
    let (drawing, caption) = (drawing(curve), caption(curve, head));
    let title = title(head);
    let mut above = Markup::new();
    above.element("h1", &[], &title);
    above.open("section", &[("class", "answer"), ("aria-label", "Answer")]);
    above.element("p", &[], &said(curve));
    above.close("section");
    above.element("p", &[("class", "meta")], &about(curve));
    let mut body = chart(&caption, &|width| draw(&drawing, width), &table(curve));
    let mut parts = vec![(caption.id, caption.title)];
    let notes = list(head.notes.iter().map(String::as_str));
    if let Some((id, title, notes)) = section("notes", "How far to trust it", &notes) {
        parts.push((id, title));
        body.add(&notes);
    }
    Page { title: &title, head: above, parts, body }.render()
}

/// Returns the chart of a curve as a file of its own.
#[must_use]
pub fn curve_svg(curve: &Curve, head: &CurveHead<'_>) -> String {
    let caption = caption(curve, head);
    let described = Described {
        id: caption.id.to_owned(),
        title: title(head),
        description: caption.description.clone(),
    };
    let drawing = draw(&drawing(curve), super::chart::WIDE);
    drawing.alone(&described, CHART_STYLE).into_text() + "\n"
}

fn title(head: &CurveHead<'_>) -> String {
    format!("{}: what {} would find", visible(head.name), head.cache)
}

/// Returns where more memory stops to bring much.
fn said(curve: &Curve) -> String {
    let knee = knee_of(curve).and_then(|at| curve.points.get(at));
    match (knee, curve.points.last()) {
        (Some(knee), Some(last)) => format!(
            "The knee is at {}: {} of the reads are hits there, {} at {}.",
            knee.size,
            percent(found(knee)),
            percent(found(last)),
            last.size
        ),
        (None, Some(last)) => format!(
            "There is no knee: each doubling brings about as much, or nothing does. At {} {} of the reads are hits.",
            last.size,
            percent(found(last))
        ),
        (None | Some(_), None) => "No size was looked at to the end.".to_owned(),
    }
}

fn about(curve: &Curve) -> String {
    let rounded = Precision::Rounded;
    let sample = match curve.one_in {
        1 => String::new(),
        one_in => format!("; one block in {one_in} was simulated"),
    };
    format!(
        "{} reads of {} blocks, {} in all{sample}.",
        rounded.count(curve.counted),
        rounded.count(u64::from(curve.blocks)),
        curve.footprint
    )
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn found(point: &CurvePoint) -> f64 {
    (point.hits + point.l2_hits).clamp(0.0, 1.0)
}

/// Returns the sizes of L2ARC, in order.
fn l2arcs(curve: &Curve) -> Vec<Bytes> {
    let mut sizes: Vec<Bytes> = curve.points.iter().map(|point| point.l2arc).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

fn drawing(curve: &Curve) -> CurveDrawing {
    let line = |l2arc: Bytes| {
        let points = curve.points.iter().filter(|point| point.l2arc == l2arc);
        let spots = points.map(|point| Spot {
            size: point.size,
            hits: found(point),
            range: Some(point.range),
        });
        let name = match l2arc {
            Bytes::ZERO => "hits of the ARC".to_owned(),
            size => format!("hits of ARC and an L2ARC of {size}"),
        };
        CurveLine { name, spots: spots.collect() }
    };
    let knee = knee_of(curve).and_then(|at| curve.points.get(at)).map(|point| point.size);
    CurveDrawing { lines: l2arcs(curve).into_iter().map(line).collect(), knee, here: None }
}

fn caption(curve: &Curve, head: &CurveHead<'_>) -> Caption {
    let points = curve.points.iter().map(|point| {
        let l2arc = match point.l2arc {
            Bytes::ZERO => String::new(),
            size => format!(" with an L2ARC of {size}"),
        };
        format!("{}{l2arc}: {}", point.size, percent(found(point)))
    });
    Caption {
        id: "curve",
        title: "Hits by size",
        lead: match curve.one_in {
            1 => "Each step to the right doubles the ARC.".to_owned(),
            _ => "Each step to the right doubles the ARC. The band is where other samples of the blocks came out.".to_owned(),
        },
        description: format!(
            "A line of hits over the size of the ARC, of {}. {}.",
            head.cache,
            points.collect::<Vec<_>>().join("; ")
        ),
    }
}

fn table(curve: &Curve) -> Markup {
    let heads = ["ARC", "L2ARC", "ARC hits", "L2ARC hits", "misses", "least", "most", "bytes hit"];
    let mut table = DataTable::new(1, &heads);
    for point in &curve.points {
        let l2arc = match point.l2arc {
            Bytes::ZERO => String::new(),
            size => size.to_string(),
        };
        let l2_hits =
            if point.l2arc == Bytes::ZERO { String::new() } else { percent(point.l2_hits) };
        let [least, most] = point.range.map(percent);
        table.rows.push(vec![
            point.size.to_string(),
            l2arc,
            percent(point.hits),
            l2_hits,
            percent(1.0 - found(point)),
            least,
            most,
            percent(point.byte_hits),
        ]);
    }
    table.without_empty().markup("Hits by size")
}
