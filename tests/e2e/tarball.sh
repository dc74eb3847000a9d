#!/usr/bin/env bash
# The tarball for other distributions, in a root folder that has glibc and libstdc++ alone: it trains and matches with the
# libraries it carries. Long: it builds everything again. TAP.
source "$(dirname "$0")/../cli/tap.sh"
[ -n "${FILM_TEST_LONG:-}" ] || { skip "the tarball" "long: scripts/test --long"; finish; exit; }
[ "$(id -u)" -eq 0 ] || { skip "the tarball" "chroot needs root"; finish; exit; }
check "scripts/package tarball" "$ROOT/scripts/package" tarball
mkdir -p root/lib64 root/lib root/tmp root/dev root/proc
mknod -m 666 root/dev/null c 1 3
tar -C root -xzf "$ROOT"/dist/film-*-linux-*.tar.gz
mv root/film-*-linux-* root/film
check "no library path has an empty or relative entry" "$ROOT/tests/lib/library_paths.sh" root/film
# What ldd finds outside of the tarball must be of glibc and of the compiler's run time.
outside() { find root/film -type f \( -name '*.so*' -o -name film \) -exec ldd {} + 2> /dev/null | awk '$3 ~ /^\// { print $3 }' | grep -v "^$PWD/root/film/" | sort -u; }
outside > needed
check "the tarball needs only glibc, libstdc++ and libgcc" bash -c \
    '! grep -vE "/(libc|libm|libdl|libpthread|librt|libmvec|libstdc\+\+|libgcc_s)\.so" needed'
xargs -r cp -Lt root/lib < needed
cp -L /lib64/ld-linux-x86-64.so.2 root/lib64
cp "$FAQ/train.tsv" root/tmp
# The loader finds libraries beside the program by /proc/self/exe.
in_root() { unshare --mount sh -c 'mount --bind /proc root/proc && exec chroot root /film/bin/film "$@"' sh "$@"; }
from_nothing() { in_root train /tmp/train.tsv -q -t 1 -o /tmp/faq.film && in_root match /tmp/faq.film "I lost my card" "my card is lost"; }
check_timed "training and a verdict" from_nothing
check "duplicates" in_root dedup /tmp/faq.film /tmp/train.tsv -q -o /tmp/clusters.tsv
check "a page" in_root page /tmp/faq.film -o /tmp/page.html
finish
