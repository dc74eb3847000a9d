#!/usr/bin/env bash
# Installed into an empty folder: a program written against film.h builds with pkg-config and answers, the
# shared library shows nothing but film_*, and the header is fit for C++ too. TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${FILM_BUILD:-build/release}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
number=0
check() {
    local name=$1 output
    shift
    number=$((number + 1))
    if output=$("$@" 2>&1); then echo "ok $number - $name"
    else echo "not ok $number - $name"; printf '%s\n' "$output" | sed 's/^/# /'; fi
}
check "installs" cmake --install "$build" --prefix "$folder/usr"
check "no library path has an empty or relative entry" tests/lib/library_paths.sh "$folder/usr"
library=$(find "$folder/usr" -name libfilm.so)
PKG_CONFIG_PATH=$(dirname "$(find "$folder/usr" -name film.pc)")
export PKG_CONFIG_PATH
LD_LIBRARY_PATH=$(dirname "$library")
export LD_LIBRARY_PATH
cat > "$folder/use.c" <<'C'
#include <film.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    film_error error;
    film_model *model = NULL;
    film_context *context = NULL;
    film_verdict verdict;
    if (argc != 2 || film_open(argv[1], &model, &error) != FILM_OK ||
        film_context_new(model, &context, &error) != FILM_OK ||
        film_match(context, film_string("I lost my card"), film_string("my card is gone"), &verdict, &error) !=
            FILM_OK) {
        puts(error.message);
        return 1;
    }
    printf("%s\n", verdict.probability > 0 && verdict.probability < 1 ? "answered" : "nonsense");
    film_context_free(context);
    film_close(model);
    return 0;
}
C
check "trains with the installed program" "$folder/usr/bin/film" train examples/faq/questions.tsv --dim 16 -q -o "$folder/faq.film"
# shellcheck disable=SC2046
check "a program builds against it" cc -Wall -Wextra -Werror -std=c11 "$folder/use.c" $(pkg-config --cflags --libs film) -o "$folder/use"
check "and answers" test "$("$folder/use" "$folder/faq.film")" = answered

# The examples, each through the pkg-config package of its library; where there is one library, film has all of it.
example() {
    local name=$1 package=$2
    pkg-config --exists "$package" || package=film
    # shellcheck disable=SC2046
    cc -Wall -Wextra -Werror -std=c11 "examples/c/$name.c" $(pkg-config --cflags --libs "$package") -o "$folder/$name"
}
check "examples/c/train.c builds" example train film-train
check "and trains" sh -c "'$folder/train' examples/faq/train.tsv examples/faq/heldout.tsv '$folder/pairs.film' > '$folder/figures'"
check "and measures" grep -qE '^accuracy [5-9][0-9]\.[0-9] % \(95 %: [0-9.]+ to [0-9.]+\)$' "$folder/figures"
check "as the program does" sh -c "'$folder/usr/bin/film' eval '$folder/pairs.film' examples/faq/heldout.tsv | grep -q \"\$(sed -nE 's/^accuracy ([0-9.]+).*/accuracy  *\\1/p' '$folder/figures')\""
check "examples/c/match.c builds" example match film
check "and explains" sh -c "'$folder/match' '$folder/pairs.film' 'I lost my card' 'my card is lost' | grep -qE '^same, probability 0\.[5-9]'"
check "examples/c/search.c builds" example search film-pool
check "and finds" sh -c "'$folder/search' '$folder/pairs.film' examples/faq/questions.tsv '$folder/faq.pool' 'I lost my debit card' | grep -q ' card-lost '"
only_ours() {
    local shared
    for shared in "$(dirname "$library")"/libfilm*.so; do
        ! nm -D --defined-only "$shared" | awk '$2 != "A" { print $3 }' | grep -vE '^film_.*@@FILM_1\.0$|@@FILM_PRIVATE$' || return 1
    done
}
check "the libraries export film_* as FILM_1.0 and the rest as FILM_PRIVATE" only_ours
if command -v c++ > /dev/null; then
    check "the header is C++ too" sh -c "printf '#include <film_pool.h>\n#include <film_explain.h>\n#include <film_train.h>\n' | c++ -fsyntax-only -Wall -Wextra -Werror -I'$folder/usr/include' -x c++ -"
else
    number=$((number + 1)); echo "ok $number - the header is C++ too # SKIP no C++ compiler"
fi
for file in bash-completion/completions/film zsh/site-functions/_film fish/vendor_completions.d/film.fish; do
    check "completions are there: $file" grep -q -e least-change "$folder/usr/share/$file"
done
check "the manual is there" test -s "$folder/usr/share/man/man1/film.1"
echo "1..$number"
