// The view Review: a person answers "same or not?", one pair after the other. Every answer is stored at once.
import { $, setText, problem, percent, several } from "./dom.js";
import { request, Gone } from "./api.js";
import { differing } from "./record.js";

const atOnce = 10; // pairs fetched per request
let waiting = [];  // pairs not yet shown
let shown = null;
let answered = []; // pairs answered or skipped in this tab, for undo: {pair, stored}
let busy = false;
let havePool = true;

function enable(on) {
    for (const name of ["yes", "no", "skip"]) $(`review-${name}`).disabled = !on;
    $("review-undo").disabled = busy || answered.length === 0;
}

function showPair() {
    $("review-pair").hidden = shown === null;
    enable(shown !== null && !busy);
    if (shown === null) return;
    $("review-a").replaceChildren(...differing(shown.a, shown.b));
    $("review-b").replaceChildren(...differing(shown.b, shown.a));
}

function showProgress({ answered: total, estimate }) {
    const parts = [several(total, "answer", "answers")];
    if (estimate) {
        parts.push(`the model was right on ${Math.round(estimate.accuracy * estimate.answers)} of ${several(estimate.answers, "random pair", "random pairs")} ` +
            `(95 % interval: ${Math.round(100 * estimate.low)} to ${Math.round(100 * estimate.high)} %)`);
    }
    setText($("review-progress"), parts.join("; "));
    const close = estimate && estimate.high - estimate.low < 0.1;
    setText($("review-hint"), close ? "The estimate is precise to 10 points." : "");
}

function showVerdict(pair, same) {
    const said = `The model said ${pair.same ? "the same" : "different"} (${percent(pair.probability)} %), you said ${same ? "the same" : "different"}.`;
    setText($("review-last"), $("review-verdicts").checked ? said : "");
}

// Runs one request at a time; a failure leaves the pair on the screen.
async function attempt(work) {
    if (busy) return;
    busy = true;
    enable(false);
    problem($("review-problem"), null);
    try {
        await work();
    } catch (error) {
        if (!(error instanceof Gone) && !error.status) throw error;
        problem($("review-problem"), error instanceof Gone ? "The server does not respond. This pair waits for your answer." : error.message);
    } finally {
        busy = false;
        showPair();
    }
}

async function next() {
    if (waiting.length === 0) {
        const { pairs, ...progress } = await request(`/v1/review?n=${atOnce}`);
        waiting = pairs;
        showProgress(progress);
    }
    shown = waiting.shift() ?? null;
    $("review-done").hidden = shown !== null;
}

const answer = (same) => attempt(async () => {
    if (shown === null) return;
    const pair = shown;
    if (same !== null) {
        showProgress(await request("/v1/labels", { labels: [{ id: pair.id, same }] }));
        showVerdict(pair, same);
        reviewed.dispatchEvent(new Event("answer"));
    }
    answered.push({ pair, stored: same !== null });
    await next();
});

// Removes the last answer from the pool and shows its pair again.
const undo = () => attempt(async () => {
    const last = answered.at(-1);
    if (!last) return;
    if (last.stored) showProgress(await request("/v1/labels", { labels: [{ id: last.pair.id }] }, undefined, "DELETE"));
    answered.pop();
    if (shown !== null) waiting.unshift(shown);
    shown = last.pair;
    $("review-done").hidden = true;
    setText($("review-last"), "");
});

export const reviewed = new EventTarget(); // "answer" after every stored answer

const keys = { y: () => answer(true), n: () => answer(false), s: () => answer(null), u: undo };

function press(event) {
    if ($("review").hidden || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target.closest("input, textarea, select, dialog") && event.target.type !== "checkbox") return;
    const act = keys[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
}

export const review = {
    title: "Review",
    start() {
        $("review-yes").addEventListener("click", keys.y);
        $("review-no").addEventListener("click", keys.n);
        $("review-skip").addEventListener("click", keys.s);
        $("review-undo").addEventListener("click", keys.u);
        document.addEventListener("keydown", press);
    },
    show() { if (havePool && shown === null) attempt(next); },
    served(model) {
        havePool = model.pool !== null;
        $("review-none").hidden = havePool;
        $("review-desk").hidden = !havePool;
        if (havePool && !$("review").hidden) review.show();
    },
    refresh() { review.show(); },
};
