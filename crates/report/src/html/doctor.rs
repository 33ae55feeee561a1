//! The page of a machine: what hurts, the evidence, and the commands to copy.

use arcwright_advice::{Advice, Evidence, Finding, Gain, Over, Remedy, Severity};

use super::figure::DataTable;
use super::page::{Page, command, list};
use super::run::{Section, capitalized, section};
use crate::doctor::{busy, counted, machine};
use crate::hidden::Hidden;
use crate::markup::Markup;

/// Returns the page of a machine with every finding in full.
#[must_use]
pub fn doctor_html(advice: &Advice, hidden: &[Hidden]) -> String {
    let mut parts = Vec::new();
    let mut body = Markup::new();
    for (id, title, section) in sections(advice, hidden) {
        parts.push((id, title));
        body.add(&section);
    }
    let what = machine(&advice.reading);
    let title = format!("Doctor: {what}");
    Page { title: &title, head: head(advice, &what), parts, body }.render()
}

/// Returns all findings, then what is fine and what is not known.
pub(super) fn sections(advice: &Advice, hidden: &[Hidden]) -> Vec<Section> {
    let mut findings = Markup::new();
    advice.findings.iter().for_each(|found| findings.add(&finding(found)));
    let facts = advice.facts.iter().map(|fact| format!("{}: {}", fact.about, fact.says));
    let facts: Vec<String> = facts.collect();
    let facts = list(facts.iter().map(String::as_str));
    let fine = list(advice.fine.iter().map(|fine| fine.what.as_str()));
    let ignored: Vec<String> =
        hidden.iter().map(|it| format!("{} ({})", it.selector(), it.why)).collect();
    let ignored = list(ignored.iter().map(String::as_str));
    let sections = [
        section("findings", "Findings", &findings),
        section("facts", "What was read", &facts),
        section("fine", "As it should be", &fine),
        section("unjudged", "Not judged, and why", &unjudged(advice)),
        section("unread", "Not read", &unread(advice)),
        section("ignored", "Ignored on request", &ignored),
    ];
    sections.into_iter().flatten().collect()
}

fn head(advice: &Advice, what: &str) -> Markup {
    let mut head = Markup::new();
    head.element("h1", &[], &capitalized(what));
    head.element("p", &[("class", "question")], &counted(&advice.reading));
    if let Some(who) = busy(&advice.reading) {
        head.element("p", &[("class", "question")], &who);
    }
    head.open("section", &[("class", "answer"), ("aria-label", "Answer")]);
    if let Some(first) = advice.findings.first() {
        head.open("p", &[]);
        head.text(&first.title);
        if let Some(remedy) = &first.remedy {
            head.element("small", &[], &format!("To do: {}.", remedy.what.trim_end_matches('.')));
        }
        head.close("p");
    }
    head.add(&verdict(advice));
    head.close("section");
    head
}

/// Returns how many findings there are of each kind.
pub(super) fn verdict(advice: &Advice) -> Markup {
    let mut head = Markup::new();
    head.open("ul", &[("class", "verdict")]);
    for (severity, class) in [
        (Severity::HurtsNow, "bad"),
        (Severity::WorthALook, "warn"),
        (Severity::Note, "note"),
        (Severity::Fine, "good"),
    ] {
        let count = advice.findings.iter().filter(|found| found.severity == severity).count();
        if count > 0 {
            let text = format!("{} {count} {}", sign(severity), severity.label());
            head.element("li", &[("class", class)], &text);
        }
    }
    head.close("ul");
    head
}

/// Returns a sign that tells severities apart without colours.
const fn sign(severity: Severity) -> &'static str {
    match severity {
        Severity::HurtsNow => "●",
        Severity::WorthALook => "▲",
        Severity::Note => "○",
        Severity::Fine => "✓",
    }
}

const fn class_of(severity: Severity) -> &'static str {
    match severity {
        Severity::HurtsNow => "finding hurts-now",
        Severity::WorthALook => "finding worth-a-look",
        Severity::Note => "finding",
        Severity::Fine => "finding fine",
    }
}

fn finding(found: &Finding) -> Markup {
    let mut article = Markup::new();
    article.open("article", &[("class", class_of(found.severity))]);
    let badge = format!("{} {}", sign(found.severity), found.severity.label());
    article.element("span", &[("class", "badge")], &badge);
    article.element("h3", &[], &found.title);
    article.open("dl", &[]);
    if let Some(remedy) = &found.remedy {
        term(&mut article, "do", &remedy.what);
        to_do(&mut article, remedy);
    }
    let gain = match &found.gain {
        Gain::Modelled { words, .. } | Gain::Counted(words) => words.clone(),
        Gain::NotEstimated(why) => format!("not estimated: {why}"),
        Gain::Nothing => String::new(),
    };
    term(&mut article, "gain", &gain);
    term(&mut article, "cost", &found.cost);
    term(&mut article, "risk", &found.risk);
    term(&mut article, "why", &found.cause);
    if let Some(remedy) = &found.remedy {
        commands(&mut article, "check", &remedy.verify);
        commands(&mut article, "undo", &remedy.undo);
    }
    let confidence = &found.confidence;
    let sure = format!("{}: {}", confidence.level.label(), confidence.words);
    term(&mut article, "how sure", &sure);
    term(&mut article, "source", &format!("{} [{}]", found.sources.join("; "), found.id));
    article.close("dl");
    article.add(&evidence(&found.evidence));
    article.close("article");
    article
}

fn to_do(article: &mut Markup, remedy: &Remedy) {
    // A change without a lasting part of its own is shown once.
    commands(article, "now", &remedy.now);
    commands(article, if remedy.now.is_empty() { "with" } else { "for good" }, &remedy.lasting);
}

fn term(article: &mut Markup, name: &str, text: &str) {
    if !text.is_empty() {
        article.element("dt", &[], name);
        article.element("dd", &[], text);
    }
}

fn commands(article: &mut Markup, name: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    article.element("dt", &[], name);
    article.open("dd", &[]);
    lines.iter().for_each(|line| article.add(&command(line)));
    article.close("dd");
}

fn evidence(rows: &[Evidence]) -> Markup {
    let mut markup = Markup::new();
    if rows.is_empty() {
        return markup;
    }
    let mut table = DataTable::new(1, &["what was seen", "value", "when"]);
    for row in rows {
        let over = match row.over {
            Over::Now => "now",
            Over::Setting => "as it is set",
            Over::Window => "in the window",
            Over::SinceLoad => "since it began",
        };
        table.rows.push(vec![row.name.clone(), row.value.clone(), over.to_owned()]);
    }
    markup.open("details", &[("open", "")]);
    markup.element("summary", &[], "Evidence");
    markup.add(&table.markup("Evidence"));
    markup.close("details");
    markup
}

fn unjudged(advice: &Advice) -> Markup {
    let lines: Vec<String> =
        advice.unjudged.iter().map(|it| format!("{}: {}", it.why, it.what.join(", "))).collect();
    list(lines.iter().map(String::as_str))
}

fn unread(advice: &Advice) -> Markup {
    let lines: Vec<String> =
        advice.unread.iter().map(|it| format!("{}: {}", it.source, it.why)).collect();
    list(lines.iter().map(String::as_str))
}
