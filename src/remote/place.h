/* The address of a pool in PostgreSQL: the URI of the user, and the form that may be shown. */
#ifndef REMOTE_PLACE_H
#define REMOTE_PLACE_H

#include "base/status.h"

#include <string.h>

struct place {
    char *uri;  /* for libpq only */
    char *name; /* for messages: user, host, port and database, nothing else of the URI */
};

/* Returns whether PATH is a PostgreSQL URI and not a file. */
static inline int place_is_remote(const char *path)
{
    return strncmp(path, "postgresql://", 13) == 0 || strncmp(path, "postgres://", 11) == 0;
}

/* Fails for a URI that contains a password: other users can see command lines. Free PLACE also
 * after a failure. */
film_status place_open(struct place *place, const char *uri, film_error *error);
void place_free(struct place *place);

#endif
