// The lines of a sum of log-odds: a bar for each term, or the steps of a waterfall.
import { el, signed } from "./dom.js";

export const side = (x) => (x < 0 ? "against" : "for");

function bar(weight, largest) {
    const node = el("span.bar", { "aria-hidden": "true" }, el(`span.fill.${side(weight)}`));
    node.firstChild.style.setProperty("--part", (Math.abs(weight) / (largest || 1)).toFixed(4));
    return node;
}

// A step of a waterfall: from the sum of the lines above to the sum with this line. `scale` is {low, high, sum}.
function step(weight, scale) {
    const at = (sum) => (sum - scale.low) / (scale.high - scale.low || 1);
    const [from, to] = [at(scale.sum), at(scale.sum += weight)];
    const node = el("span.fall", { "aria-hidden": "true" }, el(`span.fill.${side(weight)}`));
    node.style.setProperty("--zero", at(0).toFixed(4));
    node.firstChild.style.setProperty("--from", Math.min(from, to).toFixed(4));
    node.firstChild.style.setProperty("--part", Math.abs(to - from).toFixed(4));
    return node;
}

export const row = (label, weight, scale) => [
    el("span.what", { dir: "auto" }, label), typeof scale === "object" ? step(weight, scale) : bar(weight, scale),
    el("span.weight", {}, signed(weight)),
];

// The range of the sums that a waterfall passes.
export function waterfall(weights) {
    const scale = { low: 0, high: 0, sum: 0 };
    for (const weight of weights) {
        scale.sum += weight;
        scale.low = Math.min(scale.low, scale.sum);
        scale.high = Math.max(scale.high, scale.sum);
    }
    return { ...scale, sum: 0 };
}
