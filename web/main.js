// The page: two questions as tabs, colours, what is dropped.

import { byId, colours } from "./dom.js";
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
  dropping();
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

/** Takes what is dropped anywhere: a scenario file is opened, all else is of a machine. */
function dropping() {
  const mark = (isOver) => document.body.classList.toggle("dropping", isOver);
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    mark(true);
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) mark(false);
  });
  document.addEventListener("drop", async (event) => {
    event.preventDefault();
    mark(false);
    const files = await dropped(event.dataTransfer);
    if (files.length === 1 && files[0].name.endsWith(".toml")) {
      select("experiment");
      experiment.openFile(files[0]);
    } else if (files.length > 0) {
      select("findings");
      findings.diagnoseFiles(files);
    } else {
      const text = event.dataTransfer.getData("text/plain");
      if (text) {
        select("findings");
        byId("paste").value = text;
        byId("paste").dispatchEvent(new Event("input"));
      }
    }
  });
}

/** Returns dropped files, those of dropped folders with their paths. */
async function dropped(transfer) {
  /** As many as are read at all; a folder may hold a whole disk. */
  const most = 2001;
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry);
  if (entries.length === 0) return [...transfer.files];
  const files = [];
  const walk = async (entry, path) => {
    if (files.length >= most) return;
    if (entry.isFile) {
      const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
      files.push(path ? renamed(file, `${path}${entry.name}`) : file);
      return;
    }
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      if (some.length === 0) break;
      for (const inner of some) await walk(inner, `${path}${entry.name}/`);
    }
  };
  for (const entry of entries) await walk(entry, "");
  return files;
}

function renamed(file, path) {
  return { name: path, size: file.size, arrayBuffer: () => file.arrayBuffer(), text: () => file.text() };
}
