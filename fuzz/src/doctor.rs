//! The whole of `doctor`: from texts to a machine, to what is said of it, to all reports.
//!
//! Three ways in: pasted text, several texts by name, and a captured machine of which some lines are
//! changed. The last one reaches what no text made of nothing does: rules that compare many sources.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use arcwright_advice::{Advice, Estimate, advise};
use arcwright_host::capture::redact;
use arcwright_machine::{Machine, Source, Sources};
use arcwright_report::{
    DOCTOR_COLUMNS, Detail, DoctorOptions, FleetRow, Worst, doctor_json, doctor_tabs, doctor_text,
    fleet_json, fleet_tabs, fleet_text,
};

use crate::input::Input;
use crate::shown;

/// A line that names the source of the lines below it.
const HEAD: &str = "=== ";
/// Texts of fixtures that are longer are left out: they are lists of the same, and cost time.
const BASE_TEXT_BYTES_MAX: usize = 3000;
/// So many changes of lines; more make nonsense of a machine.
const EDITS_MAX: usize = 8;
/// What a changed word becomes: what counts begin and end with, and what no counter is.
const WORDS: [&str; 24] = [
    "0",
    "1",
    "-1",
    "18446744073709551615",
    "18446744073709551616",
    "9223372036854775807",
    "9223372036854775808",
    "4294967296",
    "1e308",
    "NaN",
    "inf",
    "-",
    "none",
    "100%",
    "0x10",
    "1.5T",
    "ONLINE",
    "DEGRADED",
    "raidz3-0",
    "mirror-1",
    "special",
    "\u{1b}[31m",
    "\u{202e}",
    "é",
];

/// Checks pasted text, and whether a second machine in it is noticed without a panic.
pub fn paste(text: &str) {
    let sources = Sources::recognize(text);
    if let Ok(one) = Sources::recognize_one(text) {
        assert_eq!(one, sources, "text of one machine is recognised in one way");
    }
    judge(&sources);
}

/// Checks several texts of one machine: below each line `=== NAME` stands the text of that name.
pub fn sources(bundle: &str) {
    let mut texts: BTreeMap<String, Source> = BTreeMap::new();
    for part in bundle.split(HEAD).skip(1) {
        let (name, text) = part.split_once('\n').unwrap_or((part, ""));
        texts.insert(name.trim().to_owned(), Source::Text(text.to_owned()));
    }
    judge(&Sources { texts, ..Sources::default() });
}

/// Checks a machine of the fixtures, some of whose lines are changed.
pub fn machine(bytes: &[u8]) {
    judge(&edited(bytes));
}

/// Checks that a machine can be made anonymous, whatever it says, and read afterwards.
pub fn redaction(bytes: &[u8]) {
    let machine = redact(&edited(bytes));
    let _read = Machine::read(&machine);
}

/// Machines of the fixtures, without what is long.
static BASES: LazyLock<Vec<Vec<(String, String)>>> = LazyLock::new(|| {
    let machines = arcwright_fixtures::machines().expect("the machines are in the repository");
    machines.iter().map(|(_, sources)| base(sources)).collect()
});

fn base(sources: &Sources) -> Vec<(String, String)> {
    let kept = sources.texts.iter().filter_map(|(name, source)| match source {
        Source::Text(text) => Some((name.clone(), text.clone())),
        Source::Unreadable(_) => None,
    });
    let needless = [
        "modes/",
        "sys/module/spl",
        "bench",
        "/objset-",
        "iostat-r",
        "iostat-w",
        "ddt_stats",
        "/abd",
        "/vdev_",
        "/metaslab",
        "/brt",
        "/zio_",
        "/fm",
        "/simd",
        "/import",
        "cpuinfo",
        "/zstd",
    ];
    let kept = kept.filter(|(name, _)| !needless.iter().any(|part| name.contains(part)));
    let parameters = ["zfs_arc_max", "zfs_arc_min", "l2arc_noprefetch", "zfs_txg_timeout"];
    kept.filter(|(name, text)| {
        let is_parameter = name.starts_with("sys/module/zfs/parameters/");
        let is_kept = !is_parameter || parameters.iter().any(|kept| name.ends_with(kept));
        is_kept && (text.len() <= BASE_TEXT_BYTES_MAX || name.ends_with("arcstats"))
    })
    .collect()
}

/// Returns the machine that an input describes: a fixture, and what is changed in it.
fn edited(bytes: &[u8]) -> Sources {
    let mut input = Input::new(bytes);
    let mut texts = BASES[input.below(BASES.len())].clone();
    for _ in 0..EDITS_MAX {
        if input.is_empty() || texts.is_empty() {
            break;
        }
        let at = input.below(texts.len());
        edit(&mut input, &mut texts, at);
    }
    let named = |(name, text): (String, String)| (name, Source::Text(text));
    Sources { texts: texts.into_iter().map(named).collect(), ..Sources::default() }
}

/// Makes one change of the text `at`.
fn edit(input: &mut Input<'_>, texts: &mut Vec<(String, String)>, at: usize) {
    let text = &texts[at].1;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let which = (input.below(256) * 251 + input.below(251)) % lines.len().max(1);
    let line = lines.get(which).copied().unwrap_or_default();
    let new = match input.below(8) {
        0 => String::new(),
        1 => format!("{line}{line}"),
        2 => format!("{}\n", input.text()),
        3 => with_word(line, input.below(16), &input.text()),
        4 => with_word(line, input.below(16), input.pick(&WORDS)),
        5 => line.chars().take(input.below(80)).collect(),
        6 => {
            texts.remove(at);
            return;
        }
        _ => with_word(line, input.below(16), &input.number().to_string()),
    };
    let edited: String = lines
        .iter()
        .enumerate()
        .map(|(index, line)| if index == which { new.as_str() } else { line })
        .collect();
    texts[at].1 = edited;
}

/// Returns a line with the word `at` replaced, the blanks around it kept.
fn with_word(line: &str, at: usize, word: &str) -> String {
    let mut words = line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let full: Vec<usize> = (0..words.len()).filter(|at| !words[*at].trim().is_empty()).collect();
    if let Some(at) = full.get(at % full.len().max(1)) {
        let end = if words[*at].ends_with('\n') { "\n" } else { "" };
        words[*at] = format!("{word}{end}");
    }
    words.join(" ")
}

/// Reads a machine, judges it, and writes every report of it.
fn judge(sources: &Sources) {
    let machine = Machine::read(sources);
    let advice = advise(&machine, Estimate::CountersOnly);
    assert!(!advice.findings.is_empty(), "there is always a headline");
    // The headline stands before all others, whatever it says.
    let rest = advice.findings.get(1..).unwrap_or_default();
    assert!(rest.is_sorted_by_key(|finding| finding.severity), "what hurts comes first");
    for (detail, width) in [(Detail::Usual, 80), (Detail::Full, 60)] {
        let options = DoctorOptions { width, colour: false, detail };
        shown::page(&doctor_text(&advice, &[], &options));
    }
    let tabs = doctor_tabs(&advice);
    shown::tabs(&tabs);
    assert!(tabs.lines().all(|line| line.split('\t').count() == DOCTOR_COLUMNS.len()));
    let json = doctor_json(&advice, &[]).expect("findings are JSON");
    shown::json(&json);
    fleet(&advice);
}

/// Writes the table of several machines, of this one alone.
fn fleet(advice: &Advice) {
    let first = advice.findings.first().map(|finding| Worst {
        severity: finding.severity,
        id: finding.id.to_owned(),
        subject: finding.subject.clone(),
        title: finding.title.clone(),
    });
    let row = FleetRow {
        machine: advice.reading.platform.clone().unwrap_or_default(),
        file: "a".to_owned(),
        worst: first,
        is_judged: advice.is_verdict(),
        ..FleetRow::default()
    };
    let rows = [row];
    shown::page(&fleet_text(&rows, 80, false));
    shown::tabs(&fleet_tabs(&rows));
    shown::json(&fleet_json(&rows).expect("a table is JSON"));
}
