//! The charts of a recording: which quantities stand together.

use std::borrow::Cow;

use arcwright_recording::{Timeline, TimelineColumns, TimelineMeasure as Of};

use super::over_time::{Entry, table};
use crate::html::axis::Quantity;
use crate::html::chart::history::{HistoryDrawing, HistoryPanel, Layer, Shape, draw};
use crate::html::figure::{self, Caption, DataTable};
use crate::markup::Markup;

/// A chart in the making.
pub(super) struct RecordingChart<'a> {
    pub(super) caption: Caption,
    drawing: HistoryDrawing<'a>,
    table: DataTable,
}

impl RecordingChart<'_> {
    pub(super) fn markup(&self) -> Markup {
        let table = self.table.markup(self.caption.title);
        figure::chart(&self.caption, &|width| draw(&self.drawing, width), &table)
    }
}

/// Disks that are drawn, the busiest; all are in the table.
const DISKS_MAX: usize = 16;

/// Returns the charts that a recording has something for.
pub(super) fn all(timeline: &Timeline) -> Vec<RecordingChart<'_>> {
    let charts = [throughput(timeline), asked(timeline), memory(timeline), writing(timeline)];
    charts.into_iter().chain([disks(timeline)]).flatten().collect()
}

/// What a plot is made from: a quantity, how it is drawn, and its name.
type Parts = &'static [(Of, Shape, &'static str, &'static str)];

use Shape::{Line, LineWithRange, Stacked};

const READ: Parts = &[
    (Of::DisksRead, Stacked, "stack disks", "from disks"),
    (Of::L2Read, Stacked, "stack l2arc", "from the L2ARC"),
    (Of::ProgramsRead, LineWithRange, "clients", "read by programs"),
];
const WRITTEN: Parts = &[
    (Of::ProgramsWritten, LineWithRange, "clients", "written by programs"),
    (Of::DisksWritten, Line, "to-disks", "to disks"),
    (Of::L2Written, Line, "of-l2arc", "to the L2ARC"),
    (Of::LogWritten, Line, "of-arc", "to log devices"),
];
const DEMAND: Parts = &[
    (Of::DemandDataHits, Stacked, "stack arc", "data, in the ARC"),
    (Of::DemandMetadataHits, Stacked, "stack arc ahead", "metadata, in the ARC"),
    (Of::DemandMetadataMisses, Stacked, "stack disks ahead", "metadata, missed"),
    (Of::DemandDataMisses, Stacked, "stack disks", "data, missed"),
];
const AHEAD: Parts = &[
    (Of::PrefetchDataHits, Stacked, "stack arc", "data, in the ARC already"),
    (Of::PrefetchMetadataHits, Stacked, "stack arc ahead", "metadata, in the ARC already"),
    (Of::PrefetchMetadataMisses, Stacked, "stack disks ahead", "metadata, missed"),
    (Of::PrefetchDataMisses, Stacked, "stack disks", "data, missed"),
];
const MISSES: Parts = &[
    (Of::L2Hits, Stacked, "stack l2arc", "in the L2ARC"),
    (Of::L2Misses, Stacked, "stack disks", "on disks"),
];
const ARC: Parts = &[
    (Of::ArcSize, Stacked, "stack arc", "size"),
    (Of::ArcTarget, Line, "of-target", "what it aims for"),
    (Of::ArcMax, Line, "of-limit", "its limit"),
];
const MEMORY: Parts = &[
    (Of::MemoryAvailable, LineWithRange, "clients", "what programs could get"),
    (Of::MemoryTotal, Line, "of-limit", "all"),
];
const L2ARC: Parts = &[(Of::L2Size, Stacked, "stack l2arc", "bytes on it")];
const COMMITS: Parts = &[(Of::Commits, LineWithRange, "clients", "commits of the intent log")];
const DIRTY: Parts = &[(Of::Dirty, LineWithRange, "clients", "dirty data of a group")];
const SYNCING: Parts = &[(Of::Syncing, LineWithRange, "clients", "time to write a group")];
const DELAYS: Parts = &[(Of::Delays, LineWithRange, "clients", "delayed transactions")];

/// Returns a quantity that was recorded.
pub(super) fn known(timeline: &Timeline, of: Of) -> Option<&TimelineColumns> {
    timeline.measures.get(&of).filter(|columns| !columns.is_empty())
}

/// Says whether a quantity was ever more than nothing.
pub(super) fn has(timeline: &Timeline, of: Of) -> bool {
    known(timeline, of).and_then(TimelineColumns::most).is_some_and(|most| most > 0.0)
}

/// Returns a plot of what was recorded of its parts; none where nothing was.
fn plot<'a>(
    timeline: &'a Timeline,
    title: &str,
    (quantity, parts): (Quantity, Parts),
) -> Option<HistoryPanel<'a>> {
    let layer = |(of, shape, class, name): &(Of, Shape, &'static str, &'static str)| {
        let columns = known(timeline, *of)?;
        Some(Layer { class, shape: *shape, name, columns: Cow::Borrowed(columns), factor: 1.0 })
    };
    let layers: Vec<Layer<'_>> = parts.iter().filter_map(layer).collect();
    let title = title.to_owned();
    (!layers.is_empty()).then_some(HistoryPanel {
        title,
        figure: String::new(),
        quantity,
        most: None,
        layers,
        is_low: false,
    })
}

/// Returns plots as a drawing; none without any.
fn drawing<'a>(
    timeline: &Timeline,
    plots: impl IntoIterator<Item = Option<HistoryPanel<'a>>>,
) -> Option<HistoryDrawing<'a>> {
    let plots: Vec<HistoryPanel<'a>> = plots.into_iter().flatten().collect();
    let (from, to) = (timeline.span.from, timeline.span.to);
    let length = to.saturating_sub(from).as_secs_f64().max(f64::MIN_POSITIVE);
    let place = |at: arcwright_units::Nanos| at.saturating_sub(from).as_secs_f64() / length;
    let gaps = timeline.span.gaps.iter().map(|gap| (place(gap.from), place(gap.to)));
    let second = |at: arcwright_units::Nanos| at.0 / 1_000_000_000;
    let drawing = HistoryDrawing { span: (second(from), second(to)), gaps: gaps.collect(), plots };
    (!drawing.plots.is_empty()).then_some(drawing)
}

/// Returns the columns of a table: every quantity of some plots.
fn entries(timeline: &Timeline, parts: &[(&'static str, Quantity, Parts)]) -> Vec<Entry> {
    let entries = parts.iter().flat_map(|(before, quantity, parts)| {
        parts.iter().map(move |(of, _, _, name)| Entry {
            head: if before.is_empty() { (*name).to_owned() } else { format!("{before}: {name}") },
            of: *of,
            quantity: *quantity,
        })
    });
    entries.filter(|entry| known(timeline, entry.of).is_some()).collect()
}

fn throughput(timeline: &Timeline) -> Option<RecordingChart<'_>> {
    let plots = [
        plot(timeline, "Read", (Quantity::Rate, READ)),
        plot(timeline, "Written", (Quantity::Rate, WRITTEN)),
    ];
    let drawing = drawing(timeline, plots)?;
    let unknown = match known(timeline, Of::ProgramsRead) {
        Some(_) => "",
        None => " What programs read and wrote was not counted: OpenZFS 0.8 and later do.",
    };
    let caption = Caption {
        id: "throughput",
        title: "Bytes over time",
        lead: format!(
            "What programs read and wrote, and what of that disks and the L2ARC had to do. Read by programs beyond what \
             devices read came from memory.{unknown}"
        ),
        description: "Throughput over time: read by programs as a line above what came from disks and the L2ARC, written \
                      likewise. The figures are in the table."
            .to_owned(),
    };
    let parts = [("", Quantity::Rate, READ), ("", Quantity::Rate, WRITTEN)];
    let table = table(timeline, &entries(timeline, &parts));
    Some(RecordingChart { caption, drawing, table })
}

fn asked(timeline: &Timeline) -> Option<RecordingChart<'_>> {
    let has_l2arc = has(timeline, Of::L2Size) || has(timeline, Of::L2Hits);
    let misses =
        plot(timeline, "Misses of the ARC: where they were", (Quantity::PerSecond, MISSES));
    let plots = [
        plot(timeline, "On demand: somebody waited for it", (Quantity::PerSecond, DEMAND)),
        plot(timeline, "Read ahead of demand", (Quantity::PerSecond, AHEAD)),
        misses.filter(|_| has_l2arc),
        hit_shares(timeline),
    ];
    let drawing = drawing(timeline, plots)?;
    let caption = Caption {
        id: "asked",
        title: "Where each access was answered",
        lead: "Accesses to blocks per second: what the ARC had, what it missed; data and metadata; on demand and read ahead. \
               The same blocks as bytes are in the chart above, which tells no classes."
            .to_owned(),
        description: "Stacked areas over time of hits and misses of the ARC. The figures are in the table.".to_owned(),
    };
    let mut parts =
        vec![("demand", Quantity::PerSecond, DEMAND), ("ahead", Quantity::PerSecond, AHEAD)];
    parts.extend(has_l2arc.then_some(("misses", Quantity::PerSecond, MISSES)));
    let table = table(timeline, &entries(timeline, &parts));
    Some(RecordingChart { caption, drawing, table })
}

/// Returns which share of accesses on demand the ARC had.
fn hit_shares(timeline: &Timeline) -> Option<HistoryPanel<'_>> {
    let layer = |class: &'static str, name: &'static str, (hits, misses): (Of, Of)| {
        let share = TimelineColumns::share(&[known(timeline, hits)?], &[known(timeline, misses)?]);
        let columns = Cow::Owned(share);
        Some(Layer { class, shape: Line, name, columns, factor: 100.0 })
    };
    let layers = [
        layer("of-arc", "data", (Of::DemandDataHits, Of::DemandDataMisses)),
        layer("of-more", "metadata", (Of::DemandMetadataHits, Of::DemandMetadataMisses)),
    ];
    let layers: Vec<Layer<'_>> = layers.into_iter().flatten().collect();
    let title = "Hits of the ARC on demand".to_owned();
    let most = Some(100.0);
    let plot = HistoryPanel {
        title,
        figure: String::new(),
        quantity: Quantity::Percent,
        most,
        layers,
        is_low: false,
    };
    (!plot.layers.is_empty()).then_some(plot)
}

fn memory(timeline: &Timeline) -> Option<RecordingChart<'_>> {
    let l2arc = plot(timeline, "L2ARC", (Quantity::Size, L2ARC));
    let plots = [
        plot(timeline, "ARC", (Quantity::Size, ARC)),
        plot(timeline, "The machine's memory", (Quantity::Size, MEMORY)),
        l2arc.filter(|_| has(timeline, Of::L2Size)),
    ];
    let drawing = drawing(timeline, plots)?;
    let caption = Caption {
        id: "memory",
        title: "Memory",
        lead: "The ARC shrinks when programs want memory; a target far below the limit says that they do.".to_owned(),
        description: "Size of the ARC over time with its target and its limit, and the machine's memory.".to_owned(),
    };
    let parts = [
        ("ARC", Quantity::Size, ARC),
        ("memory", Quantity::Size, MEMORY),
        ("L2ARC", Quantity::Size, L2ARC),
    ];
    let table = table(timeline, &entries(timeline, &parts));
    Some(RecordingChart { caption, drawing, table })
}

fn writing(timeline: &Timeline) -> Option<RecordingChart<'_>> {
    let delays = plot(timeline, "Throttled writers", (Quantity::PerSecond, DELAYS));
    let plots = [
        plot(timeline, "Somebody waited for stable storage", (Quantity::PerSecond, COMMITS)),
        plot(timeline, "Dirty data", (Quantity::Size, DIRTY)),
        plot(timeline, "Transaction groups", (Quantity::Time, SYNCING)),
        delays.filter(|_| has(timeline, Of::Delays)),
    ];
    let drawing = drawing(timeline, plots)?;
    let unknown = match known(timeline, Of::Dirty) {
        Some(_) => "Dirty data and times are of the last group that each pool had written.",
        None => {
            "Dirty data and transaction groups are not in this recording; arcwright serve keeps them."
        }
    };
    let caption = Caption {
        id: "writing",
        title: "Writing",
        lead: unknown.to_owned(),
        description:
            "Commits of the intent log over time, and transaction groups where they were recorded."
                .to_owned(),
    };
    let parts = [
        ("", Quantity::PerSecond, COMMITS),
        ("", Quantity::Size, DIRTY),
        ("", Quantity::Time, SYNCING),
        ("", Quantity::PerSecond, DELAYS),
    ];
    let table = table(timeline, &entries(timeline, &parts));
    Some(RecordingChart { caption, drawing, table })
}

fn disks(timeline: &Timeline) -> Option<RecordingChart<'_>> {
    const ALL: f64 = 100.0;
    let disks = super::tables::by_busyness(timeline);
    let plots = disks.iter().take(DISKS_MAX).map(|(name, disk)| {
        let mean = disk.busy.mean()?;
        let layer = Layer {
            class: "clients",
            shape: LineWithRange,
            name: "busy",
            columns: Cow::Borrowed(&disk.busy),
            factor: ALL,
        };
        let busy = Quantity::Percent.text(mean * ALL);
        Some(HistoryPanel {
            title: format!("{name} ({})", disk.role),
            figure: format!("busy {busy}"),
            quantity: Quantity::Percent,
            most: Some(ALL),
            layers: vec![layer],
            is_low: true,
        })
    });
    let drawing = drawing(timeline, plots)?;
    let more = disks.len().saturating_sub(DISKS_MAX);
    let more = if more > 0 { format!(" {more} more are in the table.") } else { String::new() };
    let caption = Caption {
        id: "disks",
        title: "Disks",
        lead: format!(
            "How much of the time each disk of a pool had something to do, the busiest first.{more}"
        ),
        description:
            "A line for each disk: how busy it was over time. The figures are in the table."
                .to_owned(),
    };
    Some(RecordingChart { caption, drawing, table: super::tables::disks(&disks) })
}
