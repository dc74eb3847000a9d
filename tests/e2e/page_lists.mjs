// Search, duplicates, the model.
import { readFile } from "node:fs/promises";
import { test, equal, truth, focused, answered } from "./page_lib.mjs";

const question = "my bike was stolen, am I insured";
const heads = "#results .result";

// Waits until the answers are those to this question.
const found = (page, text) => page.waitForFunction((wanted) => document.querySelector("#results:not(.waiting) .result") &&
    new URLSearchParams(location.hash.split("?")[1]).get("q") === wanted, text);

async function searchFor(page, text) {
    await page.fill("#q", text);
    await found(page, text);
}

test("search as you type, with answer, category, address and reasons", {}, async (page, { base }) => {
    await page.goto(`${base}/#search`);
    const [response] = await Promise.all([page.waitForResponse("**/v1/search"), searchFor(page, question)]);
    const told = (await response.json()).results[0];
    equal(told.reasons.length, 0, "no raw reasons are sent: the groups are shown");
    equal(told.same, told.groups[0].weight > 0, "a reason for the verdict comes first");
    equal(await page.locator(heads).count(), 10, "answers");
    const first = page.locator("#results > li").first();
    const text = await first.textContent();
    truth(/bicycle|bike/i.test(text), `the best answer: ${text}`);
    truth(/[=≠] [<>]?[\d.]+ %/.test(text) && text.includes("says what to do"), "chance and answer");
    truth((await first.locator("a.url").getAttribute("href")).startsWith("https://example.org/"), "address");
    equal(await first.locator(".reasons li").count(), 3, "reasons");
    truth(/^10 result/.test(await page.textContent("#search-status")), "the number is told");
    await first.locator(".result").click();
    await first.locator(".explanation .ledger").waitFor();
    equal(await first.locator(".result").getAttribute("aria-expanded"), "true", "told as open");
    const asked = await first.locator(".text").first().textContent();
    await first.getByText("Open in Compare").click();
    await answered(page, question, asked);
    equal(await focused(page), "compare-title", "focus goes to the new view");
});

test("search only in a category", {}, async (page, { base }) => {
    await page.goto(`${base}/#search`);
    await searchFor(page, question);
    truth(await page.locator("#categories option").count() > 0, "categories seen are offered");
    await page.fill("#category", "delivery");
    await page.waitForFunction(() => [...document.querySelectorAll("#results .tag")].every((tag) => tag.textContent === "delivery"));
    truth(page.url().includes("category=delivery"), "in the address");
    await page.fill("#category", "no such");
    await page.waitForFunction(() => document.querySelector("#search-status").textContent === "No results in category no such.");
    await page.goto("about:blank");
    await page.goto(`${base}/#search?q=card&category=bank-card`);
    await page.waitForSelector(heads);
    equal(await page.inputValue("#category"), "bank-card", "from the address");
});

test("search by keyboard: down, open, up, back", {}, async (page, { base }) => {
    await page.goto(`${base}/#search`);
    await page.focus("#q");
    await page.keyboard.type(question);
    await found(page, question);
    const here = () => page.evaluate(() => [...document.querySelectorAll("#results .result")].indexOf(document.activeElement));
    await page.keyboard.press("ArrowDown");
    equal(await here(), 0, "the first answer");
    await page.keyboard.press("ArrowDown");
    equal(await here(), 1, "the second");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#why-1 .ledger");
    await page.keyboard.press("End");
    equal(await here(), 9, "the last");
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowUp");
    equal(await focused(page), "q", "up from the first goes to the question");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Escape");
    equal(await focused(page), "q", "Escape goes to the question");
});

test("answers that come late do not take the focus away", {}, async (page, { base }) => {
    await page.goto(`${base}/#search`);
    await searchFor(page, "stolen");
    let release = null;
    const held = new Promise((resolve) => { release = resolve; });
    await page.route("**/v1/search", async (route) => {
        await held;
        await route.continue();
    });
    const [request] = await Promise.all([page.waitForRequest("**/v1/search"), page.fill("#q", "stolen bike")]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    release();
    await request.response();
    await found(page, "stolen bike");
    equal(await page.evaluate(() => [...document.querySelectorAll("#results .result")].indexOf(document.activeElement)), 1, "still the second answer");
});

test("answers of a hostile pool are text, and only web addresses are links", {}, async (page, { base }) => {
    await page.route("**/v1/search", (route) => route.fulfill({ json: { results: ["javascript:window.harmed=1", "https://a.b/<c>"].map((url, i) => ({
        id: `<i>${i}`, text: "<img src=x onerror=window.harmed=1>", answer: "<script>window.harmed=1</script>", category: "<b>", url,
        probability: 0.99999, same: true, score: 1, groups: [{ id: "words", title: "<u>", weight: -1 }] })) } }));
    await page.goto(`${base}/#search?q=x`);
    await page.waitForSelector(heads);
    equal(await page.locator("#results img, #results script, #results b, #results i, #results u").count(), 0, "no markup");
    equal(await page.locator("#results a").count(), 1, "one link");
    equal(await page.evaluate(() => window.harmed), undefined, "nothing ran");
});

// ---- Duplicates ----

const list = ["I've lost my debit card, what should I do now?", "How do I cancel my subscription?", "lost my bank card, need it blocked asap",
    "I want to cancel my subscription", "Where, \"exactly\", is my parcel?"];

async function downloaded(page, button) {
    const [file] = await Promise.all([page.waitForEvent("download"), page.click(button)]);
    const text = await readFile(await file.path(), "utf8");
    equal(text[0], "\ufeff", "spreadsheets are told that it is UTF-8");
    return text.slice(1).split("\r\n").slice(0, -1);
}

test("a pasted list becomes clusters, and files", {}, async (page, { base }) => {
    await page.goto(`${base}/#dedup`);
    await page.fill("#list", `${list.join("\n")}\n\n`);
    equal(await page.textContent("#list-status"), "5 sentences", "counted");
    await page.focus("#threshold");
    for (let i = 0; i < 20; i++) await page.keyboard.press("ArrowLeft");
    await page.click("#dedup-run");
    await page.waitForSelector(".cluster");
    const clusters = await page.locator(".cluster").evaluateAll((nodes) => nodes.map((node) => [...node.querySelectorAll(".text")].map((one) => one.textContent).sort()));
    truth(clusters.some((cluster) => cluster.includes(list[0]) && cluster.includes(list[2])), `the lost cards are one: ${JSON.stringify(clusters)}`);
    truth(!clusters.flat().includes(list[4]), "the parcel is alone");
    const rows = await downloaded(page, "#download-clusters");
    equal(rows[0], "line,text,cluster,probability,representative", "head");
    equal(rows.length, 6, "all sentences");
    const cluster = (i) => rows[i].replace(/"(?:[^"]|"")*"/, "").split(",")[2];
    truth(cluster(1) !== "" && cluster(1) === cluster(3), "in one cluster");
    equal(rows[5], '5,"Where, ""exactly"", is my parcel?",,,', "quoted, alone");
    const kept = await downloaded(page, "#download-distinct");
    equal(kept.length - 1, 5 - clusters.flat().length + clusters.length, "one of each");
    await page.reload();
    equal(await page.inputValue("#list"), `${list.join("\n")}\n\n`, "the list is kept over a reload");
});

test("a file is opened: CSV with a column to choose, plain text", {}, async (page, { base }) => {
    await page.goto(`${base}/#dedup`);
    const holds = (text) => page.waitForFunction((wanted) => document.querySelector("#list").value === wanted, text);
    const file = (name, text) => page.setInputFiles("#file", { name, mimeType: "", buffer: Buffer.from(text) });
    await file("questions.csv", '\ufeffid;text;note\r\n1;"I lost; my card";x\r\n2;"My ""card"" is\ngone";yy\r\n');
    await holds('I lost; my card\nMy "card" is gone');
    await page.selectOption("#column", "2");
    equal(await page.inputValue("#list"), "x\nyy", "another column");
    await file("lines.txt", "a, b\nc\n");
    await holds("a, b\nc\n");
    truth(await page.isHidden("#column-box"), "no columns");
    await page.fill("#list", "only one");
    await page.click("#dedup-run");
    await page.waitForFunction(() => document.querySelector("#dedup-status").textContent === "Enter at least two sentences.");
});

test("many clusters are shown part by part; too many sentences are refused calmly", { failing: true }, async (page, { base }) => {
    await page.goto(`${base}/#dedup`);
    const names = Array.from({ length: 60 }, (_, i) => `number${i} word${i * 7} thing${i * 13}`);
    await page.fill("#list", [...names, ...names].join("\n"));
    await page.click("#dedup-run");
    await page.waitForSelector(".cluster");
    equal(await page.locator(".cluster").count(), 40, "a first part");
    await page.click("#more-clusters");
    equal(await page.locator(".cluster").count(), 60, "the rest");
    await page.evaluate(() => { document.querySelector("#list").value = "x\n".repeat(20000); });
    await page.click("#dedup-run");
    await page.waitForFunction(() => /20000|10000|20,000|10,000/.test(document.querySelector("#dedup-status").textContent) &&
        !document.querySelector("#dedup-status").textContent.startsWith("Comparing"));
    equal(await page.locator(".cluster").count(), 0, "no old result");
});

test("the model tells of itself", {}, async (page, { base }) => {
    await page.goto(`${base}/#model`);
    await page.waitForSelector("#model-facts dl");
    const text = await page.textContent("#model-facts");
    for (const wanted of ["Dimensions", "200", "Pool", "280", "Balanced accuracy"]) truth(text.includes(wanted), wanted);
    truth(/FILM \d/.test(await page.textContent("#served")), "version");
});

test("how sure the duplicates are is said where it matters", {}, async (page, { base }) => {
    await page.goto(`${base}/#dedup`);
    await page.fill("#list", "I lost my card\nI lost my card");
    await page.click("#dedup-run");
    await page.waitForSelector(".cluster");
    truth(await page.isHidden("#dedup-sure"), "nothing to say of the same words");
    await page.route("**/v1/dedup", async (route) => {
        const answer = await (await route.fetch()).json();
        await route.fulfill({ json: { ...answer, pairs: 9, sure: 2 } });
    });
    await page.click("#dedup-run");
    await page.waitForSelector("#dedup-sure:not([hidden])");
    truth((await page.textContent("#dedup-sure")).startsWith("2 of 9 pairs"), "the figures");
});
