// Asking the server: the token, a server that is gone and comes back, answers that are overtaken.
import { $, problem, say } from "./dom.js";

export class ServerError extends Error {
    constructor(status, message) {
        super(message);
        this.status = status;
    }
}
// Nobody answered; the banner tells the user, and "back" is sent when that is over.
export class Gone extends Error {}

export const connection = new EventTarget();

let retryDelay = 0;
let retryAt = 0;
let timer = null;

function tell() {
    const seconds = Math.max(0, Math.ceil((retryAt - Date.now()) / 1000));
    say($("connection-text"),
        `The server does not answer. What you typed is kept; trying again ${seconds ? `in ${seconds} s` : "now"}.`);
}

async function probe() {
    clearTimeout(timer);
    timer = null;
    try {
        const answer = await fetch("/healthz", { cache: "no-store" });
        if (!answer.ok) throw new Gone();
        retryDelay = 0;
        $("connection").hidden = true;
        connection.dispatchEvent(new Event("back"));
    } catch {
        wait();
    }
}

// 1, 2, 4, then every 5 seconds: quick after a restart, little work for a server that is down for long.
function wait() {
    retryDelay = Math.min(retryDelay ? retryDelay * 2 : 1, 5);
    retryAt = Date.now() + retryDelay * 1000;
    tell();
    timer = setTimeout(probe, retryDelay * 1000);
}

function lost() {
    $("connection").hidden = false;
    if (timer === null) wait();
}

$("connection-retry").addEventListener("click", probe);
window.addEventListener("online", () => { if (timer !== null) probe(); });

// ---- The token ----

const tokenKey = "film-token";
let asking = null;
let declined = -1; // when the user last wanted to give no token

// One dialog for however many requests were refused; false when the user wants none.
function askForToken(again) {
    asking ??= new Promise((resolve) => {
        const dialog = $("token-dialog");
        $("token").value = "";
        say($("token-says"), again ? "That token was not accepted. Please look again."
                                   : "Whoever runs it can give you one. It is kept until you close this tab.");
        dialog.returnValue = "";
        dialog.addEventListener("close", () => {
            const given = dialog.returnValue === "use" && $("token").value.trim();
            $("token").value = "";
            if (given) sessionStorage.setItem(tokenKey, given);
            else declined = performance.now();
            asking = null;
            resolve(Boolean(given));
        }, { once: true });
        dialog.showModal();
        $("token").focus();
    });
    return asking;
}
$("token-cancel").addEventListener("click", () => $("token-dialog").close());

export const hasToken = () => sessionStorage.getItem(tokenKey) !== null;

// ---- Requests ----

async function send(path, body, signal) {
    const headers = {};
    const token = sessionStorage.getItem(tokenKey);
    // A header is Latin-1; what does not fit is no token of this server.
    if (token && /^[\x21-\x7e]+$/.test(token)) headers.Authorization = `Bearer ${token}`;
    if (body) headers["Content-Type"] = "application/json";
    try {
        return { token, answer: await fetch(path, {
            method: body ? "POST" : "GET", headers, signal, cache: "no-store",
            body: body ? JSON.stringify(body) : undefined,
        }) };
    } catch (error) {
        if (error.name === "AbortError") throw error;
        lost();
        throw new Gone();
    }
}

async function fetchChecked(path, body, signal) {
    const started = performance.now();
    for (;;) {
        const { token, answer } = await send(path, body, signal);
        if (answer.ok) return answer;
        if (answer.status === 401) {
            // While this one was under way, another request may have got a token, or a no.
            if (sessionStorage.getItem(tokenKey) !== token) continue;
            if (started > declined && await askForToken(token !== null)) continue;
            throw new ServerError(401, "This server answers only with a token. Change something here to be asked again.");
        }
        if (answer.status === 502 || answer.status === 504) {
            lost();
            throw new Gone();
        }
        const said = await answer.json().catch(() => null);
        throw new ServerError(answer.status, said?.error?.message ?? `The server answered with status ${answer.status}.`);
    }
}

// GET without a body, POST with one.
export async function ask(path, body = null, signal = undefined) {
    const answer = await fetchChecked(path, body, signal);
    try {
        return await answer.json();
    } catch (error) {
        if (error.name === "AbortError") throw error;
        lost(); // it stopped in the middle of its answer
        throw new Gone();
    }
}

export const askForText = async (path) => (await fetchChecked(path, null, undefined)).text();

// latest(work, delay): a function that calls work(signal) when nothing was asked for `delay` milliseconds.
// A call that is overtaken is aborted, and its answer never arrives. onProblem gets a sentence, or null.
export function latest(work, delay, onProblem) {
    let pending = null;
    let running = null;
    return function start(soon = false) {
        clearTimeout(pending);
        pending = setTimeout(async () => {
            running?.abort();
            const mine = running = new AbortController();
            try {
                await work(mine.signal);
                if (running === mine) onProblem(null);
            } catch (error) {
                if (running !== mine || error.name === "AbortError") return;
                if (error instanceof Gone) onProblem(null); // the banner says it
                else if (error instanceof ServerError) onProblem(error.message);
                else throw error;
            }
        }, soon ? 0 : delay);
    };
}

export const show = (node) => (text) => problem(node, text);
