# shellcheck shell=bash
# Runs a private PostgreSQL server for a script, from Debian's packages: source it after tap.sh.
#
#   postgres_start || { finish; exit; }    creates and starts it; prints a skip line when PostgreSQL is not installed
#   uri=$(database NAME)                   creates an empty database and prints its URI, for the user "owner" over loopback
#   sql NAME COMMAND [psql's OPTIONS...]   runs SQL as the superuser
#   role NAME [SQL'S WORDS...]             creates a role that may log in; uri_of NAME DATABASE prints its URI
#   postgres_stop [fast|immediate]         stops it (immediate: like a crash)
#   postgres_again                         restarts it with the same port and data
#
# It listens on 127.0.0.1:$PGTEST_PORT and on a socket in $PGTEST_DIR, without a password. Over loopback every
# role has the password $PGTEST_PASSWORD, which libpq finds in the PGPASSFILE exported here.
unset "${!PG@}" # ignore libpq's settings of the caller
PGTEST_BIN=$(find /usr/lib/postgresql/*/bin -maxdepth 0 2>/dev/null | sort -V | tail -n 1)
PGTEST_PASSWORD=kept-out-of-sight
PGTEST_DIR=

# PostgreSQL refuses to run as root.
as_postgres() { if [ "$(id -u)" -eq 0 ]; then (cd / && runuser -u postgres -- "$@"); else "$@"; fi; }
# free_port: one below those that the kernel gives to clients and to servers of other tests, so that nobody takes it while
# PostgreSQL is stopped.
free_port() {
    "$PYTHON" -c 'import contextlib, random, socket
most = int(open("/proc/sys/net/ipv4/ip_local_port_range").read().split()[0])
while True:
    with contextlib.suppress(OSError), socket.socket() as s:
        s.bind(("127.0.0.1", random.randrange(min(10000, most // 2), most)))
        print(s.getsockname()[1])
        break'
}

postgres_start() {
    local try
    if [ -z "$PGTEST_BIN" ] || [ ! -x "$PGTEST_BIN/initdb" ]; then
        skip "a PostgreSQL server of our own" "no PostgreSQL server is installed"; return 1
    fi
    PGTEST_DIR=$(as_postgres mktemp -d "${TMPDIR:-/tmp}/film-pg.XXXXXX") || return 1
    trap postgres_cleanup EXIT
    chmod 755 "$PGTEST_DIR"
    as_postgres "$PGTEST_BIN/initdb" -D "$PGTEST_DIR/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync >initdb.log 2>&1 ||
        { not_ok "initdb makes a database" "$(cat initdb.log)"; return 1; }
    printf 'local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n' | as_postgres tee "$PGTEST_DIR/data/pg_hba.conf" >/dev/null
    # Without fsync a crash of the server alone loses nothing: the kernel has what was written.
    printf '%s\n' "fsync = off" "unix_socket_directories = '$PGTEST_DIR'" "listen_addresses = '127.0.0.1'" \
        "shared_buffers = 16MB" "max_connections = 60" "log_min_duration_statement = -1" "log_connections = on" |
        as_postgres tee -a "$PGTEST_DIR/data/postgresql.conf" >/dev/null
    for try in 1 2 3 4 5; do # another process may take the port
        PGTEST_PORT=$(free_port)
        postgres_again && break
        [ "$try" -lt 5 ] || { not_ok "PostgreSQL starts" "$(tail -n 5 "$PGTEST_DIR/log")"; return 1; }
    done
    printf '*:*:*:*:%s\n' "$PGTEST_PASSWORD" >"$WORK/pgpass"
    chmod 600 "$WORK/pgpass"
    # Copies of pools are stored in the script's own folder.
    export PGPASSFILE="$WORK/pgpass" XDG_CACHE_HOME="$WORK/cache"
    mkdir -p "$XDG_CACHE_HOME"
    role owner
}
postgres_again() {
    as_postgres "$PGTEST_BIN/pg_ctl" -D "$PGTEST_DIR/data" -l "$PGTEST_DIR/log" -o "-p $PGTEST_PORT" -w -t 300 start >/dev/null 2>&1
}
postgres_stop() { as_postgres "$PGTEST_BIN/pg_ctl" -D "$PGTEST_DIR/data" -m "${1:-fast}" -w -t 300 stop >/dev/null 2>&1; }
postgres_pid() { as_postgres head -n 1 "$PGTEST_DIR/data/postmaster.pid"; }
postgres_cleanup() {
    [ -z "$PGTEST_DIR" ] || { postgres_stop immediate; rm -rf "$PGTEST_DIR"; }
    rm -rf "$WORK"
}
sql() {
    local name=$1 command=$2; shift 2
    "$PGTEST_BIN/psql" -X -q -A -t -v ON_ERROR_STOP=1 -h "$PGTEST_DIR" -p "$PGTEST_PORT" -U postgres -d "$name" -c "$command" "$@"
}
role() {
    local name=$1; shift
    sql postgres "CREATE ROLE \"$name\" LOGIN PASSWORD '$PGTEST_PASSWORD' $*"
}
uri_of() { echo "postgresql://$1@127.0.0.1:$PGTEST_PORT/$2"; }
database() { sql postgres "CREATE DATABASE \"$1\" OWNER owner" && uri_of owner "$1"; }
