#!/usr/bin/env bash
# Ctrl-C keeps the best model so far and --resume goes on to the same bytes; so it does after kill -9.
source "$(dirname "$0")/tap.sh"
head -1600 "$FAQ/train.tsv" >rows.tsv
FILM_METHOD="--method film --rank 60 --dim 12 --iterations 60 --set least-change=0 --set epsilon=0"
RANK_METHOD="--method rank --features word --dim 40 --batch 4 --epochs 3"

# learn OPTIONS...: a training of rows.tsv into part.film.
# What is paused is the map: the decision on top of it is learned anew.
LEARN="train rows.tsv --decision threshold -q -o part.film"
# shellcheck disable=SC2086
learn() { "$FILM" $LEARN "$@"; }
# stops SIGNALS TIMES OPTIONS...: a training that is signalled when its checkpoint was written TIMES times, which is
# at every report.
# shellcheck disable=SC2086
stops() { local signals=$1 times=$2; shift 2; signal_at "$signals" rename "$times" part.film.checkpoint "$FILM" $LEARN --checkpoint-every 1e-9 "$@"; }
check_stopped() { # NAME UNIT
    if [ "$status" -eq 4 ] && grep -qE "^film: stopped after [0-9]+ of [0-9]+ $2; saved the best model so far to part.film; continue with --resume\$" err
    then ok "$1: exit code 4 ($(cat err))"
    else not_ok "$1: exit code 4 and a message" "exit code $status" "$(cat err)"; fi
    check "$1: the best so far is a model" "$FILM" match part.film "I lost my card" "my card is gone"
    check "$1: a checkpoint is there" test -s part.film.checkpoint
}
goes_on() { # NAME OPTIONS...
    local name=$1; shift
    expect_status "$name: --resume finishes" 0 learn --resume "$@"
    check "$name: the same bytes as without a pause" cmp part.film whole.film
    check "$name: the checkpoint is removed" test ! -e part.film.checkpoint
}

for method in film rank; do
    unit=iterations options=$FILM_METHOD
    [ $method = film ] || { unit=steps options=$RANK_METHOD; }
    for threads in 1 2; do
        # shellcheck disable=SC2086
        set -- $options -t $threads
        "$FILM" train rows.tsv --decision threshold -q -o whole.film "$@"
        name="$method, $threads thread(s)"
        for times in 1 4; do
            rm -f part.film*
            stops INT $times "$@"
            check_stopped "$name, SIGINT after $times checkpoints" $unit
            goes_on "$name, SIGINT after $times checkpoints" "$@"
        done
    done
    stops INT 2 "$@"
    stops INT 3 --resume "$@"
    check_stopped "$method, SIGINT twice" $unit
    stops TERM 2 --resume "$@"
    check_stopped "$method, then SIGTERM" $unit
    goes_on "$method, stopped three times" "$@"

    rm -f part.film*
    stops KILL 2 "$@"
    check "$method, kill -9: no model" test ! -e part.film
    check "$method, kill -9: a checkpoint" test -s part.film.checkpoint
    goes_on "$method, kill -9" "$@"
    # shellcheck disable=SC2086
    signal_at KILL write 4 part.film.checkpoint.tmp "$FILM" $LEARN --checkpoint-every 1e-9 "$@"
    check "$method, kill -9 within a checkpoint: half of it lies beside the last one" test "$(ls part.film.checkpoint* | wc -l)" -eq 2
    goes_on "$method, kill -9 within a checkpoint" "$@"
done

# A second Ctrl-C ends it at once, whatever it is doing; what is on disk is whole.
rm -f part.film*
stops INT 2 "$@"
stops "INT INT INT INT" 2 --resume "$@"
check "Ctrl-C several times: killed" test $status -eq 130
check "Ctrl-C several times: the model is whole" "$FILM" info part.film
goes_on "Ctrl-C several times" "$@"

# ---- refusals ----
rm -f part.film* # and what killed ones left
# shellcheck disable=SC2086
set -- $RANK_METHOD -t 2
expect_output "nothing to resume" 2 "film: nothing to resume: part.film.checkpoint does not exist" learn --resume "$@"
stops INT 2 "$@"
cp part.film.checkpoint kept
cp part.film kept.film
same="use the same options, or start a new run without resuming"
expect_output "another seed is refused" 2 "film: part.film.checkpoint belongs to a different run: option seed was 1, now it is 2; $same" \
    learn --resume "$@" --seed 2
expect_output "another batch is refused" 2 "film: part.film.checkpoint belongs to a different run: option batch was 4, now it is 5; $same" \
    learn --resume "$@" --batch 5
expect_output "another method is refused" 2 \
    'film: part.film.checkpoint belongs to a different run: option method was "rank", now it is "film"; '"$same" \
    learn --resume "$@" --method film --dim 12 --rank 60
expect_output "method svd has nothing to resume" 2 \
    "film: nothing to resume: method svd has no checkpoints" learn --resume --method svd
cp rows.tsv rows.kept
sed -i '5s/card/cards/' rows.tsv
expect_status "another sentence is refused" 2 learn --resume "$@"
check "and named" grep -qE "its (sentences|dev or held-out rows) differ" err
mv rows.kept rows.tsv
expect_output "--resume and a pipe" 1 \
    "film train: --resume needs -o MODEL with a file name: the checkpoint is stored next to it; see film train --help" \
    bash -c '"$0" train rows.tsv --resume -o - | cat; exit ${PIPESTATUS[0]}' "$FILM"
expect_status "a negative --checkpoint-every is refused" 1 learn --checkpoint-every -1 "$@"
size=$(stat -c %s kept)
for place in 3 100 $((size / 2)) $((size - 5)); do
    cp kept part.film.checkpoint
    printf '\xa5' | dd of=part.film.checkpoint bs=1 seek="$place" conv=notrunc 2>/dev/null
    expect_status "byte $place of the checkpoint changed: refused" 2 learn --resume "$@"
done
head -c 5000 kept >part.film.checkpoint
expect_status "half a checkpoint is refused" 2 learn --resume "$@"
cp kept.film part.film.checkpoint
expect_output "a model is no checkpoint" 2 "film: part.film.checkpoint is not a checkpoint" learn --resume "$@"
check "all that left the model alone" cmp part.film kept.film
cp kept part.film.checkpoint
goes_on "after all that" "$@"
mkdir part.film.checkpoint
expect_output "a directory in the checkpoint's place is reported at once" 3 \
    "film: cannot write part.film.checkpoint: it is a directory" learn "$@"
rmdir part.film.checkpoint
check "no temporary file is left" bash -c '! ls | grep tmp-'
finish
