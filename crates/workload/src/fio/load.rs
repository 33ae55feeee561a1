//! What a job reads and writes: kind, order, sizes of requests and of files, amounts.

use arcwright_units::{Bytes, Rate};

use super::error::Checked;
use super::job::Options;
use super::text::Entry;
use crate::{Action, Pattern};

/// The least of a job that runs until its time is over: more than a day at 10 GiB/s.
const ENDLESS: Bytes = Bytes::gib(1 << 20);
/// No program asks for more at once.
const IO_MAX: Bytes = Bytes::gib(1);

/// Whether a job reads or writes, and in which order.
#[derive(Debug, Clone, PartialEq)]
pub struct Kind {
    /// What it does.
    pub action: Action,
    /// The order in which it does so.
    pub pattern: Pattern,
}

/// Bytes per request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Requests {
    /// The least.
    pub io: Bytes,
    /// The most, when sizes are drawn in steps of the least.
    pub io_max: Option<Bytes>,
}

/// How large files are and how much is moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Amounts {
    /// Each file.
    pub file_size: Bytes,
    /// How many files a clone works on.
    pub files: u32,
    /// What each clone moves.
    pub amount: Bytes,
}

impl Kind {
    /// Returns whether it writes alone.
    #[must_use]
    pub fn is_write(&self) -> bool {
        self.action == Action::Write
    }

    /// Returns whether it writes at all.
    #[must_use]
    pub const fn writes(&self) -> bool {
        self.action.writes()
    }

    const fn is_sequential(&self) -> bool {
        matches!(self.pattern, Pattern::Sequential | Pattern::SequentialApart)
    }
}

/// Reads `rw` and what it is mixed of.
pub(super) fn kind(options: &Options<'_>) -> Checked<Kind> {
    let entry = options.get("rw");
    let text = entry.map_or(Ok("read"), Entry::text)?;
    let (name, suffix) = text.split_once(':').unwrap_or((text, ""));
    let (action, is_random) = match name {
        "read" => (Action::Read, false),
        "write" => (Action::Write, false),
        "randread" => (Action::Read, true),
        "randwrite" => (Action::Write, true),
        "rw" | "readwrite" => (mixed(options)?, false),
        "randrw" => (mixed(options)?, true),
        _ => return Err(unknown_rw(options, name)),
    };
    let plain_suffix = if is_random { "1" } else { "0" };
    if let Some(entry) = entry
        && !suffix.is_empty()
        && suffix != plain_suffix
    {
        let what = if is_random { "runs of requests" } else { "holes between requests" };
        let error = entry.fault(format!("“rw={text}”: {what} are not modelled"));
        return Err(error.hint(format!("write rw={name}")));
    }
    let pattern = match (is_random, &action) {
        (true, _) => random(options)?,
        (false, Action::Mixed { .. }) => Pattern::SequentialApart,
        (false, _) => Pattern::Sequential,
    };
    Ok(Kind { action, pattern })
}

fn mixed(options: &Options<'_>) -> Checked<Action> {
    let Some(entry) = options.last_of(["rwmixread", "rwmixwrite"]) else {
        return Ok(Action::Mixed { read_pct: 50 });
    };
    let share = entry.percent()?;
    let read_pct = if entry.name == "rwmixread" { share } else { 100 - share };
    Ok(Action::Mixed { read_pct })
}

fn unknown_rw(options: &Options<'_>, name: &str) -> super::FioError {
    let message = format!("“rw={name}” is unknown");
    let error =
        options.get("rw").map_or_else(|| options.fault("has no rw"), |rw| rw.fault(message));
    if name.contains("trim") {
        return error.hint("files are read and written, not trimmed");
    }
    const KNOWN: [&str; 6] = ["read", "write", "randread", "randwrite", "rw", "randrw"];
    let error = error.nearest(name, KNOWN.into_iter());
    let is_alike = error.hint.is_some();
    if is_alike { error } else { error.hint(format!("known are: {}", KNOWN.join(", "))) }
}

/// Returns the order of a random job.
fn random(options: &Options<'_>) -> Checked<Pattern> {
    if let Some(entry) = options.get("percentage_random") {
        match entry.text()?.trim_end_matches('%') {
            "100" => {}
            "0" if matches!(mixed_or_not(options)?, Action::Mixed { .. }) => {
                return Ok(Pattern::SequentialApart);
            }
            "0" => return Ok(Pattern::Sequential),
            _ => return Err(entry.must("be 0 or 100: a client is random or sequential")),
        }
    }
    let uniform = if options.flag("norandommap")? { Pattern::Random } else { Pattern::Shuffled };
    let Some(entry) = options.get("random_distribution") else { return Ok(uniform) };
    let text = entry.text()?;
    let (name, rest) = text.split_once(':').unwrap_or((text, ""));
    match name {
        "random" => Ok(uniform),
        "zipf" => {
            let exponent = if rest.is_empty() { Some(1.1) } else { rest.parse().ok() };
            let exponent =
                exponent.filter(|exponent: &f64| exponent.is_finite() && *exponent > 0.0);
            let rule = "be zipf with an exponent above zero, such as zipf:1.2";
            exponent.map(|exponent| Pattern::Zipf { exponent }).ok_or_else(|| entry.must(rule))
        }
        "pareto" | "normal" | "zoned" | "zoned_abs" => {
            let error = entry.fault(format!("“random_distribution={name}” is not modelled"));
            Err(error.hint("known are: random, and zipf with its exponent"))
        }
        _ => {
            let error = entry.fault(format!("fio has no “random_distribution={name}”"));
            Err(error.nearest(name, ["random", "zipf"].into_iter()))
        }
    }
}

fn mixed_or_not(options: &Options<'_>) -> Checked<Action> {
    match options.get("rw").and_then(|entry| entry.value.as_deref()) {
        Some(rw) if rw.starts_with("randrw") => mixed(options),
        _ => Ok(Action::Read),
    }
}

/// Reads the sizes of requests.
pub(super) fn requests(options: &Options<'_>, kind: &Kind) -> Checked<Requests> {
    let base = options.base()?;
    if let Some(entry) = options.get("bssplit") {
        let one = entry.text()?.strip_suffix("/100").filter(|size| !size.contains([':', ',']));
        let Some(size) = one else {
            let error = entry.fault("“bssplit”: size distributions are not modelled");
            return Err(error.hint("write bs, or bsrange for sizes drawn evenly"));
        };
        return fixed(entry, entry.size_of(size, base)?);
    }
    match options.last_of(["bs", "bsrange"]) {
        None => Ok(Requests { io: Bytes::kib(4), io_max: None }),
        Some(entry) if entry.name == "bs" => {
            let sizes = by_direction(entry, kind)?;
            let size = entry.size_of(sizes, base)?;
            fixed(entry, size)
        }
        Some(entry) => {
            let range = by_direction(entry, kind)?;
            let Some((least, most)) = range.split_once('-').or_else(|| range.split_once(':'))
            else {
                return Err(entry.must("be a range such as 4k-16k"));
            };
            let (io, most) = (entry.size_of(least, base)?, entry.size_of(most, base)?);
            if most < io || !most.0.is_multiple_of(io.0) {
                let error = entry.must("end at a multiple of its begin");
                return Err(error.hint("sizes are drawn in steps of the least"));
            }
            let io_max = (most > io).then_some(most);
            fixed(entry, most).map(|_| Requests { io, io_max })
        }
    }
}

fn fixed(entry: &Entry, io: Bytes) -> Checked<Requests> {
    match io <= IO_MAX {
        true => Ok(Requests { io, io_max: None }),
        false => Err(entry.must(&format!("not be above {IO_MAX}"))),
    }
}

/// Returns the part of `read,write,trim` that a job uses; both must be one for a mixed job.
fn by_direction<'a>(entry: &'a Entry, kind: &Kind) -> Checked<&'a str> {
    let text = entry.text()?;
    let mut parts = text.split(',').map(str::trim);
    let read = parts.next().unwrap_or_default();
    let write = parts.next().filter(|write| !write.is_empty()).unwrap_or(read);
    match kind.action {
        Action::Read => Ok(read),
        Action::Write => Ok(write),
        _ if read == write => Ok(read),
        _ => {
            let error = entry.fault(format!(
                "“{}={text}”: a client's reads and writes have the same options",
                entry.name
            ));
            Err(error.hint("write two jobs, one that reads and one that writes"))
        }
    }
}

/// Reads how large files are and how much is moved.
pub(super) fn amounts(
    options: &Options<'_>,
    kind: &Kind,
    io: Bytes,
    filenames: Option<&[String]>,
) -> Checked<Amounts> {
    let files = match filenames {
        Some(names) => u32::try_from(names.len()).unwrap_or(u32::MAX),
        None => options.files()?,
    };
    in_turns(options, files)?;
    let whole = |size: u64| size / io.0 * io.0;
    let base = options.base()?;
    let each = options.get("filesize").map(|entry| entry.size(base, None)).transpose()?;
    let there = each.map(|each| Bytes(each.0.saturating_mul(u64::from(files))));
    let size = options.get("size").map(|entry| entry.size(base, there)).transpose()?;
    let Some(size) = size.or(there) else {
        return Err(options.fault("has no size").hint("write for example size=1g"));
    };
    let place = options.last_of(["size", "filesize"]);
    let file_size = Bytes(whole(each.map_or(size.0 / u64::from(files), |each| each.0)));
    if let Some(entry) = place
        && (file_size == Bytes::ZERO || size < io)
    {
        return Err(entry.must(&format!("give every file a request of {io} at least")));
    }
    // fio ends at the end of its files when `size` is more.
    let all = file_size.0.saturating_mul(u64::from(files));
    let pass = all.min(whole(size.0));
    let moved =
        options.get("io_size").map(|entry| entry.size(base, Some(Bytes(pass)))).transpose()?;
    let loops = u64::from(options.count("loops", u32::MAX)?);
    let once = moved.map_or(pass, |moved| whole(moved.0).max(io.0));
    let is_endless = options.flag("time_based")? && options.limit()?.is_some();
    let amount = if is_endless { whole(ENDLESS.0) } else { whole(once.saturating_mul(loops)) };
    if let Some(entry) = place
        && pass < all
        && (amount > pass || !kind.is_sequential())
    {
        let error = entry.fault("a part of larger files, again or at random, is not modelled");
        return Err(error.hint("write the same size and filesize"));
    }
    Ok(Amounts { file_size, files, amount: Bytes(amount.min(ENDLESS.0)) })
}

/// Refuses other orders of several files than in turns.
fn in_turns(options: &Options<'_>, files: u32) -> Checked<()> {
    if files == 1 {
        return Ok(());
    }
    if let Some(entry) = options.get("file_service_type")
        && !matches!(entry.text()?, "roundrobin" | "roundrobin:1")
    {
        let error = entry.must("be roundrobin: requests alternate between files");
        return Err(error.hint("write a job per file for another order"));
    }
    match options.get("openfiles") {
        Some(entry) if entry.count(u32::MAX)? < files => {
            Err(entry.must("not be below nrfiles: all files are open").hint("leave it out"))
        }
        _ => Ok(()),
    }
}

/// Reads the most that a clone moves per second.
pub(super) fn rate(
    options: &Options<'_>,
    kind: &Kind,
    requests: Requests,
) -> Checked<Option<Rate>> {
    let Some(entry) = options.last_of(["rate", "rate_iops"]) else { return Ok(None) };
    let text = entry.text()?;
    // Of `rate=1m,` and `rate=,1m` the one holds for reads, the other for writes alone.
    let (read, write) = text.split_once(',').unwrap_or((text, text));
    let part = match kind.action {
        Action::Read => read,
        Action::Write => write.split(',').next().unwrap_or_default(),
        _ => {
            let message = format!("“{}” has different values for reads and writes", entry.name);
            let hint = "write two jobs, one that reads and one that writes";
            return Err(entry.fault(message).hint(hint));
        }
    };
    match (part.trim(), entry.name) {
        ("" | "0", _) => Ok(None),
        (part, "rate") => entry.size_of(part, options.base()?).map(|rate| Some(Rate(rate.0))),
        (part, _) => {
            if requests.io_max.is_some() {
                let error = entry.fault("“rate_iops” with sizes drawn at random is not modelled");
                return Err(error.hint("write rate, the bytes per second"));
            }
            let count: u64 = part.parse().map_err(|_| entry.must("be a number of requests"))?;
            let rate = count.checked_mul(requests.io.0).map(Rate);
            rate.map(Some).ok_or_else(|| entry.must("be a possible number of requests"))
        }
    }
}
