/* The files of the web page, compiled into the program. web/assets.def lists them. */
#ifndef SERVER_ASSETS_H
#define SERVER_ASSETS_H

#include "film.h"

struct asset {
    const char *path, *type;
    film_text content;
    char etag[20]; /* hash of the content, quoted */
};

/* Returns the file at this path, or NULL. */
const struct asset *assets_find(const char *path);

#endif
