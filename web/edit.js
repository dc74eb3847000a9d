// The form that edits the model of a pool: shows which known verdicts an edit changes, then saves it.
import { $, el, problem, setText, several, signed, percent } from "./dom.js";
import { request, Gone } from "./api.js";
import { readable } from "./record.js";

const kinds = {
    alone: (a) => `alone:${a}`, shared: (a) => `shared:${a}`, pair: (a, b) => `${a} / ${b}`,
    same: (a, b) => `${a} = ${b}`, opposite: (a, b) => `${a} ! ${b}`, "one-way": (a, b) => `${a} > ${b}`,
};
const weighs = (kind) => ["alone", "shared", "pair"].includes(kind);
const single = (kind) => kind === "alone" || kind === "shared";
let saved = () => {};

function edit() {
    const kind = $("edit-kind").value;
    const what = kinds[kind]($("edit-a").value.trim(), $("edit-b").value.trim());
    const action = $("edit-action").value;
    return { what, action, ...(weighs(kind) && action !== "remove" ? { weight: Number($("edit-weight").value) } : {}) };
}

function fit() {
    const kind = $("edit-kind").value;
    $("edit-b-box").hidden = single(kind);
    $("edit-b").required = !single(kind);
    $("edit-weight-box").hidden = !weighs(kind) || $("edit-action").value === "remove";
    $("edit-save").hidden = true;
    $("edit-changes").replaceChildren();
    setText($("edit-status"), "");
}

const change = (pair) => el("li", {},
    el(`span.badge.${pair.same ? "for" : "against"}`, {}, pair.same ? "= the same" : "≠ different"),
    el("span.texts", {}, el("span", { dir: "auto" }, ...readable(pair.a)), el("span", { dir: "auto" }, ...readable(pair.b))),
    el("span.hint", {}, `${percent(pair.probability_before)} % → ${percent(pair.probability)} %; labelled ${pair.label ? "the same" : "different"}`));

async function send(save) {
    try {
        const reason = $("edit-reason").value.trim();
        const answer = await request("/v1/edit", { edits: [edit()], save, ...(reason ? { reason } : {}) });
        setText($("edit-status"), `${several(answer.changes, "verdict changes", "verdicts change")} of ${several(answer.checked, "known pair", "known pairs")}.${save ? " Saved." : ""}`);
        $("edit-changes").replaceChildren(...answer.changed.map(change));
        $("edit-save").hidden = save;
        problem($("edit-problem"), null);
        if (save) saved();
    } catch (error) {
        if (error.status) problem($("edit-problem"), error.message);
        else if (!(error instanceof Gone)) throw error;
    }
}

const recorded = (item) => el("li", {}, `${item.date ?? ""} ${item.action} `, el("bdi", {}, item.what),
    typeof item.after === "number" ? ` ${signed(item.before)} → ${signed(item.after)}` : "", item.reason ? ` (${item.reason})` : "");

// Shows the recorded edits, and the form where the pool may be changed.
export function showEdits({ model, pool, limits }) {
    const edits = model.settings?.edits ?? [];
    $("edit").hidden = !edits.length && (!pool || limits.read_only);
    $("edit-form").hidden = !pool || limits.read_only;
    $("edit-list").replaceChildren(...edits.map(recorded));
}

export function startEdits(whenSaved) {
    saved = whenSaved;
    $("edit-form").addEventListener("submit", (event) => {
        event.preventDefault();
        send(false);
    });
    $("edit-form").addEventListener("input", fit);
    $("edit-save").addEventListener("click", () => send(true));
    fit();
}
