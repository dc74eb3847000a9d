"""Compares a packed model with the model that it was made from, by NumPy and docs/reference/model-file.md alone.

    packed.py MODEL PACKED    prints "ok", or fails with what differs
"""
import json
import sys

import numpy

from read_safetensors import TYPES, check, read

KINDS, END, START = [1, 2, 3, 4, 5, 10, 11], 2 ** 29 - 2, 2 ** 29 - 1


def varints(data, at, count):
    """COUNT numbers at AT, and where they end."""
    values = []
    for _ in range(count):
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        values.append(value)
    return values, at


def decode_block(data, at, count):
    """COUNT bytes that are coded at AT, and where they end."""
    used = [v for v in range(256) if data[at + v // 8] >> v % 8 & 1]
    shares, at = varints(data, at + 32, len(used))
    assert sum(shares) == 2 ** 14
    frequency, value = dict(zip(used, shares)), numpy.repeat(used, shares).tolist()
    start = dict(zip(used, numpy.cumsum([0] + shares[:-1]).tolist()))
    states = numpy.frombuffer(bytes(data[at:at + 16]), "<u4").tolist()
    at += 16
    out = bytearray()
    for i in range(count):
        x = states[i % 4]
        low = x % 2 ** 14
        v = value[low]
        out.append(v)
        x = frequency[v] * (x >> 14) + low - start[v]
        if x < 2 ** 16:
            x = x << 16 | data[at] | data[at + 1] << 8
            at += 2
        states[i % 4] = x
    assert states == [2 ** 16] * 4
    return out, at


def decode(data, dtype, shape):
    dtype = numpy.dtype(TYPES[dtype])
    size, count, at = dtype.itemsize, int(numpy.prod(shape)), 0
    planes = numpy.zeros((count, size), "u1")
    for plane in range(size):
        for first in range(0, count, 2 ** 16):
            block, at = decode_block(data, at, min(2 ** 16, count - first))
            planes[first:first + len(block), plane] = block
    assert at == len(data)
    return planes.reshape(-1).view(dtype).reshape(shape)


def arrays(path):
    metadata, tensors = read(path)
    tensors = {name: about[2] for name, about in tensors.items()}
    for name, about in json.loads(metadata.get("coded", "{}")).items():
        tensors[name] = decode(tensors[name].tolist(), about["dtype"], about["shape"])
    return json.loads(metadata["settings"]), tensors, metadata


def unmix(x, bits):
    """The inverse of the permutation of numbers of so many bits."""
    mask, half = 2 ** bits - 1, (bits + 1) // 2
    x ^= x >> half
    for factor in (0x94d049bb133111eb, 0xbf58476d1ce4e5b9):
        x = x * pow(factor, -1, 2 ** 64) & mask
        x ^= x >> half
    return x


def numbers(sizes, rest, bits):
    """The numbers of a set, by position."""
    buckets = len(sizes)
    assert buckets & (buckets - 1) == 0 and sizes.sum() == len(rest)
    bucket = numpy.repeat(numpy.arange(buckets), sizes)
    low = bits - (buckets.bit_length() - 1)
    return [unmix(int(b) << low | int(r), bits) for b, r in zip(bucket, rest)]


def bits_for(count):
    return max(1, (count - 1).bit_length())


def strings(tensors, group):
    data, ends = tensors[group + ".bytes"].tobytes(), tensors[group + ".offsets"]
    return [data[a:b].decode() for a, b in zip(ends[:-1], ends[1:])]


def sum_errors(full, values, scales, words):
    """The squared error of the sum of the n-grams of every word, as packed and rounded to the nearest."""
    grams = {gram: words + i for i, gram in enumerate(strings(full, "char"))}
    rows, idf = full["L"].astype("f8"), full["idf"].astype("f8")
    errors = numpy.array([values - rows, numpy.rint(rows / scales[:, None]) * scales[:, None] - rows])
    total = numpy.zeros(2)
    for word in strings(full, "word"):
        padded = " %s " % word
        found = [grams.get(padded[i:i + n]) for n in (3, 4) for i in range(len(padded) - n + 1)]
        found = [gram for gram in found if gram is not None]
        total += ((errors[:, found] * idf[found, None]).sum(axis=1) ** 2).sum(axis=1)
    return total


def wanted_scales(rows, words, bits):
    """docs/reference/packed-model-file.md, L.scales"""
    largest, deviation = abs(rows).max(axis=1) / 127, numpy.sqrt((rows ** 2).mean(axis=1))
    scales = largest.copy()
    for part, more in ((slice(0, words), 2), (slice(words, None), -0.4)):
        d = deviation[part]
        if bits == 8 or not (d > 0).any():
            continue
        mean = numpy.exp(numpy.log(d[d > 0]).mean())
        step = numpy.sqrt(2 * numpy.pi * numpy.e) / 2 ** (bits + more) * numpy.minimum(mean, 4 * d)
        scales[part] = numpy.maximum(step, largest[part])
    return scales


def compare_map(full, packed, bits):
    rows, codes, scales = full["L"].astype("f8"), packed["L.codes"], packed["L.scales"].astype("f8")
    words = len(full["word.offsets"]) - 1
    values = codes * scales[:, None]
    assert numpy.allclose(scales, wanted_scales(rows, words, bits), rtol=1e-4)
    steps = abs(values - rows) / numpy.where(scales > 0, scales, 1)[:, None]
    exact = words if bits < 8 else len(rows)
    assert (steps[:exact] <= 0.5001).all() and (steps < 1.0001).all(), "a value of the map"
    if bits < 8 and "char.bytes" in full:
        ours, nearest = sum_errors(full, values, scales, words)
        assert ours < 0.3 * nearest, "the sums of n-grams: %g, %g" % (ours, nearest)


def item_numbers(keys, words):
    """(set, number) of each key: 0 two words, 1 a phrase."""
    def place(i):
        return i if i < words else words if i == START else words + 1
    for key in map(int, keys):
        kind = key >> 59
        if kind in KINDS:
            a, b = place(key >> 29 & START), place(key & START)
            yield 0, (KINDS.index(kind) * (words + 2) + a) * (words + 2) + b, kind
        else:
            mixed = ((key << 5) ^ kind * 0x9e3779b97f4a7c15) & (2 ** 64 - 1)
            yield 1, mixed >> 16, kind


def compare_evidence(full, packed, words):
    weights = full["evidence.feature"].astype("f8")
    scale = packed["evidence.feature_scale"].astype("f8")
    assert (abs(packed["evidence.feature"] * scale - weights) <= 0.50001 * scale).all()
    item_keys = full["evidence.keys"][:-1]  # the last element is the seed of the hash
    used = item_keys != 0
    scale = packed["evidence.scale"].astype("f8")
    sets = []
    for name, bits in (("words", bits_for(7 * (words + 2) ** 2)), ("phrases", 48)):
        prefix = "evidence.%s." % name
        sets.append(dict(zip(numbers(packed[prefix + "sizes"], packed[prefix + "rest"], bits),
                             map(int, packed[prefix + "weight"]))))
    found = 0
    for (which, number, kind), weight in zip(item_numbers(item_keys[used], words),
                                             full["evidence.item"][used].astype("f8")):
        code = sets[which].get(number, 0)
        found += number in sets[which]
        assert abs(code * scale[kind] - weight) <= 0.50001 * scale[kind], (which, number)
    assert found == len(sets[0]) + len(sets[1]) and found > 100, "items that no model has"
    assert all(code for one in sets for code in one.values()), "an item without a weight"


def compare_strings(full, packed, group):
    lengths, _ = varints(packed[group + ".lengths"].tolist(), 0, len(full[group + ".offsets"]) - 1)
    assert (numpy.cumsum([0] + lengths) == full[group + ".offsets"]).all()
    assert (packed[group + ".bytes"] == full[group + ".bytes"]).all()


def unpack_relations(data):
    """(word, relation, word) and (word, class) of all words."""
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    words, links, classes = [], [], []
    before = b""
    for w in range(number()):
        same, rest = data[at] >> 4, data[at] & 15
        at += 1
        if not same and not rest:
            same, rest = number(), number()
        before = before[:same] + bytes(data[at:at + rest])
        at += rest
        words.append(before)
        classes.append(number())
        for _ in range(number()):
            link = number()
            relation, distance = link & 7, link >> 3
            to = w + (-(distance // 2) - 1 if distance & 1 else distance // 2)
            links.append((w, relation, to))
            if relation not in (5, 6):
                links.append((to, relation, w))
    assert at == len(data) and words == sorted(set(words))
    return {(words[a], r, words[b]) for a, r, b in links}, set(zip(words, classes))


def compare_relations(full, packed):
    offsets, raw = full["relations.word_offsets"], full["relations.bytes"].tobytes()
    words = [raw[a:b] for a, b in zip(offsets, offsets[1:])]
    links = {(words[w], int(link) >> 29, words[int(link) & 2 ** 29 - 1]) for w in range(len(words))
             for link in full["relations.links"][full["relations.offsets"][w]:full["relations.offsets"][w + 1]]}
    got = unpack_relations(packed["relations.packed"].tolist())
    assert got == (links, set(zip(words, map(int, full["relations.classes"])))), "relations"


def compare_memory(full, packed):
    question_keys = full["memory.keys"][:-1]
    used = question_keys != 0
    question = {int(n): int(k) >> 16 for k, n in zip(question_keys[used], full["memory.numbers"][used])}
    known = numbers(packed["memory.known.sizes"], packed["memory.known.rest"], 48)
    assert sorted(known) == sorted(question.values())
    position = {number: i for i, number in enumerate(known)}
    cluster = {n: int(packed["memory.cluster"][position[q]]) for n, q in question.items()}
    pairs = {(int(full["memory.cluster"][n]), c) for n, c in cluster.items()}
    assert len({a for a, _ in pairs}) == len({b for _, b in pairs}) == len(pairs), "clusters"
    renamed = dict(pairs)
    count = len(known)
    apart = set(numbers(packed["memory.apart.sizes"], packed["memory.apart.rest"], bits_for(count * count + 1)))
    keys = [int(k) for k in full["memory.different.keys"][:-1] if k]
    wanted = {min(x) * count + max(x) for x in ((renamed[k >> 32], renamed[k & 0xffffffff]) for k in keys)}
    assert apart == wanted, "clusters labelled different"


def main():
    _, full, _ = arrays(sys.argv[1])
    settings, packed, metadata = arrays(sys.argv[2])
    assert metadata["format_version"] == ("3" if "coded" in metadata else "2") and check(sys.argv[2]) in ("ok", "no libxxhash")
    about = settings["packed"]
    assert packed["L.codes"].shape[1] == about["dim"] and ("coded" in metadata) == (about["bits"] < 8)
    compare_map(full, packed, about["bits"])
    for group in settings["features"]:
        compare_strings(full, packed, group)
    if "relations.packed" in packed:
        compare_relations(full, packed)
    if "trees.leaf" not in packed:  # --decision threshold
        print("ok")
        return
    compare_evidence(full, packed, len(full["word.offsets"]) - 1)
    compare_memory(full, packed)
    for name in ("idf", "line", "trees.feature", "trees.cut", "trees.leaf", "trees.cover"):
        assert (full[name] == packed[name]).all(), name
    print("ok")


main()
