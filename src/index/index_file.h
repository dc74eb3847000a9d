/* An index on disk: a cache beside the pool, one safetensors file with the arrays as they are.
 *
 * It says which pool, which model and which change it is of. Whatever does not fit makes it
 * useless, never wrong: FILM_BAD_INPUT, and the index is made anew. Opening reads the header alone;
 * the arrays are mapped, a search stays inside them whatever they hold, and index_file_verify looks
 * at all of them. */
#ifndef INDEX_INDEX_FILE_H
#define INDEX_INDEX_FILE_H

#include "base/safetensors.h"
#include "index/index.h"

/* What ties an index to a pool. */
struct index_tie {
    const char *identity; /* of the pool */
    const char *model;    /* its checksum */
    uint64_t change;      /* the last one that is in the index */
    const char *recent;   /* some of the last sentences, as the pool has them then */
};

struct index_file {
    struct safetensors *file;
    struct index *index;    /* over it */
    const int64_t *numbers; /* the pool's number of each id */
    size_t count;
    uint64_t change;
    const char *recent;
};

/* TIE's identity and model must be those of the file. */
film_status index_file_open(const char *path, const struct encoder *encoder,
                            const struct index_tie *tie, struct index_file *out, film_error *error);
void index_file_close(struct index_file *file);

/* Checksums of the file at PATH, which FILE was opened from, and every number of every array. */
film_status index_file_verify(const struct index_file *file, const char *path, film_error *error);

/* The index is settled by it. */
film_status index_file_save(const char *path, struct index *index, const int64_t *numbers,
                            const struct index_tie *tie, film_error *error);

#endif
