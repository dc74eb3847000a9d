// Takes the pictures of docs/images: SHOTS=docs/images tests/e2e/page.sh, with ONLY=threshold,phone only those. The picture of the comparison with other systems
// (report-others.png) is not among them: it needs the table that examples/blackbox/run measures.
import { chromium } from "playwright-core";
import { comparePair } from "./page_lib.mjs";

const stolen = "My bicycle was stolen, is that insured?";
const list = ["I've lost my debit card, what should I do now?", "How do I cancel my subscription?", "lost my bank card, need it blocked asap",
    "My bicycle was stolen, is that insured?", "I want to cancel my subscription, where do I do that?", "stolen bike - does my insurance cover it?",
    "I can't find my debit card anywhere since Saturday. How do I report it missing?", "Where is my parcel?"];

const wide = { width: 1120, height: 1000 };
const shots = [
    ["compare-light", wide, "light", (page) => comparePair(page, stolen, "Does the household policy pay for a stolen bike?")],
    ["compare-dark", wide, "dark", (page) => comparePair(page, stolen, "My bicycle was damaged, is that insured?")],
    ["search", { width: 1120, height: 1000 }, "light", async (page) => {
        await page.click("nav a[data-view=search]");
        await page.fill("#q", "is a stolen bike covered by my insurance");
        await page.waitForSelector("#results:not(.waiting) .result");
        await page.locator("#results .result").first().click();
        await page.waitForSelector("#results .ledger");
    }],
    ["deduplicate", { width: 1120, height: 900 }, "light", async (page) => {
        await page.click("nav a[data-view=dedup]");
        await page.fill("#list", list.join("\n"));
        await page.click("#dedup-run");
        await page.waitForSelector(".cluster");
    }],
    ["clusters", { width: 1120, height: 860 }, "light", async (page) => {
        await page.click("nav a[data-view=clusters]");
        await page.waitForSelector("#cluster-list .cluster");
        await page.locator("#cluster-list input").nth(1).check();
    }],
    ["threshold", { width: 1120, height: 1000 }, "light", async (page) => {
        await page.click("nav a[data-view=thresholds]");
        await page.waitForSelector("#above li");
    }],
    ["phone", { width: 360, height: 1000 }, "light", (page) => comparePair(page, stolen, "Does the household policy pay for a stolen bike?")],
    ["report", { width: 1120, height: 1320 }, "light", (page) => page.goto(`file://${process.cwd()}/report.html`)],
];

export async function takeShots(base, folder) {
    const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: process.getuid() === 0 ? ["--no-sandbox"] : [] });
    for (const [name, viewport, colorScheme, prepare] of shots.filter(([one]) => (process.env.ONLY ?? one).split(",").includes(one))) {
        const page = await browser.newPage({ viewport, colorScheme, reducedMotion: "reduce" });
        await page.goto(base);
        await prepare(page);
        await page.mouse.move(0, 0);
        await page.evaluate(() => { document.activeElement.blur(); scrollTo(0, 0); });
        await page.waitForTimeout(400);
        await page.screenshot({ path: `${folder}/${name}.png` });
        await page.close();
    }
    await browser.close();
}
