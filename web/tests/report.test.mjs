// A browser opens reports as files, as people do who were sent one: without a network, on a phone, in the dark, on paper.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { chromium } from "playwright-core";

import { machineOfFiles } from "./files.mjs";
import { PHONE, WIDE, accessible, fits } from "./looks.mjs";

const { ARCWRIGHT_ROOT, ARCWRIGHT_PROGRAM, ARCWRIGHT_BROWSER, ARCWRIGHT_PICTURES } = process.env;
const BYTES_MAX = 2_000_000;
const READINGS = 24;

const folder = mkdtempSync(join(tmpdir(), "arcwright-reports-"));
const MACHINE = join(ARCWRIGHT_ROOT, "fixtures/machines/guest-2.3.2-metadata.txt");
let browser;
const reports = {};

before(async () => {
  mkdirSync(ARCWRIGHT_PICTURES, { recursive: true });
  // Inside a container there is no other sandbox to be had.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  browser = await chromium.launch({ executablePath: ARCWRIGHT_BROWSER, args });
  reports.recording = made("recording", ["record", "show", recorded()]);
  reports.doctor = made("doctor", ["doctor", "--from", MACHINE]);
  reports.run = made("run", ["run", join(ARCWRIGHT_ROOT, "scenarios/vm-sync-writes.toml")]);
});

after(() => browser?.close());

/** Writes a report; returns its path. */
function made(name, command) {
  const path = join(folder, `${name}.html`);
  execFileSync(ARCWRIGHT_PROGRAM, [...command, "--html", path], { stdio: ["ignore", "ignore", "pipe"] });
  return path;
}

/** Records a machine of files whose counters move, with a gap in the middle; returns the recording. */
function recorded() {
  const root = machineOfFiles(MACHINE, "tank/<b>media</b>");
  const to = join(folder, "recording");
  const arcstats = join(root, "proc/spl/kstat/zfs/arcstats");
  const first = readFileSync(arcstats, "utf8");
  for (let step = 1; step <= READINGS; step += 1) {
    const moved = first.replace(/^(\S*(?:hits|misses|l2_\S*bytes)\s+4\s+)(\d+)$/gm, (_, head, value) => head + (Number(value) + step * step * 1000));
    writeFileSync(arcstats, moved);
    if (step === READINGS / 2) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4000);
    execFileSync(ARCWRIGHT_PROGRAM, ["record", "--once", "--root", root, "--to", to], { stdio: "ignore" });
  }
  return to;
}

async function visit(report, options, use) {
  const context = await browser.newContext({ viewport: WIDE, offline: true, ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(`error: ${error}`));
  page.on("console", (message) => message.type() === "error" && complaints.push(`console: ${message.text()}`));
  const address = pathToFileURL(reports[report]).href;
  page.on("request", (request) => request.url() === address || complaints.push(`request: ${request.url()}`));
  await page.goto(address);
  await use(page);
  await context.close();
  assert.deepEqual(complaints, []);
}

for (const [name, options] of Object.entries({
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  phone: { viewport: PHONE, colorScheme: "light" },
})) {
  for (const report of ["recording", "doctor", "run"]) {
    test(`the report of ${report} can be looked at: ${name}`, () => visit(report, options, async (page) => {
      await page.screenshot({ path: join(ARCWRIGHT_PICTURES, `report-${report}-${name}.png`), fullPage: true });
      await fits(page, report);
      // The page's policy allows no script but its own; axe comes through the debugger.
      await accessible(page, report);
    }));
  }
}

test("a recording says what it shows, and its gap is drawn", () => visit("recording", {}, async (page) => {
  const said = await page.textContent(".answer");
  assert.match(said, /The ARC had .* accesses on demand/);
  assert.match(said, /with \d+ gaps?: of/);
  assert.ok((await page.locator("svg .gap").count()) > 2);
  assert.match(await page.textContent("#gaps"), /nobody took readings/);
  await page.locator("#asked summary").click();
  assert.match(await page.textContent("#asked table"), /demand: data, in the ARC/);
  assert.equal(await page.locator("main :is(b, script, img)").count(), 0);
}));

test("a report is printed with its charts, and is small", () => visit("recording", {}, async (page) => {
  await page.emulateMedia({ media: "print" });
  await page.pdf({ path: join(ARCWRIGHT_PICTURES, "report-recording.pdf") });
  assert.ok(await page.locator("#asked .wide svg").isVisible());
  assert.equal(await page.locator("nav").isVisible(), false);
  for (const path of Object.values(reports)) assert.ok(statSync(path).size < BYTES_MAX, path);
}));
