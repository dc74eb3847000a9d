#!/bin/sh
# Exchanges safetensors files, in both directions, with a reader that shares no code with ours.
# usage: test_safetensors_python.sh [PATH-OF-safetensors_sample]   (default: beside the build's tests)
here=$(dirname "$0")
sample=${1:-${FILM_BUILD:-$here/../../build/release}/tests/safetensors_sample}
python=${FILM_PYTHON:-/usr/bin/python3}
reader="$here/read_safetensors.py"
export PYTHONDONTWRITEBYTECODE=1
echo "1..5"
if ! "$python" -c 'import numpy' 2>/dev/null; then
    for i in 1 2 3 4 5; do echo "ok $i - safetensors against Python # SKIP no $python with numpy"; done
    exit 0
fi
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
number=0
failed=0
# same NAME A B: two files with the same lines
same() {
    number=$((number + 1))
    if [ -s "$2" ] && cmp -s "$2" "$3"; then
        echo "ok $number - $1"
    else
        echo "not ok $number - $1"
        diff "$2" "$3" | sed 's/^/# /'
        failed=1
    fi
}

"$sample" write "$folder/ours.film" 2>&1 | sed 's/^/# /'
"$sample" text > "$folder/ours.txt"
"$python" "$reader" "$folder/ours.film" > "$folder/ours.python"
same "python_reads_what_we_wrote" "$folder/ours.txt" "$folder/ours.python"
"$sample" dump "$folder/ours.film" > "$folder/ours.c"
same "we_read_what_we_wrote" "$folder/ours.txt" "$folder/ours.c"

"$python" "$reader" --checksums "$folder/ours.film" > "$folder/sums" 2>&1
number=$((number + 1))
case $(tail -n 1 "$folder/sums") in
ok) echo "ok $number - the_checksums_are_those_of_docs_format" ;;
"no libxxhash") echo "ok $number - the_checksums_are_those_of_docs_format # SKIP no libxxhash.so.0" ;;
*)
    echo "not ok $number - the_checksums_are_those_of_docs_format"
    sed 's/^/# /' "$folder/sums"
    failed=1
    ;;
esac

"$python" "$reader" --write "$folder/theirs.safetensors"
"$python" "$reader" --text > "$folder/theirs.txt"
"$sample" dump "$folder/theirs.safetensors" > "$folder/theirs.c"
same "we_read_what_python_wrote_unpadded_and_unaligned" "$folder/theirs.txt" "$folder/theirs.c"
"$python" "$reader" "$folder/theirs.safetensors" > "$folder/theirs.python"
same "python_reads_what_python_wrote" "$folder/theirs.txt" "$folder/theirs.python"
exit $failed
