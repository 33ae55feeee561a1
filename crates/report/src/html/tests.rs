//! What holds of every page and every chart: it is well-formed, asks for nothing, shows what came from outside as text,
//! and says what the text report says.

use arcwright_advice::{Estimate, advise};
use arcwright_machine::{Machine, Sources};
use arcwright_scenario::{
    ArmOutcome, Bucket, DemandSeries, DeviceSeries, Latency, Outcome, ReadClasses, ReadsByClass,
    SAMPLES_MAX, Series,
};
use arcwright_units::{Bytes, Nanos};
use roxmltree::{Document, ParsingOptions};
use sha2::{Digest as _, Sha256};

use super::{ChartKind, chart_svg, compare_html, doctor_html, run_html};
use crate::{Detail, DoctorOptions, TextOptions, doctor_text, fixture, text};

const KINDS: [ChartKind; 5] =
    [ChartKind::Speed, ChartKind::Sources, ChartKind::Time, ChartKind::Latency, ChartKind::Devices];

/// Two seconds of a phase, `count` times over.
fn series(count: usize) -> Series {
    let all = |bytes: u64| vec![Bytes(bytes << 20); count];
    Series {
        interval_ns: Nanos::SECOND,
        duration_ns: Nanos(Nanos::SECOND.0 * count as u64),
        bytes: all(300),
        written_bytes: all(0),
        l2arc_read_bytes: all(100),
        l2arc_write_bytes: all(8),
        device_read_bytes: all(150),
        device_write_bytes: all(0),
        demand: Some(DemandSeries {
            hit_bytes: all(50),
            joined_bytes: all(200),
            missed_bytes: all(50),
        }),
        l2arc_size: Some((0..count).map(|at| Bytes((at as u64 + 1) << 23)).collect()),
        devices: vec![DeviceSeries {
            name: "data-0-0".to_owned(),
            busy_ns: (0..count as u64).map(|at| Nanos(at * 7_919_191 % 1_000_000_000)).collect(),
            seeks: (0..count as u64).map(|at| at * 37 % 190).collect(),
        }],
    }
}

/// A result with all that a result can have.
fn whole(arms: &[&str], samples: usize) -> Outcome {
    let arms: Vec<(&str, [u64; 2])> = arms.iter().map(|name| (*name, [324, 226])).collect();
    let mut outcome = fixture::outcome(&arms);
    let bucket =
        |at: u64| Bucket { below_ns: Nanos(50_000 << (at / 4)), count: 1 + at * 1000 % 777 };
    let classes = ReadClasses {
        demand_data: Bytes::gib(1),
        demand_metadata: Bytes::mib(300),
        prefetch_data: Bytes::gib(2),
        prefetch_metadata: Bytes::mib(200),
    };
    let extend = |arm: &mut ArmOutcome| {
        let phases =
            arm.phases.iter_mut().chain(arm.runs.iter_mut().flat_map(|run| &mut run.phases));
        for phase in phases {
            phase.series = Some(Box::new(series(samples)));
            phase.reads_by_class = Some(ReadsByClass { l2arc: classes, disks: classes });
            phase.latency = Latency {
                count: 1000,
                min_ns: Nanos::micros(40),
                mean_ns: Nanos::millis(1),
                p50_ns: Nanos::micros(90),
                p95_ns: Nanos::millis(3),
                p99_ns: Nanos::millis(8),
                max_ns: Nanos::millis(50),
                buckets: (0..40).map(bucket).collect(),
            };
        }
    };
    outcome.arms.iter_mut().for_each(extend);
    outcome
}

pub(super) fn parsed(page: &str) -> Document<'_> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(page, options).unwrap_or_else(|error| panic!("{error}\n{page}"))
}

/// Returns all that can be read on a page.
pub(super) fn readable(page: &str) -> String {
    let document = parsed(page);
    let texts = document.descendants().filter(roxmltree::Node::is_text);
    let texts = texts.filter(|node| {
        node.parent().is_none_or(|parent| !["style", "script"].contains(&parent.tag_name().name()))
    });
    let pieces: Vec<&str> = texts.filter_map(|node| node.text()).collect();
    pieces.join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The laws of every page.
pub(super) fn check_page(page: &str) {
    let document = parsed(page);
    let named = |name: &str| document.descendants().filter(|node| node.has_tag_name(name)).count();
    assert_eq!(named("script"), 1);
    for strange in
        ["img", "link", "iframe", "object", "embed", "form", "base", "image", "use", "a:"]
    {
        assert_eq!(named(strange), 0, "{strange}");
    }
    let mut ids = std::collections::BTreeSet::new();
    for node in document.descendants() {
        for attribute in node.attributes() {
            let (name, value) = (attribute.name(), attribute.value());
            assert!(!name.starts_with("on") && name != "src" && name != "style", "{name}={value}");
            assert!(name != "href" || value.starts_with('#'), "{name}={value}");
            assert!(name != "id" || ids.insert(value.to_owned()), "{value} is there twice");
        }
        if node.has_tag_name("svg") {
            assert_eq!(node.attribute("role"), Some("img"));
            let labels = node.attribute("aria-labelledby").unwrap().split(' ');
            labels.for_each(|label| assert!(page.contains(&format!("id=\"{label}\""))));
        }
    }
    let style = document.descendants().find(|node| node.has_tag_name("style")).unwrap();
    assert!(!style.text().unwrap().contains("url(") && !page.contains("@import"));
    let hidden = |letter: &char| letter.is_control() && *letter != '\n';
    assert_eq!(page.chars().find(hidden), None);
}

fn machine(text: &str) -> arcwright_advice::Advice {
    advise(&Machine::read(&Sources::recognize(text)), Estimate::CountersOnly)
}

const METADATA: &str = include_str!("../../../../fixtures/machines/guest-2.3.2-metadata.txt");

#[test]
fn every_page_is_whole_and_asks_for_nothing() {
    let (plain, sampled) = (fixture::steam(), whole(&["as installed", "dumb LRU"], 60));
    for page in [
        run_html(&plain),
        run_html(&sampled),
        compare_html(&plain, &sampled),
        doctor_html(&machine(METADATA), &[]),
        doctor_html(&machine(""), &[]),
    ] {
        check_page(&page);
        assert!(!page.contains("http://") && !page.contains("https://"));
    }
    let mut nothing = plain;
    nothing.arms.clear();
    check_page(&run_html(&nothing));
    check_page(&compare_html(&nothing, &sampled));
}

#[test]
fn names_from_outside_are_text_everywhere() {
    const HOSTILE: [&str; 4] = [
        "</title></svg><script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "a & b ' \u{1b}[31m\u{0}\u{202e}",
        "javascript:alert(1) ]]> <!-- {{x}}",
    ];
    for name in HOSTILE {
        let mut outcome = whole(&["as installed", "dumb LRU"], 20);
        outcome.scenario.title = name.to_owned();
        outcome.scenario.question = name.to_owned();
        outcome.notes.push(name.to_owned());
        for arm in &mut outcome.arms {
            arm.name = name.to_owned();
            let runs = arm.runs.iter_mut().flat_map(|run| &mut run.phases);
            for phase in arm.phases.iter_mut().chain(runs) {
                phase.name = name.to_owned();
                phase.devices[0].name = name.to_owned();
            }
        }
        let page = run_html(&outcome);
        check_page(&page);
        let shown = arcwright_units::visible(name).into_owned();
        assert!(readable(&page).contains(shown.trim()), "{shown}");
        check_page(&compare_html(&outcome, &outcome));
        for kind in KINDS {
            let svg = chart_svg(&outcome, kind).unwrap();
            assert!(parsed(&svg).descendants().all(|node| !node.has_tag_name("script")), "{svg}");
        }
    }
    let pool = METADATA.replace("zdata", "<b>&amp;\"");
    let page = doctor_html(&machine(&pool), &[]);
    check_page(&page);
    assert!(!page.contains("<b>"));
}

#[test]
fn what_the_text_says_the_page_says() {
    let outcome = whole(&["as installed", "noprefetch=0", "dumb LRU"], 60);
    let page = readable(&run_html(&outcome));
    for arm in &outcome.arms {
        assert!(page.contains(&arm.name), "{}", arm.name);
        arm.phases.iter().for_each(|phase| assert!(page.contains(&phase.name)));
    }
    let plain = text(&outcome, &TextOptions { width: 10_000, ..TextOptions::default() });
    // What its parts are called differs.
    let is_shown = |line: &&str| !line.starts_with('─') && !line.starts_with("Notes");
    for line in plain.lines().filter(is_shown) {
        // Cells are two spaces apart; the order of columns may be another.
        for cell in line.trim_start_matches("- ").split("  ").map(str::trim) {
            let cell = cell.trim_end_matches(':');
            let found = page.to_lowercase().contains(&cell.to_lowercase());
            assert!(found || cell.contains(": "), "{cell}");
        }
    }
}

#[test]
fn every_finding_is_there_with_its_commands() {
    let advice = machine(METADATA);
    let page = readable(&doctor_html(&advice, &[]));
    let options = DoctorOptions { width: 10_000, colour: false, detail: Detail::Full };
    assert!(doctor_text(&advice, &[], &options).contains(&advice.findings[0].title));
    for finding in &advice.findings {
        assert!(page.contains(&finding.title) && page.contains(finding.id));
        for row in &finding.evidence {
            assert!(page.contains(&row.name) && page.contains(&row.value), "{}", row.name);
        }
        if let Some(remedy) = &finding.remedy {
            let lines = [&remedy.now, &remedy.lasting, &remedy.verify, &remedy.undo];
            for line in lines.into_iter().flatten() {
                let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
                assert!(page.contains(&line), "{line}");
            }
        }
    }
    for unjudged in &advice.unjudged {
        assert!(page.contains(&unjudged.why));
    }
}

#[test]
fn twenty_arms_are_less_than_two_megabytes() {
    let names: Vec<String> = (0..20).map(|number| format!("arm {number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut outcome = whole(&names, SAMPLES_MAX);
    for arm in &mut outcome.arms {
        for phases in
            std::iter::once(&mut arm.phases).chain(arm.runs.iter_mut().map(|run| &mut run.phases))
        {
            let more: Vec<_> = phases
                .iter()
                .map(|phase| {
                    let mut phase = phase.clone();
                    phase.name.push_str(" again");
                    phase
                })
                .collect();
            phases.extend(more);
            for phase in phases {
                let device = phase.devices[0].clone();
                let of_device = phase.series.as_ref().unwrap().devices[0].clone();
                for number in 1..8 {
                    let name = format!("data-0-{number}");
                    phase.devices.push(arcwright_scenario::DeviceRun {
                        name: name.clone(),
                        ..device.clone()
                    });
                    let series = phase.series.as_mut().unwrap();
                    series.devices.push(DeviceSeries { name, ..of_device.clone() });
                }
            }
        }
    }
    let page = run_html(&outcome);
    check_page(&page);
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
}

#[test]
fn no_label_of_a_chart_lies_on_another_or_outside() {
    let outcome =
        whole(&["as installed", "noprefetch=0", "a name that is longer than its place"], 97);
    let page = run_html(&outcome);
    let document = parsed(&page);
    for svg in document.descendants().filter(|node| node.has_tag_name("svg")) {
        check_labels(svg);
    }
}

/// Two labels in one line of a drawing keep apart, by widths that are rather too large.
pub(super) fn check_labels(svg: roxmltree::Node<'_, '_>) {
    let width: f64 = svg.attribute("width").unwrap().parse().unwrap();
    let mut boxes: Vec<(f64, f64, f64, String)> = Vec::new();
    for label in svg.descendants().filter(|node| node.has_tag_name("text")) {
        let number = |name: &str| label.attribute(name).unwrap().parse::<f64>().unwrap();
        let text: String = label
            .children()
            .filter(roxmltree::Node::is_text)
            .filter_map(|node| node.text())
            .collect();
        // The usual width of a letter; the drawing reckons with more.
        let long = text.chars().count() as f64 * 12.0 * 0.52;
        let class = label.attribute("class").unwrap();
        let from = match class {
            class if class.contains("end") => number("x") - long,
            class if class.contains("middle") => number("x") - long / 2.0,
            _ => number("x"),
        };
        assert!(from > -2.0 && from + long < width + 2.0, "“{text}” from {from} of {width}");
        boxes.push((from, from + long, number("y"), text));
    }
    for (at, one) in boxes.iter().enumerate() {
        for other in &boxes[at + 1..] {
            let apart = (one.2 - other.2).abs() >= 11.0 || one.1 <= other.0 || other.1 <= one.0;
            assert!(apart, "{one:?} {other:?}");
        }
    }
}

#[test]
fn the_policy_allows_the_script_that_is_there() {
    let page = run_html(&fixture::steam());
    let document = parsed(&page);
    let script = document.descendants().find(|node| node.has_tag_name("script")).unwrap();
    let digest = base64(&Sha256::digest(script.text().unwrap().as_bytes()));
    assert!(page.contains(&format!("sha256-{digest}")), "{digest}");
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |three: &[u8]| -> String {
        let number =
            (0..3).fold(0u32, |sum, at| sum << 8 | u32::from(*three.get(at).unwrap_or(&0)));
        let letter = |at: usize| match at <= three.len() {
            true => char::from(LETTERS[(number >> (18 - 6 * at)) as usize & 63]),
            false => '=',
        };
        (0..4).map(letter).collect()
    };
    bytes.chunks(3).map(group).collect()
}

#[test]
fn colours_stand_out_in_light_and_in_dark() {
    let style = super::page::CHART_STYLE;
    let (light, dark) = style.split_once("@media").unwrap();
    for theme in [light, dark] {
        let colour = |name: &str| {
            let (_, rest) = theme.split_once(&format!("--{name}:#")).unwrap();
            let hex: String = rest.chars().take_while(char::is_ascii_hexdigit).collect();
            luminance(&hex)
        };
        let check = |on: &str, of: &str, least: f64| {
            let (one, other) = (colour(on), colour(of));
            let contrast = (one.max(other) + 0.05) / (one.min(other) + 0.05);
            assert!(contrast >= least, "{of} on {on}: {contrast:.2}");
        };
        for text in ["ink", "muted", "accent", "good", "bad", "warn"] {
            check("paper", text, 4.5);
            check("trough", text, 4.5);
        }
        for part in ["arc", "l2arc", "disks"] {
            check(part, "on-part", 4.5);
            check("paper", part, 3.0);
        }
        for tint in ["arc-tint", "l2arc-tint", "disks-tint"] {
            check(tint, "ink", 4.5);
        }
        for mark in ["reference", "line", "seek"] {
            check("paper", mark, 3.0);
        }
        check("disks-tint", "seek", 3.0);
        check("trough", "disks", 3.0);
    }
}

/// The relative luminance of a colour, as the guidelines on contrast have it.
fn luminance(hex: &str) -> f64 {
    let long: String =
        if hex.len() == 3 { hex.chars().flat_map(|c| [c, c]).collect() } else { hex.to_owned() };
    let part = |at: usize| {
        let value = f64::from(u8::from_str_radix(&long[at..at + 2], 16).unwrap()) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * part(0) + 0.7152 * part(2) + 0.0722 * part(4)
}

#[test]
fn a_chart_alone_is_a_file_of_its_own() {
    let outcome = whole(&["as installed", "dumb LRU"], 60);
    for kind in KINDS {
        let svg = chart_svg(&outcome, kind).unwrap();
        let document = parsed(&svg);
        assert!(document.root_element().has_tag_name("svg") || svg.starts_with("<svg xmlns="));
        check_labels_of_file(&document);
    }
    let missing = chart_svg(&fixture::steam(), ChartKind::Time).unwrap_err();
    assert!(missing.to_string().starts_with("the result has no samples"));
}

fn check_labels_of_file(document: &Document<'_>) {
    let root = document.root_element();
    assert_eq!(root.attribute("role"), Some("img"));
    assert!(root.descendants().any(|node| node.is_element() && node.tag_name().name() == "style"));
}
