// The page: two questions as tabs, colours, what is dropped.

import { byId, colours } from "./dom.js";
import { dropping } from "./drop.js";
import { Program, load } from "./engine.js";
import * as experiment from "./experiment.js";
import * as findings from "./findings.js";

const TABS = ["findings", "experiment"];

begin().catch((error) => {
  const broken = byId("broken");
  broken.textContent = `The program inside this page could not be started: ${error.message}. A current browser with WebAssembly is needed, and the page must come from a server (arcwright's guide says how).`;
  broken.hidden = false;
});

async function begin() {
  colours(byId("theme"));
  tabs();
  dropping({
    scenario(file) {
      select("experiment");
      experiment.openFile(file);
    },
    files(files) {
      select("findings");
      findings.diagnoseFiles(files);
    },
    text(text) {
      select("findings");
      byId("paste").value = text;
      byId("paste").dispatchEvent(new Event("input"));
    },
  });
  const example = await fetch("example.txt").then((response) => response.text());
  await load();
  const first = new Program();
  const choices = await first.call("choices", {});
  first.stop();
  byId("release").textContent = choices.release;
  findings.begin(example);
  if (await experiment.begin(choices)) select("experiment");
  // Tests and impatient people wait for this.
  document.documentElement.dataset.ready = "true";
}

function tabs() {
  for (const name of TABS) {
    const tab = byId(`tab-${name}`);
    tab.addEventListener("click", () => select(name));
    tab.addEventListener("keydown", (event) => {
      if (!["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) return;
      event.preventDefault();
      const other = TABS[event.key === "Home" ? 0 : event.key === "End" ? 1 : 1 - TABS.indexOf(name)];
      select(other);
      byId(`tab-${other}`).focus();
    });
  }
  byId("skip").addEventListener("click", (event) => {
    // The address behind the # is the experiment's.
    event.preventDefault();
    byId("main").focus();
  });
}

function select(name) {
  for (const other of TABS) {
    const isIt = other === name;
    byId(other).hidden = !isIt;
    byId(`tab-${other}`).setAttribute("aria-selected", String(isIt));
    byId(`tab-${other}`).tabIndex = isIt ? 0 : -1;
  }
  if (name === "experiment") experiment.shown();
}
