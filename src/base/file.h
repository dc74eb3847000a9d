/* Files read by mapping and written so that a name never shows a half-written file. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/status.h"

struct file_map {
    const unsigned char *bytes;
    size_t size;
};

/* Maps a regular file for reading. An empty file gives size 0 and a non-NULL pointer. */
film_status file_map_open(const char *path, struct file_map *map, film_error *error);
void file_map_close(struct file_map *map);

/* Gives the complete file TEMPORARY (beside it) the name PATH, which no file has yet: synced,
 * linked, and the directory synced. TEMPORARY is gone afterwards, also after a failure. */
film_status file_publish(const char *temporary, const char *path, film_error *error);

/* Writing is film_output of film.h: a temporary file beside the target, then fsync, rename and
 * fsync of the directory. */

#endif
