// What runs in a worker, behind the glue of wasm-bindgen: calls by name, answers as objects.

/* global wasm_bindgen */
"use strict";

let current = 0;
let told = 0;

// The program calls this while it runs; a page need not hear of it more than thirty times a second.
globalThis.arcwrightProgress = (done, total) => {
  const now = performance.now();
  if (now - told < 33) return;
  told = now;
  postMessage({ number: current, progress: total > 0 ? Math.min(done / total, 1) : 0 });
};

const calls = {
  choices: () => opened(wasm_bindgen.choices()),

  diagnose: ({ text }) => texts(wasm_bindgen.diagnose(text)),

  diagnoseFiles({ files }) {
    const all = new wasm_bindgen.Files();
    for (const { name, bytes } of files) all.add(name, new Uint8Array(bytes));
    return texts(all.diagnose());
  },

  // From what is picked to the file that is run.
  experiment({ form, file, changes }) {
    const base = form ? opened(wasm_bindgen.scenarioFile(JSON.stringify(form))) : file;
    const reference = opened(wasm_bindgen.reference(base));
    return { base, reference, whole: opened(wasm_bindgen.withChanges(base, JSON.stringify(changes))) };
  },

  // A run: its arms, each of which any worker may run, and all of them together.
  plan: ({ file, isCoarse }) => opened(wasm_bindgen.plan(file, isCoarse)),
  runArm: ({ file, sizing, number }) => wasm_bindgen.runArm(file, JSON.stringify(sizing), number),
  together: ({ file, sizing, parts, took }) =>
    texts(wasm_bindgen.together(file, JSON.stringify(sizing), parts, took)),
};

/** Returns what is in an envelope, or throws its error. */
function opened(envelope) {
  const { ok, error } = JSON.parse(envelope);
  if (error) throw error;
  return ok;
}

/** Returns both texts of a result, and gives back the program's own copy. */
function texts(both) {
  const { page, json } = both;
  both.free();
  return { page: opened(page), json };
}

onmessage = ({ data }) => {
  if (data.module) {
    wasm_bindgen.initSync({ module: data.module });
    return;
  }
  current = data.number;
  try {
    postMessage({ number: current, answer: calls[data.what](data.given) });
  } catch (error) {
    const isTold = typeof error === "object" && error !== null && !(error instanceof Error);
    postMessage({ number: current, ...(isTold ? { error } : { broken: String(error) }) });
  }
};
