// Helpers for building the page. Text is always inserted as text, never as markup.

export const $ = (id) => document.getElementById(id);

// el("p.hint", {id: "x"}, "text", child, ...): null children are skipped.
export function el(what, attributes = {}, ...children) {
    const [name, ...classes] = what.split(".");
    const node = document.createElement(name);
    if (classes.length) node.className = classes.join(" ");
    for (const [key, value] of Object.entries(attributes)) {
        if (value !== null && value !== undefined) node.setAttribute(key, value);
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
}

export function svg(name, attributes = {}) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    return node;
}

// Skips unchanged text: a screen reader would read a live region again on every write.
export function setText(node, text) {
    if (node.textContent !== text) node.textContent = text;
}

export function problem(node, text) {
    setText(node, text ?? "");
    node.hidden = !text;
}

const whole = new Intl.NumberFormat("en");
export const count = (n) => whole.format(n);
export const several = (n, one, many) => `${count(n)} ${n === 1 ? one : many}`;

// Formats +0.42 or −1.10: always with a sign, and with the typographic minus.
export function signed(x, digits = 2) {
    const text = Math.abs(x).toFixed(digits);
    return Number(text) === 0 ? text : (x < 0 ? "−" : "+") + text;
}

// Formats a probability in percent. Never shows 0 or 100, because no result is certain.
export function percent(p) {
    if (p > 0.995) return p >= 0.9995 ? ">99.9" : (p * 100).toFixed(1);
    if (p < 0.005) return p < 0.0005 ? "<0.1" : (p * 100).toFixed(1);
    return Math.round(p * 100).toString();
}

// SAME: the verdict, by the threshold of the model or of the pool, which need not be one half.
export function inWords(p, same) {
    const sure = same ? p : 1 - p;
    const what = same ? "the same" : "different";
    if (sure >= 0.98) return `Almost certainly ${what}`;
    if (sure >= 0.85) return `Very likely ${what}`;
    if (sure >= 0.65) return `Probably ${what}`;
    return sure >= 0.5 ? `Uncertain, more likely ${what}` : `Uncertain, ${what} by the threshold`;
}

// Replaces what the server rejects in JSON: lone surrogates and NUL characters.
const half = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
export const clean = (text) => text.replace(half, "\ufffd").replaceAll("\0", " ");
