// The program as the page has it, in Node: the same WebAssembly, the same glue.

import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the functions of the page's WebAssembly. */
export function load(page) {
  globalThis.arcwrightProgress = () => {};
  const glue = readFileSync(join(page, "arcwright_web.js"), "utf8");
  const wasm_bindgen = new Function(`${glue}\nreturn wasm_bindgen;`)();
  wasm_bindgen.initSync({ module: readFileSync(join(page, "arcwright_web_bg.wasm")) });
  return wasm_bindgen;
}

/** Runs a scenario file as the page's workers do, arm by arm. */
export function predict(wasm_bindgen, file, isCoarse) {
  const plan = opened(wasm_bindgen.plan(file, isCoarse));
  const sizing = JSON.stringify(plan.sizing);
  const parts = Array.from({ length: plan.arms }, (_, number) => wasm_bindgen.runArm(file, sizing, number));
  return wasm_bindgen.together(file, sizing, parts, 0);
}

/** Returns what is in an envelope, or throws its error. */
export function opened(envelope) {
  const { ok, error } = JSON.parse(envelope);
  if (error) throw new Error(error.message);
  return ok;
}
