#!/usr/bin/env bash
# Measures film dedup with 1 and 2 single-threaded processes: CPU seconds and peak memory per process, bytes sent, and the
# number of pairs that differ from those of one process. Then film link between the two halves of the sentences.
#   bench/mpi_dedup.sh MODEL [FILE]     default file: Quora's strict pairs; ROWS=20000: only its first rows
# PROCESSES="1 2". Memory excludes the model's file, which all processes of a machine share (anonymous pages only).
set -eu
cd "$(dirname "$0")/.."
film=${FILM:-build/release/film}
[ $# -ge 1 ] || { sed -n 2,5p "$0"; exit 1; }
model=$1
file=${2:-../shared/data/qqp/train-strict.tsv}
[ -e "$file" ] || { echo "skipped: no $file"; exit 0; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive FOLDER="$folder"
# Runs a process of the job and samples its anonymous memory ten times per second.
cat >"$folder/timed" <<'PY'
#!/usr/bin/python3
import os, resource, subprocess, sys, time
child = subprocess.Popen(sys.argv[1:])
peak = 0
while child.poll() is None:
    try:
        with open(f"/proc/{child.pid}/status") as status:
            peak = max([peak] + [int(line.split()[1]) for line in status if line.startswith("RssAnon")])
    except OSError:
        pass
    time.sleep(0.1)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(f"{os.environ['FOLDER']}/process.{os.environ['OMPI_COMM_WORLD_RANK']}", "w") as out:
    print(peak, used.ru_utime + used.ru_stime, file=out)
sys.exit(child.returncode)
PY
chmod +x "$folder/timed"

# job NAME PROCESSES VERB...: the output is NAME.PROCESSES
job() {
    local name=$1 processes=$2; shift 2
    rm -f "$folder"/process.*
    mpirun -n "$processes" --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 "$folder/timed" "$film" "$@" \
        --threads 1 --json -o "$folder/$name.$processes" >"$folder/figures"
    /usr/bin/python3 - "$folder" "$name" "$processes" <<'PY'
import glob, json, sys
folder, name, processes = sys.argv[1:]
figures = json.load(open(f"{folder}/figures"))
used = [list(map(float, open(path).read().split())) for path in sorted(glob.glob(f"{folder}/process.*"))]
def rows(n):
    return set(open(f"{folder}/{name}.{n}"))
differ = ""
if processes != "1" and glob.glob(f"{folder}/{name}.1"):
    alone, together = rows(1), rows(processes)
    differ = f"; lines of one process missing {len(alone - together)}, new {len(together - alone)} of {len(alone)}"
print(f"{name} n={processes}: {figures['compared']} pairs compared; a process: "
      f"{max(u[1] for u in used):.2f} s of processor, {max(u[0] for u in used) / 1024:.0f} MiB of its own; "
      f"sent by all {figures.get('sent', 0) / 1e6:.1f} MB{differ}")
PY
}

head -n "${ROWS:-20000}" "$file" >"$folder/rows.tsv"
cut -f2 "$folder/rows.tsv" >"$folder/a.txt"
cut -f3 "$folder/rows.tsv" >"$folder/b.txt"
for processes in ${PROCESSES:-1 2}; do job pairs "$processes" dedup "$model" "$folder/rows.tsv" --pairs; done
for processes in ${PROCESSES:-1 2}; do job clusters "$processes" dedup "$model" "$folder/rows.tsv"; done
for processes in ${PROCESSES:-1 2}; do job link "$processes" link "$model" "$folder/a.txt" "$folder/b.txt"; done
