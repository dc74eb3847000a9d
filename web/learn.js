// Learning in the view Review: its state in words, the keys l (learn now) and b (back to the model before).
import { $, setText, problem, several } from "./dom.js";
import { request, Gone } from "./api.js";
import { reviewed } from "./review.js";

const lookAgain = 1000; // milliseconds, while a model is being learned
let timer = null;
let available = false;
let busy = false; // a model is being learned or restored
let earlier = false; // the pool has an earlier model

const share = (value) => `${Math.round(100 * value)} %`;

// "New model in service: 81 %, 73 to 87, was 77 %."
function comparison({ last }) {
    if (!last || last.compared === 0) return last ? "The new model could not be compared yet; answer more pairs." : "";
    const found = `${share(last.new)}, ${Math.round(100 * last.new_low)} to ${Math.round(100 * last.new_high)}`;
    return last.taken ? `New model in service: ${found}, was ${share(last.old)}.`
        : `The new model was not better (${found}); the old one with ${share(last.old)} stays.`;
}

function progress({ state, after, labels, new_labels: fresh }) {
    if (state === "learning") return `Learning from ${several(labels, "label", "labels")} ...`;
    if (state === "restoring") return "Changing the model ...";
    const missing = Math.max(after, Math.floor(labels / 10)) - fresh;
    return after && fresh && missing > 0 ? `Learning starts after ${several(missing, "more answer", "more answers")}.` : "";
}

function showState(told) {
    const present = told.models[0];
    earlier = told.models.length > 1;
    busy = told.state !== "idle";
    const restored = present && told.last?.taken && told.last.id !== present.id ? "An earlier model is in service." : "";
    setText($("learn-state"), [restored || comparison(told), progress(told)].filter(Boolean).join(" "));
    problem($("learn-problem"), told.problem && told.labels > 0 ? `Learning failed: ${told.problem}` : null);
    $("learn-now").disabled = busy || told.labels === 0;
    $("learn-back").disabled = busy || !earlier;
    clearTimeout(timer);
    if (busy) timer = setTimeout(look, lookAgain);
}

async function ask(path, body) {
    try {
        showState(await request(path, body));
    } catch (error) {
        if (error instanceof Gone) return; // the banner says so
        if (!error.status) throw error;
        problem($("learn-problem"), error.message);
    }
}

const look = () => ask("/v1/learn");

const keys = {
    l: () => { if (!$("learn-now").disabled) ask("/v1/learn", {}); },
    b: () => { if (!$("learn-back").disabled) ask("/v1/learn/restore", {}); },
};

function press(event) {
    if (!available || $("review").hidden || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target.closest("input, textarea, select, dialog") && event.target.type !== "checkbox") return;
    keys[event.key.toLowerCase()]?.();
}

export const learn = {
    start() {
        $("learn-now").addEventListener("click", keys.l);
        $("learn-back").addEventListener("click", keys.b);
        document.addEventListener("keydown", press);
        reviewed.addEventListener("answer", look);
    },
    served(model) {
        available = model.pool !== null && !model.limits.read_only;
        $("learn-now").hidden = $("learn-back").hidden = !available;
        if (model.pool !== null) look();
    },
};
