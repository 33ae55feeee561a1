// What every page is held to, whatever it shows: sizes of windows, no fault of accessibility, nothing wider than the window.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
export const WIDE = { width: 1280, height: 900 };
export const PHONE = { width: 360, height: 740 };

/** Finds faults of accessibility that are serious; `others` selects what is not ours. */
export async function accessible(page, what, others = []) {
  // A page may take no script from elsewhere; the test's own comes through the debugger.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate((exclude) => globalThis.axe.run({ exclude }), others);
  const serious = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
  const told = serious.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).slice(0, 3).join(" ")}`);
  assert.deepEqual(told, [], what);
}

export async function fits(page, what) {
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= page.viewportSize().width, `${what} is ${width} px wide`);
}
