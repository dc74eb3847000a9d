/* The models that a pool had: a list in its settings, and their files in the folder POOL.models.
 *
 * The list changes in the transaction that exchanges the model. Files are named by the checksum of
 * their bytes; they are written before the transaction and removed after it, so a process that is
 * killed leaves at most a file that the next one removes. */
#ifndef POOL_MODEL_HISTORY_H
#define POOL_MODEL_HISTORY_H

#include "pool/pool.h"

#include <jansson.h>

enum { HISTORY_KEPT = 5, HISTORY_ID = 17, HISTORY_WHEN = 24 };

struct history_model {
    char id[HISTORY_ID]; /* checksum, 16 digits */
    char when[HISTORY_WHEN];
    uint64_t labels;            /* that it was trained on */
    uint64_t change;            /* labels of later changes are unseen */
    double accuracy, low, high; /* NaN: not measured */
};

/* The newest first, with room for one that is about to be dropped. */
struct model_history {
    struct history_model list[HISTORY_KEPT + 1];
    size_t count;
    json_t *last; /* the last comparison, an object; NULL: none */
};

/* A verdict on a label by a model that had not seen it, as it is stored. */
struct held_verdict {
    int64_t a, b; /* sentences, A < B */
    float probability;
    uint32_t same;
};

film_status history_read(struct db *db, struct model_history *history, film_error *error);
/* Writes the list and LAST; inside a writing transaction. */
film_status history_write(struct db *db, const struct model_history *history, film_error *error);
void history_free(struct model_history *history);

/* Returns the entry of a model, or NULL. */
struct history_model *history_find(struct model_history *history, const char *id);
/* Adds the models NEWER (first) and OLDER (second; NULL: none). Entries beyond HISTORY_KEPT are
 * dropped, with their verdicts. */
film_status history_add(struct db *db, struct model_history *history,
                        const struct history_model *newer, const struct history_model *older,
                        film_error *error);

/* The verdicts of a model on labels that it had not seen, by (a, b). Free *LIST with mem_free. */
film_status history_verdicts(struct db *db, const char *id, struct held_verdict **list,
                             size_t *count, film_error *error);
film_status history_put_verdicts(struct db *db, const char *id, const struct held_verdict *list,
                                 size_t count, film_error *error);

/* The path of the folder (ID NULL) or of a model file in it; free it with mem_free. NULL: out of
 * memory. */
char *history_path(const film_pool *pool, const char *id);
/* Writes the file of a model unless it exists. */
film_status history_keep(const film_pool *pool, const char *id, const void *bytes, size_t size,
                         film_error *error);
/* Removes the files of models that are not in the list. */
void history_prune(const film_pool *pool, struct model_history *history);

#endif
