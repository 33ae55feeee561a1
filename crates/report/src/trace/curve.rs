//! A miss-ratio curve: as rows with bars, as CSV, as JSON.

use arcwright_model::curve::{Curve, CurvePoint, knee};
use arcwright_units::{Bytes, Nanos, visible};
use schemars::JsonSchema;
use serde::Serialize;

use crate::table::{Tone, wrapped};
use crate::text::TextOptions;
use crate::version::FormVersion;

/// What was added to the JSON form since its first version.
const MINOR: u32 = 0;
/// Letters beside a bar: sizes, hits, their range, what doubling gains.
const BESIDE: usize = 46;
const BAR_MIN: usize = 10;
const BAR_MAX: usize = 50;

/// What a curve is of.
#[derive(Debug)]
pub struct CurveHead<'a> {
    /// The name of the trace's file.
    pub name: &'a str,
    /// The cache: LRU, or OpenZFS with its version.
    pub cache: &'a str,
    /// What a reader must know to trust the figures, one sentence each.
    pub notes: &'a [String],
}

/// `arcwright trace curve --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CurveAnswer<'a> {
    /// Version of this shape.
    output_version: FormVersion,
    /// The cache: LRU, or OpenZFS with its version.
    cache: &'a str,
    /// Reads that count; writes are neither hits nor misses.
    accesses: u64,
    /// Blocks or objects.
    blocks: u32,
    /// Bytes of all of them.
    footprint: u64,
    /// One in so many blocks was simulated; 1: all.
    one_in: u32,
    /// Sizes with what they find, in growing order.
    points: Vec<PointRow>,
    /// The ARC's bytes at the knee; absent where the curve has none.
    knee: Option<u64>,
    /// What a reader must know to trust the figures, one sentence each.
    notes: &'a [String],
}

/// One size.
#[derive(Debug, Serialize, JsonSchema)]
struct PointRow {
    /// Bytes of the ARC.
    arc_bytes: u64,
    /// Bytes of the L2ARC; 0: none.
    l2arc_bytes: u64,
    /// Hits of the ARC, from 0 to 1.
    hit_ratio: f64,
    /// Bytes of them of all bytes.
    byte_hit_ratio: f64,
    /// Hits of the L2ARC of all accesses.
    l2_hit_ratio: f64,
    /// Misses of both.
    miss_ratio: f64,
    /// The least and the most hits of both that other thinnings found.
    range: [f64; 2],
    /// Bytes written to the L2ARC.
    l2_written_bytes: u64,
}

/// Returns a curve as indented JSON with a final newline.
///
/// # Errors
/// The serializer's.
pub fn curve_json(curve: &Curve, head: &CurveHead<'_>) -> Result<String, serde_json::Error> {
    let answer = CurveAnswer {
        output_version: FormVersion::new("arcwright trace curve", MINOR),
        cache: head.cache,
        accesses: curve.counted,
        blocks: curve.blocks,
        footprint: curve.footprint.0,
        one_in: curve.one_in,
        points: curve.points.iter().map(row).collect(),
        knee: knee_of(curve).and_then(|at| curve.points.get(at)).map(|point| point.size.0),
        notes: head.notes,
    };
    serde_json::to_string_pretty(&answer).map(|text| text + "\n")
}

/// The knee of a curve over the ARC's size alone.
pub(crate) fn knee_of(curve: &Curve) -> Option<usize> {
    if has_one_l2arc(curve) { knee(&curve.points) } else { None }
}

fn has_one_l2arc(curve: &Curve) -> bool {
    let mut sizes = curve.points.iter().map(|point| point.l2arc);
    let first = sizes.next();
    sizes.all(|size| Some(size) == first)
}

fn row(point: &CurvePoint) -> PointRow {
    PointRow {
        arc_bytes: point.size.0,
        l2arc_bytes: point.l2arc.0,
        hit_ratio: point.hits,
        byte_hit_ratio: point.byte_hits,
        l2_hit_ratio: point.l2_hits,
        miss_ratio: misses(point),
        range: point.range,
        l2_written_bytes: point.l2_written.0,
    }
}

fn misses(point: &CurvePoint) -> f64 {
    (1.0 - point.hits - point.l2_hits).max(0.0)
}

/// Returns a curve as comma-separated lines with a header.
#[must_use]
pub fn curve_csv(curve: &Curve) -> String {
    let head = "arc_bytes,l2arc_bytes,hit_ratio,byte_hit_ratio,l2_hit_ratio,miss_ratio,least,most,\
                l2_written_bytes\n";
    let lines = curve.points.iter().map(row).map(|row| {
        let PointRow { arc_bytes, l2arc_bytes, hit_ratio, byte_hit_ratio, l2_hit_ratio, .. } = row;
        let (miss_ratio, [least, most], written) = (row.miss_ratio, row.range, row.l2_written_bytes);
        format!(
            "{arc_bytes},{l2arc_bytes},{hit_ratio},{byte_hit_ratio},{l2_hit_ratio},{miss_ratio},{least},{most},{written}\n"
        )
    });
    head.to_owned() + &lines.collect::<String>()
}

/// Returns a curve as rows with bars.
#[must_use]
pub fn curve_text(curve: &Curve, head: &CurveHead<'_>, options: &TextOptions) -> String {
    let count = |count: u64| options.precision.count(count);
    let bold = |text: &str| Tone::Strong.paint(text, options.colour);
    let mut text = bold(&format!("{}: what {} would find", visible(head.name), head.cache)) + "\n";
    text += &wrapped(
        "",
        &format!(
            "{} reads of {} blocks, {} in all{}",
            count(curve.counted),
            count(u64::from(curve.blocks)),
            curve.footprint,
            match curve.one_in {
                1 => String::new(),
                one_in => format!(
                    "; one block in {one_in} was simulated, three times, and ± says how far apart they were"
                ),
            }
        ),
        options.width,
    );
    text += "\n";
    let has_l2 = curve.points.iter().any(|point| point.l2arc > Bytes::ZERO);
    text += &bold(heading(has_l2, curve.one_in > 1).trim_end());
    text += "\n";
    let bar = options.width.saturating_sub(BESIDE).clamp(BAR_MIN, BAR_MAX);
    let knee = knee_of(curve);
    let rows = curve.points.iter().enumerate().map(|(index, point)| {
        let mark = if knee == Some(index) { "  < knee" } else { "" };
        line(point, bar, options.colour) + mark + "\n"
    });
    text.extend(rows);
    text += "\n";
    text += &conclusion(curve, knee, options);
    for note in head.notes {
        text += &wrapped("note: ", note, options.width);
    }
    text
}

fn heading(has_l2: bool, is_sampled: bool) -> String {
    let apart = if is_sampled { "± pts" } else { "" };
    match has_l2 {
        true => {
            format!("{:>9}  {:>9}  {:>7} {:>8}  {apart:>5}", "ARC", "L2ARC", "in ARC", "in both")
        }
        false => format!("{:>9}  {:>7} {:>8}  {apart:>5}", "ARC", "hits", "of bytes"),
    }
}

fn line(point: &CurvePoint, width: usize, colour: bool) -> String {
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let [least, most] = point.range;
    let apart = (most - least) * 50.0;
    let apart = if apart < 0.05 { String::new() } else { format!("{apart:.1}") };
    let cells = |share: f64| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "letters")]
        let cells = (share.clamp(0.0, 1.0) * width as f64).round() as usize;
        cells
    };
    let (first, both) = (cells(point.hits), cells(point.hits + point.l2_hits));
    let bar = format!(
        "{}{}{}",
        Tone::Good.paint(&"█".repeat(first), colour),
        Tone::Warn.paint(&"▒".repeat(both.saturating_sub(first)), colour),
        Tone::Faint.paint(&"·".repeat(width.saturating_sub(both.max(first))), colour)
    );
    let (arc, hits) = (point.size.to_string(), percent(point.hits));
    match point.l2arc {
        Bytes::ZERO => {
            format!("{arc:>9}  {hits:>7} {:>8}  {apart:>5}  {bar}", percent(point.byte_hits))
        }
        l2arc => format!(
            "{arc:>9}  {:>9}  {hits:>7} {:>8}  {apart:>5}  {bar}",
            l2arc.to_string(),
            percent(point.hits + point.l2_hits)
        ),
    }
}

/// Says where the curve bends, and what is missed by any size.
fn conclusion(curve: &Curve, knee: Option<usize>, options: &TextOptions) -> String {
    let Some(last) = curve.points.last() else {
        return wrapped("", "Nothing was computed.", options.width);
    };
    let found = |point: &CurvePoint| point.hits + point.l2_hits;
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let mut text = String::new();
    if let Some(point) = knee.and_then(|at| curve.points.get(at)) {
        let double = curve.points.iter().find(|one| one.size.0 >= point.size.0.saturating_mul(2));
        let more = double.map_or(String::new(), |double| {
            let gain = (found(double) - found(point)) * 100.0;
            format!("; {} would gain {gain:.1} points more", double.size)
        });
        let said = format!(
            "The knee is at {}: {} of reads are hits{more}.",
            point.size,
            percent(found(point))
        );
        text += &wrapped("", &said, options.width);
    } else if found(last) < 0.02 {
        let said = format!("No size up to {} finds much: nearly nothing is read again.", last.size);
        text += &wrapped("", &said, options.width);
    } else {
        text +=
            &wrapped("", "The curve has no knee: hits grow about as the size does.", options.width);
    }
    if last.size >= curve.footprint {
        let said = format!(
            "{} of reads miss at every size: they are the first to their block.",
            percent(misses(last))
        );
        text += &wrapped("", &said, options.width);
    }
    if last.l2_written > Bytes::ZERO && last.span > Nanos::ZERO {
        let days = last.span.as_secs_f64() / 86_400.0;
        let most = curve.points.iter().max_by_key(|point| point.l2_written);
        let most = most.map_or(0.0, |point| point.l2_written.0 as f64 / days / 1e12);
        let said = format!("The L2ARC would be written with up to {most:.2} TB a day.");
        text += &wrapped("", &said, options.width);
    }
    text
}
