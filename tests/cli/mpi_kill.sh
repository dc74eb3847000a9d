#!/usr/bin/env bash
# One process of a job is killed with SIGKILL, in every phase of a training: the job ends with a message, leaves no
# model.
source "$(dirname "$0")/tap.sh"
have "a killed process ends the job" mpirun || { finish; exit; }
[ -e "$(dirname "$FILM")/tests/mpi_die_at.so" ] || { skip "a killed process ends the job" "built without MPI"; finish; exit; }
sample 10 "$FAQ/train.tsv" >rows.tsv
TRAIN="train rows.tsv -q --seed 3"

# shellcheck disable=SC2086
survives() { # NAME SHARES OPTIONS...: killed at these hundredths of its calls
    local name=$1 shares=$2 calls at victim=0 began; shift 2
    job_dies 1 0 2 "$FILM" $TRAIN -o whole.film "$@"
    calls=$(grep -oE '^[0-9]+ calls' err | cut -d' ' -f1)
    if [ "$status" -ne 0 ] || [ -z "$calls" ]; then not_ok "$name: a job of two" "exit code $status" "$(cat err)"; return; fi
    ok "$name: a job of two, $calls calls of MPI"
    for share in $shares; do
        at=$((1 + (calls - 1) * share / 100)) victim=$((1 - victim)) began=$SECONDS
        rm -f part.film*
        job_dies $victim $at 2 "$FILM" $TRAIN -o part.film "$@"
        if [ "$status" -ne 0 ] && grep -q 'exited on signal 9' err && [ ! -e part.film ]
        then ok "$name, process $victim killed at call $at: the job ended within $((SECONDS - began + 1)) s, with a message"
        else not_ok "$name, process $victim killed at call $at: the job ends with a message" "exit code $status" "$(cat err)" "$(ls)"; fi
    done
}

shares="0 95" others=40
[ -z "${FILM_TEST_LONG:-}" ] || shares="0 5 10 20 30 40 50 60 70 80 90 95 100" others=$shares
survives "film, threshold" "$shares" --method film --rank 60 --dim 12 --iterations 60 --decision threshold
is_sanitized || survives "rank, full decision" "$others" --features word --dim 40
finish
