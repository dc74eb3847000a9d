// A model of records: inputs by field, pasted objects, the waterfall, and lists that show field names.
import { readFileSync } from "node:fs";
import { test, equal, truth, serve, explain, number, focused } from "./page_lib.mjs";

const a = { title: "Canon camera ABC-123X", brand: "Canon", price: "$ 100.00", released: "2010-04-02" };
const b = { title: "canon ABD-127L camera", price: "501.50" };
const input = (name, side) => `[aria-label="${name} of ${side}"]`;
let server = null;
const base = async () => (server ??= await serve("shop.pool")).base;

test("records: inputs by field, a waterfall that opens into words, edits that reverse it", {}, async (page) => {
    const at = await base();
    await page.goto(`${at}/#compare`);
    await page.waitForSelector(input("price", "A"));
    equal(await page.locator("#fields-grid textarea").count(), 8, "inputs: four fields, two sides");
    truth(!await page.isVisible("#a"), "no boxes for sentences");
    for (const [name, value] of Object.entries(a)) await page.fill(input(name, "A"), value);
    await page.fill(input("title", "B"), b.title);
    await page.fill(input("price", "B"), b.price);
    const wanted = await explain(at, { a, b });
    await page.waitForFunction((total) => document.querySelector("#why .total .weight")?.textContent === total,
        (wanted.log_odds < 0 ? "−" : "+") + Math.abs(wanted.log_odds).toFixed(2));
    const weights = (await page.locator(".ledger > li .row:not(.parts .row) > .weight").allTextContents()).map(number);
    truth(Math.abs(weights.reduce((x, y) => x + y) - wanted.log_odds) < 0.01 * weights.length, "the lines add up");
    const title = wanted.fields.find(({ name }) => name === "title");
    equal(number(await page.textContent("details[data-name='field title'] > summary .weight")).toFixed(2), title.weight.toFixed(2), "the weight of a field");
    await page.locator("details[data-name='field title'] > summary").press("Enter");
    await page.locator("details[data-name='field title'] .parts .weight").first().waitFor();
    const inside = (await page.locator("details[data-name='field title'] .parts .weight").allTextContents()).map(number);
    truth(inside.length > 2 && Math.abs(inside.reduce((x, y) => x + y) - title.weight) < 0.01 * inside.length, "a field opens into its words and traits");
    // Each step of the waterfall starts where the one above it ends.
    const steps = await page.evaluate(() => [...document.querySelectorAll(".ledger > li > .row .fall > .fill, .ledger summary .fall > .fill")]
        .map((fill) => ["--from", "--part"].map((name) => Number(fill.style.getPropertyValue(name)))));
    let sum = Number((await page.evaluate(() => document.querySelector(".fall").style.getPropertyValue("--zero"))));
    steps.forEach(([from, part], i) => {
        const before = weights[i] < 0 ? from + part : from;
        truth(Math.abs(before - sum) < 0.001, `step ${i} starts at ${before}, the sum is ${sum}`);
        sum = weights[i] < 0 ? from : from + part;
    });
    truth((await page.textContent(".changes .differ")).includes("price $ 100.00 / 501.50"), "what differs, by field");
    const before = await page.textContent("#percent");
    await page.locator(".changes button").first().click();
    await page.waitForFunction((first) => document.querySelector("#percent").textContent !== first, before);
    const shown = await page.evaluate(() => location.hash);
    const linked = Object.fromEntries(new URLSearchParams(shown.split("?")[1]));
    const again = await explain(at, { a: JSON.parse(linked.a), b: JSON.parse(linked.b) });
    equal(again.same, !wanted.same, "the edited records have the other verdict");
    await page.goto("about:blank");
    await page.goto(`${at}/${shown}`);
    await page.waitForSelector("#why .ledger");
    equal(await page.inputValue(input("title", "A")), JSON.parse(linked.a).title, "an address brings the records back");
});

test("records: a pasted object fills its side, unknown fields are named, swap", {}, async (page) => {
    await page.goto(`${await base()}/#compare`);
    await page.waitForSelector(input("title", "A"));
    const paste = (side, object) => page.evaluate(([selector, text]) => {
        const data = new DataTransfer();
        data.setData("text", text);
        document.querySelector(selector).dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    }, [input("brand", side), JSON.stringify(object)]);
    await paste("A", { ...a, price: 100, colour: "red" });
    equal(await page.inputValue(input("price", "A")), "100", "numbers too");
    equal(await page.textContent("#fields-status"), "Not fields of the model: colour.", "what was left out");
    await paste("B", b);
    await page.waitForSelector("#why .records");
    truth((await page.textContent("#why .records")).includes("missing"), "a missing value is named");
    await page.click("#swap");
    equal(await page.inputValue(input("title", "A")), b.title, "swapped");
    // By keyboard: from field to field, in the order of the rows.
    await page.focus(input("title", "A"));
    await page.keyboard.press("Tab");
    equal(await page.evaluate(() => document.activeElement.ariaLabel), "title of B", "then the other side");
    truth(await focused(page) !== "BODY", "focus is kept");
});

test("records: search, duplicates, review and model show fields by name", {}, async (page) => {
    await page.goto(`${await base()}/#search`);
    await page.waitForFunction(() => document.querySelector("#q").placeholder.includes("title"));
    await page.fill("#q", '{"title": "Canon camera"}');
    await page.waitForSelector("#results:not(.waiting) .result .entry");
    truth(!/[{}\u001e]/.test(await page.textContent("#results .result .text")), "no raw record in a result");
    await page.locator("#results .result").first().click();
    await page.waitForSelector("#results .why .records");
    await page.click("nav a[data-view=dedup]");
    await page.fill("#list", readFileSync("single.csv", "utf8"));
    equal(await page.textContent("#list-status"), "80 records", "a table is read by its head");
    await page.click("#dedup-run");
    await page.waitForSelector(".cluster");
    equal(await page.textContent(".cluster .entry .field"), "title", "a cluster has field names");
    const [file] = await Promise.all([page.waitForEvent("download"), page.click("#download-clusters")]);
    truth(readFileSync(await file.path(), "utf8").startsWith("\ufeffline,title,brand,price,released,cluster,probability,representative"), "a column per field");
    await page.click("nav a[data-view=review]");
    await page.waitForFunction(() => !document.querySelector("#review-yes").disabled);
    equal(await page.textContent("#review-a .field"), "title", "review has field names");
    await page.click("nav a[data-view=model]");
    await page.waitForFunction(() => /price\s*money/.test(document.querySelector("#model-facts").textContent));
});
