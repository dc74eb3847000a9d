/* Where a pool in PostgreSQL lies: what the user wrote, and what may be shown of it. */
#ifndef REMOTE_PLACE_H
#define REMOTE_PLACE_H

#include "base/status.h"

#include <string.h>

struct place {
    char *uri;  /* for libpq alone */
    char *name; /* for everybody: user, host, port and database, whatever else stands in it */
};

/* Is PATH meant for PostgreSQL, and no file? */
static inline int place_is_remote(const char *path)
{
    return strncmp(path, "postgresql://", 13) == 0 || strncmp(path, "postgres://", 11) == 0;
}

/* A URI with a password in it is refused: other users see command lines. Free also after a
 * failure. */
film_status place_open(struct place *place, const char *uri, film_error *error);
void place_free(struct place *place);

#endif
