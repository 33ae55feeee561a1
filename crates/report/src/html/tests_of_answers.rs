//! The pages of curves, of what changes bring, and of advice keep the laws of all pages.

use arcwright_advice::{Estimate, advise};
use arcwright_machine::{Machine, Sources};
use arcwright_model::curve::{Curve, CurvePoint};
use arcwright_ssd::Doubts;
use arcwright_units::{Bytes, Nanos};
use arcwright_whatif::{Row, WhatIf};

use super::tests::{check_labels, check_page, parsed, readable};
use super::{advise_html, curve_html, curve_svg, whatif_html};
use crate::trace::CurveHead;
use crate::{Advised, AdvisedStep, fixture};

const HOSTILE: &str = "</title></svg><script>alert(1)</script> \u{1b}[31m\u{202e}&\"";

fn curve(l2arcs: &[u64]) -> Curve {
    let point = |arc: u64, l2arc: u64| CurvePoint {
        size: Bytes::mib(arc),
        l2arc: Bytes::mib(l2arc),
        hits: (arc as f64 / 500.0).min(0.9),
        byte_hits: 0.5,
        l2_hits: if l2arc > 0 { 0.05 } else { 0.0 },
        l2_written: Bytes::mib(l2arc),
        span: Nanos::SECOND,
        range: [(arc as f64 / 550.0).min(0.89), (arc as f64 / 450.0).min(0.97)],
    };
    let sizes = [256, 384, 512, 768, 1024, 1536, 2048, 4096, 8192];
    let points = sizes.iter().flat_map(|arc| l2arcs.iter().map(|l2arc| point(*arc, *l2arc)));
    Curve {
        points: points.collect(),
        counted: 1_000_000,
        blocks: 50_000,
        footprint: Bytes::gib(6),
        one_in: 4,
    }
}

fn row(number: u64, name: &str) -> Row {
    Row {
        name: name.to_owned(),
        changes: usize::from(number > 0),
        memory: Bytes::gib(8 << number.min(5)),
        l2arc: Bytes::ZERO,
        log: Bytes::ZERO,
        phases: Vec::new(),
        saved: number as f64 * 0.04,
        saved_range: None,
        saved_checked: None,
        arc_hit_ratio: Some(0.6 + number as f64 * 0.01),
        arc_hit_range: Some([0.55, 0.7]),
        l2arc_hit_ratio: None,
        disk_reads: Bytes::gib(40),
        headers: None,
        l2arc_written_per_day: Bytes::ZERO,
        years: None,
        warm_up_ns: None,
        price: None,
        is_frugal: number.is_multiple_of(2),
    }
}

fn answer(name: &str, count: u64) -> WhatIf {
    let changed = (1..count).map(|number| row(number, &format!("{name} {number}")));
    WhatIf {
        other_loads: 0,
        load: name.to_owned(),
        phases: vec![name.to_owned()],
        hours_a_day: 24.0,
        prices: None,
        doubts: Doubts {
            apart: vec![name.to_owned()],
            assumed: vec![name.to_owned()],
            one_place_in: None,
        },
        rows: std::iter::once(row(0, "as it is")).chain(changed).collect(),
        choice: 1,
        not_tried: vec![name.to_owned()],
    }
}

fn check(page: &str) {
    check_page(page);
    let document = parsed(page);
    document.descendants().filter(|node| node.has_tag_name("svg")).for_each(check_labels);
}

#[test]
fn a_curve_is_a_page_and_a_file_of_its_own() {
    let notes = [HOSTILE.to_owned()];
    let head = CurveHead { name: HOSTILE, cache: "an LRU", notes: &notes };
    for l2arcs in [&[0][..], &[0, 4096], &[0, 1, 2, 3, 4, 5]] {
        let curve = curve(l2arcs);
        let page = curve_html(&curve, &head);
        check(&page);
        assert_eq!(
            readable(&page).contains("The knee is at"),
            l2arcs.len() == 1,
            "a knee is of one curve"
        );
        let svg = curve_svg(&curve, &head);
        assert!(parsed(&svg).descendants().all(|node| !node.has_tag_name("script")), "{svg}");
    }
    let nothing = Curve { points: Vec::new(), ..curve(&[0]) };
    check(&curve_html(&nothing, &head));
}

#[test]
fn answers_are_pages() {
    let mut outcome = fixture::steam();
    outcome.notes.push(HOSTILE.to_owned());
    for count in [2, 9, 200] {
        let answer = answer(HOSTILE, count);
        check(&whatif_html(&answer, &outcome));
        let text = include_str!("../../../../fixtures/machines/guest-2.3.2-metadata.txt");
        let machine = Machine::read(&Sources::recognize(&text.replace("zdata", "<b>&\"")));
        let advice = advise(&machine, Estimate::CountersOnly);
        let steps = [AdvisedStep { command: HOSTILE.to_owned(), what: HOSTILE.to_owned() }];
        let advised = Advised {
            machine: HOSTILE,
            advice: &advice,
            curve: &answer,
            answer: &answer,
            outcome: &outcome,
            steps: &steps,
        };
        let page = advise_html(&advised);
        check(&page);
        assert!(readable(&page).contains("How much memory") && !page.contains("<b>"));
    }
}
