/* The labels of a pool, and what its model says about those that it has not seen.
 *
 * Learning (learn.c) compares models by these verdicts; the curve of thresholds (thresholds.c)
 * shows them. Reading changes nothing. */
#ifndef POOL_LEARN_LABELS_H
#define POOL_LEARN_LABELS_H

#include "pool/batch.h"
#include "pool/model_history.h"

enum { LEARN_FOLDS = 5 };

struct learn_label {
    int64_t a, b;
    film_pair pair;
    int random, reviewed; /* drawn at random; the answer of a review */
    uint64_t change;
    unsigned char fold, old_judged, new_judged, old_same, new_same; /* old: in service */
    double old_probability, new_probability;
};

struct pool_learning {
    film_pool *pool;
    film_learn_options options;
    struct batch sentences; /* `lines` are numbers */
    film_text *texts;
    struct learn_label *labels;
    size_t count, capacity;
    uint64_t change;               /* the last change that is included */
    struct pool_learned *present;  /* the model in service */
    struct held_verdict *verdicts; /* of the model in service, on labels it has seen since */
    size_t verdict_count;
    struct model_history history;
    double random_share; /* of duplicates among random pairs */
    film_learned result;
};

/* Reads sentences, labels and what is known of the model in service. Free after a failure as
 * well. */
film_status learn_labels_read(struct pool_learning *learning, struct db *db, film_error *error);
void learn_labels_free(struct pool_learning *learning);

/* Fills old_judged, old_same and old_probability: stored verdicts, made by models that were trained
 * without the label, for labels that the model in service was trained on; its own for later
 * ones. Labels without either stay unjudged. */
film_status learn_labels_judge(struct pool_learning *learning, film_error *error);

/* Labels to judge, and room for the verdicts. */
struct label_judging {
    film_text *a, *b;
    size_t *which, count;
    film_verdict *verdicts;
};
int label_judging_init(struct label_judging *judging, size_t room);
void label_judging_free(struct label_judging *judging);
void label_judging_add(struct label_judging *judging, const struct pool_learning *learning,
                       size_t label);
film_status label_judging_run(struct label_judging *judging, const struct pool_learning *learning,
                              const film_model *model, film_error *error);

#endif
