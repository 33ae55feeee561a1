//! Machines as their owners would paste them: one text of all outputs, in the shapes that terminals,
//! mails and web pages give it. Whatever the shape, the same must be read and said.

use arcwright_machine::{Machine, Source, Sources};

use super::case::{Case, Input};
use super::expected::{Expected, Facts};
use super::facts::pool_in_short;
use super::mutate::Captured;

/// A shape that a text gets on its way.
struct Shape {
    name: &'static str,
    give: fn(&str) -> String,
}

const SHAPES: [Shape; 8] = [
    Shape { name: "as it stands", give: str::to_owned },
    Shape { name: "with CRLF", give: |text| text.replace('\n', "\r\n") },
    Shape { name: "quoted in a mail", give: |text| each(text, |line| format!("> {line}")) },
    Shape { name: "in a fence", give: |text| format!("```\n{text}```\n") },
    Shape { name: "indented", give: |text| each(text, |line| format!("    {line}")) },
    Shape { name: "tabs as spaces", give: |text| text.replace('\t', "        ") },
    Shape { name: "escaped for HTML", give: escaped },
    Shape { name: "blanks at line ends", give: |text| each(text, |line| format!("{line}   ")) },
];

fn each(text: &str, change: impl Fn(&str) -> String) -> String {
    text.lines().map(|line| change(line) + "\n").collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Returns every machine with a pool in every shape.
pub(super) fn cases(machines: &[Captured]) -> Vec<Case> {
    let whole = machines.iter().filter(|machine| !machine.name.ends_with("-bare"));
    whole.flat_map(of_machine).collect()
}

fn of_machine(machine: &Captured) -> Vec<Case> {
    let text = session(&machine.sources);
    let expected = expected(machine);
    let case = |shape: &Shape| Case {
        name: format!("{} {}", machine.name, shape.name),
        class: format!("form: {}", shape.name),
        input: Input::Paste((shape.give)(&text)),
        expected: expected.clone(),
        before: None,
    };
    let mut cases: Vec<Case> = SHAPES.iter().map(case).collect();
    cases.extend(read_twice(machine, &expected));
    cases
}

/// Returns the session, and the kstats once more as they were read later: what counts is between.
///
/// A kstat has its moment in its first line; sysctls have none.
fn read_twice(machine: &Captured, expected: &Expected) -> Option<Case> {
    const LATER: [(&str, &str); 2] = [
        ("cat /proc/spl/kstat/zfs/arcstats", "proc/spl/kstat/zfs/arcstats"),
        ("cat /proc/spl/kstat/zfs/zil", "proc/spl/kstat/zfs/zil"),
    ];
    let mut text = String::new();
    for sample in ["sample-0", "sample-1"] {
        for (command, name) in LATER {
            let answer = machine.sources.text(&format!("{sample}/{name}"))?;
            text.extend([format!("root@nas:~# {command}\n{}\n", answer.trim_end())]);
        }
    }
    let window = Machine::read(&machine.sources).window()?;
    let mut facts = Facts::default();
    for row in ["hits", "misses", "demand_metadata_misses"] {
        let counted = window.counted("zfs/arcstats", row);
        facts.window.extend(counted.map(|count| (format!("zfs/arcstats.{row}"), count)));
    }
    Some(Case {
        name: format!("{} read twice", machine.name),
        class: "form: read twice".to_owned(),
        input: Input::Paste(text),
        expected: Expected { facts, may: expected.may.clone(), ..Expected::default() },
        before: None,
    })
}

/// What the owner typed, in this order, and the source that answers.
const COMMANDS: [(&str, &str); 11] = [
    ("uname -a", "commands/uname"),
    ("zfs version", "commands/zfs-version"),
    ("zpool status", "commands/zpool-status"),
    ("zpool list -Hpv", "commands/zpool-list"),
    ("zpool get -Hp all", "commands/zpool-get"),
    ("cat /proc/meminfo", "proc/meminfo"),
    ("cat /proc/spl/kstat/zfs/arcstats", "proc/spl/kstat/zfs/arcstats"),
    ("cat /proc/spl/kstat/zfs/zfetchstats", "proc/spl/kstat/zfs/zfetchstats"),
    ("cat /proc/spl/kstat/zfs/zil", "proc/spl/kstat/zfs/zil"),
    ("cat /proc/spl/kstat/zfs/dmu_tx", "proc/spl/kstat/zfs/dmu_tx"),
    ("sysctl -a | grep zfs", "commands/sysctl"),
];

/// Returns the last reading of a machine as a session in a terminal.
fn session(sources: &Sources) -> String {
    let mut text = String::new();
    for (command, name) in COMMANDS {
        let found = [format!("sample-1/{name}"), name.to_owned()];
        let answers = found.iter().filter_map(|name| sources.text(name)).collect::<Vec<_>>();
        let answers =
            if name == "commands/sysctl" { answers } else { answers.into_iter().take(1).collect() };
        if !answers.is_empty() {
            text.extend([format!("root@nas:~# {command}\n")]);
            answers.iter().for_each(|answer| {
                text.push_str(answer.trim_end());
                text.push('\n');
            });
        }
    }
    text.push_str(&parameters(sources));
    text
}

fn parameters(sources: &Sources) -> String {
    const FOLDER: &str = "sys/module/zfs/parameters/";
    const SHOWN: [&str; 6] = [
        "zfs_arc_max",
        "zfs_arc_min",
        "l2arc_noprefetch",
        "l2arc_write_max",
        "zfs_prefetch_disable",
        "zfs_txg_timeout",
    ];
    let line = |name: &str| match sources.texts.get(&format!("{FOLDER}{name}")) {
        Some(Source::Text(value)) => format!("/{FOLDER}{name}:{}\n", value.trim()),
        _ => String::new(),
    };
    let lines: String = SHOWN.iter().map(|name| line(name)).collect();
    match lines.is_empty() {
        true => lines,
        false => format!("root@nas:~# grep . /sys/module/zfs/parameters/*\n{lines}"),
    }
}

/// What every shape must tell: the machine's own facts; and nothing that was not said of the machine.
fn expected(machine: &Captured) -> Expected {
    let read = Machine::read(&machine.sources);
    let mut facts = Facts::default();
    let rows =
        ["hits", "misses", "demand_metadata_misses", "size", "c_max", "l2_hits", "l2_hdr_size"];
    for row in rows {
        let value = read.now().and_then(|now| now.get("zfs/arcstats", row));
        facts.counters.extend(value.map(|value| (format!("zfs/arcstats.{row}"), value)));
    }
    facts.pools = read.pools.iter().map(pool_in_short).collect();
    facts.version = read.zfs.map(|version| version.to_string());
    facts
        .parameters
        .extend(read.parameter("zfs_arc_max").map(|max| ("zfs_arc_max".to_owned(), max)));
    let may = since_load(machine);
    Expected { facts, may, ..Expected::default() }
}

/// Returns the findings that the counters since load call for, without a window.
fn since_load(machine: &Captured) -> Vec<String> {
    let mut sources = Sources::default();
    for (name, source) in &machine.sources.texts {
        match name.strip_prefix("sample-1/") {
            Some(rest) if rest != "at" && !rest.starts_with("commands/zpool-iostat") => {
                sources.texts.insert(format!("sample-0/{rest}"), source.clone());
            }
            None if !name.starts_with("sample-") => {
                sources.texts.insert(name.clone(), source.clone());
            }
            _ => {}
        }
    }
    let mut may = machine.before.changes.clone();
    may.extend(super::case::Before::of(&sources).changes);
    may
}
