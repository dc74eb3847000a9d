"""Compares the compiled table english.words with WordNet's own files, read here independently; called by words.sh.

    words.py TABLE WORDNET ENGLISH.txt
"""
import json
import struct
import subprocess
import sys
from collections import defaultdict

TABLE, WORDNET, OWN = sys.argv[1:4]
SYNONYM, OPPOSITE, BASE = 1, 2, 6
LONGEST = 64


def clean(word):
    return word.split("(")[0].replace("_", " ").lower()


def read_table():
    data = subprocess.run(["zstd", "-dcq", TABLE], check=True, capture_output=True).stdout
    size = struct.unpack("<Q", data[:8])[0]
    head = json.loads(data[8:8 + size])

    def array(name, kind):
        begin, end = head[name]["data_offsets"]
        raw = data[8 + size + begin:8 + size + end]
        width = struct.calcsize(kind)
        return struct.unpack("<%d%s" % (len(raw) // width, kind), raw)
    text = bytes(array("relations.bytes", "B"))
    words, at = [], 0
    for length in array("relations.lengths", "B"):  # LEB128: words are shorter than 128 bytes
        words.append(text[at:at + length].decode())
        at += length
    assert at == len(text)
    offsets, links = array("relations.offsets", "I"), array("relations.links", "I")
    related = defaultdict(set)
    for w, word in enumerate(words):
        for link in links[offsets[w]:offsets[w + 1]]:
            related[link >> 29].add((word, words[link & (1 << 29) - 1]))
    return words, related


def read_wordnet():
    """Antonyms of words, and the sets of words that are synonyms in some sense."""
    synsets, antonyms = {}, set()
    lines = []
    for pos in ("noun", "verb", "adj", "adv"):
        for line in open("%s/data.%s" % (WORDNET, pos), encoding="ascii", errors="replace"):
            if line.startswith("  "):
                continue
            parts = line.split("|")[0].split()
            count = int(parts[3], 16)
            words = [clean(parts[4 + 2 * i]) for i in range(count)]
            key = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}[pos]
            synsets[key, parts[0]] = words
            lines.append((words, parts[4 + 2 * count:]))
    for words, rest in lines:
        for i in range(int(rest[0])):
            symbol, offset, pos, numbers = rest[1 + 4 * i:5 + 4 * i]
            if symbol == "!":
                source, target = int(numbers[:2], 16), int(numbers[2:], 16)
                antonyms.add((words[source - 1], synsets[pos.replace("s", "a"), offset][target - 1]))
    together = defaultdict(set)
    for words in synsets.values():
        for word in words:
            together[word].update(words)
    return antonyms, together


def check(name, good, *details):
    check.number += 1
    print("%s %d - %s" % ("ok" if good else "not ok", check.number, name))
    for line in () if good else details:
        print("# %s" % (line,))


check.number = 0
words, related = read_table()
antonyms, together = read_wordnet()
own = {(a, b) for line in open(OWN) if " ! " in line for a, b in [line.strip().split(" ! ")]}
own |= {(b, a) for a, b in own}
short = {(a, b) for a, b in antonyms if len(a) <= LONGEST and len(b) <= LONGEST and a != b}
missing = sorted(short - related[OPPOSITE])
check("every antonym of WordNet is in the table (%d)" % len(short), not missing, missing[:10], len(missing))
extra = sorted(related[OPPOSITE] - antonyms - {(b, a) for a, b in antonyms} - own)
check("every opposite is one of WordNet or of our own list", not extra, extra[:10], len(extra))
wrong = sorted((a, b) for a, b in related[SYNONYM] if b not in together[a])
check("every synonym shares a sense (%d)" % len(related[SYNONYM]), not wrong, wrong[:10], len(wrong))
irregular = {(a, b) for pos in ("noun", "verb", "adj", "adv") for line in open("%s/%s.exc" % (WORDNET, pos))
             for parts in [line.replace("_", " ").split() if "_" not in line else [p.replace("_", " ") for p in line.split()]]
             for a in parts[:1] for b in parts[1:]}
wrong = sorted(related[BASE] - irregular)
check("every irregular form is in WordNet's lists (%d)" % len(related[BASE]), not wrong, wrong[:10], len(wrong))
print("1..%d" % check.number)
