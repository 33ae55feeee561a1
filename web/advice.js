// Findings as elements: what the static page and the served one show alike.

import { copy, make } from "./dom.js";

const OVER = { window: " in the window", "since-load": " since it began", now: "", setting: "" };
const LABELS = { "hurts-now": "hurts now", "worth-a-look": "worth a look", note: "note", fine: "fine" };

/** Says how many findings there are, in a sentence. */
export function spoken(advice) {
  const count = (severity) => advice.findings.filter((finding) => finding.severity === severity).length;
  const of = (severity, what) => (count(severity) ? `${count(severity)} ${what}` : "");
  const parts = [
    of("hurts-now", count("hurts-now") === 1 ? "hurts now" : "hurt now"),
    of("worth-a-look", "worth a look"),
    of("note", count("note") === 1 ? "note" : "notes"),
  ];
  const told = parts.filter((part) => part).join(", ");
  return told ? `Findings: ${told}.` : "Nothing is wrong in what could be judged.";
}

/** Returns findings as elements, with how they came about. */
export function report(page) {
  const { advice } = page;
  const text = make("button", { type: "button", class: "quiet", text: "Copy as text" });
  text.addEventListener("click", async () => {
    text.textContent = (await copy(page.text)) ? "Copied" : "The browser does not let us copy";
  });
  return [
    make("div", { class: "card heading" }, [
      make("h2", { text: page.machine }),
      make("p", { class: "hint", text: page.basis }),
      make("div", { class: "row" }, [text]),
    ]),
    ...advice.findings.map(findingCard),
    list("As it should be", advice.fine.map((fine) => fine.what), true),
    list("Not judged, and why", advice.unjudged.map((one) => `${one.why}: ${one.what.join(", ")}`)),
    list("Not read", advice.unread.map((one) => `${one.source}: ${one.why}`)),
  ];
}

function list(title, lines, isOpen = false) {
  if (lines.length === 0) return "";
  const items = lines.map((line) => make("li", { text: line }));
  return make("details", { class: "card", open: isOpen }, [
    make("summary", { text: `${title} (${lines.length})` }),
    make("ul", {}, items),
  ]);
}

function findingCard(finding) {
  const { remedy, severity } = finding;
  const isShort = severity === "note" || severity === "fine";
  const main = [
    ...(remedy ? [part("Do", remedy.what), commands("Now", remedy.now)] : []),
    ...(remedy ? [commands(remedy.now.length ? "For good" : "With", remedy.lasting)] : []),
    part("Gain", gain(finding.gain)),
    part("Cost", finding.cost),
    part("Why", finding.cause),
  ];
  const { level, words } = finding.confidence;
  const more = [
    evidence(finding.evidence),
    part("Risk", finding.risk),
    ...(remedy ? [commands("Check", remedy.verify), commands("Undo", remedy.undo)] : []),
    part("How sure", `${level}: ${words}`),
    part("Source", `${finding.sources.join("; ")} [${finding.id}]`),
  ];
  return make("article", { class: `card finding ${severity}` }, [
    make("h3", {}, [
      make("span", { class: "badge", text: LABELS[severity] }),
      make("span", { text: ` ${finding.title}` }),
    ]),
    isShort ? null : make("dl", {}, main.flat()),
    make("details", {}, [
      make("summary", { text: isShort ? "Why, and what it rests on" : "Evidence, risk, undo, sources" }),
      make("dl", {}, (isShort ? [...main, ...more] : more).flat()),
    ]),
  ]);
}

function part(name, text) {
  return text ? [make("dt", { text: name }), make("dd", { text })] : [];
}

/** Returns commands with a button that copies them, as a row of a list. */
export function commands(name, lines) {
  if (lines.length === 0) return [];
  const label = `Commands: ${name}`;
  const box = make("pre", { tabindex: "0", role: "region", "aria-label": label, text: lines.join("\n") });
  const button = make("button", { type: "button", class: "quiet small", text: "Copy", "aria-label": `Copy: ${name}` });
  button.addEventListener("click", async () => {
    button.textContent = (await copy(lines.join("\n"))) ? "Copied" : "Not allowed";
  });
  return [make("dt", { text: name }), make("dd", { class: "commands" }, [box, button])];
}

function gain(of) {
  if (of === "nothing") return "";
  if (of.modelled) return of.modelled.words;
  if (of.counted) return of.counted;
  return of["not-estimated"] ? `not estimated: ${of["not-estimated"]}` : "";
}

function evidence(rows) {
  if (rows.length === 0) return [];
  const cells = (row) => [make("th", { scope: "row", text: row.name }), make("td", { text: row.value + OVER[row.over] })];
  const table = make("table", {}, [make("tbody", {}, rows.map((row) => make("tr", {}, cells(row))))]);
  const box = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Evidence" }, [table]);
  return [make("dt", { text: "Seen" }), make("dd", {}, [box])];
}
