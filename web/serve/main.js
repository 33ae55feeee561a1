// The served page: tabs, colours, and the connection to the server.

import * as datasets from "./datasets.js";
import { byId, colours, problem } from "./dom.js";
import * as findings from "./findings.js";
import * as history from "./history.js";
import * as live from "./live.js";
import { get, listen } from "./server.js";
import * as tunables from "./tunables.js";
import { clock } from "./units.js";
import { drops, experiment, paste } from "./visiting.js";
import * as whatif from "./whatif.js";

const TABS = { live, history, findings, datasets, tunables, whatif, paste, experiment };
/** Where a tab's panel is not named as the tab. */
const PANELS = { paste: "paste-panel" };
/** Without a reading for so many of its intervals something hangs. */
const LATE = 4;

let last = 0;
let isConnected = false;
let interval = 1000;
let said = "";

begin().catch((error) => {
  byId("broken").replaceChildren(problem(error));
  byId("broken").hidden = false;
});

async function begin() {
  colours(byId("theme"), () => {
    live.repaint();
    history.repaint();
  });
  tabs();
  for (const tab of Object.values(TABS)) tab.begin?.();
  drops(go);
  const { about } = await about_now();
  interval = about.interval_ms;
  listen({ opened, lost, point, findings: found });
  setInterval(watch, 1000);
  addEventListener("hashchange", () => select(named()));
  select(named());
  found();
  // Tests and impatient people wait for this.
  document.documentElement.dataset.ready = Math.round(performance.now());
}

async function about_now() {
  const now = await get("/api/about");
  const { title, zfs, demo, release } = now.about;
  document.title = `${title} · Arcwright`;
  byId("title").textContent = title;
  byId("about").textContent = zfs ? `OpenZFS ${zfs}` : "The version of OpenZFS is not known.";
  byId("release").textContent = release;
  byId("demo").hidden = !demo;
  if (demo) byId("demo").textContent = demo;
  return now;
}

/** A connection is there, perhaps again: what was missed is fetched. */
async function opened() {
  isConnected = true;
  last = Date.now();
  watch();
  await Promise.allSettled([live.fill(), about_now(), found()]);
}

function lost() {
  isConnected = false;
  watch();
}

function point(of) {
  last = Date.now();
  live.take(of);
  watch();
}

async function found() {
  const hurting = await findings.refresh();
  byId("tab-findings").textContent = hurting > 0 ? `Findings (${hurting})` : "Findings";
}

/** Says how the connection is; only what changes is said. */
function watch() {
  const isLate = Date.now() - last > interval * LATE + 2000;
  const [state, text] = !isConnected
    ? ["lost", `connection lost at ${clock(new Date(last || Date.now()))}, trying again`]
    : isLate
      ? ["late", `no reading since ${clock(new Date(last))}`]
      : ["live", "live"];
  if (text === said) return;
  if (said.startsWith("connection lost") && state === "lost") return;
  said = text;
  byId("connection").textContent = text;
  byId("connection").dataset.state = state;
}

function tabs() {
  const names = Object.keys(TABS);
  names.forEach((name, number) => {
    const tab = byId(`tab-${name}`);
    tab.addEventListener("click", () => go(name));
    tab.addEventListener("keydown", (event) => {
      const to = { ArrowLeft: number - 1, ArrowRight: number + 1, Home: 0, End: names.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      const other = names[(to + names.length) % names.length];
      go(other);
      byId(`tab-${other}`).focus();
    });
  });
  byId("skip").addEventListener("click", (event) => {
    // The address behind the # is the tab's.
    event.preventDefault();
    byId("main").focus();
  });
}

function named() {
  const name = location.hash.slice(1);
  // A link that carries an experiment.
  if (/^[01]\./.test(name)) return "experiment";
  return Object.hasOwn(TABS, name) ? name : "live";
}

function go(name) {
  window.history.replaceState(null, "", `#${name}`);
  select(name);
}

function select(name) {
  for (const [other, tab] of Object.entries(TABS)) {
    const isIt = other === name;
    byId(PANELS[other] ?? other).hidden = !isIt;
    byId(`tab-${other}`).setAttribute("aria-selected", String(isIt));
    byId(`tab-${other}`).tabIndex = isIt ? 0 : -1;
    tab.shown?.(isIt);
  }
}
