#!/usr/bin/env python3
"""Is a model of duplicates alone worse than one without labels? Trains on positive pairs and on their sentences alone.

    bench/positives.py [--seeds N] [--pairs N,N,...] [--sets faq,quora] [--film PROGRAM]

Positive pairs are drawn from examples/faq/train.tsv and from Quora's strict training file. Measures as in few_labels.py, on
sentences and pairs that share no sentence with them: the other FAQ questions, 2,000 sentences of Quora's dev file.
"""
import argparse
import collections
import os
import random
import tempfile

import few_labels

STRICT = os.path.join(few_labels.ROOT, "../shared/data/qqp/train-strict.tsv")


def load(name, seed):
    data = few_labels.faq(seed) if name == "faq" else few_labels.quora(seed)
    rows = data[2] if name == "faq" else few_labels.read(STRICT)[1:]
    seen = {text for row in rows for text in row[1:]}
    sentences = [text for text in data[0] if name == "quora" or text not in seen]
    return sentences, data[1], [row for row in rows if row[0] == "1"], data[3]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--pairs", default="50,100,200,500,1000,2000")
    parser.add_argument("--sets", default="faq,quora")
    parser.add_argument("--film", default=os.path.join(few_labels.ROOT, "build/release/film"))
    options = parser.parse_args()
    print("set    seed pairs labels accuracy precision recall")
    for name in options.sets.split(","):
        if name == "quora" and not os.path.exists(STRICT):
            print("quora: skipped, ../shared/data is missing")
            continue
        for seed in range(1, options.seeds + 1):
            with tempfile.TemporaryDirectory() as folder:
                data = load(name, seed)
                trial = few_labels.Trial(options.film, folder, data)
                sizes = collections.Counter(data[1][text] for text in data[0])
                trial.duplicates = sum(n * (n - 1) // 2 for n in sizes.values())
                for count in map(int, options.pairs.split(",")):
                    rows = random.Random(1000 * seed + count).sample(data[2], min(count, len(data[2])))
                    texts = dict.fromkeys(text for row in rows for text in row[1:])
                    few_labels.write(trial.path("same.tsv"), rows, ["label", "question1", "question2"])
                    few_labels.write(trial.path("same.txt"), [[text] for text in texts])
                    for labels, file in (("same", "same.tsv"), ("none", "same.txt")):
                        trial.run("train", trial.path(file), "--seed", str(seed), "-o", trial.path("m.film"))
                        figures = " ".join(f"{value:8.3f}" for value in trial.measure(trial.path("m.film")))
                        print(f"{name:6} {seed:4} {len(rows):5} {labels:6} {figures}", flush=True)


if __name__ == "__main__":
    main()
