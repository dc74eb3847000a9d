// The report of film report and the page of examples/paper/run, opened from files: each draws what its data holds, loads
// nothing, and shows hostile text as text. page.sh writes the files.
import { readFile, writeFile } from "node:fs/promises";
import { scale } from "../../web/scale.js";
import { test, equal, truth } from "./page_lib.mjs";

const file = (name) => `file://${process.cwd()}/${name}`;
const marks = ['id="page-data">\n', "\n</script>"];

async function dataOf(name) {
    const text = await readFile(name, "utf8");
    const start = text.indexOf(marks[0]) + marks[0].length;
    return JSON.parse(text.slice(start, text.indexOf(marks[1], start)));
}

// Writes the page FROM with its data changed.
async function changed(from, name, change) {
    const text = await readFile(from, "utf8");
    const start = text.indexOf(marks[0]) + marks[0].length;
    const data = JSON.parse(text.slice(start, text.indexOf(marks[1], start)));
    await writeFile(name, text.slice(0, start) + JSON.stringify(change(data) ?? data).replaceAll("<", "\\u003c") + text.slice(text.indexOf(marks[1], start)));
}

// Opens a page with all its lists, and waits until every figure is drawn.
async function open(page, name) {
    await page.goto(file(name));
    await page.evaluate(() => document.querySelectorAll("details").forEach((fold) => { fold.open = true; }));
    await page.waitForFunction(() => [...document.querySelectorAll("svg.plot")].every((picture) => picture.childElementCount > 0));
}

const ids = (page) => page.$$eval("[id]", (nodes) => nodes.map(({ id }) => id));
const rows = (page, figure) => page.$eval(`#${figure}`, (node) => node.rows());
const cells = (page, table) => page.$$eval(`#${table} tbody tr`, (lines) => lines.map((line) => [...line.cells].map((cell) => cell.innerText.trim())));
const has = async (page, wanted, unwanted = "") => {
    const found = await ids(page);
    for (const id of wanted.split(" ")) truth(found.includes(id), `no ${id}`);
    for (const id of unwanted.split(" ")) truth(!found.includes(id), `there is ${id}`);
    equal(new Set(found).size, found.length, "ids are unique");
};
const share = (x) => (x === null ? "-" : `${(100 * x).toFixed(1)} %`);

test("a report has every section, table and figure, and each figure its values", {}, async (page) => {
    await open(page, "report.html");
    await has(page, "quality mistakes reasons data others sweep training shapes dimensions map "
        + "thresholds reasons-groups labels-eval others-table audit-eval audit-train "
        + "precision-recall calibration coverage probabilities log-loss roc confusion audit-eval-count audit-eval-common audit-train-count "
        + "others-accuracy others-log-loss others-training others-processor others-memory others-size others-speed others-explained "
        + "knn-rates knn-entropy retrieval training-loss training-gradient training-trees shape-1 shape-9 shape-two-1 row-first row-sorted map-sentences map-words", "missing");
    equal((await ids(page)).filter((id) => /^dimension-\d/.test(id)).length, 6, "dimensions");
    const problems = await page.$$eval("figure.chart", (figures) => figures.flatMap((figure) => {
        const drawing = figure.querySelector("svg").outerHTML;
        const table = figure.rows();
        return /NaN|Infinity|undefined|null/.test(drawing) || table.length < 2 || new Set(table.map((line) => line.length)).size > 1 ? [figure.id] : [];
    }));
    equal(problems.join(), "", "figures with holes");
    equal(await page.title(), "faq.film · FILM report", "title");
    truth(!/undefined|NaN|\[object/.test(await page.innerText("body")), "no text is missing");
    equal(await page.$$eval("#contents a", (links) => links.length), 10, "links to the sections");
});

test("its tables and figures show the numbers of the data", {}, async (page) => {
    const { eval: answer, dimensions, data, figures, search } = await dataOf("report.html");
    await open(page, "report.html");
    equal(JSON.stringify(await cells(page, "thresholds")), JSON.stringify(answer.thresholds.map((at) =>
        [at.threshold.toFixed(2), share(at.precision), share(at.recall), share(at.called_same), at.used ? "in use" : ""])), "thresholds");
    const text = await page.innerText("main");
    for (const name of ["accuracy", "precision", "recall", "ece"]) truth(text.includes(share(answer[name])), name);
    for (const name of ["auc", "log_loss"]) truth(text.includes(answer[name].toFixed(3)), name);
    const { tp, fp, tn, fn } = answer.confusion;
    equal(JSON.stringify(await rows(page, "confusion")), JSON.stringify([["decision", "label", "pairs"],
        ["decided same", "same", tp], ["decided different", "same", fn], ["decided same", "different", fp], ["decided different", "different", tn]]), "confusion");
    // The curves, against the figures that film eval measured.
    const area = async (figure) => (await rows(page, figure)).filter(([name]) => name === "model").reduce(([sum, last], [, x, y]) => [sum + (last ? (x - last[0]) * (y + last[1]) / 2 : 0), [x, y]], [0, null])[0];
    truth(Math.abs(await area("roc") - answer.auc) < 0.005, "area below the ROC curve");
    truth(Math.abs(await area("precision-recall") - answer.average_precision) < 0.02, "area below precision over recall");
    const coverage = (await rows(page, "coverage")).at(-1);
    truth(coverage[1] === 1 && Math.abs(coverage[2] - answer.accuracy) < 1e-9, "the accuracy on all pairs");
    for (const figure of ["probabilities", "log-loss"]) equal((await rows(page, figure)).slice(1).reduce((sum, [, , pairs]) => sum + pairs, 0), answer.rows, figure);
    const gap = (await rows(page, "calibration")).filter(([name]) => name === "model").reduce((sum, [, p, observed, label]) => sum + Math.abs(p - observed) * Number(/of ([\d,]+) pair/.exec(label)[1].replace(",", "")), 0);
    truth(Math.abs(gap / answer.rows - answer.ece) < 0.005, "calibration error");
    const rates = (await rows(page, "knn-rates")).filter(([name]) => name.startsWith("TPR"));
    equal(JSON.stringify(rates.map(([, k, rate]) => [k, rate])), JSON.stringify(answer.knn.map((at) => [at.k, at.tpr])), "TPR by k");
    equal((await rows(page, "retrieval"))[10][2], search[9], "recall of ten results");
    equal(JSON.stringify((await rows(page, "row-first")).slice(1).map(([, id]) => id)), JSON.stringify(dimensions.largest.map(([id]) => id)), "spikes of the first row");
    truth(text.includes(`about ${Math.round(dimensions.ratio).toLocaleString("en")} of ${dimensions.features.toLocaleString("en")} features`), "participation ratio");
    const steps = (await rows(page, "training-loss")).slice(1);
    equal(JSON.stringify(steps.map(([, step, loss]) => [step, loss])), JSON.stringify(figures.ranking.history.map((values, i) => [i + 1, values[1]])), "training loss");
    equal((await cells(page, "labels-eval")).length, data.eval.suspicious.length, "labels to check");
    truth(text.includes(data.eval.suspicious[0].a), "with their sentences");
    // Reasons of a pair: those for its decision first.
    const order = await page.$$eval(".chips", (lists) => lists.map((list) => [...list.children].map((chip) => chip.classList.contains("for"))));
    truth(order.length > 10 && order.every((chips) => chips.every((side, i) => !i || side === chips[i - 1] || side !== chips[0])), "reasons for the decision come first");
});

test("links open closed sections, a value is shown when pointed at, and a figure can be saved", {}, async (page) => {
    await page.goto(`${file("report.html")}#map`);
    await page.waitForSelector("#map-words svg text");
    truth(await page.isHidden("#training-loss"), "the others are closed");
    await page.click("#contents a[href='#training']");
    await page.waitForSelector("#training-loss svg text");
    await page.locator("#training-loss svg").scrollIntoViewIfNeeded();
    const box = await page.locator("#training-loss svg path.curve").boundingBox();
    await page.mouse.move(box.x, box.y);
    await page.waitForFunction(() => /^loss: [\d.]+\nstep: 1$/.test(document.querySelector(".tip")?.textContent));
    await page.mouse.move(0, 0);
    truth(await page.isHidden(".tip"), "and hidden again");
    const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#training-loss .csv")]);
    equal(saved.suggestedFilename(), "training-loss.csv", "its name");
    const lines = (await readFile(await saved.path(), "utf8")).split("\r\n");
    truth(lines[0].endsWith("series,step,loss") && lines[1].startsWith("loss,1,"), "its values");
});

test("hostile text is text", {}, async (page) => {
    await open(page, "hostile.html");
    const text = await page.innerText("main");
    truth(text.includes("<script>alert(") && text.includes("onerror=alert(1)") && text.includes("</script> </title>") && text.includes("<img src=x>.tsv"), "shown as it is");
    equal(await page.locator("main script, main img, main style").count(), 0, "elements of a text");
    equal(await page.title(), `h<b>&'"m.film · FILM report`, "title");
    const table = await rows(page, "map-words");
    truth(table.length > 1, "words");
    const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#others-log-loss .csv")]);
    truth((await readFile(await saved.path(), "utf8")).includes(`"'=HYPERLINK(""x"") <b>&: 0.500 nats"`), "no formula for a spreadsheet");
});

test("a model alone, and one without vectors: what is missing is said", {}, async (page) => {
    await open(page, "alone.html");
    await has(page, "shape-1 map-words missing dimensions", "roc quality mistakes data map-sentences others");
    const text = await page.innerText("#missing");
    for (const words of ["This needs a labelled evaluation file", "This needs an evaluation or a training file"]) truth(text.includes(words), words);
    truth((await page.innerText(".lead")).includes("no labelled evaluation file was given"), "not evaluated");
    await open(page, "tfidf.html");
    await has(page, "roc missing", "knn-rates dimensions map shapes");
    const main = await page.innerText("main");
    for (const words of ["decision by a threshold", "has no map", "no vectors"]) truth(main.includes(words), words);
});

test("scores, categories and records have figures of their own", {}, async (page) => {
    await open(page, "scores.html");
    await has(page, "scatter data-eval map-sentences", "roc confusion");
    truth((await page.innerText(".cards")).includes("Pearson") && (await page.innerText("#mistakes")).includes("probability much higher than the score"), "correlation");
    await open(page, "categories.html");
    await has(page, "data-eval worst-categories map-sentences", "roc confusion");
    truth((await page.innerText(".cards")).includes("10 neighbours"), "shares");
    const { data } = await dataOf("categories.html");
    equal((await cells(page, "worst-categories"))[0][2], `${(100 * data.eval.worst[0].right / data.eval.worst[0].sentences).toFixed(0)} %`, "the worst one");
    // Records: the steps of a pair add up to its log-odds.
    await open(page, "records.html");
    const sums = await page.$$eval(".falls", (lists) => lists.map((list) => {
        const weights = [...list.querySelectorAll(".weight")].map((node) => Number(node.textContent.replace("−", "-")));
        return [weights.slice(0, -1).reduce((sum, weight) => sum + weight, 0), weights.at(-1), weights.length];
    }));
    truth(sums.length > 3 && sums.every(([sum, total, terms]) => Math.abs(sum - total) <= 0.005 * terms), "sums");
    await page.locator(".falls summary").first().click();
    truth((await page.innerText("#reasons-groups")).includes("field "), "fields decide");
});

test("categories that the model answers are listed with the worst first", {}, async (page) => {
    await changed("categories.html", "classes.html", (data) => {
        data.eval.classes = [{ category: "good", rows: 5, precision: 1, recall: 0.8, f1: 0.9 }, { category: "<bad>", rows: 4, precision: 0.5, recall: 0.25, f1: 0.33 },
            { category: "absent", rows: 0, precision: 0, recall: 0, f1: 0 }];
        data.eval.confusions = [{ category: "<bad>", answered: "good", rows: 3 }];
    });
    await open(page, "classes.html");
    equal(JSON.stringify(await cells(page, "worst-categories")), JSON.stringify([["<bad>", "4", "50 %", "25 %", "good (3)"], ["good", "5", "100 %", "80 %", ""]]), "worst categories");
});

test("the history of every method is drawn, the paper's value beside it", {}, async (page) => {
    const histories = {
        film: { iterations: 3, history_columns: ["hinge", "satisfied", "gradient", "accuracy"], history: [[0.9, 0.25, 2, 0], [0.5, 0.5, 0.1, 0.7], [0.25, 0.75, 0.01, 0]] },
        network: { steps: 40, history_columns: ["epoch", "loss"], history: [[0.5, 3], [1, 1.5]] },
    };
    for (const [method, history] of Object.entries(histories)) {
        await changed("alone.html", "history.html", (data) => { data.figures = { [method]: history }; });
        await open(page, "history.html");
        if (method === "film") {
            await has(page, "training-hinge training-satisfied training-gradient training-accuracy", "training-loss training-active");
            const gradient = await rows(page, "training-gradient");
            equal(JSON.stringify(gradient.slice(1)), JSON.stringify([["gradient norm", 1, 2], ["gradient norm", 2, 0.1], ["gradient norm", 3, 0.01],
                ["the paper's lowest value", 1, 0.00562], ["the paper's lowest value", 3, 0.00562]]), "gradient");
            equal(JSON.stringify((await rows(page, "training-accuracy")).slice(1)), JSON.stringify([["accuracy", 2, 0.7]]), "0 is a step that was not measured");
        } else {
            equal(JSON.stringify(await rows(page, "training-loss")), JSON.stringify([["series", "epoch", "loss"], ["loss", 0.5, 3], ["loss", 1, 1.5]]), "loss by epoch");
        }
    }
});

test("a best k at the edge of the sweep is pointed out, and warnings link to their section", {}, async (page) => {
    const write = (best) => changed("report.html", "edge.html", (data) => {
        data.eval.best_k = best;
        data.warnings = [{ section: "data", text: "one <thing>" }, { section: "nowhere", text: "another" }];
    });
    await write(55);
    await open(page, "edge.html");
    truth((await page.innerText("#knn-edge")).includes("The best k = 55 is at the edge of the sweep from 1 to 55"), "edge");
    equal(await page.innerText(".warnings h2"), "2 warnings".toUpperCase(), "warnings");
    equal(await page.$$eval(".warnings a", (links) => links.map((link) => link.getAttribute("href")).join()), "#data", "links");
    await write(20);
    await open(page, "edge.html");
    await has(page, "knn-rates", "knn-edge");
});

test("the report of the paper draws each kind of part", {}, async (page) => {
    await open(page, "paper.html");
    await has(page, "table-1 figure-1 lines needles bars");
    equal(await page.$eval("#lines path.curve", (path) => path.getAttribute("d").match(/[ML]/g).join("")), "MLM", "a gap splits a line");
    equal(await page.locator("#bars rect.column").count(), 3, "bars");
    equal(await page.locator("#needles .tag").count(), 2, "words beside needles");
    equal(await page.locator(".judged.good").innerText(), "reproduced", "verdict");
    equal(await page.locator(".quoted").first().innerText(), "<b>79.60", "quoted");
    equal(await page.$$eval(".steps .weight", (list) => list.map((node) => node.innerText).join()), "65.00 %,66.50 % +1.50,66.00 % −0.50", "steps");
    truth((await page.innerText("main")).includes("Nothing to draw"), "a chart without values");
    equal(await page.$$eval("#contents a", (links) => links.map((link) => link.textContent).join()), "Table 1,Figure 1", "contents");
});

test("a report on a phone, in the dark", { device: { viewport: { width: 360, height: 740 }, colorScheme: "dark" } }, async (page) => {
    for (const name of ["report.html", "paper.html", "records.html"]) {
        await open(page, name);
        truth(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name}: no part is wider than the screen`);
        truth(await page.$$eval("svg.plot", (pictures) => pictures.every((picture) => Math.abs(picture.viewBox.baseVal.width - picture.clientWidth) < 2)), "drawn at its width");
    }
    const [red, green, blue] = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
    truth(red + green + blue < 120, "a dark background");
});

test("without JavaScript the report says so", { device: { javaScriptEnabled: false } }, async (page) => {
    await page.goto(file("report.html"));
    truth((await page.locator("noscript p").innerText()).includes("This page draws its tables and charts with JavaScript"), "a sentence");
});

// ---- Scales ----

test("ticks are round and few, labels fit them", {}, async () => {
    for (const [low, high] of [[0, 1], [0, 0.37], [-3, 7], [0.901, 0.999], [1e-9, 3e-9], [0, 123456], [-1, -0.2], [17, 17.0001], [1, 55], [-5e12, 9e12]]) {
        for (const round of [false, true]) {
            const { ticks, place, holds, ...found } = scale([low, high], { round });
            truth(ticks.length >= 2 && ticks.length <= 9, `${low} to ${high}: ${ticks.length} ticks`);
            truth(found.low <= low + 1e-9 * Math.abs(low) && found.high >= high - 1e-9 * Math.abs(high), "all values are inside");
            truth(ticks.every((tick, i) => holds(tick) && (!i || tick > ticks[i - 1])), "ticks rise");
            // At most two significant digits, apart from an offset as that of 17.00002.
            if (low !== 17) truth(ticks.every((tick) => Math.abs(Number(tick.toPrecision(2)) - tick) <= 1e-6 * Math.abs(tick)), `round: ${ticks}`);
            if (round) truth(Math.abs(ticks[0] - found.low) <= 1e-9 * Math.abs(found.low), "the ends are ticks");
            truth(Math.abs(place(found.low)) < 1e-9 && Math.abs(place(found.high) - 1) < 1e-9, "ends");
        }
    }
    const log = scale([0, -4, 0.003, 5000], { log: true }); // 0 and -4 have no logarithm
    equal(log.ticks.map((tick) => Math.round(Math.log10(tick))).join(), "-2,-1,0,1,2,3", "powers of ten");
    truth(!log.holds(0), "0 has no place");
    equal([0.01, 1000].map(log.label).join(" "), "0.01 1,000", "labels");
    equal([0, 0.5, 1].map(scale([0, 1], { percent: true }).label).join(), "0 %,50 %,100 %", "percent");
    equal([-1234567, 0, 2e9].map(scale([-2e6, 2e9]).label).join(" "), "−1,234,567 0 2,000,000,000", "thousands");
    for (const ends of [[NaN, NaN], [Infinity, -Infinity], [5, 5], [0, 0], [-1e308, 1e308], [5e-324, 1e-323], [1e20, 1e20 + 1], [-2, -2], [1e308, 1.7e308], []]) {
        for (const options of [{}, { log: true }, { round: true }]) {
            const { low, high, ticks, place } = scale(ends, options);
            const middle = place(low + 0.5 * (high - low));
            truth(low < high && ticks.length <= 16 && middle > -0.001 && middle < 1.001, `${ends}`);
        }
    }
});
