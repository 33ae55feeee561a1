// A browser reads the site as people do: wide and on a telephone, light and dark; nothing is asked of anybody else.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { chromium } from "playwright-core";

import { PHONE, WIDE, accessible, fits } from "./looks.mjs";
import { serve } from "./serve.mjs";

const { ARCWRIGHT_PAGE, ARCWRIGHT_BROWSER, ARCWRIGHT_PICTURES } = process.env;
const PAGES = ["index.html", "guide/questions/l2arc.html", "guide/questions/numbers.html", "guide/field/steam-library.html", "fidelity/BOARD.html", "reference/tunables.html"];
const LOOKS = [
  { name: "wide-light", viewport: WIDE, colorScheme: "light" },
  { name: "wide-dark", viewport: WIDE, colorScheme: "dark" },
  { name: "phone-light", viewport: PHONE, colorScheme: "light" },
];

let browser;
let server;
let address;

before(async () => {
  mkdirSync(ARCWRIGHT_PICTURES, { recursive: true });
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  browser = await chromium.launch({ executablePath: ARCWRIGHT_BROWSER, args });
  server = await serve(ARCWRIGHT_PAGE, 0);
  address = `http://127.0.0.1:${server.address().port}/`;
});

after(async () => {
  await browser?.close();
  server?.close();
});

/** Opens a page and hands it to `use`; nothing may fail, and nobody else may be asked for anything. */
async function visit(path, look, use) {
  const context = await browser.newContext(look);
  const page = await context.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(`error: ${error}`));
  page.on("request", (request) => request.url().startsWith(address) || /^(data|blob):/.test(request.url()) || complaints.push(`asks ${request.url()}`));
  page.on("response", (response) => response.status() < 400 || complaints.push(`${response.status()} ${response.url()}`));
  await page.goto(address + path, { waitUntil: "load" });
  await use(page);
  await context.close();
  assert.deepEqual(complaints, []);
}

for (const { name, ...look } of LOOKS) {
  test(`pages can be read: ${name}`, async () => {
    for (const path of PAGES) {
      await visit(path, look, async (page) => {
        await page.screenshot({ path: join(ARCWRIGHT_PICTURES, `site-${path.replaceAll("/", "-")}-${name}.png`) });
        await fits(page, path);
        // mdBook's own button, a label that says it controls something.
        await accessible(page, path, ["#mdbook-sidebar-toggle"]);
        const pictures = await page.$$eval("main img", (images) => images.map(({ alt, naturalWidth, src }) => ({ alt, naturalWidth, src })));
        for (const { alt, naturalWidth, src } of pictures) assert.ok(alt && naturalWidth > 0, `${path}: ${src}`);
      });
    }
  });
}

test("what somebody looks for is found", () => visit("index.html", { viewport: WIDE }, async (page) => {
  await page.keyboard.press("s");
  await page.waitForSelector("#mdbook-searchbar:focus");
  await page.keyboard.type("l2arc_noprefetch");
  await page.waitForSelector("#mdbook-searchresults li");
}));

test("the browser page is part of it", () => visit("index.html", { viewport: WIDE }, async (page) => {
  await page.click("text=Open the browser page");
  await page.waitForSelector("html[data-ready]");
}));
