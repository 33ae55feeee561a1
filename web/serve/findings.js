// Findings as they come; what somebody opened or read stays where it is until something else is found.

import { report, spoken } from "./advice.js";
import { byId, problem } from "./dom.js";
import { get } from "./server.js";
import { clock } from "./units.js";

let last = "";

/** Fetches what was judged last; returns how many findings hurt now. */
export async function refresh() {
  const result = byId("judged-result");
  try {
    const [page, { judged_at_ms }] = await Promise.all([get("/api/findings"), get("/api/about")]);
    // Figures of the window change with each look: what matters is whether findings are others.
    const text = JSON.stringify(page.advice.findings.map(({ id, subject, title, severity }) => [id, subject, title, severity]));
    byId("findings-age").textContent = judged_at_ms ? `Judged at ${clock(new Date(judged_at_ms))}, from what was counted just before.` : "";
    if (text !== last || !result.querySelector(":scope details[open]")) {
      result.replaceChildren(...report(page));
      byId("judged-status").textContent = spoken(page.advice);
    }
    last = text;
    return page.advice.findings.filter(({ severity }) => severity === "hurts-now").length;
  } catch (error) {
    if (!last) result.replaceChildren(problem(error));
    return 0;
  }
}
