#!/usr/bin/env bash
# A shared pool over TLS, by libpq's settings: the server asks for it, the certificate is looked at where the user wants that.
source "$(dirname "$0")/tap.sh"
source "$ROOT/tests/lib/postgres.sh"
have "a shared pool over TLS" openssl || { finish; exit; }
postgres_start || { finish; exit; }
certificate() { # NAME HOST: NAME.key and NAME.crt, which is its own authority
    openssl req -new -x509 -days 2 -nodes -newkey rsa:2048 -subj "/CN=$2" -addext "subjectAltName=IP:$2" -keyout "$1.key" -out "$1.crt" 2>/dev/null
}
certificate right 127.0.0.1
certificate other 127.0.0.1
install -m 644 right.crt "$PGTEST_DIR/data/server.crt"
install -m 600 right.key "$PGTEST_DIR/data/server.key"
[ "$(id -u)" -ne 0 ] || chown postgres "$PGTEST_DIR/data/server.crt" "$PGTEST_DIR/data/server.key"
printf 'local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n' >"$PGTEST_DIR/data/pg_hba.conf"
echo "ssl = on" >>"$PGTEST_DIR/data/postgresql.conf"
postgres_stop
check "the server starts with a certificate" postgres_again
uri=$(database secret)
faq_model m.film

check "verify-full with its certificate: a pool is made" "$FILM" pool create "$uri?sslmode=verify-full&sslrootcert=$PWD/right.crt" --model m.film
printf 'id\ttext\n1\tI lost my card\n' >one.tsv
check "and added to" "$FILM" pool add "$uri?sslmode=verify-full&sslrootcert=$PWD/right.crt" one.tsv -q
expect_status "by PGSSLMODE and PGSSLROOTCERT it is read" 0 env PGSSLMODE=verify-full PGSSLROOTCERT="$PWD/right.crt" "$FILM" search "$uri" "my card is lost"
check "what was found" grep -q "I lost my card" out
check "the connections were encrypted" grep -q "SSL enabled" "$PGTEST_DIR/log"
# refused NAME WORDS URI: exit code 3 and a line with these words, without the password
refused() {
    run "$FILM" search "$3" "my card is lost"
    if [ "$status" -eq 3 ] && [ "$(wc -l <err)" -eq 1 ] && grep -qi "$2" err && ! grep -q "$PGTEST_PASSWORD" err
    then ok "$1 ($(cut -c1-90 err))"
    else not_ok "$1" "exit code $status" "$(cat err)"; fi
}
refused "another authority is refused" "certificate" "$uri?sslmode=verify-full&sslrootcert=$PWD/other.crt"
refused "so is no TLS where the server wants it" "no encryption" "$uri?sslmode=disable"
finish
