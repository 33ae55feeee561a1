// The page's answers are the program's, to the last digit: only the time that a run took differs.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { load, opened, predict } from "./program.mjs";

const { ARCWRIGHT_PAGE, ARCWRIGHT_ROOT, ARCWRIGHT_PROGRAM } = process.env;
const page = load(ARCWRIGHT_PAGE);
const scratch = mkdtempSync(join(tmpdir(), "arcwright-page-"));
process.on("exit", () => rmSync(scratch, { recursive: true }));

/** Returns what the program prints, in a home of its own. */
function program(...given) {
  const env = { ...process.env, HOME: scratch, XDG_CONFIG_HOME: scratch };
  return execFileSync(ARCWRIGHT_PROGRAM, given, { env, maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] }).toString();
}

/** Takes out how long a run took. */
const timeless = (json) => json.replace(/"wall_ns": \d+/, '"wall_ns": 0');

function sameRun(name, text) {
  const file = join(scratch, `${name}.toml`);
  writeFileSync(file, text);
  const here = predict(page, text, false);
  const { scale } = opened(here.page);
  assert.equal(scale, 1, `${name} does not run in full size in a page`);
  // Job files lie beside the scenarios of the repository.
  const path = text.includes("fio =") ? join(ARCWRIGHT_ROOT, "scenarios", `${name}.toml`) : file;
  assert.equal(timeless(here.json), timeless(program("run", path, "--json")));
}

const { gallery, loads, form } = opened(page.choices());
/** Those that take seconds in full size: reads with L2ARC, trees, prefetch, synchronous writes. */
const IN_FULL = ["png-tree-now", "prefetch-matrix", "steam-library", "vm-sync-writes"];

for (const { name, text } of gallery) {
  test(`coarse run ${name}`, () => {
    const here = predict(page, text, true);
    const { scale } = opened(here.page);
    const there = program("run", name, "--scale", String(scale), "--json");
    assert.deepEqual(JSON.parse(here.json).arms, JSON.parse(there).arms);
  });
}

for (const { name, text } of gallery.filter(({ name }) => IN_FULL.includes(name))) {
  test(`run ${name}`, () => sameRun(name, text));
}

for (const load of loads) {
  test(`run of the form's ${load.id}, with changes`, () => {
    // Small enough for full size in seconds, with every kind of change.
    const picked = { ...form, load: load.id, size_gib: 2, memory_gib: 2 };
    const changes = { memory: "4GiB", cache: { device: "nvme-consumer", size: "30GB" }, log: { device: "nvme-plp", size: "4GB" }, prefetch: "off", streams: true };
    const text = opened(page.withChanges(opened(page.scenarioFile(JSON.stringify(picked))), JSON.stringify(changes)));
    sameRun(`form-${load.id}`, text.replace(/amount = "\d+GiB"/g, 'amount = "128MiB"'));
  });
}

for (const folder of ["pastes", "machines"]) {
  test(`doctor on every text of fixtures/${folder}`, () => {
    const path = join(ARCWRIGHT_ROOT, "fixtures", folder);
    const names = readdirSync(path).filter((name) => name.endsWith(".txt"));
    assert.ok(names.length > 5);
    for (const name of names) {
      const text = readFileSync(join(path, name), "utf8");
      const here = page.diagnose(text);
      let there;
      try {
        there = program("doctor", "--no-own-load", "--json", "--from", join(path, name));
      } catch {
        // What the program refuses, the page refuses.
        assert.ok(JSON.parse(here.page).error, name);
        continue;
      }
      assert.equal(here.json, there, name);
    }
  });
}
