// Answers the requests of the web page from a model inside the page, in place of film serve. web/api.js calls this
// fetch instead of the browser's (wasm/bundle.py), so the page is the same with and without a server.
import { open, FilmError } from "./film.js";
import { $ } from "./dom.js";

// The bytes that an element of the page holds as base64.
function embedded(id) {
    const text = atob($(id).textContent.trim());
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes;
}

async function unpacked(bytes) {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

const painted = () => new Promise((resolve) => { setTimeout(resolve, 30); });
// The browser unpacks the module (gzip), the module the model (zstd, which no browser unpacks for a page).
const load = async () => open(embedded("film-model"), { wasm: await unpacked(embedded("film-wasm")) });
const model = load();
model.catch(() => {}); // each request reports it

const answers = {
    "/v1/model": (film) => ({ version: film.version, model: film.describe(), pool: null, limits: {}, report: false }),
    "/v1/explain": (film, { a, b, prior }) => film.explain(a, b, { prior }),
    // A long computation blocks the page, so its status is painted first.
    "/v1/dedup": async (film, { texts, threshold }) => {
        await painted();
        return film.dedup(texts, { threshold });
    },
    "/healthz": () => ({ status: "ok" }),
};

export async function fetch(path, { body } = {}) {
    try {
        const answer = await answers[path](await model, body ? JSON.parse(body) : {});
        return new Response(JSON.stringify(answer), { headers: { "Content-Type": "application/json" } });
    } catch (error) {
        const message = error instanceof FilmError ? error.message : `This browser cannot run the model: ${error.message}`;
        return new Response(JSON.stringify({ error: { message } }), { status: 400 });
    }
}
