// A result: the answer in sentences, two charts of the phase that it is about, every figure as a table.

import { bars, legend } from "./charts.js";
import { make } from "./dom.js";

/** The phase that somebody chose to look at, kept while it exists. */
let chosen = "";

/** Columns of the table: a title, the figure of a phase of an arm, and whether the unit of rates belongs to it. */
const COLUMNS = [
  ["throughput", "throughput", true],
  ["against the first", "change"],
  ["range", "range", true],
  ["reported", "reported"],
  ["time", "time"],
  ["p99 latency", "latency_p99"],
  ["sync writes, half in", "sync_p50"],
  ["moved", "moved"],
  ["ARC hits", "arc_hits"],
  ["from ARC", "arc"],
  ["from L2ARC", "l2arc"],
  ["from disks", "disks"],
  ["written", "written"],
];

/** Shows the result of a run in `place`. */
export function showResult(place, page) {
  const { result } = page;
  const charts = make("div", { class: "card" });
  const lookAt = (name) => charts.replaceChildren(...pictures(result, name, lookAt));
  const names = result.phases.map((phase) => phase.name);
  const first = names.includes(chosen) ? chosen : names.includes(result.asked_phase) ? result.asked_phase : names.at(-1);
  if (first !== undefined) lookAt(first);
  place.replaceChildren(answer(page), charts, figures(result), notes(page));
}

function answer({ result, reduced }) {
  const lines = result.answers.length ? result.answers : ["This scenario asks no question; its figures are below."];
  return make("div", { class: "card" }, [
    make("h2", { text: result.title }),
    make("ul", { class: "answers" }, lines.map((text) => make("li", { text }))),
    reduced ? make("p", { class: "hint", text: reduced }) : null,
  ]);
}

function pictures(result, name, lookAt) {
  const phase = result.phases.find((phase) => phase.name === name);
  const select = make("select", { id: "phase" });
  select.append(...result.phases.map((other) => make("option", { value: other.name, text: other.name })));
  select.value = name;
  select.addEventListener("change", () => {
    chosen = select.value;
    lookAt(chosen);
    document.getElementById("phase").focus();
  });
  const choose = make("div", { class: "field" }, [make("label", { for: "phase", text: "Phase" }), select]);
  return [result.phases.length > 1 ? choose : "", speed(result, phase), waits(phase), ...sources(phase)];
}

function speed(result, phase) {
  const first = result.arms[0];
  const rows = phase.arms.map((arm) => ({
    name: arm.name,
    parts: [{ value: arm.throughput, kind: arm.name === first ? "first" : "arm", title: `${arm.name}: ${arm.texts.throughput} ${result.rate_unit}` }],
    text: arm.texts.throughput + (arm.texts.change ? `  ${arm.texts.change}` : ""),
    range: arm.range,
    mark: arm.reported,
  }));
  const has = (key) => phase.arms.some((arm) => arm[key] !== null);
  const line = has("range") ? ", the line is its range" : "";
  const mark = has("reported") ? ", the mark is what was reported" : "";
  return bars(`Throughput in “${phase.name}”`, `${result.rate_unit}${line}${mark}; longer is faster`, rows);
}

function waits(phase) {
  if (!phase.arms.some((arm) => arm.sync_p50_ns !== null)) return "";
  const rows = phase.arms.map((arm) => ({
    name: arm.name,
    parts: [{ value: arm.sync_p50_ns ?? 0, kind: "sync", title: `${arm.name}: ${arm.texts.sync_p50 ?? "unknown"}` }],
    text: arm.texts.sync_p50 ?? "unknown",
  }));
  return bars("Half of the synchronous writes are done in", "shorter is better", rows);
}

function sources(phase) {
  if (!phase.arms.some((arm) => arm.sources)) return [];
  const rows = phase.arms.map((arm) => {
    const { arc = 0, l2arc = 0, disks = 0 } = arm.sources ?? {};
    const part = (value, kind, text) => ({ value, kind, title: `${arm.name}: ${text}` });
    return {
      name: arm.name,
      parts: [
        part(arc, "arc", `ARC ${arm.texts.arc}`),
        part(l2arc, "l2arc", `L2ARC ${arm.texts.l2arc}`),
        part(disks, "disks", `disks ${arm.texts.disks}`),
      ],
      text: arm.sources ? arm.texts.moved : "unknown",
    };
  });
  const title = `Where the bytes of “${phase.name}” came from`;
  return [
    bars(title, "what disks deliver includes parity and gaps", rows),
    legend([["arc", "ARC (memory)"], ["l2arc", "L2ARC"], ["disks", "disks"]]),
  ];
}

function figures(result) {
  const all = result.phases.flatMap((phase) => phase.arms);
  const isSaid = (text) => text !== null && text !== "-";
  const columns = COLUMNS.filter(([, key]) => all.some((arm) => isSaid(arm.texts[key])));
  const head = columns.map(([title, , isRate]) => make("th", { scope: "col", text: isRate ? `${title}, ${result.rate_unit}` : title }));
  const body = result.phases.flatMap((phase) => [
    make("tr", {}, [make("th", { scope: "colgroup", colspan: columns.length + 1, text: phase.name })]),
    ...phase.arms.map((arm) =>
      make("tr", {}, [
        make("th", { scope: "row", text: arm.name }),
        ...columns.map(([, key]) => make("td", { text: isSaid(arm.texts[key]) ? arm.texts[key] : "–" })),
      ]),
    ),
  ]);
  const table = make("table", {}, [
    make("thead", {}, [make("tr", {}, [make("th", { scope: "col", text: "arm" }), ...head])]),
    make("tbody", {}, body),
  ]);
  const box = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "All figures" }, [table]);
  return make("details", { class: "card", open: true }, [make("summary", { text: "All figures" }), box]);
}

function notes({ result }) {
  const lines = [...result.notes, ...result.changes.map((change) => `Set: ${change}`), `Run by: ${result.engine}`];
  return make("details", { class: "card" }, [
    make("summary", { text: `How far to trust it (${lines.length} notes)` }),
    make("ul", {}, lines.map((text) => make("li", { text }))),
  ]);
}
