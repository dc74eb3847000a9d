/* Opens a listening socket for "HOST:PORT". */
#ifndef SERVER_LISTEN_H
#define SERVER_LISTEN_H

#include "film.h"

struct listening {
    int socket;
    int local;      /* a loopback address */
    char name[128]; /* "127.0.0.1:8080" or "[::1]:8080", with the actual port */
};

/* Opens the socket; OUT->socket is -1 after an error. CHECK_ONLY: only set `local`, open
 * nothing. */
film_status listen_on(const char *where, int check_only, struct listening *out, film_error *error);

#endif
