// Judges pairs in Node and, where it is installed, in Chromium: node bench/doors.mjs PACKAGE MODEL PAIRS.json OUT.json.
// Writes the probabilities of Node and the processor seconds of both. bench/doors.py calls it.
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, modelPath, pairsPath, outPath] = process.argv.slice(2);
const pairs = JSON.parse(await readFile(pairsPath, "utf8"));
const { open } = await import(pathToFileURL(`${folder}/film.js`));
const model = await open(await readFile(modelPath));
for (const [a, b] of pairs.slice(0, 1000)) model.match(a, b); // compiled by now
const before = process.cpuUsage();
const probabilities = pairs.map(([a, b]) => model.match(a, b).probability);
const used = process.cpuUsage(before);
const result = { node: (used.user + used.system) / 1e6, probabilities };

const playwright = new URL("../tests/e2e/node_modules/playwright-core/index.mjs", import.meta.url);
const chromium = "/usr/bin/chromium";
if (existsSync(playwright) && existsSync(chromium)) {
    const types = { js: "text/javascript", wasm: "application/wasm", json: "application/json" };
    const server = createServer(async (request, response) => {
        const name = request.url.slice(1);
        const path = name === "model" ? modelPath : name === "pairs.json" ? pairsPath : `${folder}/${name}`;
        response.setHeader("content-type", types[name.split(".").pop()] ?? "text/html");
        response.end(name ? await readFile(path).catch(() => "") : "<!doctype html>");
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { chromium: browsers } = await import(playwright);
    const browser = await browsers.launch({ executablePath: chromium, args: ["--no-sandbox"] });
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await page.evaluate(async () => {
        const { open } = await import("/film.js");
        globalThis.pairs = await (await fetch("/pairs.json")).json();
        globalThis.model = await open(fetch("/model"));
        for (const [a, b] of pairs.slice(0, 1000)) model.match(a, b);
    });
    const devtools = await browser.newBrowserCDPSession();
    const spent = async () => (await devtools.send("SystemInfo.getProcessInfo")).processInfo
        .filter(({ type }) => type === "renderer").reduce((sum, { cpuTime }) => sum + cpuTime, 0);
    const start = await spent();
    await page.evaluate(() => { for (const [a, b] of pairs) model.match(a, b); });
    result.chromium = await spent() - start;
    await browser.close();
    server.close();
} else console.log(`without Chromium: ${chromium} or playwright-core is missing; run npm ci in tests/e2e`);
await writeFile(outPath, JSON.stringify(result));
