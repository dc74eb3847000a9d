// Records: objects with a value per field. A sentence is a string. All views show both with these functions.
import { el } from "./dom.js";

export const isRecord = (x) => typeof x === "object" && x !== null && !Array.isArray(x);

// The fields of a record model as [[name, type], ...]; none: the model compares sentences.
export const fieldsOf = (known) => known.model?.settings?.fields ?? [];

// recordOf(text): the record that a JSON object describes; null for any other text.
export function recordOf(text) {
    if (!text.trim().startsWith("{")) return null;
    try {
        const value = JSON.parse(text);
        return isRecord(value) ? value : null;
    } catch {
        return null;
    }
}
export const sentenceOrRecord = (text) => recordOf(text) ?? text;
// For addresses and inputs: a record as JSON.
export const asText = (x) => (isRecord(x) ? JSON.stringify(x) : x);

const shown = (value) => (typeof value === "string" ? value : value === null ? "" : JSON.stringify(value));
const given = (record) => Object.entries(record).filter(([, value]) => value !== null && value !== "");

// readable(x, content): a sentence or record as nodes. `content(value, name)` returns the nodes of a value, the text itself
// by default; a sentence has no name.
export function readable(x, content = (value) => [value]) {
    if (!isRecord(x)) return content(x);
    return given(x).map(([name, value]) => el("span.entry", {},
        el("span.field", {}, name), " ", el("span.value", { dir: "auto" }, ...content(shown(value), name)), " "));
}

// Marks the words that only one of the two has, in a record field by field. Case and punctuation do not count.
const words = (text) => text.split(/(\s+)/);
const bare = (word) => word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

export function differing(x, other) {
    return readable(x, (text, name) => {
        const against = name === undefined ? other : shown(other[name] ?? "");
        const known = new Set(words(isRecord(against) ? JSON.stringify(against) : against).map(bare));
        return words(text).map((word) => bare(word) && !known.has(bare(word)) ? el("mark.differs", {}, word) : word);
    });
}
