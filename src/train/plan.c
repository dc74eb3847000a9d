/* Chooses the method by the labels and refuses what cannot be learned from them. It reads and
 * learns nothing; options that are invalid for every file were refused before (options.c). */
#include "train/plan.h"
#include "learn/learn.h"
#include "learn/prior.h"
#include "train/options.h"

/* Refuses a method that the labels or the other options do not allow. */
static film_status check_method(const film_train_options *options, film_method method, int labelled,
                                film_error *error)
{
    const char *name = learn_defaults(method)->name;
    if (!labelled && method != FILM_METHOD_SVD && method != FILM_METHOD_TFIDF)
        return status_set(error, FILM_BAD_INPUT,
                          "method %s needs labels, but the input has none; use method svd or add a "
                          "label, score, category or triplet column",
                          name);
    if (!labelled && options->decision == FILM_DECISION_FULL)
        return status_set(error, FILM_BAD_INPUT,
                          "a full decision needs labels, but the input has none; leave it out or "
                          "add a label, score, category or triplet column");
    if (!labelled && options->keep_examples)
        return status_set(error, FILM_BAD_INPUT,
                          "examples need labels, but the input has none; keep no examples or add a "
                          "label, score, category or triplet column");
    /* A decision must be trained on out-of-fold maps, one per fold. A streaming method does not
     * train them. */
    if (method == FILM_METHOD_MFILM && options->decision == FILM_DECISION_FULL)
        return status_set(
            error, FILM_BAD_INPUT,
            "method mfilm has no full decision; use method rank or film, or decision threshold");
    return options_check_dim(options, method, error);
}

/* Returns whether labels are too few to learn map, evidence and trees from. */
static int labels_are_few(const film_train_options *options, const struct corpus *corpus)
{
    size_t few = corpus->records ? PRIOR_FEW_RECORDS : PRIOR_FEW;
    size_t pairs = options->plan_pairs ? options->plan_pairs : corpus->rows;
    return corpus->labels == FILM_LABELS_PAIRS && pairs < few &&
           options->method == FILM_METHOD_AUTO && options->decision == FILM_DECISION_AUTO &&
           !options->bert && !options->vectors;
}

film_status plan_make(struct training_plan *plan, const film_train_options *options,
                      const struct corpus *corpus, film_error *error)
{
    enum { WORDS_DIM = 200 }; /* beside a network */
    int labelled = corpus->labels != FILM_LABELS_NONE, few = labels_are_few(options, corpus);
    film_method with_labels =
        options->bert || options->vectors ? FILM_METHOD_FILM : FILM_METHOD_RANK;
    film_method method = options->method;
    if (method == FILM_METHOD_AUTO) method = labelled && !few ? with_labels : FILM_METHOD_SVD;
    film_status status = check_method(options, method, labelled, error);
    if (status != FILM_OK) return status;
    const struct learn_defaults *defaults = learn_defaults(method);
    size_t dim = defaults->dim ? defaults->dim : options->rank;
    *plan = (struct training_plan){.method = method,
                                   .words = method,
                                   .dim = options->dim ? options->dim : dim,
                                   .full = labelled && !few && method != FILM_METHOD_MFILM &&
                                           method != FILM_METHOD_DEEP &&
                                           options->decision != FILM_DECISION_THRESHOLD};
    plan->words_dim = plan->dim;
    plan->prior = method == FILM_METHOD_SVD && !plan->full && !options->bert &&
                  options->decision == FILM_DECISION_AUTO;
    if (options->bert || method == FILM_METHOD_DEEP) {
        plan->words = plan->full ? FILM_METHOD_RANK : FILM_METHOD_TFIDF;
        plan->words_dim = WORDS_DIM;
    }
    plan->features = options->features ? options->features
                     : plan->prior     ? FILM_WORD | FILM_CHAR
                                       : learn_defaults(plan->words)->features;
    return FILM_OK;
}
