//! Pasted lines that say which system it is: kernel, distribution, version of ZFS.

use super::clean::Line;
use super::clocks;
use super::prompt::Prompt;
use super::{Again, Taken, Text};

const UNAME: &str = "commands/uname";
const VERSION: &str = "commands/zfs-version";
const OS_RELEASE: &str = "etc/os-release";
/// Fields of os-release that are read.
const FIELDS: [&str; 6] = ["ID=", "PRETTY_NAME=", "VERSION_ID=", "VERSION=", "NAME=", "ID_LIKE="];

/// Takes a line that says which system it is.
pub(super) fn system(lines: &[Line], prompt: &Prompt) -> Option<Taken> {
    let line = lines.first()?.text.trim();
    // Processors have some hundred flags.
    const LENGTH_MAX: usize = 4096;
    (line.len() <= LENGTH_MAX).then_some(())?;
    let kinds = [
        version(line, prompt),
        kernel(line, prompt),
        os_release(line),
        proxmox(line),
        truenas(line, prompt),
        graph(line),
        modinfo(line, prompt),
        date(line),
        template(line),
        processor(line),
        iotop(line),
        uptime(line),
        history(line),
    ];
    let (name, text) = kinds.into_iter().flatten().next()?;
    let texts = vec![Text { name: name.to_owned(), text, again: Again::More }];
    let more = if is_barred(&lines.first()?.text) { own_rows(lines) } else { 0 };
    Some(Taken { lines: 1 + more, texts })
}

/// Returns whether a line is a row of a table of Markdown with two cells.
fn is_barred(line: &str) -> bool {
    // What takes away marks may have taken the first bar.
    let line = line.trim();
    let inner = line.strip_suffix('|').map(|inner| inner.strip_prefix('|').unwrap_or(inner));
    inner.is_some_and(|inner| inner.matches('|').count() == 1)
}

/// Returns how many rows below one of the report's table people added themselves: `| ECC RAM | No |`.
fn own_rows(lines: &[Line]) -> usize {
    const ROWS_MAX: usize = 32;
    let below = lines.iter().skip(1).take(ROWS_MAX);
    below.take_while(|line| is_barred(&line.text) && template(line.text.trim()).is_none()).count()
}

type Named = (&'static str, String);

fn version(line: &str, prompt: &Prompt) -> Option<Named> {
    // A sentence may begin with a version.
    let is_version = |text: &str| {
        arcwright_tunables::Version::parse(text).is_some() && !text.contains(char::is_whitespace)
    };
    let tools = line.strip_prefix("zfs-kmod-").or_else(|| line.strip_prefix("zfs-"));
    if tools.is_some_and(is_version) {
        return Some((VERSION, format!("{line}\n")));
    }
    // `modinfo zfs | grep version`, `dmesg | grep ZFS`.
    let words: Vec<&str> = line.split_whitespace().collect();
    // `cat /sys/module/{spl,zfs}/version` prints both, which are of one release.
    let is_file = |word: &String| {
        let both = word.contains("module/{") && word.contains("zfs") && word.ends_with("}/version");
        both || word.ends_with("module/zfs/version")
    };
    let module_file = || prompt.arguments().iter().any(is_file);
    let number = match words.as_slice() {
        ["version:", number] => *number,
        // `zfs v0.6.4.2-0ubuntu1.1, ZFS pool version 5000`, as people write it down.
        ["zfs" | "ZFS" | "OpenZFS" | "openzfs", number] if number.starts_with('v') => {
            number.trim_start_matches('v')
        }
        ["zfs" | "ZFS", number, "ZFS", "pool", "version", ..] => {
            number.trim_start_matches('v').trim_end_matches(',')
        }
        [number] if module_file() => number,
        words => {
            // `ZFS: Loaded module v2.1.11-1, ZFS pool version 5000, …`
            let at = words.windows(3).position(|three| three == ["ZFS:", "Loaded", "module"])?;
            words.get(at + 3)?.trim_start_matches('v').trim_end_matches(',')
        }
    };
    is_version(number).then(|| (VERSION, format!("zfs-kmod-{number}\n")))
}

/// `Linux nas 6.1.0-28-amd64 #1 SMP …`, as `uname -a` prints it, `uname -r`, `freebsd-version`.
fn kernel(line: &str, prompt: &Prompt) -> Option<Named> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let digit = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
    let os = words.first().filter(|os| matches!(**os, "Linux" | "FreeBSD"));
    if let Some(os) = os {
        let host = words.get(1)?;
        let whole = words.len() > 4;
        let release = words.get(2).filter(|word| whole && digit(word));
        // `FreeBSD 11.0-RELEASE-p9` names no host.
        let bare = words.get(1).filter(|word| {
            digit(word) && ["-RELEASE", "-STABLE", "-CURRENT"].iter().any(|end| word.contains(end))
        });
        if let Some(bare) = bare.filter(|_| words.len() <= 24) {
            return Some((UNAME, format!("{os} {bare}\n")));
        }
        return release.map(|release| (UNAME, format!("{os} {release} {host}\n")));
    }
    let [release] = words.as_slice() else { return None };
    let freebsd = ["-RELEASE", "-STABLE", "-CURRENT"].iter().any(|end| release.contains(end));
    if digit(release) && freebsd {
        return Some((UNAME, format!("FreeBSD {release}\n")));
    }
    let asked = prompt.is("uname", "-r") && digit(release) && release.contains(['.', '-']);
    asked.then(|| (UNAME, format!("Linux {release}\n")))
}

/// `PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"`, or what `lsb_release -a` prints.
fn os_release(line: &str) -> Option<Named> {
    let field = FIELDS.iter().find_map(|field| line.strip_prefix(field));
    let value = field.filter(|value| !value.is_empty() && !value.contains('='));
    if value.is_some_and(|value| value.starts_with('"') || !value.contains(' ')) {
        return Some((OS_RELEASE, format!("{line}\n")));
    }
    let (label, value) = line.split_once(':')?;
    let value = value.trim();
    match label {
        "Distributor ID" => Some((OS_RELEASE, format!("ID={}\n", value.to_ascii_lowercase()))),
        "Description" if line.contains(":\t") => {
            Some((OS_RELEASE, format!("PRETTY_NAME=\"{value}\"\n")))
        }
        "Release" | "Codename" if line.contains(":\t") => Some((OS_RELEASE, String::new())),
        _ => None,
    }
}

/// `pve-manager/8.1.4/ec5affc9e41f1d79 (running kernel: 6.5.11-8-pve)`.
fn proxmox(line: &str) -> Option<Named> {
    let is_line = line.starts_with("pve-manager/") || line.starts_with("proxmox-ve: ");
    is_line.then(|| ("usr/bin/pveversion", format!("{line}\n")))
}

/// The one line of `/etc/version`: `TrueNAS-13.0-U6.1`.
fn truenas(line: &str, prompt: &Prompt) -> Option<Named> {
    let asked = prompt.file() == Some("etc/version");
    let named = ["TrueNAS-", "FreeNAS-"].iter().any(|name| line.starts_with(name));
    let single = line.split_whitespace().count() <= 2;
    (single && (asked || named)).then(|| ("etc/version", format!("{line}\n")))
}

/// The picture of `arc_summary -g`, which shows nothing that its report does not say.
fn graph(line: &str) -> Option<Named> {
    let frame = line.len() > 20
        && line.starts_with('+')
        && line.ends_with('+')
        && line.trim_matches('+').chars().all(|c| c == '-');
    let inner = line.strip_prefix('|').and_then(|rest| rest.strip_suffix('|'));
    let bars = inner.is_some_and(|inner| {
        inner.len() > 20 && inner.chars().all(|c| c == ' ' || c.is_ascii_uppercase())
    });
    let legend = line.starts_with("ARC: ") && line.contains("MFU: ") && line.contains("MRU: ");
    (frame || bars || legend).then(|| ("commands/arc-summary-graph", String::new()))
}

/// What `modinfo zfs` says beside the version: names of parameters and where the module is.
fn modinfo(line: &str, prompt: &Prompt) -> Option<Named> {
    let (label, _) = line.split_once(':')?;
    let asked =
        prompt.is("modinfo", "zfs") && label.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    (asked || label == "parm").then(|| ("commands/modinfo", String::new()))
}

/// A row of the table that OpenZFS asks for in reports: `| OpenZFS Version | 2.1.5-1ubuntu6 |`, with
/// other names before 2.1, often without the outer bars.
fn template(line: &str) -> Option<Named> {
    // The last bar is an outer one, or it stands before an empty cell.
    let line = line.trim();
    let inner = line.strip_prefix('|').unwrap_or(line);
    let inner = inner.strip_suffix('|').filter(|inner| inner.contains('|')).unwrap_or(inner);
    let bars = inner.split('|').map(|cell| cell.trim().trim_matches('*').trim());
    let mut cells: Vec<&str> = bars.collect();
    if cells.len() == 1 {
        // Some put a colon in the place of the bar.
        let told = inner.split_once(':').map(|(label, value)| (label.trim(), value.trim()));
        let (label, value) = told.filter(|(label, _)| is_template_label(label))?;
        cells = vec![label, value];
    }
    let [label, value] = cells.as_slice() else { return None };
    let named = |name: &'static str, text: String| Some((name, text));
    let rule = |cell: &str| cell.len() > 1 && cell.chars().all(|c| matches!(c, '-' | ':'));
    match label.to_ascii_lowercase().as_str() {
        "zfs version" | "openzfs version" | "zol version" => {
            let words = value.split([' ', ',', '/', '(', ')']).filter(|word| !word.is_empty());
            let number = |word: &str| {
                let number = word.trim_start_matches("zfs-kmod-").trim_start_matches("zfs-");
                let number = number.trim_start_matches(['v', 'V']);
                arcwright_tunables::Version::parse(number)?;
                Some(number.to_owned())
            };
            // Of the tools and the module the latter counts.
            let mut all: Vec<&str> = words.collect();
            all.sort_by_key(|word| !word.starts_with("zfs-kmod-"));
            let number = all.into_iter().find_map(number);
            named(VERSION, number.map_or_else(String::new, |number| format!("zfs-kmod-{number}\n")))
        }
        "linux kernel" | "kernel version" if value.starts_with(|c: char| c.is_ascii_digit()) => {
            let release = value.split_whitespace().next()?;
            let freebsd =
                ["-RELEASE", "-STABLE", "-CURRENT"].iter().any(|end| release.contains(end));
            let os = if freebsd { "FreeBSD" } else { "Linux" };
            named(UNAME, format!("{os} {release}\n"))
        }
        "distribution name" if is_plain(value) => named(
            OS_RELEASE,
            format!("ID={}\nPRETTY_NAME=\"{value}\"\n", value.to_ascii_lowercase()),
        ),
        "distribution version" | "os version" | "kernel version" | "freebsd version"
            if ["-RELEASE", "-STABLE", "-CURRENT"].iter().any(|end| value.contains(end)) =>
        {
            let release = value.split_whitespace().next_back()?;
            named(UNAME, format!("FreeBSD {release}\n"))
        }
        "distribution name"
        | "distribution version"
        | "architecture"
        | "spl version"
        | "linux kernel"
        | "kernel version"
        | "type" => named("commands/report-template", String::new()),
        _ if rule(label) && rule(value) => named("commands/report-template", String::new()),
        _ => None,
    }
}

/// Returns whether only the table of reports has such a label.
fn is_template_label(label: &str) -> bool {
    const LABELS: [&str; 6] = [
        "distribution name",
        "distribution version",
        "linux kernel",
        "zfs version",
        "openzfs version",
        "spl version",
    ];
    LABELS.contains(&label.to_ascii_lowercase().as_str())
}

/// A row of `iotop`, which says how busy a task is and nothing of pools.
fn iotop(line: &str) -> Option<Named> {
    let words: Vec<&str> = line.split_whitespace().take(12).collect();
    let prioritised =
        words.get(1).is_some_and(|word| word.starts_with("be/") || word.starts_with("rt/"));
    let rates = words.iter().filter(|word| ["B/s", "K/s", "M/s", "G/s"].contains(word)).count();
    (prioritised && rates == 2).then(|| ("commands/iotop", String::new()))
}

/// The line of uptime(1): ` 02:31:09 up 3 days,  6:11,  1 user,  load average: 1.55, 0.74, 0.47`.
fn uptime(line: &str) -> Option<Named> {
    let (before, load) = line.split_once(" load average")?;
    let clock = before.starts_with(|c: char| c.is_ascii_digit()) && before.contains(" up ");
    let figures =
        load.trim_start_matches(['s', ':']).split([',', ' ']).filter(|word| !word.is_empty());
    let loads = figures.take(4).filter(|word| word.parse::<f64>().is_ok()).count();
    (clock && loads == 3).then(|| ("commands/uptime", format!("{line}\n")))
}

/// A line of `zpool history`: `2018-05-28.15:52:00 zpool replace tank sdc sdg`.
fn history(line: &str) -> Option<Named> {
    let title = line.strip_prefix("History for '").is_some_and(|rest| rest.ends_with("':"));
    if title {
        return Some(("commands/zpool-history", String::new()));
    }
    let (time, typed) = line.split_once(' ')?;
    let stamped = time.len() == "2018-05-28.15:52:00".len()
        && time.bytes().all(|c| c.is_ascii_digit() || b"-.:".contains(&c));
    let program = typed.split(' ').next().unwrap_or_default();
    let told = matches!(program, "zpool" | "zfs") || typed.starts_with("[internal ");
    (stamped && told).then(|| ("commands/zpool-history", String::new()))
}

/// Returns whether a name of a distribution is one, and no sentence.
fn is_plain(name: &str) -> bool {
    const WORDS_MAX: usize = 4;
    let words = name.split_whitespace().count();
    (1..=WORDS_MAX).contains(&words)
        && name.chars().all(|c| c.is_ascii_alphanumeric() || " .-/".contains(c))
}

/// A line of `/proc/cpuinfo`: its values stand behind a tab, and nobody writes flags by hand.
fn processor(line: &str) -> Option<Named> {
    const LABELS: [&str; 5] = ["processor", "vendor_id", "model name", "flags", "Features"];
    let (label, value) = line.split_once(':')?;
    let flags = label.trim() == "flags" && value.split_whitespace().any(|flag| flag == "sse2");
    let is_line = LABELS.contains(&label.trim_end()) && label.ends_with('\t') || flags;
    is_line.then(|| ("proc/cpuinfo", format!("{}\t:{value}\n", label.trim_end())))
}

/// A line of date(1), with which people tell readings apart, or a time in marks: `=== 2026-11-19 10:00:00 ===`.
fn date(line: &str) -> Option<Named> {
    let bare = line.trim_matches(['#', '=', '-', '*', ' ', '[', ']']);
    let digits = |text: &str, mark: char, parts: usize| {
        let is_part = |part: &str| !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit());
        text.split(mark).count() == parts && text.split(mark).all(is_part)
    };
    let mut words = bare.split([' ', 'T']).filter(|word| !word.is_empty());
    let (day, time, zone, end) = (words.next(), words.next(), words.next(), words.next());
    let is_time = |word: &str| {
        let word = word.trim_end_matches(['Z', ',']);
        let word = word.split(['.', '+']).next().unwrap_or(word);
        digits(word, ':', 3)
    };
    let is_day = |word: &str| digits(word, '-', 3) || digits(word, '/', 3);
    let zoned = zone.is_none_or(|zone| {
        let sign = zone.starts_with(['+', '-']) || zone.bytes().all(|c| c.is_ascii_uppercase());
        sign && zone.len() <= 6
    });
    let dated = day.is_some_and(is_day) && time.is_none_or(is_time);
    let clock = day.is_some_and(is_time) && time.is_none();
    if (dated && zoned || clock) && end.is_none() {
        return Some((clocks::NAME, bare.to_owned()));
    }
    const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    let words: Vec<&str> = line.split_whitespace().take(8).collect();
    let day = words.first()?.trim_end_matches([',', '.']);
    let clock = |word: &&str| {
        word.split(':').count() == 3 && word.chars().all(|c| c.is_ascii_digit() || c == ':')
    };
    let is_date = words.len() < 8 && DAYS.contains(&day) && words.iter().any(clock);
    is_date.then(|| (clocks::NAME, line.to_owned()))
}
