// Which datasets read and write.

import { byId, make, problem } from "./dom.js";
import { get } from "./server.js";
import { UNKNOWN, bytes, bytesPerSecond, perSecond, share } from "./units.js";

const EVERY_MS = 3000;
let isShown = false;

export function begin() {
  setInterval(() => {
    if (isShown && !document.hidden) refresh();
  }, EVERY_MS);
}

export function shown(isIt) {
  isShown = isIt;
  if (isIt) refresh();
}

async function refresh() {
  const place = byId("datasets-result");
  try {
    const table = await get("/api/datasets");
    byId("datasets-said").textContent = said(table);
    if (!table.is_counted) {
      const text = "Datasets are not counted here: OpenZFS does so since 0.8, as long as they are mounted.";
      return place.replaceChildren(make("p", { class: "card", text }));
    }
    place.replaceChildren(make("div", { class: "card" }, [list(table)]));
  } catch (error) {
    place.replaceChildren(problem(error));
  }
}

function said({ seconds, misses, l2_misses, arc_share }) {
  const time = `In the last ${Math.round(seconds)} s`;
  if (misses === null) return `${time}: hits and misses were not counted.`;
  const found = arc_share === null ? "nothing was asked of the ARC" : `the ARC had ${share(arc_share)} of demand accesses, ${perSecond(misses)} missed`;
  const l2 = l2_misses === null ? "" : `; the L2ARC missed ${perSecond(l2_misses)}`;
  return `${time}, on the whole machine: ${found}${l2}.`;
}

function list({ rows, more }) {
  const head = ["dataset", "read", "reads", "written", "writes", "sync", "record size", "ARC keeps", "L2ARC keeps"];
  const line = (row) => {
    const cells = [
      bytesPerSecond(row.read),
      perSecond(row.reads),
      bytesPerSecond(row.written),
      perSecond(row.writes),
      perSecond(row.commits),
      bytes(row.recordsize),
      row.primarycache ?? UNKNOWN,
      row.secondarycache ?? UNKNOWN,
    ];
    return make("tr", {}, [make("th", { scope: "row", text: row.name }), ...cells.map((text) => make("td", { text }))]);
  };
  const table = make("table", {}, [
    make("thead", {}, [make("tr", {}, head.map((text) => make("th", { scope: "col", text })))]),
    make("tbody", {}, rows.map(line)),
  ]);
  const box = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Datasets" }, [table]);
  return make("div", {}, [box, more > 0 ? make("p", { class: "hint", text: `and ${more} more, which do less` }) : null]);
}
