// Sliders over sizes that people buy. One end or the middle of each is what the machine has; all else is a change.

import { byId, fill } from "./dom.js";

const GIB = 2 ** 30;
const MEMORY_GIB = [2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512];
const CACHE_GB = [30, 60, 120, 250, 500, 1000, 2000, 4000];
const LOG_GB = [4, 8, 16, 32, 64];
const PREFETCH_MIB = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048];
const AS_IT_IS = " (as it is)";

/** The four sliders; tells `changed` what differs from the machine as it is. */
export class Sliders {
  /** By id: what each step sets (null: as it is), and how it is shown. */
  #steps = {};
  #changes = {};
  #changed;

  constructor(flash, changed) {
    this.#changed = changed;
    const named = flash.map(({ id, title }) => ({ id, title: `${id}: ${title}` }));
    fill(byId("l2arc-device"), named);
    fill(byId("slog-device"), named);
    byId("l2arc-device").value = "nvme-consumer";
    byId("slog-device").value = "nvme-plp";
    for (const id of ["ram", "l2arc", "slog", "prefetch", "l2arc-device", "slog-device", "streams"]) {
      byId(id).addEventListener("input", () => this.#moved());
    }
  }

  /** Takes changes from elsewhere, a link or a reset. */
  set(changes) {
    this.#changes = changes;
    if (changes.cache?.device) byId("l2arc-device").value = changes.cache.device;
    if (changes.log?.device) byId("slog-device").value = changes.log.device;
    byId("streams").checked = changes.streams === true;
    this.#place();
  }

  /** Takes the machine that changes are of. */
  begin(reference, changes) {
    this.#changes = changes;
    this.#steps = {
      ram: sizes(MEMORY_GIB.map((gib) => gib * GIB), reference.memory),
      l2arc: devices(CACHE_GB, reference.cache),
      slog: devices(LOG_GB, reference.log),
      prefetch: ahead(reference.prefetch),
    };
    const streams = byId("streams");
    streams.disabled = reference.streams;
    if (reference.streams) streams.checked = true;
    this.#place();
  }

  /** Puts every slider where the changes say, and adds a step where they name a size of their own. */
  #place() {
    const { memory, cache, log, prefetch } = this.#changes;
    const wanted = { ram: memory, l2arc: cache?.size, slog: log?.size, prefetch };
    for (const [id, steps] of Object.entries(this.#steps)) {
      const value = wanted[id] ?? null;
      if (value !== null && !steps.some((step) => step.value === value)) steps.push({ value, text: String(value) });
      const input = byId(id);
      input.max = steps.length - 1;
      input.value = steps.findIndex((step) => step.value === value);
    }
    this.#print();
  }

  #moved() {
    const at = (id) => this.#steps[id]?.[Number(byId(id).value)]?.value ?? null;
    const [memory, cache, log, prefetch] = ["ram", "l2arc", "slog", "prefetch"].map(at);
    const changes = {};
    if (memory !== null) changes.memory = memory;
    if (cache !== null) changes.cache = { device: byId("l2arc-device").value, size: cache };
    if (log !== null) changes.log = { device: byId("slog-device").value, size: log };
    if (prefetch !== null) changes.prefetch = prefetch;
    const streams = byId("streams");
    if (streams.checked && !streams.disabled) changes.streams = true;
    this.#changes = changes;
    this.#print();
    this.#changed(changes);
  }

  #print() {
    for (const [id, steps] of Object.entries(this.#steps)) {
      const input = byId(id);
      const step = steps[Number(input.value)] ?? { value: null, text: "" };
      const output = byId(`${id}-shown`);
      output.textContent = step.text;
      output.classList.toggle("changed", step.value !== null);
      input.setAttribute("aria-valuetext", step.text);
    }
    const isNew = (change) => Boolean(change) && change.size !== "none";
    byId("l2arc-on").hidden = !isNew(this.#changes.cache);
    byId("slog-on").hidden = !isNew(this.#changes.log);
  }
}

/** Returns steps of sizes in bytes, in order, the machine's own among them. */
function sizes(all, own) {
  const sorted = [...new Set([...all, own])].sort((one, other) => one - other);
  return sorted.map((bytes) => {
    const is = bytes === own;
    return { value: is ? null : `${bytes / 2 ** 20}MiB`, text: binary(bytes) + (is ? AS_IT_IS : "") };
  });
}

/** Returns steps of devices as they are sold; the first is what the machine has. */
function devices(all, own) {
  const first = { value: null, text: own ? `${own}${AS_IT_IS}` : `none${AS_IT_IS}` };
  const none = own ? [{ value: "none", text: "none" }] : [];
  const decimal = (gb) => (gb < 1000 ? `${gb} GB` : `${gb / 1000} TB`);
  return [first, ...none, ...all.map((gb) => ({ value: `${gb}GB`, text: decimal(gb) }))];
}

/** Returns steps of how far a stream reads ahead; where the machine's own is not known, a step says so. */
function ahead(own) {
  const text = (bytes) => (bytes === 0 ? "off" : binary(bytes));
  const all = [0, ...PREFETCH_MIB.map((mib) => mib * 2 ** 20)];
  const known = own === null || own === undefined ? all : [...new Set([...all, own])].sort((one, other) => one - other);
  const steps = known.map((bytes) => {
    const is = bytes === own;
    const value = bytes === 0 ? "off" : `${bytes / 2 ** 20}MiB`;
    return { value: is ? null : value, text: text(bytes) + (is ? AS_IT_IS : "") };
  });
  return steps.some((step) => step.value === null) ? steps : [{ value: null, text: "as it is" }, ...steps];
}

function binary(bytes) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let power = 0;
  while (bytes >= 1024 && power < units.length - 1) {
    bytes /= 1024;
    power += 1;
  }
  return `${Number(bytes.toFixed(bytes < 10 ? 2 : 0))} ${units[power]}`;
}
