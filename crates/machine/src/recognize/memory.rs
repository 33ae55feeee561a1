//! Pasted `free`, `/proc/meminfo`, `top` and what lists swap devices.
//!
//! What tools round becomes lines like those of `/proc/meminfo` under a name of its own: exact ones,
//! where there are any, count more.

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text, joined};
use crate::nicenum;
use crate::read::threads;

const MEMORY: &str = "commands/memory";
const SWAPS: &str = "proc/swaps";

/// Takes any of them.
pub(super) fn memory(lines: &[Line], prompt: &Prompt) -> Option<Taken> {
    let (count, name, text) = free(lines, prompt)
        .or_else(|| meminfo(lines))
        .or_else(|| swaps(lines))
        .or_else(|| freebsd_top(lines))
        .or_else(|| linux_top(lines))
        .or_else(|| old_top(lines))
        .or_else(|| solaris_top(lines))
        .or_else(|| memstat(lines))
        .or_else(|| processes(lines))?;
    let texts = vec![Text { name: name.to_owned(), text, again: Again::More }];
    Some(Taken { lines: count, texts })
}

type Found = (usize, &'static str, String);

fn row(name: &str, bytes: Option<f64>) -> String {
    let kib = bytes.and_then(|bytes| nicenum::whole(bytes / 1024.0));
    kib.map(|kib| format!("{name}: {kib} kB\n")).unwrap_or_default()
}

/// `free`, whose unit its options or suffixes tell, or the size of the numbers.
fn free(lines: &[Line], prompt: &Prompt) -> Option<Found> {
    const TITLES: [&str; 3] = ["total", "used", "free"];
    const ROWS_MAX: usize = 8;
    let own: Vec<&str> = lines.first()?.text.split_whitespace().collect();
    let first = |line: &Line| line.text.split_whitespace().next().unwrap_or_default().to_owned();
    let is_row = |line: &&Line| {
        ["Mem:", "Swap:", "Total:", "Low:", "High:", "-/+", "Comm:"].contains(&first(line).as_str())
    };
    let titled = own.starts_with(&TITLES);
    let begins = own.first() == Some(&"Mem:") && own.iter().skip(1).all(|word| is_amount(word));
    (titled || begins).then_some(())?;
    // Without its titles only the first three columns are known, and a row of its own must follow.
    let (titles, above) = if titled { (own, 1) } else { (TITLES.to_vec(), 0) };
    let rows: Vec<&Line> = lines.iter().skip(above).take(ROWS_MAX).take_while(is_row).collect();
    (titled || rows.len() > 1).then_some(())?;
    let of = |name: &str| rows.iter().find(|line| first(line) == name);
    let words =
        |line: &Line| -> Vec<String> { line.text.split_whitespace().map(str::to_owned).collect() };
    let memory = words(of("Mem:")?);
    let unit = unit(prompt, memory.get(1)?);
    let size = |word: Option<&String>| {
        let word = word?;
        let suffixed = word.ends_with(|c: char| c.is_ascii_alphabetic());
        let number = nicenum::binary(word.trim_end_matches('i'))?;
        Some(if suffixed { number } else { number * unit? })
    };
    let column = |words: &[String], title: &str| {
        let at = titles.iter().position(|known| *known == title)?;
        size(words.get(at + 1))
    };
    let old = of("-/+").and_then(|line| size(words(line).last()));
    let mut text = row("MemTotal", column(&memory, "total"));
    text += &row("MemFree", column(&memory, "free"));
    text += &row("MemAvailable", column(&memory, "available").or(old));
    if let Some(swap) = of("Swap:").map(|line| words(line)) {
        let [total, used, free] = [1, 2, 3].map(|column| size(swap.get(column)));
        // Of a large swap what is free is rounded to all of it.
        let left = total.zip(used).map(|(total, used)| total - used);
        text += &row("SwapTotal", total);
        text += &row("SwapFree", [left, free].into_iter().flatten().reduce(f64::min));
    }
    Some((above + rows.len(), MEMORY, text))
}

/// Returns whether a word is a number, perhaps with the mark of a unit.
fn is_amount(word: &str) -> bool {
    nicenum::binary(word.trim_end_matches(['i', 'B'])).is_some()
}

/// Returns the bytes of one unit; none where it may be KiB or MiB.
fn unit(prompt: &Prompt, total: &str) -> Option<f64> {
    /// No machine with ZFS has less KiB than this.
    const KIB_MIN: f64 = 400_000.0;
    /// Few machines have more MiB than this: 4 TiB.
    const MIB_MAX: f64 = 4_194_304.0;
    let words = prompt.arguments();
    if words.first().is_some_and(|word| word == "free") {
        let flag = |long: &str, short: char| {
            words.iter().skip(1).any(|word| {
                word == long
                    || word.starts_with('-') && !word.starts_with("--") && word.contains(short)
            })
        };
        let units =
            [("--bytes", 'b', 0), ("--mebi", 'm', 2), ("--gibi", 'g', 3), ("--tebi", 't', 4)];
        let power = units.iter().find(|(long, short, _)| flag(long, *short));
        return Some(1024_f64.powi(power.map_or(1, |(_, _, power)| *power)));
    }
    let total = nicenum::binary(total)?;
    if total >= MIB_MAX {
        return Some(1024.0);
    }
    (1024.0..KIB_MIN).contains(&total).then_some(1024.0 * 1024.0)
}

/// Rows of `/proc/meminfo`.
fn meminfo(lines: &[Line]) -> Option<Found> {
    const FIRST: [&str; 12] = [
        "MemTotal",
        "MemFree",
        "MemAvailable",
        "Buffers",
        "Cached",
        "SwapCached",
        "Active",
        "SwapTotal",
        "SwapFree",
        "Slab",
        "Dirty",
        "SReclaimable",
    ];
    let key = |line: &Line| {
        let (key, value) = line.text.trim().split_once(':')?;
        let value = value.trim();
        let number = value.strip_suffix("kB").unwrap_or(value).trim();
        let sized = value.ends_with("kB") || key.starts_with("HugePages_");
        (sized && number.parse::<u64>().is_ok() && !key.contains(' ')).then(|| key.to_owned())
    };
    FIRST.contains(&key(lines.first()?)?.as_str()).then_some(())?;
    let count = lines.iter().take_while(|line| key(line).is_some()).count();
    let text = lines.iter().take(count).map(|line| format!("{}\n", line.text.trim())).collect();
    Some((count, "proc/meminfo", text))
}

/// `/proc/swaps`, `swapon --show`, `swapinfo`.
fn swaps(lines: &[Line]) -> Option<Found> {
    // A line of /etc/fstab: `/dev/zvol/rpool/swap none swap defaults 0 0`.
    let words: Vec<&str> = lines.first()?.text.split_whitespace().take(7).collect();
    if let [device, "none" | "swap", "swap", ..] = words.as_slice()
        && device.starts_with('/')
    {
        return Some((1, SWAPS, format!("{device} partition\n")));
    }
    let titles: Vec<&str> = lines.first()?.text.split_whitespace().collect();
    let known = titles.starts_with(&["Filename", "Type", "Size"])
        || titles.starts_with(&["NAME", "TYPE", "SIZE", "USED"])
        || titles.starts_with(&["swapfile", "dev", "swaplo"])
        || titles.first() == Some(&"Device") && titles.ends_with(&["Used", "Avail", "Capacity"]);
    known.then_some(())?;
    let is_row = |line: &&Line| {
        let mut words = line.text.split_whitespace();
        let first = words.next().unwrap_or_default();
        (first.starts_with('/') || first == "Total") && words.count() >= 3
    };
    let count = 1 + lines.iter().skip(1).take_while(is_row).count();
    Some((count, SWAPS, joined(lines, count)))
}

/// The head of FreeBSD's top: `Mem: 1234M Active, 5678M Inact, 12G Wired, 890M Free`.
fn freebsd_top(lines: &[Line]) -> Option<Found> {
    let (label, rest) = lines.first()?.text.trim().split_once(':')?;
    let parts: Vec<(f64, &str)> = rest
        .split(',')
        .map_while(|part| {
            let mut words = part.split_whitespace();
            Some((nicenum::binary(words.next()?)?, words.next()?))
        })
        .collect();
    let has = |name: &str| parts.iter().any(|(_, known)| *known == name);
    match label {
        "Mem" if has("Wired") && has("Free") => {}
        "ARC" if has("Total") => {
            let (size, _) = parts.iter().find(|(_, name)| *name == "Total")?;
            // As the report has it that is rounded likewise.
            let text = format!("ARC size (current):  {:.1} MiB\n", size / 1_048_576.0);
            return Some((1 + compressed(lines), "commands/arc-summary", text));
        }
        "Swap" if has("Total") => {
            let of = |name: &str| parts.iter().find(|(_, known)| *known == name);
            let total = of("Total").map(|(bytes, _)| *bytes);
            // Used is printed where there is any, free where all is not used.
            let used = of("Used").map(|(bytes, _)| *bytes);
            let free = of("Free").map(|(bytes, _)| *bytes);
            let free = free.or_else(|| Some((total? - used?).max(0.0)));
            return Some((1, MEMORY, row("SwapTotal", total) + &row("SwapFree", free)));
        }
        _ => return None,
    }
    let sum = |names: &[&str]| {
        let of = parts.iter().filter(|(_, name)| names.contains(name));
        of.map(|(bytes, _)| bytes).sum::<f64>()
    };
    // Buffers are a part of what is wired.
    let total = sum(&["Active", "Inact", "Laundry", "Wired", "Cache", "Free"]);
    let text = row("MemTotal", Some(total))
        + &row("MemFree", Some(sum(&["Free"])))
        + &row("MemAvailable", Some(sum(&["Free", "Inact", "Cache"])))
        + &row("Wired", Some(sum(&["Wired"])));
    Some((1, MEMORY, text))
}

/// The second line about the ARC: `7G Compressed, 9G Uncompressed, 1.2:1 Ratio`.
fn compressed(lines: &[Line]) -> usize {
    let next = lines.get(1).map(|line| &*line.text).unwrap_or_default();
    usize::from(next.contains(" Compressed, ") && next.contains(":1 Ratio"))
}

/// The head of top of Linux: `MiB Mem :  15933.4 total,    512.3 free, …`.
fn linux_top(lines: &[Line]) -> Option<Found> {
    let (label, rest) = lines.first()?.text.trim().split_once(':')?;
    let (unit, what) = label.trim().split_once(' ')?;
    let unit = match unit {
        "KiB" => 1024.0,
        "MiB" => 1_048_576.0,
        "GiB" => 1_073_741_824.0,
        _ => return None,
    };
    let value = |name: &str| {
        rest.split([',', '.']).zip(rest.split(',')).next()?;
        rest.split(',').find_map(|part| {
            let mut words = part.split_whitespace();
            let number: f64 = words.next()?.trim_start_matches('+').parse().ok()?;
            (words.next()? == name).then_some(number * unit)
        })
    };
    let text = match what.trim() {
        "Mem" => row("MemTotal", Some(value("total")?)) + &row("MemFree", value("free")),
        "Swap" => {
            let available = rest
                .rsplit_once("used.")
                .and_then(|(_, rest)| rest.split_whitespace().next()?.parse::<f64>().ok());
            row("MemAvailable", available.map(|number| number * unit))
                + &row("SwapTotal", value("total"))
                + &row("SwapFree", value("free"))
        }
        _ => return None,
    };
    Some((1, MEMORY, text))
}

/// The head of older tops of Linux: `Mem:   8177736k total,  6492220k used,  1685516k free,    20900k buffers`; its
/// end may be torn off.
fn old_top(lines: &[Line]) -> Option<Found> {
    let (label, rest) = lines.first()?.text.trim().split_once(':')?;
    let value = |name: &str| {
        let mut parts = rest.split(',').map(str::trim);
        let amount = parts.find_map(|part| part.strip_suffix(name))?.trim();
        amount.ends_with('k').then(|| nicenum::binary(amount)).flatten()
    };
    let total = Some(value("total")?);
    let text = match label {
        "Mem" => row("MemTotal", total) + &row("MemFree", value("free")),
        "Swap" => row("SwapTotal", total) + &row("SwapFree", value("free")),
        _ => return None,
    };
    Some((1, MEMORY, text))
}

/// The line of Solaris' top: `Memory: 16G phys mem, 672M free mem, 2048M total swap, 2023M free swap`.
fn solaris_top(lines: &[Line]) -> Option<Found> {
    let rest = lines.first()?.text.trim().strip_prefix("Memory:")?;
    let value = |name: &str| {
        let mut parts = rest.split(',').map(str::trim);
        let amount = parts.find_map(|part| part.strip_suffix(name)).map(str::trim)?;
        nicenum::binary(amount)
    };
    // What files are cached in beside the ARC counts as free there.
    let text = row("MemTotal", Some(value("phys mem")?))
        + &row("MemFree", value("free mem"))
        + &row("MemAvailable", value("free mem"))
        + &row("SwapTotal", value("total swap"))
        + &row("SwapFree", value("free swap"));
    Some((1, MEMORY, text))
}

/// `::memstat` of illumos' mdb: `ZFS File Data   53270   208   14%`, pages and MiB of each use.
fn memstat(lines: &[Line]) -> Option<Found> {
    let titles: Vec<&str> = lines.first()?.text.split_whitespace().collect();
    titles.starts_with(&["Page", "Summary", "Pages"]).then_some(())?;
    let of_row = |line: &Line| -> Option<(String, f64)> {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let at = words.iter().position(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
        let (label, numbers) = words.split_at_checked(at)?;
        let number = numbers.get(1)?;
        // Newer ones give a size with its unit: `208.0M`.
        let mib = number.parse::<f64>().map(|mib| mib * 1_048_576.0).ok();
        (1..=4).contains(&label.len()).then_some(())?;
        Some((label.join(" "), mib.or_else(|| nicenum::binary(number))?))
    };
    let is_rule = |line: &Line| line.text.trim().is_empty() || line.text.trim().starts_with("---");
    let (mut count, mut rows) = (1, Vec::new());
    for (at, line) in lines.iter().enumerate().skip(1) {
        match of_row(line) {
            Some(found) => {
                rows.push(found);
                count = at + 1;
            }
            None if is_rule(line) => {}
            None => break,
        }
    }
    let of = |start: &str| {
        let found = rows.iter().filter(|(label, _)| label.starts_with(start));
        found.map(|(_, bytes)| *bytes).reduce(|one, other| one + other)
    };
    let all = rows.iter().filter(|(label, _)| label != "Total" && label != "Physical");
    let total =
        of("Total").or_else(|| all.map(|(_, bytes)| *bytes).reduce(|one, other| one + other));
    // Pages that still hold something of files stand apart from those that hold nothing: both or none.
    let is_whole = of("Free (cachelist)").is_some() == of("Free (freelist)").is_some();
    let free = of("Free").filter(|_| is_whole);
    let text = row("MemTotal", Some(total?)) + &row("MemFree", free) + &row("MemAvailable", free);
    Some((count, MEMORY, text))
}

/// The head of iotop.
const IOTOP: [&str; 4] = ["Total DISK READ", "Actual DISK READ", "Current DISK READ", "TID  PRIO"];

/// Other lines of top's head, and the list of processes, which say nothing of caches.
fn processes(lines: &[Line]) -> Option<Found> {
    let text = lines.first()?.text.trim();
    let head = text.starts_with("last pid: ")
        || text.starts_with("top - ") && text.contains("load average")
        || text.starts_with("Tasks: ") && text.contains("running")
        || text.starts_with("%Cpu") && text.contains(" id")
        || text.starts_with("Cpu(s):") && text.contains("%id")
        || text.starts_with("CPU: ") && text.contains("% idle")
        || text.starts_with("CPU states: ") && text.contains("% idle")
        || text.starts_with("Kernel: ") && text.contains(" ctxsw")
        || text.starts_with("load averages: ")
        || IOTOP.iter().any(|start| text.starts_with(start))
        || text.contains(" processes: ") && text.contains("sleeping");
    // The head of another look: what threads took in the one before is past. Looks are told apart by it.
    let begins = |line: &str| format!("{} {line}\n", threads::BEGIN);
    if head {
        let is_first = text.starts_with("last pid: ") || text.starts_with("top - ");
        let told = match is_first {
            true => begins(text),
            false if threads::waiting(text).is_some() => format!("{text}\n"),
            false => String::new(),
        };
        return Some((1, "commands/top", told));
    }
    let titles = text.split_whitespace().next() == Some("PID") && text.contains("COMMAND");
    let of_top = titles && ["TIME+", " WCPU"].iter().any(|title| text.contains(title));
    let numbered = |line: &&Line| {
        let first = line.text.split_whitespace().next().unwrap_or_default();
        first.parse::<u32>().is_ok()
    };
    let (above, rows) = match titles {
        true => (1, lines.iter().skip(1).take_while(numbered).count()),
        false => (0, lines.iter().take_while(|line| is_process(&line.text)).count()),
    };
    let shares = lines.iter().skip(above).take(rows).filter_map(|line| threads::share(&line.text));
    let shares: String = shares.map(|(name, share)| format!("{name} {share}\n")).collect();
    // Of several looks the last is read.
    let first = lines.get(above).map_or("", |line| line.text.trim());
    let text = if shares.is_empty() && !of_top { shares } else { begins(first) + &shares };
    (above + rows > 0).then_some((above + rows, "commands/top", text))
}

/// Returns whether a line is a process's in `top` or `ps`: its number and its user, the time that it ran, and
/// the share of a processor.
fn is_process(line: &str) -> bool {
    const WORDS_MIN: usize = 9;
    const WORDS_MAX: usize = 40;
    let words: Vec<&str> = line.split_whitespace().take(WORDS_MAX).collect();
    let number = |word: &&str| word.parse::<u32>().is_ok();
    let is_user = |word: &&str| word.starts_with(|c: char| c.is_ascii_alphabetic());
    let head = words.first().is_some_and(number) && words.get(1).is_some_and(is_user);
    let clock = |word: &&&str| {
        let parts = word.split_once(':');
        parts.is_some_and(|(minutes, rest)| {
            minutes.parse::<u32>().is_ok() && rest.starts_with(|c: char| c.is_ascii_digit())
        })
    };
    let share = |word: &&&str| {
        word.strip_suffix('%').unwrap_or(word).parse::<f64>().is_ok() && word.contains('.')
    };
    head && words.len() >= WORDS_MIN
        && words.iter().any(|word| clock(&word))
        && words.iter().any(|word| share(&word))
}
