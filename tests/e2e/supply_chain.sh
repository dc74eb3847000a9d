#!/usr/bin/env bash
# What FILM is made of, and that it can be made again: the bill of materials names the package of every library that is loaded,
# a release names no folder of the machine that built it, and (long) two builds in different folders have the same bytes. TAP.
source "$(dirname "$0")/../cli/tap.sh"
. "$ROOT/scripts/lib/packages.sh"
folder=$(dirname "$FILM")

sbom() { SOURCE_DATE_EPOCH=1700000000 "$PYTHON" "$ROOT/scripts/lib/sbom.py" 1.2.3 "$RUN_PACKAGES" "$BUILD_PACKAGES"; }
check "a bill of materials is made" eval 'sbom > one.json'
sbom > two.json
check "and made again, it has the same bytes" cmp one.json two.json

# The dynamic linker knows what is loaded, and dpkg whose it is: neither reads our list.
libraries() {
    ldd "$FILM" "$folder"/libfilm*.so "$folder"/film-verbs-*.so "$folder"/film-workbook.so | awk '$3 ~ /^\// { print $3 }' |
        grep -v "^$folder" | xargs -n 1 readlink -f | sort -u
}
owners() { libraries | while read -r library; do dpkg -S "$library" 2>/dev/null || dpkg -S "${library#/usr}" 2>/dev/null; done; }
owners | sed 's/:.*//' | sort -u > loaded
cat > compare.py <<'PY'
import json, re, subprocess, sys
document = json.load(open("one.json"))
assert document["spdxVersion"] == "SPDX-2.3" and document["dataLicense"] == "CC0-1.0"
assert document["creationInfo"]["created"] == "2023-11-14T22:13:20Z"
ids = {"SPDXRef-DOCUMENT"} | {package["SPDXID"] for package in document["packages"]}
assert len(ids) == len(document["packages"]) + 1, "an identifier is used twice"
assert all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", one) for one in ids)
for package in document["packages"]:
    for key in ("name", "versionInfo", "downloadLocation", "licenseConcluded", "licenseDeclared", "copyrightText"):
        assert package[key], (package["name"], key)
for relation in document["relationships"]:
    assert relation["spdxElementId"] in ids and relation["relatedSpdxElement"] in ids, relation
depended = {r["relatedSpdxElement"] for r in document["relationships"] if r["relationshipType"] == "DEPENDS_ON"}
version = {p["name"]: p["versionInfo"] for p in document["packages"] if p["SPDXID"] in depended}
loaded = open("loaded").read().split()
assert len(loaded) > 10, loaded
missing = [name for name in loaded if name not in version]
assert not missing, missing
for name in loaded:
    there = subprocess.run(["dpkg-query", "-W", "-f", "${Version}\n", name], capture_output=True, text=True).stdout.split()
    assert version[name] in there, (name, version[name], there)
PY
check "it names the package and version of every library that is loaded" "$PYTHON" compare.py

# Debug information, assertions and messages would carry the folder.
traces() { grep -lF "$ROOT/" "$folder/film" "$folder"/libfilm*.so "$folder"/film-verbs-*.so "$folder"/film-workbook.so "$folder/libfilm.a"; }
if grep -q '^CMAKE_BUILD_TYPE:[A-Z]*=Release' "$folder/CMakeCache.txt" 2>/dev/null; then
    check "a release names no folder of the machine that built it" eval '! traces'
else
    skip "a release names no folder of the machine that built it" "this is no release build"
fi

[ -n "${FILM_TEST_LONG:-}" ] || { skip "two builds have the same bytes" "long: scripts/test --long"; finish; exit; }
build_in() {
    mkdir -p "$1"
    git -C "$ROOT" ls-files -z | (cd "$ROOT" && tar -c --null -T -) | tar -x -C "$1" &&
        CCACHE_DISABLE=1 cmake -S "$1" -B "$1/$2" -G Ninja -DCMAKE_BUILD_TYPE=Release -DFILM_TESTS=OFF > "$1.log" 2>&1 &&
        CCACHE_DISABLE=1 cmake --build "$1/$2" > "$1.log" 2>&1
}
check "a build" build_in "$PWD/here" out
check "a build in another folder" build_in "$PWD/elsewhere/and/deeper" build/release
products() { (cd "$1" && find . -maxdepth 1 -type f \( -name film -o -name '*.so*' -o -name '*.a' -o -name '*.words' \) -exec sha256sum {} + | sort -k 2); }
products here/out > first
products elsewhere/and/deeper/build/release > second
check "there are programs, libraries and modules" test "$(wc -l < first)" -gt 8
check "two builds have the same bytes" diff first second
finish
