#!/usr/bin/env bash
# The npm package in Node gives the bits of the C library; film page writes a page that works in Chromium without a
# server and without a request. Long: builds the module (wasm/build). Otherwise it uses a module that is already built,
# or skips where there is none or an older one. TAP.
[ -z "${SHOTS:-}" ] || SHOTS=$(realpath -- "$SHOTS")
source "$(dirname "$0")/../cli/tap.sh"
package=$ROOT/build/wasm/package
# The template is made of web/, whatever module it gets.
mkdir empty && touch empty/film-simd.wasm empty/NOTICE
check "the page of web/ can be bundled" sh -c '"$1" "$2" empty > bundled.html' - "$PYTHON" "$ROOT/wasm/bundle.py"
missing=$(grep -o '= module_[a-z]*;' bundled.html | grep -o 'module_[a-z]*' | sort -u | while read -r module; do
    grep -q "^const $module = (" bundled.html || echo "$module"; done)
check "with every module that it uses" test -z "$missing"
skip_all() { skip "WebAssembly" "$1"; finish; exit; }
command -v node > /dev/null || skip_all "no node"
if [ -n "${FILM_TEST_LONG:-}" ]; then check "wasm/build" "$ROOT/wasm/build"; fi
[ -f "$package/film.wasm" ] || skip_all "not built: wasm/build, or scripts/test --long"
newer=$(find "$ROOT"/{src/{base,text,embed,pair,model,explain,index,dedup},include,web,wasm} -newer "$package/film.wasm" -print -quit)
[ -z "$newer" ] || skip_all "older than ${newer#"$ROOT"/}: wasm/build, or scripts/test --long"

"$FILM" train "$FAQ/train.tsv" --seed 1 -q -o faq.film || { not_ok "a model"; finish; exit 1; }

# What native FILM answers, with the bits of every number, by the Python package.
cat > wanted.py << 'PY'
import json, struct, subprocess, sys
import film
bits = lambda x: struct.pack(">d", x).hex()
rows = [line.rstrip("\n").split("\t")[1:] for name in ("heldout", "train") for line in open(f"{sys.argv[1]}/{name}.tsv", encoding="utf-8")]
model = film.Model("faq.film")
def numbers(a, b):
    verdict = model.match(a, b, reasons=0)
    return [bits(verdict.probability), bits(verdict.similarity), bits(verdict.log_odds)]
def printed(a, b, *options):
    command = [sys.argv[2], "match", "faq.film", a, b, "--json", *options]
    return bits(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["probability"])
texts = ["I lost my card", "what if my card is lost?", "", "Grüße"]
listed = list(dict.fromkeys(a for a, _ in rows[1:]))[:400]
wanted = {"pairs": [[a, b, *numbers(a, b)] for a, b in rows[1:1001]],
          "options": [[a, b, prior, memory, printed(a, b, *options)] for a, b in rows[2000:2003]
                      for prior, memory, options in ((0.1, True, ["--prior", "0.1"]), (0.5, False, ["--no-memory"]))],
          "texts": texts, "vectors": model.encode(texts).tolist(), "list": listed}
open("list.txt", "w", encoding="utf-8").write("".join(f"{text}\n" for text in listed))
json.dump(wanted, open("wanted.json", "w"))
PY
# The explanation and the clusters, by the program.
cat > more.py << 'PY'
import json
wanted = json.load(open("wanted.json"))
wanted["explanation"] = json.load(open("why.json"))
place = {}
for line in open("clusters.tsv", encoding="utf-8").read().splitlines()[1:]:
    cells = line.split("\t")
    place.setdefault(int(cells[0]), []).append(wanted["list"].index(cells[2]))
wanted["clusters"] = sorted(sorted(members) for members in place.values())
json.dump(wanted, open("wanted.json", "w"))
PY
native() {
    LD_LIBRARY_PATH=$(dirname "$FILM") PYTHONPATH=$ROOT/python "$PYTHON" wanted.py "$FAQ" "$FILM" &&
        "$FILM" explain faq.film --pair "I lost my card" "what if my 2 cards are lost?" --all --json > why.json &&
        "$FILM" dedup faq.film list.txt -q -o clusters.tsv && "$PYTHON" more.py
}
check "the answers of native FILM" native
# The package as npm installs it, in an empty folder.
if have "npm installs the package" npm; then
    cat > first.mjs << 'JS'
import { open } from "film-match";
import { readFile } from "node:fs/promises";
const model = await open(await readFile("../faq.film"));
if (!model.match("I lost my card", "my card is lost").same) throw new Error("different");
JS
    from_nothing() { mkdir app && tar -czf film-match.tgz -C "${package%/*}" package && cp first.mjs app && cd app &&
        npm install --offline --no-audit --no-fund ../film-match.tgz && node first.mjs; }
    check_timed "npm install and the first verdict in Node" from_nothing
fi
node "$ROOT/wasm/test.mjs" "$package" faq.film wanted.json > node.tap
while IFS= read -r line; do
    case $line in
    "ok "*) ok "Node: ${line#ok * - }" ;;
    "not ok "*) not_ok "Node: ${line#not ok * - }" ;;
    1..*) ran=1 ;;
    *) echo "$line" ;;
    esac
done < node.tap
[ -n "${ran:-}" ] || not_ok "Node ran all tests"

expect_output "without -o, film page says so" 1 "film page: -o PAGE.html is missing; see film page --help" "$FILM" page faq.film
printf 'no model\n' > bad.film
expect_status "a file that is no model is refused" 2 "$FILM" page bad.film -o bad.html
check "film page" "$FILM" page faq.film -q -o page.html
same_model() { "$PYTHON" -c '
import base64, re, subprocess, sys
page = open("page.html", encoding="utf-8").read()
model = subprocess.run(["zstd", "-dcq"], input=base64.b64decode(re.search("id=\"film-model\">([^<]*)<", page)[1]),
                       check=True, capture_output=True).stdout
assert model == open("faq.film", "rb").read()
assert not re.search(r"(src|href)=.?(https?:)?//", page)'; }
check "the page has the model inside, and no address of a resource" same_model

"$FILM" pool create faq.pool --model faq.film -q
check "a pool has its model inside" sh -c '"$1" page faq.pool -q -o pool.html && cmp pool.html page.html' - "$FILM"

tests=$ROOT/tests/e2e
if ! command -v chromium > /dev/null; then
    skip "the page in a browser" "no chromium"
elif [ ! -d "$tests/node_modules/playwright-core" ]; then
    skip "the page in a browser" "no playwright-core: tests/e2e/page.sh fetches it"
else
    CHROMIUM=$(command -v chromium) setpriv --pdeathsig TERM node "$tests/wasm_page.mjs" page.html wanted.json > page.tap
    check "the page in a browser" grep -q '^done' page.tap
    grep '^#' page.tap
fi
finish
