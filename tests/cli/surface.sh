#!/usr/bin/env bash
# The manual, OpenAPI and the tables of the documentation say what film --describe says (scripts/docs), and that
# would be noticed: with a verb's option, an action or a route taken away, scripts/docs fails.
source "$(dirname "$0")/tap.sh"
export FILM
"$PYTHON" "$ROOT/scripts/docs" --tap | grep -v '^1\.\.' >found
number=$(grep -cE '^(not )?ok ' found)
failures=$(grep -c '^not ok ' found)
cat found

# A program that describes itself with something changed: the script must see it.
"$FILM" --describe >describe.json
cat >film <<'END'
#!/bin/sh
exec "$PYTHON" -c '
import json, os, sys
about = json.load(open(os.environ["PLACE"] + "/describe.json"))
verbs = {verb["name"]: verb for verb in about["verbs"]}
exec(os.environ["CHANGE"])
print(json.dumps(about))'
END
chmod +x film
# notices NAME FIND CHANGE: after CHANGE, Python on about and verbs, a line of what scripts/docs says has FIND.
notices() {
    PLACE=$PWD CHANGE=$3 FILM=$PWD/film "$PYTHON" "$ROOT/scripts/docs" >said 2>&1
    if [ $? -eq 1 ] && grep -qF -- "$2" said; then ok "$1"; else not_ok "$1" "$(cat said)"; fi
}
notices "a new option is missing in the manual" 'man/film.1: options of film match: --fresh is missing' \
    'verbs["match"]["options"].append({"name": "fresh", "kind": "flag"})'
notices "an option that is gone is still there" 'man/film.1: options of film split: --ratio is no option of it' \
    'verbs["split"]["options"] = [o for o in verbs["split"]["options"] if o["name"] != "ratio"]'
notices "a new verb is missing in the README" 'README.md: commands: not there: | `film zap` |' \
    'about["verbs"].append(dict(verbs["info"], name="zap"))'
notices "a new action is missing in docs/how-to/search.md" 'docs/how-to/search.md: actions: not there: | `film pool zap POOL [options]`' \
    'verbs["pool"]["actions"].append(dict(verbs["pool"]["actions"][3], name="zap"))'
notices "and in the manual" 'man/film.1: synopsis: not there: .B film pool zap' \
    'verbs["pool"]["actions"].append(dict(verbs["pool"]["actions"][3], name="zap"))'
notices "a setting with another default" 'man/film.1: settings: not there: Default: 0.7.' \
    'verbs["train"]["settings"][0]["default"] = "0.7"'
notices "a new route is missing in OpenAPI" 'server/openapi.json: routes and fields: GET /v1/zap is missing' \
    'verbs["serve"]["routes"].append(dict(next(r for r in verbs["serve"]["routes"] if r["path"] == "/v1/model"), path="/v1/zap"))'
notices "and in docs/reference/http.md" 'docs/reference/http.md: routes and fields: GET /v1/zap is missing' \
    'verbs["serve"]["routes"].append(dict(next(r for r in verbs["serve"]["routes"] if r["path"] == "/v1/model"), path="/v1/zap"))'
notices "a new field of a body" "docs/reference/http.md: routes and fields: POST /v1/match: fields" \
    'verbs["serve"]["routes"][0]["fields"].append("zap")'
notices "a route that writes without saying so" 'server/openapi.json: routes and fields: POST /v1/search: no 403' \
    'next(r for r in verbs["serve"]["routes"] if r["path"] == "/v1/search")["writes"] = True'
notices "an option the pages still name" 'docs: every option exists: ' \
    'verbs["dedup"]["options"] = [o for o in verbs["dedup"]["options"] if o["name"] != "review"]'
# A figure that differs from the stored one is reported, and so is a key that is not stored.
"$PYTHON" -c '
import json, sys
figures = json.load(open(sys.argv[1] + "/docs/results.json"))
print(figures["quora.accuracy"]["value"], file=open("shown", "w"))
figures["quora.accuracy"]["value"] = "12.3"
del figures["quora.log_loss"]
json.dump(figures, open("results.json", "w"))' "$ROOT"
export FILM_FIGURES=$PWD/results.json
notices "a figure that is not the stored one" "docs/reference/results.md: figures: quora.accuracy: the page shows \"$(cat shown) %\"" pass
notices "a figure that is not stored" 'docs/reference/results.md: figures: quora.log_loss: no such figure' pass
finish
