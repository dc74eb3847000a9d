# shellcheck shell=bash
# Serving. A part of bad_input.sh, which sources it.
heading "Serving"
bad "no such model to serve" 3 \
    'film: cannot open missing.film: No such file or directory' \
    film serve missing.film
bad "a directory to serve" 3 \
    'film: folder is a directory, not a file' \
    film serve folder
bad "an address without a port" 1 \
    'film: --listen localhost: expected HOST:PORT, for example 127.0.0.1:8080' \
    film serve good.film --listen localhost
bad "an invalid port" 1 \
    'film: --listen 127.0.0.1:99999: expected HOST:PORT, for example 127.0.0.1:8080' \
    film serve good.film --listen 127.0.0.1:99999
bad "an IPv6 address without brackets" 1 \
    'film: --listen ::1:8080: expected HOST:PORT, for example 127.0.0.1:8080' \
    film serve good.film --listen ::1:8080
bad "beyond this machine without a token" 1 \
    'film: listening on a public address needs a token: pass --token-file FILE or set FILM_TOKEN' \
    film serve good.film --listen 0.0.0.0:8080
echo short >token
bad "a token that is too short" 1 \
    'film: token: a token must have 16 to 500 characters without spaces; create one with openssl rand -hex 32' \
    film serve good.film --token-file token
bad "no such token file" 3 \
    'film: cannot open missing.txt: No such file or directory' \
    film serve good.film --token-file missing.txt
bad "a log that cannot be written" 3 \
    'film: cannot open nowhere/log: No such file or directory' \
    film serve good.film --log nowhere/log
bad "no such report" 3 \
    'film: cannot open missing.html: No such file or directory' \
    film serve good.film --report missing.html
