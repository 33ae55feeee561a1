//! What a trace holds.

use arcwright_units::{Bytes, Nanos, Ratio, visible};
use arcwright_workload::traces::{
    Addressing, RequestKind, Trace, TraceFormat, TraceSource, TraceStatistics,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::table::wrapped;
use crate::text::TextOptions;
use crate::version::FormVersion;

/// What was added to the JSON form since its first version.
const MINOR: u32 = 0;
/// Devices or files, and sizes, that the text names.
const NAMED: usize = 5;

/// Where a trace is from.
#[derive(Debug)]
pub struct TraceHead<'a> {
    /// The name of its file.
    pub name: &'a str,
    /// Its format.
    pub format: TraceFormat,
    /// How it is packed.
    pub packing: &'static str,
    /// What it spoke of.
    pub source: &'a TraceSource,
    /// Its counts.
    pub statistics: &'a TraceStatistics,
    /// Its blocks.
    pub trace: &'a Trace,
}

/// `arcwright trace info --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct InfoAnswer {
    /// Version of this shape.
    output_version: FormVersion,
    /// Name of the format, as `--format` takes it.
    format: &'static str,
    /// How the file is packed: plain, gzip, zstd, xz.
    packing: &'static str,
    /// Whether places are bytes of devices or files, or numbers of objects: bytes, objects.
    places: &'static str,
    /// Seconds between the first and the last request; absent where the format has no times.
    seconds: Option<f64>,
    /// Reads, writes, flushes, trims with their bytes.
    kinds: Vec<KindRow>,
    /// Devices or files, most requests first.
    volumes: Vec<VolumeRow>,
    /// The most frequent sizes of reads and writes; bytes of 0: the format says none.
    sizes: Vec<SizeRow>,
    /// Share of reads and writes that begin where the one before on the same device or file ended; absent for objects.
    sequential: Option<f64>,
    /// Reads and writes of blocks or objects.
    accesses: u64,
    /// Blocks or objects that were accessed.
    blocks: u64,
    /// Bytes of a block; absent where objects have sizes of their own.
    block_bytes: Option<u64>,
    /// Bytes of all of them: a cache of this size would hold everything.
    footprint: u64,
    /// Blocks that were accessed once alone.
    once: u64,
}

/// One kind of request.
#[derive(Debug, Serialize, JsonSchema)]
struct KindRow {
    /// read, write, flush, trim.
    kind: &'static str,
    /// How many.
    requests: u64,
    /// Their bytes.
    bytes: u64,
}

/// One device or file.
#[derive(Debug, Serialize, JsonSchema)]
struct VolumeRow {
    /// Its name.
    name: String,
    /// Reads and writes.
    requests: u64,
    /// Their bytes.
    bytes: u64,
}

/// One size.
#[derive(Debug, Serialize, JsonSchema)]
struct SizeRow {
    /// Bytes of a request.
    bytes: u32,
    /// How many reads and writes have it.
    requests: u64,
}

/// Returns what a trace holds as indented JSON with a final newline.
///
/// # Errors
/// The serializer's.
pub fn info_json(head: &TraceHead<'_>) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(&answer(head, usize::MAX)).map(|text| text + "\n")
}

/// Returns what a trace holds as text.
#[must_use]
pub fn info_text(head: &TraceHead<'_>, options: &TextOptions) -> String {
    let answer = answer(head, NAMED);
    let count = |count: u64| options.precision.count(count);
    let mut lines = vec![format!("{}: {}, {}", visible(head.name), answer.format, answer.packing)];
    let mut line = |label: &str, text: String| {
        let lead = format!("  {label:<12}");
        lines.push(wrapped(&lead, &text, options.width).trim_end().to_owned());
    };
    match answer.seconds {
        Some(seconds) if seconds <= 0.0 => line("time", "the same for all".to_owned()),
        Some(seconds) => line("time", Nanos::from_secs_f64(seconds).to_string()),
        None => line("time", "not said by this format".to_owned()),
    }
    for row in &answer.kinds {
        let bytes = match row.bytes {
            0 => String::new(),
            bytes => format!(", {}", Bytes(bytes)),
        };
        line(plural(row.kind), format!("{}{bytes}", count(row.requests)));
    }
    let all = head.statistics.accesses();
    let of_all = |part: u64| Ratio::new(part, all.requests).to_string();
    let sizes = answer.sizes.iter().filter(|row| row.bytes > 0);
    let sizes: Vec<String> = sizes
        .map(|row| format!("{} ({})", Bytes(u64::from(row.bytes)), of_all(row.requests)))
        .collect();
    match sizes.is_empty() {
        true => line("sizes", "not said by this format".to_owned()),
        false => line("sizes", sizes.join(", ")),
    }
    if answer.sequential.is_some() {
        line(
            "in a row",
            format!(
                "{} of them begin where the one before ended",
                of_all(head.statistics.sequential)
            ),
        );
    }
    if answer.volumes.len() > 1 {
        let named = answer.volumes.iter();
        let named = named.map(|row| format!("{} ({})", visible(&row.name), of_all(row.requests)));
        let named: Vec<String> = named.collect();
        let more = head.source.volumes.count().saturating_sub(named.len());
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        line("on", format!("{}{more}", named.join(", ")));
    }
    let (what, each) = match answer.block_bytes {
        Some(bytes) => ("blocks", format!(" of {}", Bytes(bytes))),
        None => ("objects", String::new()),
    };
    let footprint = match answer.footprint {
        0 => String::new(),
        bytes => format!(", {} in all", Bytes(bytes)),
    };
    line(what, format!("{}{each}{footprint}", count(answer.blocks)));
    let once = Ratio::new(answer.once, answer.blocks);
    let again = Ratio::new(answer.accesses - answer.blocks, answer.accesses);
    line(
        "used again",
        format!(
            "{again} of {} accesses are to {what} that came before; {once} of the {what} come once",
            count(answer.accesses)
        ),
    );
    lines.join("\n") + "\n"
}

fn plural(kind: &str) -> &'static str {
    match kind {
        "read" => "reads",
        "write" => "writes",
        "flush" => "flushes",
        _ => "trims",
    }
}

fn answer(head: &TraceHead<'_>, named: usize) -> InfoAnswer {
    let TraceHead { source, statistics, trace, .. } = head;
    let kinds = RequestKind::ALL.into_iter().map(|kind| (kind.name(), statistics.kind(kind)));
    let kinds = kinds.filter(|(_, amount)| amount.requests > 0).map(|(kind, amount)| KindRow {
        kind,
        requests: amount.requests,
        bytes: amount.bytes,
    });
    let volumes = statistics.volumes.iter().zip(0u32..).filter_map(|(amount, index)| {
        let name = source.volumes.name(index)?;
        Some(VolumeRow { name, requests: amount.requests, bytes: amount.bytes })
    });
    let mut volumes: Vec<VolumeRow> = volumes.collect();
    volumes.sort_by_key(|row| std::cmp::Reverse(row.requests));
    volumes.truncate(named);
    let sizes = statistics.usual_sizes(named).into_iter();
    let accesses = statistics.accesses().requests;
    let is_bytes = source.addressing == Addressing::Bytes;
    InfoAnswer {
        output_version: FormVersion::new("arcwright trace info", MINOR),
        format: head.format.name(),
        packing: head.packing,
        places: if is_bytes { "bytes" } else { "objects" },
        seconds: source.timed.then(|| statistics.last.as_secs_f64()),
        kinds: kinds.collect(),
        volumes,
        sizes: sizes.map(|(bytes, requests)| SizeRow { bytes, requests }).collect(),
        sequential: (is_bytes && accesses > 0)
            .then(|| statistics.sequential as f64 / accesses as f64),
        accesses: trace.accesses.len() as u64,
        blocks: u64::from(trace.pages),
        block_bytes: (trace.block_bytes > 0).then_some(trace.block_bytes),
        footprint: trace.bytes.iter().map(|bytes| u64::from(*bytes)).sum(),
        once: once(trace),
    }
}

fn once(trace: &Trace) -> u64 {
    let mut uses = vec![0u8; trace.pages as usize];
    for block in &trace.accesses {
        if let Some(uses) = uses.get_mut(*block as usize) {
            *uses = uses.saturating_add(1);
        }
    }
    uses.iter().filter(|uses| **uses == 1).count() as u64
}
