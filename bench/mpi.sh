#!/usr/bin/env bash
# Measures film train --method film with 1, 2 and 3 single-threaded processes: seconds of SVD and FILM, bytes sent
# against the formulas (src/la/svd.h, src/learn/film_problem.h), peak memory per process, and the results.
# Then the same with synthetic text that grows with the processes (weak scaling).
#   bench/mpi.sh [FILE [DEV]]       default: Quora's strict file and dev set; ROWS=n: only its first rows
# PROCESSES="1 2 3", WEAK=60000 rows per process (0: none), OPTIONS: further options of film train.
set -eu
cd "$(dirname "$0")/.."
film=${FILM:-build/release/film}
file=${1:-../shared/data/qqp/train-strict.tsv}
dev=${2:-../shared/data/qqp/dev.tsv}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive
# Runs /usr/bin/time inside each process of the job.
cat >"$folder/timed" <<'SH'
#!/bin/sh
exec /usr/bin/time -f '%M %U %S' -o "$FOLDER/process.$OMPI_COMM_WORLD_RANK" "$@"
SH
chmod +x "$folder/timed"
export FOLDER="$folder"

# job NAME PROCESSES FILE OPTIONS...: leaves NAME.json and NAME.process.*
job() {
    local name=$1 processes=$2; shift 2
    rm -f "$folder"/process.*
    # shellcheck disable=SC2086
    mpirun -n "$processes" --oversubscribe --bind-to none "$folder/timed" "$film" train "$@" --method film \
        --decision threshold --threads 1 ${OPTIONS:-} -o "$folder/$name.film" --json -q \
        >"$folder/$name.json"
    for one in "$folder"/process.*; do mv "$one" "$folder/$name.${one##*/}"; done
    /usr/bin/python3 - "$folder" "$name" "$film" <<'PY'
import glob, json, subprocess, sys
folder, name, film = sys.argv[1:]
about = json.load(open(f"{folder}/{name}.json"))
figures, seconds = about["figures"], about["figures"]["seconds"]
used = [list(map(float, open(path).read().split())) for path in sorted(glob.glob(f"{folder}/{name}.process.*"))]
learned = figures["film"]
print(f'{name:>10}: svd {seconds["svd"]:7.2f} s, triplets {seconds["triplets"]:6.2f} s, film {seconds["film"]:7.2f} s, '
      f'processor time {sum(u[1] + u[2] for u in used):8.2f} s, '
      f'peak {max(u[0] for u in used) / 1024:6.0f} MiB; sigma_0 {about["sizes"]["largest_singular_value"]:.6f}, '
      f'objective {learned["objective"]:.6g}, dev {100 * figures["balanced_accuracy"]:.2f} %, {figures["sentences"]} sentences')
processes = figures.get("processes", 1)
if processes > 1:
    features, rank = sum(about["sizes"]["features"].values()), about["sizes"]["rank"]
    block, basis, dim = 16, figures["svd_basis"], about["sizes"]["dim"]
    widths, traffic = [block] * (basis // block) + [basis % block] * (basis % block > 0), seconds["job"]
    sums = sum(4 * width * (k * block + width + (block if k else 0) + width) + 8 for k, width in enumerate(widths))
    svd, one = traffic["svd"], traffic["film"]
    print(f'            svd: shared {svd["shared"]}, formula {4 * features * (block + basis)}; gathered {svd["gathered"]}, '
          f'formula {4 * features * (block + basis + rank) // processes}; summed {svd["summed"]}, formula '
          f'{sums + sum(16 * width ** 2 for width in widths) + 8 * (rank + widths[-1] ** 2)}; waited {svd["waited"]:.2f} s')
    # one refresh per iteration and per round of the margin
    refreshes = round((one["broadcast"] - 4 * learned["iterations"]) / (8 * rank * dim))
    print(f'            film: {learned["iterations"]} iterations, {refreshes} refreshes; summed a refresh '
          f'{one["summed"] / (refreshes + 1):.0f}, formula {8 * rank ** 2 + 16}; exchanged once {one["exchanged"]}, '
          f'gathered {one["gathered"]}; waited {one["waited"]:.2f} s')
PY
}

against() { # NAME of one process, NAME of several: speed (SVD, triplets and FILM), memory, singular values
    /usr/bin/python3 - "$folder/$1" "$folder/$2" <<'PY'
import array, glob, json, struct, sys
def time(name):
    seconds = json.load(open(name + ".json"))["figures"]["seconds"]
    return seconds["svd"] + seconds["triplets"] + seconds["film"]
def peak(name):
    return max(float(open(path).read().split()[0]) for path in glob.glob(name + ".process.*"))
def sigma(name):
    data = open(name + ".film", "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    begin, end = json.loads(data[8:8 + size])["sigma"]["data_offsets"]
    return array.array("f", data[8 + size + begin:8 + size + end])
one, several = sys.argv[1:]
worst = max(abs(b / a - 1) for a, b in zip(sigma(one), sigma(several)))
print(f"            {time(one) / time(several):.2f} times faster, {peak(several) / peak(one):.2f} of the memory of a process; "
      f"singular values differ by {worst:.1e} at most")
PY
}

if [ -e "$file" ]; then
    head -n "${ROWS:-1000000000}" "$file" >"$folder/rows.tsv"
    for processes in ${PROCESSES:-1 2 3}; do
        job "n=$processes" "$processes" "$folder/rows.tsv" --dev "$dev"
        [ "$processes" = 1 ] || [ ! -e "$folder/n=1.json" ] || against n=1 "n=$processes"
    done
else
    echo "skipped: no $file"
fi

# Rows of two sentences: of one topic with its own words (positive), or of two topics.
synthetic() {
    /usr/bin/python3 - "$1" <<'PY'
import random, sys
rows = int(sys.argv[1])
random.seed(1)
topics = rows // 10
words = [f"w{i}" for i in range(int(10 * (20.0 * rows) ** 0.6))]
weights = [1 / (i + 1) for i in range(len(words))]
common = iter(random.choices(words, weights, k=14 * rows))
own = [random.choices(words, k=4) for _ in range(topics)]
def sentence(topic):
    return " ".join(random.sample(own[topic], 3) + [next(common) for _ in range(7)])
print("label\tquestion1\tquestion2")
for i in range(rows):
    topic = random.randrange(topics)
    other = topic if i % 2 else random.randrange(topics)
    print(f"{int(other == topic)}\t{sentence(topic)}\t{sentence(other)}")
PY
}
if [ "${WEAK:=60000}" != 0 ]; then
    echo "weak scaling, $WEAK synthetic rows a process"
    for processes in ${PROCESSES:-1 2 3}; do
        synthetic $((WEAK * processes)) >"$folder/synthetic.tsv"
        job "w=$processes" "$processes" "$folder/synthetic.tsv"
    done
fi
