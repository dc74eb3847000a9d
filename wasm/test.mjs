// Tests the npm package in Node against the C library: node wasm/test.mjs PACKAGE MODEL WANTED.json, where WANTED.json
// has what native FILM answers for the same model (tests/e2e/wasm.sh). TAP.
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import assert from "node:assert/strict";

const [folder, path, wantedPath] = process.argv.slice(2);
const { open, FilmError } = await import(pathToFileURL(`${folder}/film.js`));
const bytes = await readFile(path);
const wanted = JSON.parse(await readFile(wantedPath, "utf8"));
let number = 0;
let failures = 0;
async function test(name, run) {
    try {
        await run();
        console.log(`ok ${++number} - ${name}`);
    } catch (error) {
        failures++;
        console.log(`not ok ${++number} - ${name}\n${error.stack.split("\n").slice(0, 30).map((line) => `# ${line}`).join("\n")}`);
    }
}

// A double as its 64 bits: equality of text hides the sign of zero and the last bit.
const bits = (x) => new BigUint64Array(Float64Array.of(x).buffer)[0].toString(16).padStart(16, "0");
const simd = await open(bytes);
const plain = await open(bytes, {}); // replaced below by the module without SIMD

await test(`the same bits as C for ${wanted.pairs.length} pairs: probability, similarity, log-odds`, () => {
    const different = wanted.pairs.filter(([a, b, ...numbers]) => {
        const { probability, similarity, logOdds } = simd.match(a, b);
        return [probability, similarity, logOdds].some((x, i) => bits(x) !== numbers[i]);
    });
    assert.deepEqual(different, []);
});
await test("the module without SIMD gives the same bits", async () => {
    const { open: openAgain } = await import(`${pathToFileURL(`${folder}/film.js`)}?plain`);
    const model = await openAgain(bytes, { wasm: await readFile(`${folder}/film.wasm`) });
    for (const [a, b, probability] of wanted.pairs.slice(0, 200)) assert.equal(bits(model.match(a, b).probability), probability);
});
await test("a prior and the memory change the verdict as in C", () => {
    for (const [a, b, prior, memory, probability] of wanted.options) {
        assert.equal(bits(simd.match(a, b, { prior, memory }).probability), probability);
    }
    const [a, b, probability] = wanted.pairs[0];
    assert.equal(bits(simd.match(a, b).probability), probability);
});
await test("the explanation is that of film explain, and adds up", () => {
    const { a, b } = wanted.explanation;
    const why = simd.explain(a, b);
    for (const key of Object.keys(why)) assert.deepEqual(why[key], wanted.explanation[key]);
    const sum = [...why.words, ...why.groups].reduce((total, { weight }) => total + weight, why.bias);
    assert.ok(Math.abs(sum - why.log_odds) < 1e-9);
    assert.ok(simd.explain(a, b, { reasons: 1 }).groups.every(({ reasons }) => reasons.length <= 1));
});
await test("vectors are those of film embed", () => {
    assert.equal(simd.dim, wanted.vectors[0].length);
    assert.deepEqual(simd.encode(wanted.texts).map((v) => [...v]), wanted.vectors);
});
await test("clusters of duplicates are those of film dedup", () => {
    const { clusters, records } = simd.dedup(wanted.list, { threshold: 0.9 });
    assert.equal(records, wanted.list.length);
    assert.deepEqual(clusters.map(({ members }) => members.map(({ index }) => index).sort((x, y) => x - y)), wanted.clusters);
    assert.ok(clusters.every(({ size, members }) => size === members.length && members[0].representative));
});
await test("a search finds the sentence itself, and ranks as judging everything does", () => {
    const list = simd.sentences(wanted.list);
    for (const text of wanted.list.slice(0, 20)) {
        assert.equal(simd.match(list.search(text)[0].text, text).same, true);
    }
    const query = wanted.list[5];
    const few = list.search(query, { k: 5 });
    const all = list.search(query, { k: 5, candidates: wanted.list.length });
    assert.deepEqual(few, all);
    assert.equal(list.search(query, { k: 3 }).length, 3);
});
await test("text is any text: empty, long, emoji, lone surrogates, NUL", () => {
    for (const text of ["", "x".repeat(100000), "💳 lost", "\ud800", "a\0b", "Grüße aus Zürich"]) {
        assert.ok(simd.match(text, "I lost my card").probability <= 1);
        assert.equal(simd.encode(text).length, simd.dim);
    }
});
await test("what is wrong is an error with a kind and a message", async () => {
    await assert.rejects(open(new Uint8Array(100)), (error) => error instanceof FilmError && error.kind === "bad input");
    const broken = Uint8Array.from(bytes);
    broken[broken.length - 7] ^= 1;
    await assert.rejects(open(broken), /the model in memory.*checksum/);
    await assert.rejects(open("model.film"), /Uint8Array/);
    assert.throws(() => simd.match("a", 7), /must be a string, not number/);
    assert.throws(() => simd.match("a", "b", { prior: 2 }), (error) => error instanceof FilmError && error.kind === "usage");
    plain.close();
    assert.throws(() => plain.match("a", "b"), /closed/);
});
await test("calls again and again do not grow the memory", () => {
    const before = process.memoryUsage().arrayBuffers;
    for (let i = 0; i < 300; i++) simd.explain(wanted.texts[0], wanted.texts[1]);
    for (let i = 0; i < 3; i++) simd.dedup(wanted.list);
    assert.ok(process.memoryUsage().arrayBuffers - before < 5e7);
});
console.log(`1..${number}`);
process.exitCode = failures ? 1 : 0;
