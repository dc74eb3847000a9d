#!/usr/bin/env bash
# The Debian packages in a fresh bookworm: lintian has nothing to say (scripts/package), a second build gives the same bytes,
# apt installs them with what they depend on, and debian/tests pass. Long: it builds everything twice. TAP.
source "$(dirname "$0")/../cli/tap.sh"
[ -n "${FILM_TEST_LONG:-}" ] || { skip "the Debian packages" "long: scripts/test --long"; finish; exit; }
[ "$(id -u)" -eq 0 ] || { skip "the Debian packages" "chroot needs root"; finish; exit; }
. "$ROOT/scripts/lib/packages.sh"
# shellcheck disable=SC2086
need_packages $CHROOT_PACKAGES
check "scripts/package deb" "$ROOT/scripts/package" deb
mkdir first && cp "$ROOT"/dist/*.deb first
for deb in first/*.deb; do dpkg -x "$deb" unpacked; done
check "no library path has an empty or relative entry" "$ROOT/tests/lib/library_paths.sh" unpacked
check "again" "$ROOT/scripts/package" deb
same_bytes() { local deb; for deb in first/*.deb; do cmp "$deb" "$ROOT/dist/${deb#first/}" || return 1; done; }
check "the same bytes" same_bytes
mkdir source && git -C "$ROOT" archive HEAD | tar -x -C source
if ! debootstrap --variant=minbase bookworm root "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" > log 2>&1; then
    skip "apt and autopkgtest" "debootstrap: $(tail -n 1 log)"; finish; exit
fi
in_fresh_debian() { unshare --mount sh -c 'mount -t proc proc root/proc && exec "$@"' sh \
    autopkgtest --output-dir out -B first/*.deb source/ -- chroot "$PWD/root" > log 2>&1 || { tail -n 40 log; return 1; }; }
check_timed "apt installs them, and debian/tests pass" in_fresh_debian
finish
