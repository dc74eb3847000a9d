// Converts spans: the server counts UTF-8 bytes, the browser UTF-16 units. A span that would cut a visible
// character (a letter with its accent, a composed emoji) is widened to include all of it.

// places(text, offsets): returns a map from each byte offset to its index in the string.
export function places(text, offsets) {
    const wanted = [...new Set(offsets)].sort((x, y) => x - y);
    const found = new Map();
    let bytes = 0;
    let next = 0;
    for (let i = 0; next < wanted.length && i <= text.length;) {
        while (next < wanted.length && wanted[next] <= bytes) found.set(wanted[next++], i);
        if (i === text.length) break;
        const code = text.codePointAt(i);
        bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        i += code < 0x10000 ? 1 : 2;
    }
    while (next < wanted.length) found.set(wanted[next++], text.length);
    return found;
}

const goesOn = /[\p{M}\p{Emoji_Modifier}\u200d\ufe0e\ufe0f]/u;
const at = (text, i) => String.fromCodePoint(text.codePointAt(i));

function widen(text, start, end) {
    while (start > 0 && start < text.length && (goesOn.test(at(text, start)) || text[start - 1] === "\u200d")) {
        start -= start > 1 && /[\udc00-\udfff]/.test(text[start - 1]) ? 2 : 1;
    }
    while (end > 0 && end < text.length && (goesOn.test(at(text, end)) || text[end - 1] === "\u200d")) {
        end += at(text, end).length;
    }
    return [start, end];
}

// segments(text, marks): splits the text at the marks' spans into [{text, mark|null}]; joined, they are the text.
// A mark that overlaps an earlier one is skipped.
export function segments(text, marks) {
    const where = places(text, marks.flatMap((mark) => mark.span));
    const placed = marks.map((mark) => ({ mark, place: widen(text, where.get(mark.span[0]), where.get(mark.span[1])) }))
        .sort((x, y) => x.place[0] - y.place[0] || y.place[1] - x.place[1]);
    const result = [];
    let done = 0;
    for (const { mark, place: [start, end] } of placed) {
        if (start < done || end <= start) continue;
        if (start > done) result.push({ text: text.slice(done, start), mark: null });
        result.push({ text: text.slice(start, end), mark });
        done = end;
    }
    if (done < text.length) result.push({ text: text.slice(done), mark: null });
    return result;
}
