/* What a pool knows of its two models, the one in service and the earlier one: when they were
 * learned, how good they were found, and their verdicts on labels that they had not seen.
 *
 * The models themselves are chunks of the table `model` (store_model.c). This is the setting
 * "learning", a JSON object, and settings "held/ID" with the verdicts. Both change in the
 * transaction that exchanges the model. */
#ifndef POOL_MODEL_HISTORY_H
#define POOL_MODEL_HISTORY_H

#include "pool/pool.h"

#include <jansson.h>

enum { HISTORY_ID = 17, HISTORY_WHEN = 24 };

struct history_model {
    char id[HISTORY_ID]; /* checksum of its bytes; empty: no model */
    char when[HISTORY_WHEN];
    uint64_t labels;            /* that it was trained on */
    uint64_t change;            /* labels of later changes are unseen */
    double accuracy, low, high; /* NaN: not measured */
};

struct model_history {
    struct history_model present, earlier; /* a pool that never learned knows the ids alone */
    json_t *last;                          /* the last comparison, an object; NULL: none */
};

/* A verdict on a label by a model that had not seen it, as it is stored. */
struct held_verdict {
    int64_t a, b; /* sentences, A < B */
    float probability;
    uint32_t same;
};

film_status history_read(struct db *db, struct model_history *history, film_error *error);
/* Writes what history_read reads; inside a writing transaction. */
film_status history_write(struct db *db, const struct model_history *history, film_error *error);
void history_free(struct model_history *history);

/* Inside the transaction that exchanges the model: PRESENT describes the new one, the one in
 * service becomes the earlier one, and what was known of the earlier one is forgotten. A model that
 * replaces itself is described anew. */
film_status history_exchange(struct db *db, const struct history_model *present, film_error *error);

/* The verdicts of a model on labels that it had not seen, by (a, b). Free *LIST with mem_free. */
film_status history_verdicts(struct db *db, const char *id, struct held_verdict **list,
                             size_t *count, film_error *error);
film_status history_put_verdicts(struct db *db, const char *id, const struct held_verdict *list,
                                 size_t count, film_error *error);

#endif
