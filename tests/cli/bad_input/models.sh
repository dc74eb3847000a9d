# shellcheck shell=bash disable=SC2154
# Output and models. A part of bad_input.sh, which sources it.
heading "Output"
bad "-o in a missing directory" 3 \
    'film: cannot write nowhere/m.film: No such file or directory' \
    film train good.tsv -o nowhere/m.film
bad "-o a directory" 3 \
    'film: cannot write folder: it is a directory' \
    film train good.tsv -o folder
bad "-o below a file" 3 \
    'film: cannot write good.tsv/m.film: Not a directory' \
    film train good.tsv -o good.tsv/m.film
bad "embed to a full disk" 3 \
    'film: cannot write /dev/full: No space left on device' \
    film embed good.film plain.txt -o /dev/full
bad "split into a missing directory" 3 \
    'film: cannot write nowhere/part-train.tsv: No such file or directory' \
    film split good.tsv -o nowhere/part
mkdir small
name="a model to a full disk leaves nothing behind"
if unshare -rm bash -c 'mount -t tmpfs -o size=16k none small' 2>/dev/null; then
    run unshare -rm bash -c 'mount -t tmpfs -o size=16k none small && "$0" train good.tsv --method svd --decision threshold -o small/m.film
        code=$?; ls -A small; exit $code' "$FILM"
    if [ "$status" -eq 3 ] && [ ! -s out ] && [ "$(cat err)" = "film: cannot write small/m.film: No space left on device" ]
    then ok "$name"; else not_ok "$name" "exit code $status" "$(cat out err)"; fi
else skip "$name" "cannot mount a tmpfs here"; fi

heading "Models"
bad "no such model" 3 \
    'film: cannot open missing.film: No such file or directory' \
    film info missing.film
bad "a directory as model" 3 \
    'film: folder is a directory, not a file' \
    film match folder a b
bad "/dev/null as model" 3 \
    'film: /dev/null is a device or pipe, not a file' \
    film info /dev/null
: >empty.film
bad "an empty model" 2 \
    'film: empty.film: an empty file, not a model; name the file that training wrote' \
    film info empty.film
bad "a text file as model" 2 \
    'film: good.tsv: a table or another text, not a model; train a model from it' \
    film info good.tsv
printf '\x89PNG\r\n\x1a\n picture' >picture.png
bad "a picture as model" 2 \
    'film: picture.png: a picture (PNG), not a model; name the file that training wrote' \
    film info picture.png
head -c 1000 good.film >cut.film
NORMAL='s/ [0-9]+/ N/g' bad "a model cut off in its header" 2 \
    'film: cut.film: the header should be N bytes long, but only N follow; the file is cut off or not a safetensors file' \
    film info cut.film
head -c -1 good.film >cut1.film
NORMAL='s/ [0-9]+/ N/g' bad "a model without its last byte" 2 \
    'film: cut1.film: tensor word.lengths ends at byte N of the data, which has only N; the file is cut off or damaged' \
    film info cut1.film
{ cat good.film; printf x; } >longer.film
bad "a byte behind the model" 2 \
    'film: longer.film: 1 bytes after the last tensor belong to no tensor' \
    film info longer.film
header='{"t":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}  '
{ printf '\x38\0\0\0\0\0\0\0%-56sx' "$header"; } >foreign.safetensors
bad "another program's safetensors file" 2 \
    'film: foreign.safetensors is a safetensors file but not a FILM model; train a model first' \
    film info foreign.safetensors
