"""Sentences with a natural word distribution, for tests of growth: synthetic.py COUNT [SEED]

Words follow Zipf's law with exponent 1 over a vocabulary that grows with the text by Heaps' law
(10 * tokens ** 0.6); lengths follow a log-normal with median 10 words. Deterministic.
"""
import sys

import numpy as np

count = int(sys.argv[1])
rng = np.random.default_rng(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
lengths = np.clip(np.exp(rng.normal(np.log(10), 0.5, count)).astype(int), 2, 60)
vocabulary = int(10 * lengths.sum() ** 0.6)
weights = 1 / np.arange(1, vocabulary + 1)
words = rng.choice(vocabulary, size=lengths.sum(), p=weights / weights.sum())
letters = "etaoinshrdlucmfwypvbgkjqxz"


def spell(number):
    text = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, 26)
        text += letters[digit]
    return text


spelled = [spell(i) for i in range(vocabulary)]
at = 0
out = []
for length in lengths:
    out.append(" ".join(spelled[w] for w in words[at:at + length]))
    at += length
sys.stdout.write("\n".join(out) + "\n")
