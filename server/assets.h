/* The page and what belongs to it, inside the program. web/assets.def lists them. */
#ifndef SERVER_ASSETS_H
#define SERVER_ASSETS_H

#include "film.h"

struct asset {
    const char *path, *type;
    film_text content;
    char etag[20]; /* from the content, quoted */
};

/* NULL: there is none at this path. */
const struct asset *assets_find(const char *path);

#endif
