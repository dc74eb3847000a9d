#!/usr/bin/env bash
# deploy/: the unit is one that systemd takes and exposes little, its command and the image's are ones that film takes, and
# the run-time packages are exactly those whose libraries the program loads. Building the image needs Docker and is not
# part of this. TAP.
source "$(dirname "$0")/../cli/tap.sh"
. "$ROOT/scripts/lib/packages.sh"
"$FILM" train "$FAQ/questions.tsv" --method svd --rank 4 --seed 1 -q -o tiny.film || exit 1
"$FILM" pool create live.pool --model tiny.film -q || exit 1
printf '%s\n' 0123456789abcdef > token

# serves COMMAND LINE: with the places and the port of the test it starts, is healthy, and ends with 0.
serves() {
    local line=$1 server
    line=$(sed -E "s|^[^ ]*film serve|'$FILM' serve|; s|[^ ]*live\.pool|live.pool|; s|--token-file [^ ]*|--token-file token|
                   s|--listen [^ ]*:8080|--listen 127.0.0.1:0|" <<< "$line")
    rm -f serving # the shell in the background empties it too late: the line of an earlier server would be read
    eval "exec $line" 2> serving > requests &
    server=$!
    while kill -0 "$server" 2> /dev/null && ! grep -qs '^listening' serving; do sleep 0.1; done
    exec 3<> "/dev/tcp/127.0.0.1/$(sed -n 's/^listening on .*://p' serving)" || return 1
    printf 'GET /healthz HTTP/1.0\r\n\r\n' >&3
    grep -q '"ok"' <&3 || { cat serving; return 1; }
    exec 3>&-
    kill "$server" && wait "$server" || return 1
    grep -q '"path": "/healthz", "status": 200' requests
}
check "the unit's command serves" serves "$(sed -n 's/^ExecStart=//p' "$ROOT/deploy/film.service")"
image_command() { sed -n '/^ENTRYPOINT\|^CMD/s/^[A-Z]* //p' "$ROOT/deploy/Dockerfile" | "$PYTHON" -c '
import json, sys
print(" ".join(word for line in sys.stdin for word in json.loads(line)))'; }
check "the image's command serves" serves "$(image_command)"

if have "systemd takes the unit" systemd-analyze; then
    sed "s|/usr/local/bin/film|$FILM|" "$ROOT/deploy/film.service" > film.service
    check "systemd takes the unit" systemd-analyze verify --man=no "$PWD/film.service"
    check "and exposes little of the machine" systemd-analyze security --offline=true --threshold=10 "$PWD/film.service"
fi

# The packages of the libraries that the program, its modules and our libraries name (not those that these load in turn),
# and libpq, which is loaded by name. libc is always there.
loaded() {
    local folder object name file
    folder=$(dirname "$FILM")
    { ldconfig -p | awk '$1 == "libpq.so.5" { print $NF }'
        for object in "$FILM" "$folder"/libfilm*.so "$folder"/film-verbs-*.so "$folder"/film-workbook.so; do
            objdump -p "$object" | awk '$1 == "NEEDED" { print $2 }' | grep -v '^libc\.so\|^libm\.so\|^ld-linux\|^libfilm' |
                while read -r name; do ldd "$object" | awk -v name="$name" '$1 == name { print $3 }'; done
        done; } | sort -u | while read -r file; do
        file=$(realpath "$file")
        { dpkg -S "$file" || dpkg -S "${file#/usr}"; } 2>/dev/null | cut -d : -f 1
    done | sort -u
}
# shellcheck disable=SC2086
same_packages() { diff <(printf '%s\n' $RUN_PACKAGES | sort) <(loaded); }
if have "the run-time packages are those loaded" dpkg && have "the run-time packages are those loaded" objdump; then
    check "the run-time packages are those loaded" same_packages
fi
finish
