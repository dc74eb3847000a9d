#!/usr/bin/env bash
# Folders form an order: a file includes its own folder and those before it, nothing after.
# cli/ and server/ see the installed headers alone.
cd "$(dirname "$0")/.." || exit 1
layers=(base mpi text embed pair model explain index dedup store remote pool la bert learn eval train plot report)
number=0
verdict() { number=$((number + 1)); echo "$1 $number - $2"; }
allowed=""
for layer in "${layers[@]}"; do
    allowed="$allowed|$layer"
    [ -d "src/$layer" ] || continue
    if bad=$(grep -nE '^#include "' src/"$layer"/*.[ch] | grep -vE "\"(${allowed#|})/|\"film(_types|_io|_train|_pool|_explain)?.h\""); then
        verdict "not ok" "src/$layer includes only itself and earlier layers"
        echo "$bad" | sed 's/^/# /'
    else
        verdict ok "src/$layer includes only itself and earlier layers"
    fi
done
if bad=$(grep -nE '^#include "film' src/base/*.[ch] | grep -v '"film_types.h"'); then
    verdict "not ok" "src/base includes film_types.h alone of the public headers"
    echo "$bad" | sed 's/^/# /'
else
    verdict ok "src/base includes film_types.h alone of the public headers"
fi
if bad=$(grep -nE '^#include "' cli/*.[ch] | grep -vE '"(film|film_io|film_train|film_pool|film_explain|cli|pool|dedup|json|server/serve).h"'); then
    verdict "not ok" "cli/ sees film.h only"
    echo "$bad" | sed 's/^/# /'
else
    verdict ok "cli/ sees film.h only"
fi
if bad=$(grep -nE '^#include "' server/*.[ch] | grep -vE '"(film|film_io|film_pool|film_explain|[a-z_]+).h"|"../web/assets.def"'); then
    verdict "not ok" "server/ sees its own files and the installed headers only"
    echo "$bad" | sed 's/^/# /'
else
    verdict ok "server/ sees its own files and the installed headers only"
fi
long=$(git ls-files 'src/*.[ch]' 'cli/*.[ch]' 'server/*.[ch]' 'include/*.h' | xargs wc -l | awk '$2 != "total" && $1 > 500')
if [ -n "$long" ]; then verdict "not ok" "no file is longer than 500 lines"; echo "# $long"
else verdict ok "no file is longer than 500 lines"; fi
echo "1..$number"
