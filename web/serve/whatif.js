// What changes would bring for the load that was recorded here.

import { commands } from "./advice.js";
import { byId, fill, make, problem } from "./dom.js";
import { get, lines } from "./server.js";
import { UNKNOWN, bytes, share } from "./units.js";

let isOffered = false;
let running = null;

export function begin() {
  byId("whatif-form").addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  byId("whatif-stop").addEventListener("click", () => running?.abort());
}

export async function shown(isIt) {
  if (!isIt || isOffered) return;
  try {
    const { pools, memory, usual, seconds } = await get("/api/whatif");
    isOffered = true;
    byId("whatif-load").textContent = `The load is what was recorded here in the last ${Math.round(seconds)} s, ten minutes at most. A longer recording says more.`;
    if (memory) byId("whatif-memory-now").textContent = memory;
    byId("whatif-memory").value = usual.memory;
    byId("whatif-l2arc").value = usual.l2arc;
    byId("whatif-log").value = usual.log;
    byId("whatif-parameters").value = usual.parameters.join(" ");
    if (pools.length > 1) {
      fill(byId("whatif-pool"), pools.map((name) => ({ id: name, title: name })));
      byId("whatif-pool-field").hidden = false;
    }
    byId("whatif-problem").replaceChildren();
  } catch (error) {
    byId("whatif-problem").replaceChildren(problem(error));
  }
}

async function run() {
  running?.abort();
  const mine = new AbortController();
  running = mine;
  show(true);
  byId("whatif-problem").replaceChildren();
  byId("whatif-status").textContent = "Finding the load, then computing …";
  const value = (id) => byId(id).value;
  const parameters = value("whatif-parameters").split(/\s+/).filter((text) => text);
  const tried = { pool: value("whatif-pool"), memory: value("whatif-memory"), l2arc: value("whatif-l2arc"), log: value("whatif-log"), parameters };
  let last = null;
  try {
    await lines("/api/whatif", tried, (line) => {
      if (line.progress !== undefined) byId("whatif-progress").value = line.progress;
      else last = line;
    }, mine.signal);
    if (!last) throw { message: "The server broke off.", hint: "Predict again." };
    if (last.problem) throw { message: last.problem };
    byId("whatif-status").textContent = "";
    byId("whatif-result").replaceChildren(...result(last));
  } catch (error) {
    const isStopped = error.name === "AbortError";
    byId("whatif-status").textContent = isStopped ? "Stopped." : "";
    if (!isStopped) byId("whatif-problem").replaceChildren(problem(error));
  }
  if (running === mine) show(false);
}

function show(isRunning) {
  byId("whatif-stop").hidden = !isRunning;
  byId("whatif-progress").hidden = !isRunning;
  byId("whatif-progress").value = 0;
}

function result({ answer, left_out, notes, text, command, seconds }) {
  const chosen = answer.rows[answer.choice];
  const advice = answer.choice === 0 ? "Nothing that was tried saves a twentieth of what programs wait: leave it as it is." : `Best: ${chosen.name}. It saves ${share(chosen.saved)} of what programs wait.`;
  const head = ["change", "saves", "ARC hits", "L2ARC hits", "disks read", "L2ARC headers", "lasts"];
  const line = (row, number) => {
    const years = row.years === null || row.years === undefined ? UNKNOWN : `${row.years < 10 ? row.years.toFixed(1) : Math.round(row.years)} years`;
    const saved = row.changes === 0 ? UNKNOWN : row.saved < 0 ? `costs ${share(-row.saved)}` : share(row.saved);
    const cells = [saved, share(row.arc_hit_ratio), share(row.l2arc_hit_ratio), bytes(row.disk_reads), bytes(row.headers), years];
    return make("tr", { class: number === answer.choice ? "chosen" : "" }, [
      make("th", { scope: "row", text: row.name }),
      ...cells.map((text) => make("td", { text })),
    ]);
  };
  const table = make("table", {}, [
    make("thead", {}, [make("tr", {}, head.map((text) => make("th", { scope: "col", text })))]),
    make("tbody", {}, answer.rows.map(line)),
  ]);
  const list = (title, items) =>
    items.length ? make("details", { class: "card", open: title === SURE }, [make("summary", { text: `${title} (${items.length})` }), make("ul", {}, items.map((item) => make("li", { text: item })))]) : "";
  return [
    make("div", { class: "card" }, [
      make("h2", { text: advice }),
      make("p", { class: "hint", text: `A prediction of the model for ${Math.round(seconds)} s of this load. Check it in the lab before you spend money on it.` }),
      make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Combinations" }, [table]),
      make("dl", {}, commands("Likewise", [command])),
    ]),
    list(SURE, answer.apart),
    list("Not in the load", left_out),
    list("Not tried to the end", answer.not_tried),
    list("Notes", notes),
    make("details", { class: "card" }, [make("summary", { text: "As the program prints it" }), make("pre", { tabindex: "0", role: "region", "aria-label": "As the program prints it", text })]),
  ];
}

const SURE = "What the model of this machine counts otherwise than the machine";
