// Sends requests to the server. Handles the token, a lost connection, and responses that arrive too late.
import { $, problem, setText } from "./dom.js";

export class ServerError extends Error {
    constructor(status, message) {
        super(message);
        this.status = status;
    }
}
// The server did not respond. The banner informs the user; the event "back" follows when it responds again.
export class Gone extends Error {}

export const connection = new EventTarget();

let retryDelay = 0;
let retryAt = 0;
let timer = null;

function showBanner() {
    const seconds = Math.max(0, Math.ceil((retryAt - Date.now()) / 1000));
    setText($("connection-text"),
        `The server does not respond. Your input is kept. Retrying ${seconds ? `in ${seconds} s` : "now"}.`);
}

async function probe() {
    clearTimeout(timer);
    timer = null;
    try {
        const response = await fetch("/healthz", { cache: "no-store" });
        if (!response.ok) throw new Gone();
        retryDelay = 0;
        $("connection").hidden = true;
        connection.dispatchEvent(new Event("back"));
    } catch {
        wait();
    }
}

// Retries after 1, 2, 4, then every 5 seconds: quick after a restart, little traffic if the server stays down.
function wait() {
    retryDelay = Math.min(retryDelay ? retryDelay * 2 : 1, 5);
    retryAt = Date.now() + retryDelay * 1000;
    showBanner();
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
let pendingDialog = null; // the promise of the open dialog
let declined = -1; // when the user last cancelled the dialog

// Opens one dialog, however many requests were rejected. Resolves to false if the user cancels.
function requestToken(again) {
    pendingDialog ??= new Promise((resolve) => {
        const dialog = $("token-dialog");
        $("token").value = "";
        setText($("token-status"), again ? "The server did not accept this token. Check it and try again."
                                   : "Ask the administrator of this server for one. It is stored until you close this tab.");
        dialog.returnValue = "";
        dialog.addEventListener("close", () => {
            const given = dialog.returnValue === "use" && $("token").value.trim();
            $("token").value = "";
            if (given) sessionStorage.setItem(tokenKey, given);
            else declined = performance.now();
            pendingDialog = null;
            resolve(Boolean(given));
        }, { once: true });
        dialog.showModal();
        $("token").focus();
    });
    return pendingDialog;
}
$("token-cancel").addEventListener("click", () => $("token-dialog").close());

export const hasToken = () => sessionStorage.getItem(tokenKey) !== null;

// ---- Requests ----

// A body is sent as JSON; a table (Blob) as it is.
async function send(path, body, signal, method) {
    const headers = {};
    const token = sessionStorage.getItem(tokenKey);
    // Tokens are printable ASCII; fetch would throw on other characters.
    if (token && /^[\x21-\x7e]+$/.test(token)) headers.Authorization = `Bearer ${token}`;
    const isTable = body instanceof Blob;
    if (body) headers["Content-Type"] = isTable ? body.type : "application/json";
    try {
        return { token, response: await fetch(path, {
            method, headers, signal, cache: "no-store",
            body: isTable ? body : body ? JSON.stringify(body) : undefined,
        }) };
    } catch (error) {
        if (error.name === "AbortError") throw error;
        lost();
        throw new Gone();
    }
}

async function fetchChecked(path, body, signal, method = body ? "POST" : "GET") {
    const started = performance.now();
    for (;;) {
        const { token, response } = await send(path, body, signal, method);
        if (response.ok) return response;
        if (response.status === 401) {
            // Another request may have obtained a token, or the user may have cancelled, in the meantime.
            if (sessionStorage.getItem(tokenKey) !== token) continue;
            if (started > declined && await requestToken(token !== null)) continue;
            throw new ServerError(401, "This server requires a token. Change the input to enter one.");
        }
        if (response.status === 502 || response.status === 504) {
            lost();
            throw new Gone();
        }
        const failure = await response.json().catch(() => null);
        throw new ServerError(response.status, failure?.error?.message ?? `The server returned status ${response.status}.`);
    }
}

// Sends GET without a body, POST with one, unless another method is given; resolves to the parsed JSON.
export async function request(path, body = null, signal = undefined, method = undefined) {
    const response = await fetchChecked(path, body, signal, method);
    try {
        return await response.json();
    } catch (error) {
        if (error.name === "AbortError") throw error;
        lost(); // the connection broke during the response
        throw new Gone();
    }
}

export const requestText = async (path) => (await fetchChecked(path, null, undefined)).text();

// latest(work, delay, onProblem): returns a debounced function that calls work(signal) after `delay` milliseconds
// without another call. A newer call aborts the one in progress. onProblem receives a message, or null on success.
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
                if (error instanceof Gone) onProblem(null); // the banner is shown instead
                else if (error instanceof ServerError) onProblem(error.message);
                else throw error;
            }
        }, soon ? 0 : delay);
    };
}

export const show = (node) => (text) => problem(node, text);
