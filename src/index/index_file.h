/* An index on disk: a cache next to the pool, one safetensors file with the raw arrays.
 *
 * The file records which pool, model and change it belongs to. A mismatch makes the cache useless,
 * never wrong: FILM_BAD_INPUT, and the index is rebuilt. Opening reads only the header; the arrays
 * are mapped, or copied for a server. A search stays inside them whatever they contain;
 * index_file_verify checks all of them. */
#ifndef INDEX_INDEX_FILE_H
#define INDEX_INDEX_FILE_H

#include "base/safetensors.h"
#include "index/index.h"

/* Identifies the state of a pool that an index belongs to. */
struct index_tie {
    const char *identity; /* of the pool */
    const char *model;    /* its checksum */
    uint64_t change;      /* the last change that the index contains */
    const char *recent;   /* some of the last sentences, as the pool had them then */
};

struct index_file {
    struct safetensors *file;
    struct index *index;    /* over that file */
    const int64_t *numbers; /* the pool's number of each id */
    size_t count;
    uint64_t change;
    const char *recent;
};

/* Fails unless identity and model in TIE match the file. PRIVATE: copies the file into memory. */
film_status index_file_open(const char *path, const struct encoder *encoder,
                            const struct index_tie *tie, int private, struct index_file *out,
                            film_error *error);
void index_file_close(struct index_file *file);

/* Verifies the checksums of the file at PATH, from which FILE was opened, and every value. */
film_status index_file_verify(const struct index_file *file, const char *path, film_error *error);

/* Saves the index; settles it first. */
film_status index_file_save(const char *path, struct index *index, const int64_t *numbers,
                            const struct index_tie *tie, film_error *error);

#endif
