#!/usr/bin/env bash
# film embed: the .npy file, byte for byte the same through a file, a pipe and standard input.
source "$(dirname "$0")/tap.sh"
trained faq.film "$FAQ/questions.tsv" --method svd --rank 12 --decision threshold

expect_output "embed a table" 0 "280 sentences, 12 dimensions" \
    "$FILM" embed faq.film "$FAQ/questions.tsv" -o a.npy
check "the file is 128 + 280 x 12 x 4 bytes" test "$(stat -c %s a.npy)" -eq $((128 + 280 * 12 * 4))
check "its header is NumPy's" bash -c 'head -c 128 a.npy | tail -c 118 | grep -qE "^\{.descr.: .<f4., .fortran_order.: False, .shape.: \(280, 12\), \} *$"'
expect_output "--json" 0 '{"rows": 280, "dim": 12, "skipped": 0}' \
    "$FILM" embed faq.film "$FAQ/questions.tsv" -o a.npy --json
expect_output "--quiet" 0 "" bash -c '"$0" embed faq.film "$1" -o a.npy -q; echo' "$FILM" "$FAQ/questions.tsv"

cut -f2 "$FAQ/questions.tsv" | tail -n +2 >lines.txt
"$FILM" embed faq.film lines.txt -q >b.npy
check "plain lines to standard output" cmp a.npy b.npy
cat lines.txt | "$FILM" embed faq.film -q | cat >c.npy
check "from a pipe to a pipe" cmp a.npy c.npy
"$FILM" embed faq.film - -o - -q <lines.txt >d.npy
check "- and -" cmp a.npy d.npy
"$FILM" embed faq.film lines.txt -o /dev/stdout -q | cat >e.npy
check "-o /dev/stdout in a pipe" cmp a.npy e.npy
mkfifo fifo
cat fifo >f.npy & "$FILM" embed faq.film lines.txt -o fifo -q; wait $!
check "-o FIFO" cmp a.npy f.npy
check "the FIFO is still one" test -p fifo
"$FILM" embed faq.film lines.txt -o 1.npy -q -t 1; "$FILM" embed faq.film lines.txt -o 2.npy -q -t 2
check "the number of threads changes nothing" cmp 1.npy 2.npy
"$FILM" embed --columns id,text,category faq.film "$FAQ/questions.tsv" -q -o g.npy
check "--columns" cmp a.npy g.npy
run "$FILM" embed faq.film lines.txt -o - --json
check "with the array on standard output, JSON goes to standard error" grep -qx '{"rows": 280, "dim": 12, "skipped": 0}' err
check "and the array is whole" cmp out a.npy

# More rows than a batch has.
awk 'NR == FNR { line[n++] = $0; next } END { for (i = 0; i < 20000; i++) print line[(i * 7) % n] }' lines.txt /dev/null >many.txt
"$FILM" embed faq.film many.txt -o many.npy -q
check "20,000 rows" test "$(stat -c %s many.npy)" -eq $((128 + 20000 * 48))
row() { tail -c +$((129 + $2 * 48)) "$1" | head -c 48; }
check "row 19,999 is the vector of its sentence" cmp <(row many.npy 19999) <(row a.npy $((19999 * 7 % 280)))

printf 'my card\n\nzzzqqq\n\nmy card' >gaps.txt
"$FILM" embed faq.film gaps.txt -o gaps.npy -q
check "blank lines keep their rows" bash -c 'head -c 128 gaps.npy | grep -qa "(5, 12)"'
check "a blank line is a row of zeros" cmp <(row gaps.npy 1) <(head -c 48 /dev/zero)
check "so is one without a known word" cmp <(row gaps.npy 2) <(head -c 48 /dev/zero)
check "the last line counts without a line end" cmp <(row gaps.npy 0) <(row gaps.npy 4)
check "and is not zero" bash -c '! cmp -s "$1" "$2"' - <(row gaps.npy 0) <(head -c 48 /dev/zero)

if have_numpy "numpy reads it"; then
    check "numpy reads it" "$PYTHON" -c '
import numpy
a = numpy.load("a.npy"); many = numpy.load("many.npy")
assert a.shape == (280, 12) and a.dtype == numpy.float32 and numpy.isfinite(a).all()
assert (many == a[numpy.arange(20000) * 7 % 280]).all()'
fi

rm -f v.npy
expect_output "a file of pairs is refused" 2 "film: pairs.tsv has two sentences per row, but embed needs one; choose it with --columns, for example --columns -,text,-" \
    bash -c 'head -5 "$1" >pairs.tsv; "$0" embed faq.film pairs.tsv -o v.npy' "$FILM" "$FAQ/train.tsv"
check "and leaves no file" bash -c '! ls | grep "^v.npy"'
expect_status "unless a column is chosen" 0 "$FILM" embed faq.film pairs.tsv --columns -,text,- -o v.npy
expect_output "-o on a full disk" 3 "film: cannot write /dev/full: No space left on device" \
    "$FILM" embed faq.film lines.txt -o /dev/full
expect_output "standard output on a full disk" 3 "film: cannot write standard output: No space left on device" \
    bash -c '"$0" embed faq.film lines.txt >/dev/full' "$FILM"
check "a reader that leaves ends it by SIGPIPE, without a message" bash -c \
    '"$0" embed faq.film many.txt 2>broken | true; [ "${PIPESTATUS[0]}" -eq 141 ] && [ ! -s broken ]' "$FILM"
expect_output "the model is missing" 3 "film: cannot open missing: No such file or directory" "$FILM" embed missing lines.txt -o v.npy
printf 'one\ncaf\xe9\nthree\n' >latin.txt
expect_output "a bad row stops" 2 'film: latin.txt:2: invalid UTF-8 in column 1 (byte 4 of the row); fix the row or skip bad rows, or, if the file is not UTF-8, pass --encoding windows-1252' \
    "$FILM" embed faq.film latin.txt -o w.npy
check "and leaves no file" bash -c '! ls | grep "^w.npy"'
expect_output "--skip-bad" 0 "2 sentences, 12 dimensions, 1 bad row skipped" "$FILM" embed faq.film latin.txt -o w.npy --skip-bad
finish
