// The curves and histograms of an evaluation. PAIRS are entries [probability, labelled the same, labelled different, decided
// rightly], by rising probability.

const total = (pairs, at) => pairs.reduce((sum, entry) => sum + entry[at], 0);

// Leaves out points that are closer to the one before than a line is wide.
function thinned(points) {
    const kept = [];
    for (const [i, [x, y]] of points.entries()) {
        const last = kept.at(-1);
        if (!last || i === points.length - 1 || Math.abs(x - last[0]) + Math.abs(y - last[1]) >= 0.004) kept.push([x, y]);
    }
    return kept;
}

// The shares of pairs above each threshold, from the highest: [different, same, precision].
function above(pairs) {
    const [all, none] = [total(pairs, 1), total(pairs, 2)];
    let [same, different] = [0, 0];
    return [...pairs].reverse().map((entry) => {
        same += entry[1];
        different += entry[2];
        return [different / none, same / all, same / (same + different)];
    });
}

export const roc = (pairs) => thinned([[0, 0], ...above(pairs).map(([different, same]) => [different, same])]);
export const precisionRecall = (pairs) => thinned(above(pairs).map(([, same, precision]) => [same, precision]));

// [mean probability, share labelled the same, pairs] of each bin that has pairs.
export function calibration(pairs, bins = 15) {
    const sums = Array.from({ length: bins }, () => [0, 0, 0]);
    for (const [p, same, different] of pairs) {
        const bin = sums[Math.min(Math.floor(p * bins), bins - 1)];
        bin[0] += p * (same + different);
        bin[1] += same;
        bin[2] += same + different;
    }
    return sums.filter(([, , count]) => count > 0).map(([sum, same, count]) => [sum / count, same / count, count]);
}

// [share of the pairs, accuracy] of the most certain pairs.
export function coverage(pairs) {
    const all = total(pairs, 1) + total(pairs, 2);
    const points = [];
    let [seen, right] = [0, 0];
    for (const [, same, different, correct] of [...pairs].sort((x, y) => Math.abs(y[0] - 0.5) - Math.abs(x[0] - 0.5))) {
        seen += same + different;
        right += correct;
        if (seen === all || Math.floor(100 * seen / all) > Math.floor(100 * (points.at(-1)?.[0] ?? 0))) points.push([seen / all, right / seen]);
    }
    return points;
}

// Pairs by label and bin: {width, same, different}. The last bin has larger values too.
function binned(pairs, width, bins, sameValue, differentValue) {
    const [same, different] = [new Array(bins).fill(0), new Array(bins).fill(0)];
    const bin = (value) => Math.min(Math.floor(value / width), bins - 1);
    for (const [p, alike, apart] of pairs) {
        same[bin(sameValue(p))] += alike;
        different[bin(differentValue(p))] += apart;
    }
    return { width, same, different };
}

export const probabilities = (pairs) => binned(pairs, 0.05, 20, (p) => p, (p) => p);
export const losses = (pairs) => binned(pairs, 0.2, 25, (p) => -Math.log(p), (p) => -Math.log(1 - p));
