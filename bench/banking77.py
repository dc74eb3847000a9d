#!/usr/bin/env python3
"""Categories of BANKING77 in five folds: accuracy of film classify, and the AUROC of "none" with a
sixth of the intents left out. One fold at a time, each in its own process:

    bench/banking77.py build/release/film ../shared/data/banking77/train.csv [FOLD ...]

The folds are drawn with numpy's RandomState(0); intents left out of fold f with RandomState(f).
Prints a line per fold, then the means. CPU seconds do not depend on what else runs; two cores need half of them."""
import csv, json, os, resource, subprocess, sys, tempfile
import numpy as np


def write(path, header, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def measure(film, folder, header, train, test):
    paths = [os.path.join(folder, name) for name in ("train.csv", "test.csv", "model.film")]
    write(paths[0], header, train)
    write(paths[1], header, test)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([film, "train", paths[0], "-o", paths[2], "-q"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    done = subprocess.run([film, "eval", paths[2], paths[1], "--json", "-q", "--bootstrap", "0"],
                          check=True, capture_output=True, text=True)
    return json.loads(done.stdout), seconds


def main():
    film, path = sys.argv[1:3]
    wanted = [int(fold) for fold in sys.argv[3:]] or range(5)
    rows = list(csv.reader(open(path, newline="")))
    header, rows = rows[0], rows[1:]
    fold = np.random.RandomState(0).permutation(len(rows)) % 5
    intents = sorted({row[1] for row in rows})
    results = []
    for f in wanted:
        left_out = set(np.random.RandomState(f).permutation(intents)[:len(intents) // 6])
        test = [row for row, own in zip(rows, fold) if own == f]
        train = [row for row, own in zip(rows, fold) if own != f]
        some = [row for row in train if row[1] not in left_out]
        with tempfile.TemporaryDirectory() as folder:
            whole, seconds = measure(film, folder, header, train, test)
            part, _ = measure(film, folder, header, some, test)
        results.append([100 * whole["accuracy"], whole["macro_f1"], part["none_auroc"], seconds])
        print("fold %d: accuracy %.2f %%, macro-F1 %.4f, none AUROC %.4f, training %.0f CPU s"
              % (f, *results[-1]), flush=True)
    print("mean:   accuracy %.2f %%, macro-F1 %.4f, none AUROC %.4f, training %.0f CPU s"
          % tuple(np.mean(results, axis=0)))


if __name__ == "__main__":
    main()
