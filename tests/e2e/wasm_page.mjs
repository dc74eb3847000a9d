// The page of film page, opened from a file in Chromium: it compares, explains and deduplicates as native FILM does,
// and sends no request. wasm.sh calls it: node wasm_page.mjs PAGE WANTED.json. SHOTS=FOLDER takes a picture.
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import assert from "node:assert/strict";
import { answered } from "./page_lib.mjs";

const [path, wantedPath] = process.argv.slice(2);
const wanted = JSON.parse(await readFile(wantedPath, "utf8"));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: process.getuid() === 0 ? ["--no-sandbox"] : [] });
const page = await browser.newPage({ viewport: { width: 1180, height: 900 }, offline: true });
page.setDefaultTimeout(300000);
const problems = [];
page.on("pageerror", (error) => problems.push(error.stack));
process.on("uncaughtExceptionMonitor", () => problems.forEach((problem) => console.log(`# ${problem}`)));
page.on("console", (message) => { if (message.type() === "error" || message.type() === "warning") problems.push(message.text()); });
page.on("request", (request) => { if (!/^(file|blob|data):/.test(request.url())) problems.push(`a request to ${request.url()}`); });

const { a, b, probability, groups } = wanted.explanation;
const started = performance.now();
await page.goto(`${pathToFileURL(path)}#compare?${new URLSearchParams({ a, b })}`);
await answered(page, a, b);
console.log(`# from nothing to the first verdict: ${((performance.now() - started) / 1000).toFixed(2)} s`);
assert.equal(await page.textContent("#percent"), String(Math.round(100 * probability)));
assert.equal(await page.locator("#why .group").count(), groups.filter(({ reasons }) => reasons.length).length + 1);
if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/offline.png` });

await page.click('a[data-view="dedup"]');
await page.fill("#list", wanted.list.join("\n"));
await page.click("#dedup-run");
await page.waitForSelector("#found-clusters li");
const status = await page.textContent("#dedup-status");
const inside = wanted.clusters.reduce((sum, members) => sum + members.length, 0);
assert.ok(status.startsWith(`${inside} of ${wanted.list.length} sentences have duplicates, in ${wanted.clusters.length} clusters`), status);
if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/offline-dedup.png` });

await page.click('a[data-view="model"]');
await page.waitForSelector("#model-facts dd");
assert.equal(await page.locator("a[data-view=search]").count(), 0);
assert.deepEqual(problems, []);
await browser.close();
console.log("done");
