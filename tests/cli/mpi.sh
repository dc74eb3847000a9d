#!/usr/bin/env bash
# film train by several processes: one alone gives the bytes of no job, several the same figures within a tolerance and
# the same bytes every time. (A killed process: mpi_kill.sh.)
source "$(dirname "$0")/tap.sh"
have "several processes" mpirun || { finish; exit; }
[ -e "$(dirname "$FILM")/tests/mpi_die_at.so" ] || { skip "several processes" "built without MPI"; finish; exit; }
sample 3 "$FAQ/train.tsv" >rows.tsv
sample 3 "$FAQ/heldout.tsv" >dev.tsv

# ---- svd, film, mfilm ----
# figure MODEL NAME: a number of its description
figure() { "$FILM" info "$1" --json | grep -oE "\"$2\":[-0-9.e]+" | head -1 | cut -d: -f2; }
# close_to A B TOLERANCE
close_to() { awk -v a="$1" -v b="$2" -v most="$3" 'BEGIN { exit !(a != "" && b != "" && (a - b) ^ 2 <= most ^ 2) }'; }

for method in film mfilm svd; do
    TRAIN="train rows.tsv --dev dev.tsv --method $method --rank 60 --decision threshold --seed 3 -q"
    [ $method = svd ] || TRAIN="$TRAIN --dim 12 --iterations 30"
    # shellcheck disable=SC2086
    "$FILM" $TRAIN -t 1 -o alone.film
    for processes in 1 2 3; do
        # shellcheck disable=SC2086
        job $processes "$FILM" $TRAIN -t 1 -o job.film
        name="$method, $processes processes"
        if [ "$status" -ne 0 ]; then not_ok "$name" "exit code $status" "$(cat err)"; continue; fi
        if [ $processes = 1 ]; then check "$name: the bytes of no job" cmp job.film alone.film; continue; fi
        largest=$(figure job.film largest_singular_value) largest_alone=$(figure alone.film largest_singular_value)
        check "$name: the first singular value ($largest, alone $largest_alone)" close_to "$largest" "$largest_alone" 1e-4
        accuracy=$(figure job.film balanced_accuracy) accuracy_alone=$(figure alone.film balanced_accuracy)
        [ $method = mfilm ] && most=0.05 || most=0.005 # other batches; the same triplets
        check "$name: accuracy $accuracy, alone $accuracy_alone" close_to "$accuracy" "$accuracy_alone" $most
        if [ $method = film ]; then
            objective=$(figure job.film objective) objective_alone=$(figure alone.film objective)
            check "$name: objective $objective, alone $objective_alone" close_to "$objective" "$objective_alone" 0.01
        fi
        mv job.film before.film
        [ $processes = 2 ] || continue
        # shellcheck disable=SC2086
        job $processes "$FILM" $TRAIN -t 1 -o job.film
        check "$name: the same bytes again" cmp job.film before.film
    done
done
job 2 "$FILM" train rows.tsv --method mfilm --set mfilm-basis=batch --decision threshold -q -o no.film
if [ "$status" -ne 0 ] && grep -q -- 'an SVD of every batch cannot run under mpirun' err && [ ! -e no.film ]
then ok "a basis per batch is refused in a job"
else not_ok "a basis per batch is refused in a job" "exit code $status" "$(cat err)"; fi
finish
