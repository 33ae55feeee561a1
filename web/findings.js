// From pasted or dropped text to findings.

import { byId, copy, make, problem, settled } from "./dom.js";
import { Program, STALE } from "./engine.js";

/** Files that are read into memory at once; a capture has some megabytes. */
const FILES_BYTES_MAX = 64 * 2 ** 20;
const FILES_MAX = 2000;

const OVER = { window: " in the window", "since-load": " since it began", now: "", setting: "" };
const LABELS = { "hurts-now": "hurts now", "worth-a-look": "worth a look", note: "note", fine: "fine" };

const program = new Program();

/** Makes the section work; `example` is a text to show. */
export function begin(example) {
  const paste = byId("paste");
  const soon = settled(() => diagnoseText(paste.value), 400);
  paste.addEventListener("input", soon);
  paste.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) diagnoseText(paste.value);
  });
  byId("paste-form").addEventListener("submit", (event) => {
    event.preventDefault();
    diagnoseText(paste.value, true);
  });
  byId("example").addEventListener("click", () => {
    paste.value = example;
    diagnoseText(example);
  });
  byId("clear").addEventListener("click", () => {
    paste.value = "";
    program.stop();
    show("", []);
    paste.focus();
  });
  byId("files").addEventListener("change", async ({ target }) => {
    await diagnoseFiles([...target.files]);
    target.value = "";
  });
}

/** Diagnoses text; an empty one is only spoken of where somebody asked. */
async function diagnoseText(text, isAsked = false) {
  if (text.trim() === "" && !isAsked) return show("", []);
  await ask("diagnose", { text });
}

/** Diagnoses files of one machine. */
export async function diagnoseFiles(list) {
  if (list.length === 0) return;
  const bytes = list.reduce((sum, file) => sum + file.size, 0);
  if (bytes > FILES_BYTES_MAX || list.length > FILES_MAX) {
    const hint = "Drop a capture of one machine; the program reads larger ones: arcwright doctor --from FILE";
    return show("", [problem({ message: `More than ${FILES_BYTES_MAX >> 20} MiB or ${FILES_MAX} files.`, hint })]);
  }
  const read = async (file) => ({
    name: file.webkitRelativePath || file.name,
    bytes: await file.arrayBuffer(),
  });
  await ask("diagnoseFiles", { files: await Promise.all(list.map(read)) });
}

async function ask(what, given) {
  program.stop();
  status("Looking …");
  try {
    const { page, json } = await program.call(what, given);
    show(spoken(page.advice), report(page));
    // What the program would print, for tests and whoever wants to compare.
    byId("findings-result").dataset.json = json;
  } catch (error) {
    if (error !== STALE) show("There is no finding: see below.", [problem(error)]);
  }
}

function status(text) {
  byId("findings-status").textContent = text;
}

function show(text, children) {
  status(text);
  const result = byId("findings-result");
  delete result.dataset.json;
  result.replaceChildren(...children);
}

function spoken(advice) {
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

function report(page) {
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

function commands(name, lines) {
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
