// By keyboard, by screen reader, on a phone, in the dark, on paper.
import { readFile, stat } from "node:fs/promises";
import { test, equal, truth, comparePair, answered, focused } from "./page_lib.mjs";

const a = "My bicycle was stolen, is that insured?";
const b = "Does the household policy not pay for 2 stolen bikes?";

async function fillAll(page, base, visit) {
    await page.goto(base);
    await comparePair(page, a, b);
    await page.locator(".group summary").first().click();
    await visit("compare");
    await page.click("nav a[data-view=search]");
    await page.fill("#q", "stolen bike");
    await page.waitForSelector("#results .result");
    await page.waitForFunction(() => !document.querySelector("#results").classList.contains("waiting"));
    await page.locator("#results .result").first().click();
    await page.waitForSelector("#results .ledger");
    await visit("search");
    await page.click("nav a[data-view=dedup]");
    await page.fill("#list", "I lost my card\nI lost my card\nsomething else");
    await page.click("#dedup-run");
    await page.waitForSelector(".cluster");
    await visit("dedup");
    await page.click("nav a[data-view=model]");
    await page.waitForSelector("#model-facts dl");
    await visit("model");
}

test("everything by keyboard alone, with the focus always seen", {}, async (page, { base }) => {
    await page.goto(base);
    const seen = () => page.evaluate(() => {
        const node = document.activeElement;
        const shown = node.id === "file" ? node.nextElementSibling : node; // its label is what is drawn
        const style = getComputedStyle(shown);
        return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
    });
    const tabTo = async (id) => {
        for (let i = 0; i < 60; i++) {
            await page.keyboard.press("Tab");
            truth(await seen(), `focus is not seen on ${await focused(page)}`);
            if (await focused(page) === id) return;
        }
        throw new Error(`Tab does not reach ${id}`);
    };
    await page.keyboard.press("Tab");
    equal(await focused(page), "skip", "the first stop is the way to the content");
    await page.keyboard.press("Enter");
    equal(await focused(page), "main", "and it goes there");
    await tabTo("a");
    await page.keyboard.type(a);
    await tabTo("swap");
    await tabTo("b");
    await page.keyboard.type(b);
    await answered(page, a, b);
    await tabTo("prior");
    const total = await page.textContent(".total .weight");
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => location.hash.includes("prior="));
    await page.waitForFunction((old) => document.querySelector(".total .weight").textContent !== old, total); // its lines are new
    await tabTo("row"); // the first line of the sum
    await page.keyboard.press("Enter");
    await page.waitForSelector(".group[open] .parts");
    await page.keyboard.press("Enter");
    for (let i = 0; i < 60 && await page.evaluate(() => document.activeElement.dataset.view !== "dedup"); i++) await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement.id === "dedup-title");
    await tabTo("list");
    await page.keyboard.type("I lost my card\nI lost my card");
    await tabTo("file");
    await tabTo("threshold");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Control+Enter");
    await page.waitForSelector(".cluster");
    await tabTo("download-clusters");
    const [file] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
    equal(file.suggestedFilename(), "clusters.csv", "the file");
});

// Text whose contrast with what is behind it is below WCAG AA: 4.5, 3 for large text.
const faint = (page) => page.evaluate(() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const rgba = (color) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b, alpha] = canvas.getImageData(0, 0, 1, 1).data;
        return [r, g, b, alpha / 255];
    };
    const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
    const behind = (node) => {
        const layers = [];
        for (let one = node; one; one = one.parentElement) layers.unshift(rgba(getComputedStyle(one).backgroundColor));
        return layers.reduce((below, layer) => over(layer, below), [255, 255, 255, 1]);
    };
    const light = (color) => {
        const [r, g, b] = color.slice(0, 3).map((x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (x, y) => (Math.max(light(x), light(y)) + 0.05) / (Math.min(light(x), light(y)) + 0.05);
    const result = [];
    const check = (node, style, ground, what) => {
        const size = parseFloat(style.fontSize);
        const least = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
        const got = contrast(over(rgba(style.color), ground), ground);
        if (got < least) result.push(`${what} ${got.toFixed(2)}`);
    };
    for (const node of document.querySelectorAll("body *")) {
        if (!node.checkVisibility() || node.closest("svg, .waiting") || node.classList.contains("unseen")) continue;
        const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim()) || node.matches("input:not([type=range]), textarea, select");
        if (own) check(node, getComputedStyle(node), behind(node), `${node.tagName}.${node.className} ${node.textContent.slice(0, 30)}`);
        if (node.dataset.weight) check(node, getComputedStyle(node, "::after"), behind(node.parentElement), `weight of ${node.textContent}`);
    }
    return result;
});

test("names, landmarks, and contrast in the light and in the dark", { device: { reducedMotion: "reduce" } }, async (page, { base }) => {
    const session = await page.context().newCDPSession(page);
    const used = new Set(["button", "link", "textbox", "searchbox", "slider", "combobox", "checkbox", "DisclosureTriangle"]);
    await fillAll(page, base, async (view) => {
        const { nodes } = await session.send("Accessibility.getFullAXTree");
        const real = nodes.filter((node) => !node.ignored);
        const roles = new Set(real.map((node) => node.role.value));
        for (const role of ["banner", "navigation", "main", "heading"]) truth(roles.has(role), `${view}: no ${role}`);
        for (const node of real) {
            if (used.has(node.role.value)) truth(node.name?.value?.trim(), `${view}: a ${node.role.value} without a name`);
        }
        equal(await page.locator("h1:visible").count(), 1, `${view}: one title`);
        equal(await page.locator("nav a[aria-current=page]").getAttribute("data-view"), view, "the current page is marked");
        const ids = await page.evaluate(() => [...document.querySelectorAll("[id]")].map((node) => node.id));
        equal(new Set(ids).size, ids.length, `${view}: ids are unique`);
        for (const colorScheme of ["light", "dark"]) {
            await page.emulateMedia({ colorScheme });
            equal((await faint(page)).join("; "), "", `${view}: faint text in the ${colorScheme}`);
            const shade = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
            equal(shade[0] < 64, colorScheme === "dark", "the paper is dark in the dark");
        }
    });
});

test("a phone: nothing sticks out, everything can be touched", { device: { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } }, async (page, { base }) => {
    await fillAll(page, base, async (view) => {
        truth(await page.evaluate(() => document.documentElement.scrollWidth <= 360), `${view} is wider than the phone`);
        const small = await page.evaluate(() => [...document.querySelectorAll("button, nav a, summary, input, select, textarea, label.button")]
            .filter((node) => node.checkVisibility() && !node.classList.contains("unseen"))
            .filter((node) => { const box = node.getBoundingClientRect(); return box.height < 24 || box.width < 24; })
            .map((node) => node.id || node.className || node.tagName));
        equal(small.join(), "", `${view}: too small for a finger`);
    });
    await page.goto(`${base}/#compare?${new URLSearchParams({ a: "x".repeat(3000), b: "W".repeat(300) })}`);
    await page.waitForSelector("#why .sheet");
    truth(await page.evaluate(() => document.documentElement.scrollWidth <= 360), "long words are broken");
});

test("motion stays away where it is not wanted; paper gets the content", { device: { reducedMotion: "reduce" } }, async (page, { base }) => {
    await page.goto(base);
    await comparePair(page, a, b);
    equal(await page.evaluate(() => getComputedStyle(document.querySelector("#pin")).transitionDuration), "0s", "no motion");
    await page.emulateMedia({ media: "print" });
    truth(await page.isHidden("nav") && await page.isHidden(".swap") && await page.isVisible("#percent"), "only what is read");
    await page.setViewportSize({ width: 700, height: 990 }); // about A4
    truth(await page.evaluate(() => ["a", "b"].every((id) => document.getElementById(id).offsetWidth > 250)), "both boxes have room");
    truth(await page.evaluate(() => document.documentElement.scrollWidth <= 700), "nothing is cut off");
    await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    equal(await page.locator("#why .group:not([open])").count(), 0, "lists are unfolded on paper");
    await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
    equal(await page.locator("#why .group[open]").count(), 0, "and folded again");
});

test("the page is small and comes from this server alone", {}, async (page, { base }) => {
    const answer = await page.goto(base);
    const policy = answer.headers()["content-security-policy"] ?? "";
    truth(policy.includes("default-src 'none'") && !policy.includes("unsafe"), `the policy is strict: ${policy}`);
    let bytes = 0;
    const served = await readFile(`${process.env.WEB}/assets.def`, "utf8");
    for (const [, name] of served.matchAll(/"web\/([^"]+)"/g)) bytes += (await stat(`${process.env.WEB}/${name}`)).size;
    truth(bytes < 200 * 1024, `${bytes} bytes`);
});
