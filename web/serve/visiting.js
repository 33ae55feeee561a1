// Tabs that the browser page has as well, filled when they are first looked at.

import { byId, problem } from "./dom.js";
import { dropping } from "./drop.js";
import { Program } from "./engine.js";
import * as trial from "./experiment.js";
import * as pasted from "./paste.js";

let isPasteReady = false;
let isTrialReady = false;

/** Text and files of any machine, to findings. */
export const paste = {
  async shown(isIt) {
    if (!isIt || isPasteReady) return;
    isPasteReady = true;
    pasted.begin(await fetch("/example.txt").then((response) => response.text()));
  },
};

/** A machine that is picked, to a prediction. */
export const experiment = {
  async shown(isIt) {
    if (isIt && !(await ready())) return;
    if (isIt) trial.shown();
  },
};

async function ready() {
  if (isTrialReady) return true;
  try {
    const choices = await new Program().call("choices", {});
    if (isTrialReady) return true;
    isTrialReady = true;
    await trial.begin(choices);
    return true;
  } catch (error) {
    byId("run-problem").replaceChildren(problem(error));
    return false;
  }
}

/** Takes what is dropped anywhere; `go` shows a tab. */
export function drops(go) {
  dropping({
    async scenario(file) {
      go("experiment");
      if (await ready()) trial.openFile(file);
    },
    files(files) {
      go("paste");
      pasted.diagnoseFiles(files);
    },
    async text(text) {
      go("paste");
      byId("paste").value = text;
      byId("paste").dispatchEvent(new Event("input"));
    },
  });
}
