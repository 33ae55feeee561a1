// From pasted or dropped text to findings.

import { report, spoken } from "./advice.js";
import { byId, problem, settled } from "./dom.js";
import { Program, STALE } from "./engine.js";

/** Files that are read into memory at once; a capture has some megabytes. */
const FILES_BYTES_MAX = 64 * 2 ** 20;
const FILES_MAX = 2000;

const program = new Program();

/** Makes the section work; `example` is a text to show. */
export function begin(example) {
  const paste = byId("paste");
  const soon = settled(() => diagnoseText(paste.value), 400);
  paste.addEventListener("input", soon);
  paste.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) diagnoseText(paste.value);
  });
  byId("paste-form").addEventListener("submit", (event) => {
    event.preventDefault();
    diagnoseText(paste.value, true);
  });
  byId("example").addEventListener("click", () => {
    paste.value = example;
    diagnoseText(example);
  });
  byId("clear").addEventListener("click", () => {
    paste.value = "";
    program.stop();
    show("", []);
    paste.focus();
  });
  byId("files").addEventListener("change", async ({ target }) => {
    await diagnoseFiles([...target.files]);
    target.value = "";
  });
}

/** Diagnoses text; an empty one is only spoken of where somebody asked. */
async function diagnoseText(text, isAsked = false) {
  if (text.trim() === "" && !isAsked) return show("", []);
  await ask("diagnose", { text });
}

/** Diagnoses files of one machine. */
export async function diagnoseFiles(list) {
  if (list.length === 0) return;
  const bytes = list.reduce((sum, file) => sum + file.size, 0);
  if (bytes > FILES_BYTES_MAX || list.length > FILES_MAX) {
    const hint = "Drop a capture of one machine; the program reads larger ones: arcwright doctor --from FILE";
    return show("", [problem({ message: `More than ${FILES_BYTES_MAX >> 20} MiB or ${FILES_MAX} files.`, hint })]);
  }
  const read = async (file) => ({
    name: file.webkitRelativePath || file.name,
    bytes: await file.arrayBuffer(),
  });
  await ask("diagnoseFiles", { files: await Promise.all(list.map(read)) });
}

async function ask(what, given) {
  program.stop();
  status("Looking …");
  try {
    const { page, json } = await program.call(what, given);
    show(spoken(page.advice), report(page));
    // What the program would print, for tests and whoever wants to compare.
    byId("findings-result").dataset.json = json;
  } catch (error) {
    if (error !== STALE) show("There is no finding: see below.", [problem(error)]);
  }
}

function status(text) {
  byId("findings-status").textContent = text;
}

function show(text, children) {
  status(text);
  const result = byId("findings-result");
  delete result.dataset.json;
  result.replaceChildren(...children);
}
