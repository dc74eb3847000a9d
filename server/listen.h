/* A listening socket from "HOST:PORT". */
#ifndef SERVER_LISTEN_H
#define SERVER_LISTEN_H

#include "film.h"

struct listening {
    int socket;
    int local;      /* a loopback address */
    char name[128]; /* "127.0.0.1:8080", "[::1]:8080", with the port that was chosen */
};

/* With SOCKET -1 in what is returned after an error. CHECK_ONLY: find out `local`, open nothing. */
film_status listen_on(const char *where, int check_only, struct listening *out, film_error *error);

#endif
