// Scales of figures: from values to places, with round ticks and their labels; numbers for readers.
import { count } from "./dom.js";

export const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
const minus = (text) => text.replace("-", "−");

// The smallest 1, 2 or 5 times a power of ten that is at least span / wanted.
function roundStep(span, wanted) {
    const raw = span / wanted;
    const power = 10 ** Math.floor(Math.log10(raw));
    return [1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= raw * (1 - 1e-9));
}

function linearTicks(low, high, wanted, round) {
    const step = roundStep(high - low, wanted);
    const first = round ? Math.floor(low / step + 1e-9) : Math.ceil(low / step - 1e-9);
    const last = round ? Math.ceil(high / step - 1e-9) : Math.floor(high / step + 1e-9);
    const ticks = Array.from({ length: clamp(last - first + 1, 0, 16) }, (_, i) => (first + i) * step || 0);
    return { ticks, digits: clamp(-Math.floor(Math.log10(step) + 1e-9), 0, 12), ends: round ? [first * step, last * step] : [low, high] };
}

// Powers of ten, also 2 and 5 times them if the range has few.
function logTicks(low, high) {
    const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
    const every = Math.ceil((last - first + 1) / 8);
    const digits = last - first <= 2 ? [1, 2, 5] : [1];
    const powers = Array.from({ length: Math.floor((last - first) / every) + 1 }, (_, i) => 10 ** (first + i * every));
    const ticks = powers.flatMap((power) => digits.map((digit) => digit * power));
    return { ticks: ticks.filter((tick) => tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)).slice(0, 16), digits: 0, ends: [low, high] };
}

// scale(values, {log, percent, low, high, wanted, round}): from values to 0 .. 1. Values that are not finite, or have no
// logarithm, are skipped. `round`: the ends are ticks. A single value gets room on both sides.
export function scale(values, { log = false, percent = false, low = null, high = null, wanted = 5, round = false } = {}) {
    const least = log ? 1e-300 : -1e300;
    const known = values.filter((value) => Number.isFinite(value) && (!log || value > 0));
    const fixed = low !== null && high !== null && low < high;
    let ends = fixed ? [low, high] : known.reduce(([from, to], value) => [Math.min(from, value), Math.max(to, value)], [Infinity, -Infinity]);
    if (!(ends[0] <= ends[1])) ends = log ? [1, 1] : [0, 0];
    ends = ends.map((end) => clamp(end, least, 1e300));
    if (ends[1] - ends[0] <= 1e-9 * Math.max(...ends.map(Math.abs)) + (log ? 0 : 1e-290)) {
        const room = Math.abs(ends[0]) < 1e-280 && !log ? 1 : Math.abs(ends[0]) / 2;
        ends = [ends[0] - room, ends[1] + room];
    }
    const found = log ? logTicks(...ends) : linearTicks(...ends, wanted, round && !fixed);
    const [from, to] = found.ends;
    const room = 1e-9 * (to - from);
    return {
        log, ticks: found.ticks, low: from, high: to,
        holds: (value) => Number.isFinite(value) && value >= from - room && value <= to + room && (!log || value > 0),
        place: (value) => (log ? Math.log(value / from) / Math.log(to / from) : (value - from) / (to - from)),
        label: (tick) => minus(tickLabel(tick, { log, percent, digits: found.digits })),
    };
}

function tickLabel(tick, { log, percent, digits }) {
    const size = Math.abs(tick);
    if (percent) return `${(100 * tick).toFixed(Math.max(digits - 2, 0))} %`;
    if (size !== 0 && (size < 1e-4 || size >= 1e12)) return String(Number(tick.toPrecision(3)));
    if (digits === 0 && (!log || size >= 1)) return count(tick);
    return tick.toFixed(log ? Math.max(Math.ceil(-Math.log10(size) - 1e-9), 0) : digits);
}

// A value for readers: 0.123, 1,234, 12.3 %.
export function number(value, percent = false) {
    if (!Number.isFinite(value)) return "-";
    if (percent) return minus(`${(100 * value).toFixed(1)} %`);
    return minus(Math.abs(value) >= 1000 ? count(value) : String(Number(value.toPrecision(4))));
}
