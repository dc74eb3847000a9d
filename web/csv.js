// Reads and writes CSV (RFC 4180). Detects the separator: tab, semicolon or comma.

export function separator(text) {
    const first = text.slice(0, text.search(/[\r\n]|$/));
    const counts = ["\t", ";", ","].map((mark) => [first.split(mark).length, mark]);
    return counts.reduce((best, one) => (one[0] > best[0] ? one : best))[1];
}

// rows(text): returns a list of rows, each a list of cells. A quote is special only at the start of a cell.
export function rows(text) {
    const mark = separator(text);
    const result = [];
    let row = [];
    let cell = "";
    let quoted = false;
    for (let i = 0; i < text.length; i++) {
        const c = text[i];
        if (quoted) {
            if (c !== '"') cell += c;
            else if (text[i + 1] === '"') { cell += c; i++; }
            else quoted = false;
        } else if (c === '"' && cell === "") quoted = true;
        else if (c === mark) { row.push(cell); cell = ""; }
        else if (c === "\n" || c === "\r") {
            if (c === "\r" && text[i + 1] === "\n") i++;
            row.push(cell);
            result.push(row);
            row = [];
            cell = "";
        } else cell += c;
    }
    if (cell !== "" || row.length) result.push([...row, cell]);
    return result.filter((cells) => cells.some((one) => one.trim() !== ""));
}

// A spreadsheet would run a text that begins with one of these as a formula; after an apostrophe it shows it as it is.
const guarded = (text) => (/^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text);

const quoted = (value) => {
    const text = guarded(String(value));
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
// Spreadsheet programs need the byte order mark to recognise UTF-8.
export const csv = (lines) => "\ufeff" + lines.map((cells) => cells.map(quoted).join(",") + "\r\n").join("");

export function download(name, text, type = "text/csv") {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
