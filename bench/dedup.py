#!/usr/bin/env python3
"""Compares the clusters of film dedup with the labels of a file of pairs.

    film dedup MODEL PAIRS.tsv -o clusters.tsv
    film dedup MODEL PAIRS.tsv --pairs -o pairs.tsv
    bench/dedup.py PAIRS.tsv clusters.tsv [pairs.tsv]

Over the labelled pairs it measures the duplicates inside one cluster (recall), the share of duplicates among the
pairs inside one cluster (precision), and the non-duplicates in different clusters. With pairs.tsv the same for joining
whatever a pair connects (single linkage), and the largest cluster that makes. It is independent of the program:
the ids (line and side of the first appearance) are recomputed here.
"""
import collections
import csv
import sys


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def report(name, labelled, cluster):
    counts = collections.Counter()
    for label, a, b in labelled:
        same = a == b or (a in cluster and cluster.get(a) == cluster.get(b))
        counts[label, same] += 1
    positive = counts[1, True] + counts[1, False]
    negative = counts[0, True] + counts[0, False]
    together = counts[1, True] + counts[0, True]
    sizes = collections.Counter(cluster.values())
    print(f"{name}: {len(sizes)} clusters of {len(cluster)} sentences, largest {max(sizes.values(), default=0)}; "
          f"of {positive} duplicates {100 * counts[1, True] / positive:.1f} % in one cluster, "
          f"of {negative} others {100 * counts[0, False] / negative:.1f} % apart, "
          f"precision {100 * counts[1, True] / max(together, 1):.1f} % "
          f"(with as many of each label {100 * (counts[1, True] / positive) / max(counts[1, True] / positive + counts[0, True] / negative, 1e-9):.1f} %)")


def main():
    rows = read(sys.argv[1])
    ids, labelled = {}, []
    for line, row in enumerate(rows[1:], 2):
        a = ids.setdefault(row[1], f"{line}a")
        b = ids.setdefault(row[2], f"{line}b")
        labelled.append((int(float(row[0])), a, b))
    cluster = {row[1]: row[0] for row in read(sys.argv[2])[1:]}
    report("clusters", labelled, cluster)
    if len(sys.argv) > 3:
        parent = {}

        def root(i):
            while parent.setdefault(i, i) != i:
                parent[i] = parent[parent[i]]
                i = parent[i]
            return i
        for row in read(sys.argv[3])[1:]:
            parent[root(row[0])] = root(row[1])
        report("single linkage", labelled, {i: root(i) for i in list(parent)})


main()
