// The last minutes, second by second.

import { byId, make } from "./dom.js";
import { Charts } from "./panels.js";
import { get } from "./server.js";
import { bytes, bytesPerSecond, nanos, perSecond, share } from "./units.js";

const SPAN_S = 300;
const TILES = [
  ["ARC hits", "arc_share", share, "of all accesses"],
  ["ARC size", "arc_size", bytes, (values) => `target ${bytes(values.arc_target)}`],
  ["L2ARC hits", "l2_share", share, "of the ARC’s misses"],
  ["Programs read", "programs_read", bytesPerSecond, (values) => `write ${bytesPerSecond(values.programs_write)}`],
  ["Disks read", "disks_read", bytesPerSecond, (values) => `write ${bytesPerSecond(values.disks_write)}`],
  ["Demand misses", "demand_misses", perSecond, "data and metadata"],
];

const points = new Map();
const charts = new Charts(byId("live-charts"), { group: "live" });
const tiles = TILES.map(([name]) => ({
  value: make("span", { class: "number", text: "–" }),
  hint: make("span", { class: "hint", text: "" }),
  name,
}));
let isShown = true;
let isDue = false;

/** Puts the tiles there, empty. */
export function begin() {
  const items = tiles.map(({ name, value, hint }) => make("li", {}, [make("span", { class: "name", text: name }), value, hint]));
  byId("tiles").replaceChildren(...items);
  document.addEventListener("visibilitychange", () => draw());
}

/** Fetches what was missed while nobody listened. */
export async function fill() {
  const from = Date.now() - SPAN_S * 1000;
  const { at_ms, columns } = await get(`/api/history?from_ms=${from}&points=${SPAN_S}`);
  at_ms.forEach((at, index) => {
    if (points.has(at)) return;
    const values = {};
    for (const [name, column] of Object.entries(columns)) values[name] = column[index];
    points.set(at, values);
  });
  draw();
}

/** Takes what happened just now. */
export function take({ at_ms, values, disks }) {
  points.set(at_ms, values);
  const { demand_data_misses: data, demand_metadata_misses: metadata } = values;
  values.demand_misses = data === null || metadata === null ? null : data + metadata;
  TILES.forEach(([, id, format, hint], index) => {
    tiles[index].value.textContent = format(values[id]);
    tiles[index].hint.textContent = typeof hint === "string" ? hint : hint(values);
  });
  showDisks(disks);
  draw();
}

/** Says whether the tab is looked at; what is not is not drawn. */
export function shown(isIt) {
  isShown = isIt;
  if (isIt) draw();
}

export const repaint = () => charts.repaint();

/** Draws at most once a frame. */
function draw() {
  if (isDue || !isShown || document.hidden) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    const at = [...points.keys()].sort((one, other) => one - other);
    const last = at.at(-1);
    if (last === undefined) return;
    const old = at.filter((moment) => moment < last - SPAN_S * 1000);
    for (const moment of old) points.delete(moment);
    const kept = at.slice(old.length);
    const columns = { at: kept.map((moment) => moment / 1000) };
    for (const name of Object.keys(points.get(last))) {
      columns[name] = kept.map((moment) => points.get(moment)[name] ?? null);
    }
    // At the beginning the chart is as long as what there is, and a minute at least.
    const from = Math.max(last - SPAN_S * 1000, Math.min(kept[0], last - 60_000));
    charts.show(columns, from / 1000, last / 1000);
  });
}

function showDisks(disks) {
  const place = byId("disks");
  if (disks.length === 0) return;
  const names = disks.map(({ name }) => name).join("\n");
  if (place.dataset.names !== names) {
    place.dataset.names = names;
    const head = ["disk", "use", "read", "write", "requests", "each takes", "busy"];
    const columns = head.map((text) => make("th", { scope: "col", text }));
    const rows = disks.map(({ name, role }) => {
      const cells = Array.from({ length: 4 }, () => make("td"));
      const busy = make("td", { class: "busy" }, [make("span"), make("meter", { min: 0, max: 1, value: 0, "aria-label": `${name} busy` })]);
      return make("tr", {}, [make("th", { scope: "row", text: name }), make("td", { class: "left", text: role }), ...cells, busy]);
    });
    const table = make("table", {}, [make("thead", {}, [make("tr", {}, columns)]), make("tbody", {}, rows)]);
    place.replaceChildren(make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Disks" }, [table]));
  }
  place.querySelectorAll("tbody tr").forEach((row, index) => {
    const { read, write, requests, latency_ns, busy } = disks[index];
    const texts = [bytesPerSecond(read), bytesPerSecond(write), perSecond(requests), nanos(latency_ns)];
    texts.forEach((text, cell) => (row.children[cell + 2].textContent = text));
    const [text, meter] = row.querySelector(".busy").children;
    text.textContent = share(busy);
    meter.hidden = busy === null;
    meter.value = busy ?? 0;
  });
}
