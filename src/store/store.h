/* The contents of a pool, row by row: settings, changes, sentences with their vectors, labels, the
 * model.
 *
 * Functions that write run between store_begin and store_commit; functions that read run inside any
 * transaction. Nothing here waits for a mutex or computes a vector: see pool.h and add.c. */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "film_pool.h"
#include "store/db.h"

/* ---- Changes (store_changes.c) ---- */

/* A writing transaction and the number of its last change. */
struct store_write {
    struct db *db;
    uint64_t change; /* incremented before each change: ++write->change */
    uint64_t first;  /* its value at the begin */
    int labels;      /* the changes include labels */
    int other;       /* something was written that is not a change */
};

film_status store_begin(struct store_write *write, struct db *db, film_error *error);
film_status store_commit(struct store_write *write, film_error *error);

film_status store_changes(struct db *db, uint64_t *last, film_error *error);

/* One change: a sentence that is new or has a new vector, or one that was removed (VECTOR NULL,
 * REMOVED 1). VECTOR has DIM floats, not necessarily aligned; it is also NULL where the pool is
 * damaged. The callback returns non-zero to stop. */
struct store_change {
    uint64_t change;
    int64_t number;
    int removed;
    const void *vector;
    film_text text; /* only from store_scan_texts */
};
typedef int (*store_change_fn)(void *user, const struct store_change *change);

/* Scans every sentence whose last change is after SINCE (0: all existing and all removed ones),
 * oldest change first. *UPTO is the SINCE of the next scan. */
film_status store_scan_vectors(struct db *db, size_t dim, uint64_t since, store_change_fn call,
                               void *user, uint64_t *upto, film_error *error);

/* The same with texts instead of vectors. */
film_status store_scan_texts(struct db *db, uint64_t since, store_change_fn call, void *user,
                             uint64_t *upto, film_error *error);

/* ---- Settings (store_changes.c) ---- */

film_status store_set(struct db *db, const char *name, film_text value, film_error *error);
film_status store_set_number(struct db *db, const char *name, int64_t value, film_error *error);

/* Returns the value as a NUL-terminated text, or *VALUE NULL; free it with mem_free. */
film_status store_get(struct db *db, const char *name, char **value, film_error *error);

/* ---- Sentences (store_sentences.c) ---- */

struct store_sentence {
    int64_t number;
    film_sentence fields; /* valid until the next step of the statement */
    int64_t checksum;     /* as stored */
};

/* Checksum over all fields, to detect a sentence damaged on disk. */
int64_t store_checksum(const film_sentence *sentence);

/* Finds a sentence by the user's id; *FOUND is 0 when there is none. The texts are valid until the
 * next call on DB. */
film_status store_find(struct db *db, film_text id, struct store_sentence *out, int *found,
                       film_error *error);
film_status store_find_number(struct db *db, int64_t number, struct store_sentence *out, int *found,
                              film_error *error);

film_status store_insert(struct store_write *write, const film_sentence *sentence,
                         const float *vector, size_t dim, film_error *error);
film_status store_replace(struct store_write *write, int64_t number, const film_sentence *sentence,
                          const float *vector, size_t dim, film_error *error);
film_status store_remove(struct store_write *write, int64_t number, film_error *error);

film_status store_put_vector(struct db *db, int64_t number, const float *vector, size_t dim,
                             film_error *error);

/* Stores a recomputed vector only; this is a change too. */
film_status store_repair_vector(struct store_write *write, int64_t number, const float *vector,
                                size_t dim, film_error *error);

typedef int (*store_sentence_fn)(void *user, const struct store_sentence *sentence);

/* Scans the sentences by number. FILTER may be NULL. */
film_status store_each(struct db *db, const film_pool_filter *filter, store_sentence_fn call,
                       void *user, film_error *error);

/* Returns whether any sentence has this field. */
film_status store_has_field(struct db *db, film_text field, int *has, film_error *error);

/* ---- Labels (store_labels.c) ---- */

/* A removed label is a row without an origin. */
#define STORE_LABELLED "origin <> ''"

struct store_label_row {
    int64_t a, b;
    int same;
    film_text made, origin;
    uint64_t change;
};

/* A and B are different numbers, in any order. *CHANGED is 0 when this label already existed. */
film_status store_label(struct store_write *write, int64_t a, int64_t b, int same, film_text origin,
                        int *changed, film_error *error);
/* *CHANGED is 0 when the pair had no label. */
film_status store_unlabel(struct store_write *write, int64_t a, int64_t b, int *changed,
                          film_error *error);
film_status store_each_label(struct db *db, film_label_fn call, void *user, film_error *error);

/* Scans the texts of every labelled pair; the callback returns non-zero to stop. */
typedef int (*store_pair_fn)(void *user, film_text a, film_text b, int same);
film_status store_each_pair(struct db *db, store_pair_fn call, void *user, film_error *error);

/* The connected components of labels "same": member i belongs to the cluster whose oldest member is
 * numbers[root[i]]. Only labelled sentences are listed, by ascending number. */
struct store_clusters {
    size_t count, clusters; /* members listed; clusters of two or more */
    int64_t *numbers;
    uint32_t *root;
    uint64_t contradictions; /* pairs labelled "different" inside one cluster */
};
film_status store_clusters(struct db *db, struct store_clusters *out, film_error *error);
void store_clusters_free(struct store_clusters *clusters);

/* ---- Rows of a replicated pool (store_copy.c) ---- */

/* Where a pool is stored in another database, this file is a copy of it: rows keep the numbers and
 * changes that they have there. Rows that are put must be newer than all existing ones. */
struct store_row {
    int64_t number, checksum;
    uint64_t change;
    film_sentence fields;
    const void *vector; /* DIM floats, not necessarily aligned; NULL: missing or damaged */
};
struct store_removed_row {
    uint64_t change;
    int64_t number;
};

film_status store_put_row(struct db *db, const struct store_row *row, size_t dim,
                          film_error *error);
film_status store_put_label(struct db *db, const struct store_label_row *row, film_error *error);
film_status store_put_removed(struct db *db, const struct store_removed_row *row,
                              film_error *error);

/* Scan what was changed after SINCE, by number; a callback that fails ends the scan. */
typedef film_status (*store_row_fn)(void *user, const struct store_row *row, film_error *error);
film_status store_rows_since(struct db *db, size_t dim, uint64_t since, store_row_fn call,
                             void *user, film_error *error);
typedef film_status (*store_label_fn)(void *user, const struct store_label_row *row,
                                      film_error *error);
film_status store_labels_since(struct db *db, uint64_t since, store_label_fn call, void *user,
                               film_error *error);
typedef film_status (*store_removed_fn)(void *user, const struct store_removed_row *row,
                                        film_error *error);
film_status store_removed_since(struct db *db, uint64_t since, store_removed_fn call, void *user,
                                film_error *error);

/* Returns the last number that was assigned to a sentence. */
film_status store_last_number(struct db *db, int64_t *number, film_error *error);

/* ---- The model (store_model.c) ---- */

/* The bytes of a .film file, stored in chunks: the size of a blob and memory are limited. */
film_status store_put_model(struct db *db, const void *bytes, size_t size, film_error *error);

/* The model in service becomes the earlier one, of which a pool has at most one. */
film_status store_retire_model(struct db *db, film_error *error);

/* Stores one chunk; the caller stores the settings model_size and model_checksum. */
enum { STORE_CHUNK = 1 << 20 };
film_status store_put_chunk(struct db *db, int64_t chunk, const void *bytes, size_t length,
                            film_error *error);

/* *BYTES is aligned (mem_free_aligned). FILM_BAD_INPUT: a chunk is missing or short, or the
 * checksum differs. */
enum store_which { STORE_IN_SERVICE, STORE_EARLIER };
film_status store_get_model(struct db *db, enum store_which which, void **bytes, size_t *size,
                            film_error *error);

#endif
