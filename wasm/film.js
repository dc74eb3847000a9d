// FILM in browsers and Node: opens a model from bytes, compares, explains, embeds and searches. No server, no network.
//
//     import { open } from "film-match";
//     const model = await open(bytes);
//     model.match("I lost my card", "my card is lost").probability;
//
// film.d.ts documents every call. film.wasm is libfilm, compiled by wasm/build; film-simd.wasm uses SIMD instructions.

export class FilmError extends Error {
    constructor(kind, message) {
        super(message);
        this.name = "FilmError";
        this.kind = kind;
    }
}

// ---- The module ----

// The smallest module with a SIMD instruction: (func (result v128) i32.const 0 i8x16.splat).
const simd = () => WebAssembly.validate(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11));

async function load() {
    const url = simd() ? new URL("./film-simd.wasm", import.meta.url) : new URL("./film.wasm", import.meta.url);
    if (url.protocol !== "file:") return WebAssembly.compileStreaming(fetch(url));
    const { readFile } = await import("node:fs/promises");
    return WebAssembly.compile(await readFile(url));
}
let loaded = null; // the promise of the compiled module, shared by all models

// libc asks for the time (to seed hash tables) and for the environment, which is empty. Everything else that it could
// ask for, such as writing to a stream, does not exist here.
function system(module, memory) {
    const view = () => new DataView(memory().buffer);
    const known = {
        clock_time_get(_id, _precision, at) {
            view().setBigUint64(at, BigInt(Math.round(Date.now() * 1e6)), true);
            return 0;
        },
        environ_sizes_get(count, size) {
            view().setUint32(count, 0, true);
            view().setUint32(size, 0, true);
            return 0;
        },
        environ_get: () => 0,
    };
    const unsupported = () => 52; // ENOSYS
    return Object.fromEntries(WebAssembly.Module.imports(module).map(({ name }) => [name, known[name] ?? unsupported]));
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

async function bytesOf(source) {
    if (source instanceof Uint8Array) return source;
    if (source instanceof ArrayBuffer) return new Uint8Array(source);
    if (typeof source?.arrayBuffer === "function") { // a Response, a Blob, a File
        if (source.ok === false) throw new FilmError("i/o", `cannot fetch the model: status ${source.status} of ${source.url}`);
        return new Uint8Array(await source.arrayBuffer());
    }
    throw new FilmError("usage", "open takes a Uint8Array, an ArrayBuffer, a Blob or a Response");
}

export async function open(source, { wasm = null } = {}) {
    const bytes = await bytesOf(await source);
    loaded ??= wasm ? WebAssembly.compile(wasm) : load();
    const module = await loaded;
    let calls = null;
    const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: system(module, () => calls.memory) });
    calls = instance.exports;
    calls._initialize();
    return new Model(calls, bytes);
}

// ---- A model ----

const missing = /^\s*(null|nan|none|n\/a|na|--?|\?|\\N)?\s*$/i;
const value = (x) => (typeof x === "string" ? x : x === null || x === undefined ? "" : JSON.stringify(x));

// A record, an object, becomes the text that film_record_text makes of it.
function sentenceOf(x) {
    if (typeof x !== "object" || x === null || Array.isArray(x)) return x;
    return Object.entries(x).map(([name, given]) => [name, value(given)].map((part) => part.replace(/[\x1e\x1f]/g, " ")))
        .filter(([, given]) => !missing.test(given)).map(([name, given]) => `\x1e${name}\x1f${given}`).join("");
}

export class Model {
    #calls;
    #room = 0;     // bytes reserved for the strings of a call
    #strings = 0;  // where
    #vector = 0;   // where a vector is written
    #answer = "";  // the options that the module answers with

    constructor(calls, bytes) {
        this.#calls = calls;
        const at = calls.reserve(bytes.length);
        if (!at) throw new FilmError("no memory", `there is no room for a model of ${bytes.length} bytes`);
        new Uint8Array(calls.memory.buffer, at, bytes.length).set(bytes);
        this.#check(calls.open(at, bytes.length));
        this.dim = calls.dim();
        this.version = this.#string(calls.version());
        this.similarity = this.describe().settings?.similarity ?? "cosine";
        Object.freeze(this);
    }

    get #module() {
        if (!this.#calls) throw new FilmError("usage", "the model was closed");
        return this.#calls;
    }

    #string(at) {
        const memory = new Uint8Array(this.#module.memory.buffer);
        return decoder.decode(memory.subarray(at, memory.indexOf(0, at)));
    }

    #check(result) {
        if (!result) throw new FilmError(this.#string(this.#module.failure_kind()), this.#string(this.#module.failure()));
        return result;
    }

    // Writes strings one after another; returns the end of each.
    #write(sentences) {
        const texts = sentences.map(sentenceOf);
        const most = texts.reduce((sum, text) => sum + 3 * text.length, 0);
        if (most > this.#room) {
            this.#module.release(this.#strings);
            this.#room = 2 * most + 1024;
            this.#strings = this.#reserve(this.#room);
        }
        const room = new Uint8Array(this.#module.memory.buffer, this.#strings, this.#room);
        let end = 0;
        return texts.map((text) => {
            if (typeof text !== "string") throw new FilmError("usage", `a sentence must be a string, not ${typeof text}`);
            end += encoder.encodeInto(text, end ? room.subarray(end) : room).written;
            return end;
        });
    }

    #reserve(size) {
        const at = this.#module.reserve(size);
        if (!at) throw new FilmError("no memory", `there is no room for ${size} bytes`);
        return at;
    }

    #configure({ prior = 0, memory = true } = {}) {
        if (this.#answer === `${prior} ${memory}`) return;
        this.#check(this.#module.configure(prior, memory ? 0 : 1));
        this.#answer = `${prior} ${memory}`;
    }

    match(a, b, options) {
        this.#configure(options);
        const [middle, end] = this.#write([a, b]);
        const at = this.#check(this.#module.match(this.#strings, middle, this.#strings + middle, end - middle));
        const [probability, same, similarity, logOdds, bias] = new Float64Array(this.#module.memory.buffer, at, 5);
        return { probability, same: same === 1, similarity, logOdds, bias };
    }

    explain(a, b, options = {}) {
        this.#configure(options);
        const [middle, end] = this.#write([a, b]);
        return JSON.parse(this.#string(this.#check(this.#module.explain(
            this.#strings, middle, this.#strings + middle, end - middle, options.reasons ?? 0xffffffff))));
    }

    describe() {
        return JSON.parse(this.#string(this.#check(this.#module.describe())));
    }

    encode(texts) {
        if (Array.isArray(texts)) return texts.map((text) => this.encode(text));
        this.#vector ||= this.#reserve(4 * this.dim + 1);
        const [end] = this.#write([texts]);
        this.#check(this.#module.embed(this.#strings, end, this.#vector));
        return new Float32Array(this.#module.memory.buffer, this.#vector, this.dim).slice();
    }

    sentences(texts) {
        return new Sentences(this, texts);
    }

    dedup(texts, { threshold = 0, prior = 0 } = {}) {
        const ends = Uint32Array.from(this.#write(texts));
        const list = this.#reserve(4 * ends.length);
        new Uint32Array(this.#module.memory.buffer, list, ends.length).set(ends);
        const at = this.#module.dedup(this.#strings, list, texts.length, threshold, prior);
        this.#module.release(list);
        this.#check(at);
        const [count, distinct, pairs, sure, used] = new Float64Array(this.#module.memory.buffer, at, 5);
        const numbers = new Float64Array(this.#module.memory.buffer, at + 64, 4 * count).slice();
        this.#module.release(at);
        const clusters = [];
        for (let i = 0; i < numbers.length; i += 4) {
            const [cluster, index, probability, representative] = numbers.subarray(i, i + 4);
            const { members } = clusters[cluster - 1] ??= { size: 0, members: [] };
            members.push({ index, text: texts[index], probability, representative: representative === 1 });
        }
        for (const cluster of clusters) cluster.size = cluster.members.length;
        return { clusters, records: texts.length, distinct, pairs, sure, threshold: used };
    }

    close() {
        this.#calls = null; // the module and its memory are collected
    }
}

// ---- Search ----

// Sentences with their vectors. A search compares the query with every vector, then judges the nearest with the model:
// the search of a pool without its index, for some thousand sentences.
export class Sentences {
    #model;
    #vectors;

    constructor(model, texts) {
        this.#model = model;
        this.texts = [...texts];
        this.#vectors = new Float32Array(this.texts.length * model.dim);
        this.texts.forEach((text, i) => this.#vectors.set(model.encode(text), i * model.dim));
    }

    #similarities(query) {
        const { dim, similarity } = this.#model;
        const vector = this.#model.encode(query);
        const from = this.#vectors;
        return this.texts.map((_, i) => {
            let sum = 0;
            if (similarity === "euclidean") for (let j = 0; j < dim; j++) sum -= (vector[j] - from[i * dim + j]) ** 2;
            else for (let j = 0; j < dim; j++) sum += vector[j] * from[i * dim + j];
            return sum;
        });
    }

    search(query, { k = 10, candidates = 50, ...options } = {}) {
        const near = this.#similarities(query);
        const nearest = near.map((_, i) => i).sort((x, y) => near[y] - near[x] || x - y).slice(0, Math.max(k, candidates));
        const scale = this.#model.similarity === "cosine" ? 10 : 0; // as in a pool: other similarities have other scales
        const score = ({ logOdds, similarity }) => -Math.log1p(Math.exp(-logOdds)) + scale * similarity;
        return nearest.map((index) => ({ index, text: this.texts[index], ...this.#model.match(query, this.texts[index], options) }))
            .sort((x, y) => score(y) - score(x) || x.index - y.index).slice(0, k);
    }
}
