// What the tests of the page share: a server, a browser, TAP, and what no test may leave behind.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chromium } from "playwright-core";

const tests = [];
let browser = null;
let common = null; // the context of tests that want no other: each has a tab of its own, and none leaves anything behind

// test(name, options, run): options.device is for the browser's context; options.failing: the page is expected to
// meet failing requests, which Chromium writes to its console as errors.
export function test(name, options, run) {
    tests.push({ name, options, run });
}

export function equal(got, wanted, what) {
    if (got !== wanted) throw new Error(`${what}: got ${JSON.stringify(got)}, wanted ${JSON.stringify(wanted)}`);
}
export function truth(value, what) {
    if (!value) throw new Error(what);
}

// ---- Servers ----

// serve(path, {port, token, more}): film serve; {base, port, stop}. It is killed when this process ends, by
// whatever: a signal, an error, or the end of all tests.
export async function serve(path, { port = 0, token = "", more = [] } = {}) {
    const { FILM_TOKEN: _, ...environment } = process.env;
    if (token) environment.FILM_TOKEN = token;
    const child = spawn("setpriv", ["--pdeathsig", "KILL", process.env.FILM, "serve", path, "--listen", `127.0.0.1:${port}`, "-t", "2", ...more],
        { stdio: ["ignore", "ignore", "pipe"], env: environment });
    let said = "";
    const base = await new Promise((resolve, reject) => {
        child.stderr.on("data", (bytes) => {
            said += bytes;
            const address = /http:\/\/127\.0\.0\.1:(\d+)/.exec(said);
            if (address) resolve(address[0]);
        });
        child.on("exit", () => reject(new Error(`film serve ended: ${said}`)));
    });
    const stop = async () => {
        if (child.exitCode !== null) return;
        child.kill("SIGTERM");
        await once(child, "exit");
    };
    return { base, port: Number(new URL(base).port), stop };
}

// ---- Pages ----

// A page that notes what must not happen: errors, requests to elsewhere, what the policy had to forbid.
async function openPage(options) {
    const open = () => browser.newContext({ viewport: { width: 1180, height: 900 }, acceptDownloads: true, ...options.device });
    const context = await (options.device ? open() : common ??= open());
    context.setDefaultTimeout(300000);
    const page = await context.newPage();
    // Conditions are looked at 20 times a second, not at every frame: each look makes the browser draw one.
    const waitForFunction = page.waitForFunction.bind(page);
    page.waitForFunction = (condition, given, settings) => waitForFunction(condition, given, { polling: 50, ...settings });
    const problems = [];
    page.on("pageerror", (error) => problems.push(`error in the page: ${error.stack}`));
    page.on("console", (message) => {
        if (message.type() !== "error" && message.type() !== "warning") return;
        if (options.failing && /Failed to load resource/.test(message.text())) return;
        problems.push(`console: ${message.text()}`);
    });
    page.on("request", (request) => {
        if (!/^(http:\/\/127\.0\.0\.1:|blob:|data:,$|file:\/\/\/[^?]*\.html(#|$))/.test(request.url())) problems.push(`a request to ${request.url()}`);
    });
    await page.addInitScript(() => {
        document.addEventListener("securitypolicyviolation", (event) =>
            console.error(`the policy forbids ${event.violatedDirective} ${event.blockedURI}`));
    });
    return { context, page, problems };
}

// What the page shows for a pair: waits until it is the answer to this pair.
export async function comparePair(page, a, b) {
    await page.fill("#a", a);
    await page.fill("#b", b);
    await answered(page, a, b);
}
export const answered = (page, a, b) => page.waitForFunction(([first, second]) => {
    const lines = [...document.querySelectorAll("#why .sentence")].map((line) => line.textContent);
    return !document.querySelector("#answer").hidden && lines[0] === first && lines[1] === second;
}, [a, b]);
export const explain = (base, body) => fetch(`${base}/v1/explain`, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
}).then((answer) => answer.json());
export const focused = (page) => page.evaluate(() => document.activeElement.id || document.activeElement.className || document.activeElement.tagName);
// A number as the page writes it, with the real minus.
export const number = (text) => Number(text.replace("−", "-"));

// ---- Running ----

async function runOne({ name, options, run }, number, shared) {
    const { context, page, problems } = await openPage(options);
    const started = Date.now();
    let failure = null;
    try {
        await run(page, shared);
        await page.evaluate(() => document.title); // what is under way in the page is told before
        if (problems.length) failure = problems;
    } catch (error) {
        failure = [error.stack, ...problems];
    }
    await (options.device ? context : page).close();
    console.log(`${failure ? "not ok" : "ok"} ${number} - ${name}`);
    if (process.env.TIMES) console.log(`# ${Date.now() - started} ms`);
    if (failure) console.log(failure.join("\n").split("\n").slice(0, 40).map((line) => `# ${line.slice(0, 400)}`).join("\n"));
    return failure === null;
}

// Tests mostly wait for the page, so a few run side by side, each in a context of its own in the one browser.
export async function runAll(shared, sideBySide = 3) {
    browser = await chromium.launch({
        executablePath: process.env.CHROMIUM, args: process.getuid() === 0 ? ["--no-sandbox"] : [],
    });
    const wanted = tests.filter(({ name }) => name.includes(process.env.ONLY ?? ""));
    let next = 0;
    let failures = 0;
    await Promise.all(Array.from({ length: sideBySide }, async () => {
        while (next < wanted.length) {
            const number = ++next;
            if (!await runOne(wanted[number - 1], number, shared)) failures++;
        }
    }));
    console.log(`1..${wanted.length}`);
    await browser.close();
    return failures;
}
