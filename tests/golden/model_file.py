"""A second reader of the model file, from docs/reference/model-file.md: strings, map, evidence, relations and memory.
Plain Python and numpy, no code shared with src/model.

    model_file.py FILM MODEL PAIRS    prints "ok", or fails with what differs: values against film explain,
                                      relations against one another, memory against the labels of PAIRS
"""
import json
import subprocess
import sys

import numpy

import read_safetensors

# The kinds of evidence.words, by the number that a file stores, and their ids.
TWO_WORDS = [(1, "shared_words_in_a_row"), (2, "words_in_a_row"), (3, "opposed"), (4, "beside"), (5, "shared_together"),
             (10, "first_words"), (11, "last_words")]
BOTH_WAYS = (1, 2, 3, 4)             # relations that hold in both directions


def leb128(data):
    """Numbers of 7 bits per byte, the lowest first; the top bit says that more follow."""
    values, value, shift = [], 0, 0
    for byte in data.tolist():
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            values.append(value)
            value = shift = 0
    assert shift == 0, "the last number is cut off"
    return values


def ascending(data):
    numbers, last = [], -1
    for distance in leb128(data):
        last += distance + 1
        numbers.append(last)
    return numbers


def strings(tensors, group):
    data, at, found = tensors[group + ".bytes"].tobytes(), 0, []
    for length in leb128(tensors[group + ".lengths"]):
        found.append(data[at:at + length].decode())
        at += length
    assert at == len(data) and len(set(found)) == len(found), group
    return found


def film(*arguments):
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout


def check_map(program, path, tensors, words):
    rows = [line.split("\t") for line in film(program, "explain", path, "--dim", "1", "--all").splitlines()[1:]]
    wanted = tensors["L"][:, 1].astype("f4") * tensors["L.scale"]
    shown = {row[2]: float(row[3]) for row in rows if row[1] == "word"}
    assert len(shown) == len(words)
    for number, word in enumerate(words):
        assert abs(shown[word] - wanted[number]) <= 1e-5 * abs(wanted[number]), word


def check_evidence(program, path, tensors, words, settings):
    decision, count = settings["decision"], len(words) + 2
    factor = decision["calibration"]["scale"] * decision["evidence_scale"]
    numbers, codes = ascending(tensors["evidence.words"]), tensors["evidence.words.weight"]
    assert len(numbers) == len(codes) and numbers[-1] < len(TWO_WORDS) * count * count
    phrases = ascending(tensors["evidence.phrases"])
    assert len(phrases) == len(tensors["evidence.phrases.weight"]) and phrases[-1] < 2 ** 48
    items = {}
    for number, code in zip(numbers, codes.tolist()):
        kind, name = TWO_WORDS[number // count // count]
        items[name, number // count % count, number % count] = factor * code * float(tensors["evidence.scale"][kind])
    seen = 0
    for word in words[::40]:
        own = words.index(word)
        about = json.loads(film(program, "explain", path, "--word", word, "--most", "3", "--json"))
        scales = tensors["evidence.feature"][own] * tensors["evidence.feature_scale"] * factor
        assert abs(about["shared"] - scales[0]) < 1e-6 and abs(about["alone"] - scales[1]) < 1e-6, word
        for pair in about["pairs"]:
            other = words.index(pair["text"])
            weights = [items.get((pair["id"], *key)) for key in ((own, other), (other, own))]
            assert any(w is not None and abs(w - pair["weight"]) < 1e-6 for w in weights), (word, pair, weights)
            seen += 1
    assert seen > 20, seen


def check_relations(tensors):
    words = strings(tensors, "relations")
    offsets, links = tensors["relations.offsets"].tolist(), tensors["relations.links"].tolist()
    assert len(offsets) == len(words) + 1 and offsets[0] == 0 and offsets[-1] == len(links)
    assert len(tensors["relations.classes"]) == len(words)
    found = {(words[w], link >> 29, words[link & 2 ** 29 - 1]) for w in range(len(words)) for link in links[offsets[w]:offsets[w + 1]]}
    assert len(found) == len(links)
    assert all((b, kind, a) in found for a, kind, b in found if kind in BOTH_WAYS)
    assert ("ascend", 2, "descend") in found


def check_memory(tensors, pairs):
    questions, cluster = ascending(tensors["memory.questions"]), tensors["memory.cluster"].tolist()
    assert len(questions) == len(cluster)
    apart = [(key >> 32, key & 0xffffffff) for key in ascending(tensors["memory.apart"])]
    assert apart and all(a < b and a in cluster and b in cluster for a, b in apart)
    # Each question of the pairs is there once; the positive pairs join them to clusters.
    root = {}

    def find(text):
        while root.setdefault(text, text) != text:
            text = root[text]
        return text
    for line in open(pairs, encoding="utf-8").read().splitlines()[1:]:
        label, a, b = line.split("\t")
        a, b = find(a), find(b)
        if label == "1":
            root[a] = b
    clusters = len({find(text) for text in root})
    assert len(questions) <= len(root) and 0.95 * clusters <= len(set(cluster)) <= clusters, (len(questions), len(root), clusters)


def main():
    program, path, pairs = sys.argv[1:]
    metadata, found = read_safetensors.read(path)
    tensors = {name: array for name, (_, _, array) in found.items()}
    settings = json.loads(metadata["settings"])
    assert metadata["format"] == "film" and metadata["format_version"] == "4"
    words = strings(tensors, "word")
    features = sum(len(strings(tensors, group)) for group in settings["features"])
    assert features == len(tensors["L"]) == len(tensors["L.scale"]) == len(tensors["idf"]) == len(tensors["evidence.feature"])
    check_map(program, path, tensors, words)
    check_evidence(program, path, tensors, words, settings)
    check_relations(tensors)
    check_memory(tensors, pairs)
    print("ok")


main()
