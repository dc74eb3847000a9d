/* A temporary file without a name that holds an array; it disappears with the process. */
#include "train/spill.h"
#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORTHWHILE = 1 << 20 }; /* bytes */

static int spill_bytes(int file, const char *bytes, size_t size)
{
    while (size) {
        ssize_t written = write(file, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return 0;
        bytes += written;
        size -= (size_t)written;
    }
    return 1;
}

void spill_out(struct spill *spill, float **memory, size_t bytes)
{
    const char *folder = getenv("TMPDIR");
    char name[4096];
    *spill = (struct spill){-1, bytes};
    if (!*memory || bytes < WORTHWHILE) return;
    snprintf(name, sizeof name, "%s/film-XXXXXX", folder && *folder ? folder : "/tmp");
    int file = mkstemp(name);
    if (file < 0) return;
    unlink(name);
    if (!spill_bytes(file, (const char *)*memory, bytes)) {
        close(file);
        return;
    }
    spill->file = file;
    mem_free(*memory);
    *memory = NULL;
}

film_status spill_in(struct spill *spill, float **memory, film_error *error)
{
    film_status status = FILM_OK;
    if (spill->file < 0) return FILM_OK;
    char *to = mem_array(spill->bytes, 1);
    TRY_ALLOC(to, error);
    *memory = (float *)(void *)to;
    for (size_t at = 0; at < spill->bytes;) {
        ssize_t got = pread(spill->file, to + at, spill->bytes - at, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0)
            TRY(status_set(error, FILM_IO,
                           "cannot read a temporary file back; set TMPDIR to another folder"));
        at += (size_t)got;
    }
done:
    close(spill->file);
    spill->file = -1;
    return status;
}
