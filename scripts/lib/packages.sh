# shellcheck shell=bash disable=SC2034
# The Debian packages each step needs, and installing those that are missing.
# Sourced by the scripts; the one place where packages are listed.

BUILD_PACKAGES="gcc libc6-dev cmake ninja-build pkg-config libopenblas-pthread-dev liblapacke-dev
libutf8proc-dev libstemmer-dev zlib1g-dev libzstd-dev libjansson-dev libxgboost-dev libxxhash-dev
libsqlite3-dev libpq-dev libmicrohttpd-dev libexpat1-dev libcmocka-dev wordnet-base"
# What the finished program loads: the run-time halves of the above.
RUN_PACKAGES="libopenblas0-pthread liblapacke libutf8proc2 libstemmer0d zlib1g libzstd1 libjansson4
libsqlite3-0 libpq5 libmicrohttpd12 libexpat1"
# Tests: independent oracles (scikit-learn, SciPy's ARPACK) and the tools the scripts call.
TEST_PACKAGES="python3 python3-numpy python3-scipy python3-sklearn gzip zstd man-db bsdextrautils time git postgresql openssl"
# The page is tested in a browser driven by node. Where node came from elsewhere, Debian's npm would conflict with it.
TEST_PACKAGES="$TEST_PACKAGES chromium"
command -v node >/dev/null || TEST_PACKAGES="$TEST_PACKAGES nodejs"
command -v npm >/dev/null || TEST_PACKAGES="$TEST_PACKAGES npm"
# scripts/check, which is part of scripts/test.
CHECK_PACKAGES="clang-format clang-tidy shellcheck python3 git gcc pkg-config"
# tests/e2e/abi.sh, tests/portable.sh, tests/e2e/sqlite.sh, tests/golden/test_complexity.sh, tests/fault/calls.sh.
TEST_PACKAGES="$TEST_PACKAGES abigail-tools sqlite3 valgrind strace"
TEST_PACKAGES="$TEST_PACKAGES $CHECK_PACKAGES"
# Long tests: fuzzing.
LONG_PACKAGES="clang libclang-rt-14-dev"
COVERAGE_PACKAGES="gcovr" # scripts/coverage
# wasm/build: a compiler for WebAssembly, and what unpacks and generates its sources.
WASM_PACKAGES="clang lld llvm wasi-libc libclang-rt-dev-wasm32 cmake ninja-build dpkg-dev gcc libc6-dev make perl libxxhash-dev python3 gzip debian-archive-keyring"
# scripts/package.
PACKAGE_PACKAGES="patchelf python3-build python3-setuptools python3-wheel python3-venv debhelper dh-python lintian fakeroot"
# scripts/package image.
IMAGE_PACKAGES="mmdebstrap python3"
# tests/e2e/deb.sh, which installs the packages in a fresh Debian.
CHROOT_PACKAGES="debootstrap autopkgtest"
BENCH_PACKAGES="wrk postgresql python3 python3-numpy python3-scipy python3-sklearn python3-xgboost python3-torch fasttext time g++ libhnswlib-dev libfaiss-dev
liblapack-dev libopenblas-pthread-dev"
# scripts/bench doors, which needs none of the rivals above.
DOORS_PACKAGES="python3 python3-numpy chromium"
command -v node >/dev/null || DOORS_PACKAGES="$DOORS_PACKAGES nodejs"

need_packages() {
    local missing="" package
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' ||
            missing="$missing $package"
    done
    [ -z "$missing" ] && return 0
    if [ "$(id -u)" -ne 0 ]; then
        echo "These Debian packages are missing:$missing" >&2
        echo "Install them, for example with: sudo apt-get install$missing" >&2
        exit 3
    fi
    echo "installing:$missing" >&2
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq >&2
    # shellcheck disable=SC2086
    apt-get install -y -qq --no-install-recommends $missing >&2
}
