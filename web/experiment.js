// From what is picked to an answer: coarse while the hand is still on the slider, then in full.
//
//   input ──> state ──quick──> scenario file ──quick──> coarse result ──> shown
//                                    └──────────full───> result in full ──> shown, unless something changed meanwhile

import { byId, copy, fill, problem, save, settled } from "./dom.js";
import { Crew, STALE } from "./engine.js";
import { fromFragment, toFragment } from "./link.js";
import { showResult } from "./result.js";
import { Sliders } from "./sliders.js";

/** A slider that still moves starts no run in full. */
const FULL_AFTER_MS = 250;
const FILE_BYTES_MAX = 1 << 20;
const FORM_NUMBERS = { count: "count", memory: "memory_gib", size: "size_gib" };
const FORM_TEXTS = { disk: "disk", layout: "layout", zfs: "zfs", load: "load" };

const quick = new Crew();
/** Its workers are ended as soon as their result is stale. */
const full = new Crew();
let choices = null;
let sliders = null;
/** What is run: a form or a file, with what is changed of it; `name` is that of a field report. */
let state = { form: null, file: null, name: "", changes: {} };
/** What was last shown: the file that was run, the result as the program prints it. */
let shownLast = { whole: "", json: "" };
let changedAt = 0;
let isRunning = false;
let isDue = false;
let isShown = false;

/** Makes the section work; true when the address carries an experiment. */
export async function begin(given) {
  choices = given;
  fill(byId("load"), choices.loads.map(({ id, label }) => ({ id, title: label })));
  fill(byId("disk"), choices.disks.map(({ id, title }) => ({ id, title: `${title} · ${id}` })));
  fill(byId("network"), choices.networks);
  fill(byId("zfs"), choices.versions);
  fill(byId("gallery"), choices.gallery.map(({ name, title }) => ({ id: name, title: `field report: ${title}` })));
  sliders = new Sliders(choices.disks.filter((disk) => disk.is_flash), (changes) => {
    state.changes = changes;
    changed();
  });
  listen();
  take({ form: choices.form });
  const isCarried = await carried();
  await quick.warm();
  return isCarried;
}

/** Runs what is picked once the section is looked at. */
export function shown() {
  if (isShown) return;
  isShown = true;
  changed();
}

/** Opens a scenario file. */
export async function openFile(file) {
  if (file.size > FILE_BYTES_MAX) {
    return show({ error: { message: "A scenario file has at most 1 MiB." } });
  }
  take({ file: await file.text() });
  changed();
}

function listen() {
  for (const id of [...Object.keys(FORM_NUMBERS), ...Object.keys(FORM_TEXTS), "network"]) {
    byId(id).addEventListener("input", () => picked(id));
  }
  for (const id of ["machine", "sliders"]) {
    byId(id).addEventListener("submit", (event) => event.preventDefault());
  }
  byId("gallery").addEventListener("change", ({ target }) => {
    const report = choices.gallery.find(({ name }) => name === target.value);
    take(report ? { file: report.text, name: report.name } : { form: choices.form });
    changed();
  });
  byId("file").addEventListener("input", settled(() => edited(byId("file").value), 500));
  byId("open-file").addEventListener("change", ({ target }) => {
    if (target.files.length > 0) openFile(target.files[0]);
    target.value = "";
  });
  byId("reset").addEventListener("click", () => {
    state.changes = {};
    sliders.set({});
    changed();
  });
  byId("copy-link").addEventListener("click", async () => {
    await address();
    taken((await copy(location.href)) ? "The link is on the clipboard." : "Copy the address of this page.");
  });
  byId("save-file").addEventListener("click", () => {
    save(fileName(), "application/toml", shownLast.whole);
    taken(`Saved as ${fileName()}.`);
  });
  byId("save-json").addEventListener("click", () => {
    save(fileName().replace(/toml$/, "json"), "application/json", shownLast.json);
    taken("Saved; arcwright show and arcwright compare read it.");
  });
  addEventListener("hashchange", async () => {
    if (await carried()) changed();
  });
}

/** Takes another experiment, with nothing changed of it unless it says so. */
function take({ form = null, file = null, name = "", changes = {} }) {
  state = { form: form && { ...form }, file, name, changes };
  byId("gallery").value = name;
  byId("builder").hidden = !form;
  if (form) {
    for (const [id, key] of Object.entries({ ...FORM_NUMBERS, ...FORM_TEXTS })) byId(id).value = form[key];
    byId("network").value = form.network ?? "";
  }
  sliders.set(changes);
}

/** Takes what was picked in the form. */
function picked(id) {
  const value = byId(id).value;
  if (id === "network") state.form.network = value || null;
  // What is no number yet is refused with its bounds.
  else if (id in FORM_NUMBERS) state.form[FORM_NUMBERS[id]] = Math.max(0, Math.floor(Number(value) || 0));
  else state.form[FORM_TEXTS[id]] = value;
  if (id === "load") {
    const load = choices.loads.find((load) => load.id === value);
    state.form.size_gib = load.size_gib;
    byId("size").value = load.size_gib;
  }
  changed();
}

/** Takes a file that was changed by hand: its arms are in it already. */
function edited(text) {
  if (text === shownLast.whole) return;
  take({ file: text });
  changed();
}

/** Runs what is picked now; of many changes in a row the last. */
function changed() {
  if (!isShown) return;
  changedAt = performance.now();
  full.stop();
  isDue = true;
  if (!isRunning) follow();
}

async function follow() {
  isRunning = true;
  while (isDue) {
    isDue = false;
    await coarse();
  }
  isRunning = false;
}

async function coarse() {
  const asked = structuredClone(state);
  try {
    const answer = await quick.call("experiment", asked);
    if (asked.form && asked.file && answer.base !== asked.file) {
      // A link of another release: what it carries is run, not what this release would make of the form.
      take({ file: asked.file, changes: asked.changes });
      isDue = true;
      return;
    }
    if (isDue) return;
    state.base = answer.base;
    sliders.begin(answer.reference, state.changes);
    about(answer.reference);
    const { whole } = answer;
    const { page, json } = await quick.run(whole, true);
    // While a slider moves, each answer that is there is shown.
    show({ answer: { whole, page, json } });
    address();
    if (page.is_coarse) refine(whole);
  } catch (error) {
    if (error !== STALE && !isDue) show({ error });
  }
}

const refine = settled(async (whole) => {
  if (isDue || isRunning || whole !== shownLast.whole) return;
  const bar = byId("run-progress");
  bar.hidden = false;
  bar.value = 0;
  try {
    const { page, json } = await full.run(whole, false, (done) => (bar.value = done));
    show({ answer: { whole, page, json } });
  } catch (error) {
    if (error !== STALE) show({ error });
  }
}, FULL_AFTER_MS);

function show({ answer, error }) {
  const result = byId("run-result");
  byId("run-progress").hidden = true;
  byId("take-away").hidden = !answer;
  byId("run-problem").replaceChildren(...(error ? [problem(error)] : []));
  if (error) {
    status("");
    byId("short").textContent = "";
    result.replaceChildren();
    delete result.dataset.json;
    return;
  }
  const { page, whole, json } = answer;
  shownLast = { whole, json };
  if (document.activeElement !== byId("file")) byId("file").value = whole;
  result.classList.toggle("is-rough", page.is_coarse);
  showResult(result, page);
  byId("short").textContent = page.result.answers.at(-1) ?? "";
  byId("proof").textContent = commands();
  const took = Math.round(performance.now() - changedAt);
  // For tests: which result is shown, how long it took, what the program would print.
  Object.assign(result.dataset, { scale: page.scale, rough: page.is_coarse, json });
  if (page.is_coarse) result.dataset.coarseMs = took;
  status(
    page.is_coarse
      ? `A rough answer, at 1/${page.scale} of the size. The one in full follows …`
      : `${page.reduced ? "The answer." : "The answer, in full size."} It took ${(took / 1000).toFixed(1)} s.`,
  );
}

function about(reference) {
  const about = byId("about-file");
  about.hidden = Boolean(state.form);
  about.textContent = `${reference.title}. ${reference.question}`;
  const load = state.form && choices.loads.find(({ id }) => id === state.form.load);
  byId("load-about").textContent = load ? load.about : "";
}

function status(text) {
  byId("run-status").textContent = text;
}

function taken(text) {
  byId("taken").textContent = text;
}

function commands() {
  const isAsItIs = state.name && Object.keys(state.changes).length === 0;
  const file = isAsItIs ? state.name : fileName();
  return `arcwright run ${file} --engine lab\narcwright run ${file}    # the prediction once more`;
}

function fileName() {
  const name = state.name || (state.form ? `nas-${state.form.load}` : "scenario");
  return `${name.replace(/[^a-z0-9-]/g, "")}.toml`;
}

/** Puts the experiment into the address, as long as it is looked at. */
async function address() {
  if (byId("experiment").hidden) return;
  const { form, name, changes } = state;
  const fragment = await toFragment({ v: 1, form, file: state.base ?? state.file, name, changes });
  byId("copy-link").disabled = !fragment;
  if (fragment) history.replaceState(null, "", `#${fragment}`);
  else taken("This experiment is too large for a link; save it as a file.");
}

/** Takes the experiment of the address, if there is one. */
async function carried() {
  const found = await fromFragment(location.hash);
  if (!found || found.v !== 1) return false;
  const isText = (value) => typeof value === "string";
  const isTable = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  const form = isTable(found.form) ? found.form : null;
  const file = isText(found.file) ? found.file : null;
  if (!form && !file) return false;
  const changes = isTable(found.changes) ? found.changes : {};
  const isKnown = choices.gallery.some(({ name }) => name === found.name);
  take({ form, file, name: isKnown ? found.name : "", changes });
  return true;
}
