// A range of time: the same charts, chosen by buttons, the mouse, or the keyboard.

import { byId, make, problem } from "./dom.js";
import { Charts } from "./panels.js";
import { get } from "./server.js";
import { clock, day } from "./units.js";

const PRESETS = [
  ["15 min", 900],
  ["1 h", 3600],
  ["6 h", 21_600],
  ["24 h", 86_400],
  ["7 days", 604_800],
  ["30 days", 2_592_000],
];
const SPAN_MIN_S = 30;
const POINTS_MAX = 1200;
/** How often a range that goes up to now is fetched anew. */
const FOLLOW_MS = 10_000;

const charts = new Charts(byId("history-charts"), { group: "history", zoomed: (from, to) => go(from, to) });
let range = null;
let isShown = false;
let pending = null;

export function begin() {
  const buttons = PRESETS.map(([text, seconds]) => {
    const button = make("button", { type: "button", class: "quiet", text, "aria-pressed": "false", "data-seconds": seconds });
    button.addEventListener("click", () => follow(seconds));
    return button;
  });
  byId("presets").replaceChildren(...buttons);
  const move = (share) => {
    const span = range.to - range.from;
    go(range.from + share * span, range.to + share * span);
  };
  const zoom = (factor) => {
    const [middle, half] = [(range.from + range.to) / 2, ((range.to - range.from) / 2) * factor];
    go(middle - half, middle + half);
  };
  byId("earlier").addEventListener("click", () => move(-0.5));
  byId("later").addEventListener("click", () => move(0.5));
  byId("zoom-in").addEventListener("click", () => zoom(0.5));
  byId("zoom-out").addEventListener("click", () => zoom(2));
  setInterval(() => {
    if (isShown && !document.hidden && range?.following) follow(range.following);
  }, FOLLOW_MS);
}

export function shown(isIt) {
  isShown = isIt;
  if (isIt) follow(range?.following ?? (range ? 0 : PRESETS[0][1]));
}

export const repaint = () => charts.repaint();

/** Shows the last so many seconds, and goes on with them. */
function follow(seconds) {
  if (seconds === 0) return load();
  const now = Date.now() / 1000;
  range = { from: now - seconds, to: now, following: seconds };
  load();
}

function go(from, to) {
  const now = Date.now() / 1000;
  const span = Math.max(to - from, SPAN_MIN_S);
  const end = Math.min(from + span, now);
  range = { from: Math.max(end - span, 0), to: end, following: 0 };
  load();
}

async function load() {
  for (const button of byId("presets").children) {
    button.setAttribute("aria-pressed", String(Number(button.dataset.seconds) === range.following));
  }
  byId("range-shown").textContent = `${moment(range.from)} to ${moment(range.to)}`;
  pending?.abort();
  pending = new AbortController();
  const { from, to } = range;
  const points = Math.min(POINTS_MAX, Math.max(200, Math.round(byId("history-charts").clientWidth)));
  const millis = (seconds) => Math.max(0, Math.floor(seconds * 1000));
  try {
    const path = `/api/history?from_ms=${millis(from)}&to_ms=${millis(to)}&points=${points}`;
    const [{ at_ms, columns }, { history }] = await Promise.all([get(path, pending.signal), get("/api/about", pending.signal)]);
    byId("history-problem").replaceChildren(...(history.problem ? [problem({ message: history.problem })] : []));
    const since = history.from_ms ? ` It begins at ${moment(history.from_ms / 1000)}.` : "";
    byId("history-state").textContent = at_ms.length === 0 ? `Nothing was recorded in this time. ${history.what}${since}` : history.what + since;
    charts.show({ at: at_ms.map((at) => at / 1000), ...columns }, from, to);
    byId("history").dataset.points = at_ms.length;
  } catch (error) {
    if (error.name !== "AbortError") byId("history-problem").replaceChildren(problem(error));
  }
}

function moment(seconds) {
  const date = new Date(seconds * 1000);
  return `${day(date)} ${clock(date)}`;
}
