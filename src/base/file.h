/* Files read by mapping, and files written atomically: a name never shows a half-written file. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/status.h"

struct file_map {
    const unsigned char *bytes;
    size_t size;
};

/* Maps a regular file for reading. An empty file gives size 0 and a non-NULL pointer. If another
 * process truncates the file later, reading the map raises SIGBUS; changed bytes show through. */
film_status file_map_open(const char *path, struct file_map *map, film_error *error);
/* The same, but copies the file into private memory: for processes that must not depend on what
 * happens to the file. */
film_status file_map_read(const char *path, struct file_map *map, film_error *error);
void file_map_close(struct file_map *map);

/* Creates a new, empty file next to PATH, with an unpredictable name in *NAME (free it with
 * mem_free). MODE is limited by the umask. *FD is open for writing. */
film_status file_temporary(const char *path, unsigned mode, char **name, int *fd,
                           film_error *error);

/* Publishes the complete file TEMPORARY under the name PATH, which must not exist yet. TEMPORARY is
 * in the same directory. The file is synced and linked, then the directory is synced. TEMPORARY is
 * removed in any case, also after a failure. */
film_status file_publish(const char *temporary, const char *path, film_error *error);

/* Atomic writing: a temporary file in the directory of the target, then fsync, rename, and fsync of
 * the directory. film_io.h documents each function; text/io_api.c wraps them as public
 * functions. */
struct film_output;
film_status output_open(const char *path, struct film_output **out, film_error *error);
film_status output_write(struct film_output *output, const void *bytes, size_t count,
                         film_error *error);
film_status output_patch(struct film_output *output, uint64_t offset, const void *bytes,
                         size_t count, film_error *error);
film_status output_commit(struct film_output *output, film_error *error);
void output_discard(struct film_output *output);

#endif
