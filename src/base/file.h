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

/* Writing: a temporary file beside the target, then fsync, rename and fsync of the directory.
 * film_io.h says what each of these does; text/io_api.c makes the public calls of them. */
struct film_output;
film_status output_open(const char *path, struct film_output **out, film_error *error);
film_status output_write(struct film_output *output, const void *bytes, size_t count,
                         film_error *error);
film_status output_patch(struct film_output *output, uint64_t offset, const void *bytes,
                         size_t count, film_error *error);
film_status output_commit(struct film_output *output, film_error *error);
void output_discard(struct film_output *output);

/* Of all processes of a job, one behind the other. */
struct comm;
film_status output_open_job(const struct comm *comm, const char *path, struct film_output **out,
                            film_error *error);

#endif
