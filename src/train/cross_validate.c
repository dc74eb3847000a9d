/* Cross-validation of a whole training. Folds share no question (learn/folds.c); each is scored by
 * the rule of film_match, memory included. */
#include "train/cross_validate.h"
#include "base/mem.h"
#include "learn/corpus_share.h"
#include "learn/folds.h"
#include "learn/labels.h"
#include "learn/out_of_fold.h"

#include <string.h>

enum { FOLDS = 5 };

void cross_validated_free(struct cross_validated *held)
{
    mem_free(held->score);
    mem_free(held->target);
    mem_free(held->a);
    mem_free(held->b);
    *held = (struct cross_validated){0};
}

/* Part 0 of the rows trains, part 1 is scored; rows between the two are in neither. Returns whether
 * both have rows. */
static int split_rows(const struct corpus *corpus, const struct folds *folds, size_t fold,
                      unsigned char *part)
{
    size_t rows[3] = {0, 0, 0};
    for (size_t i = 0; i < corpus->rows; i++) {
        const uint32_t ids[3] = {corpus->a[i], corpus->b[i], corpus->c[i]};
        int touches = 0;
        for (int j = 0; j < 3 && !folds->by_pair; j++)
            touches |= ids[j] != STRTAB_NONE && folds->of[ids[j]] == fold;
        part[i] = folds_of_pair(folds, ids[0], ids[1]) == fold ? 1 : touches ? 2 : 0;
        rows[part[i]]++;
    }
    return rows[0] && rows[1];
}

/* Returns 0 when out of memory. */
static int reserve(struct cross_validated *held, size_t count)
{
    float *score = mem_resize(held->score, count, sizeof *score);
    if (score) held->score = score;
    float *target = mem_resize(held->target, count, sizeof *target);
    if (target) held->target = target;
    uint32_t *a = mem_resize(held->a, count, sizeof *a);
    if (a) held->a = a;
    uint32_t *b = mem_resize(held->b, count, sizeof *b);
    if (b) held->b = b;
    return score && target && a && b;
}

/* Appends the pairs of JUDGED with their log-odds. NUMBERED sentences have been numbered before. */
static film_status append_scores(const film_model *model, const struct corpus *judged,
                                 const struct comm *comm, const film_train_options *options,
                                 size_t numbered, struct cross_validated *out, film_error *error)
{
    film_status status = FILM_OK;
    struct labelled_pairs pairs = {0};
    struct match_rule rule = {.full = model->decision.full, .memory = 1, .identity = 1};
    struct labels_scorer scorer = {&model->decision, rule, &comm_single, options->threads, NULL};
    TRY(labels_to_pairs(judged, LABELS_DRAWN / FOLDS, options->seed, &pairs, error));
    TRY_ALLOC(reserve(out, out->count + pairs.count), error);
    float *score = out->score + out->count;
    if (comm->rank == 0) /* only process 0 has a memory */
        TRY(labels_score(judged, &pairs, &scorer, score, error));
    TRY(comm_broadcast(comm, score, pairs.count * sizeof *score, 0, error));
    for (size_t i = 0; i < pairs.count; i++, out->count++) {
        out->target[out->count] = pairs.target[i];
        out->a[out->count] = (uint32_t)numbered + pairs.a[i];
        out->b[out->count] = (uint32_t)numbered + pairs.b[i];
    }
    out->made_up += pairs.made_up;
done:
    labelled_pairs_free(&pairs);
    return status;
}

film_status cross_validate(const struct corpus *corpus, const film_train_options *options,
                           cross_validate_train train, struct cross_validated *out,
                           film_error *error)
{
    film_status status = FILM_OK;
    int shared = corpus->comm->size > 1;
    size_t used = corpus->rows < OUT_OF_FOLD_FEW ? FOLDS : 1, numbered = 0;
    struct folds folds = {0};
    struct corpus rest = {0}, judged = {0};
    film_model *model = NULL;
    unsigned char *part = mem_array(corpus->rows, 1);
    *out = (struct cross_validated){0};
    TRY_ALLOC(part, error);
    TRY(folds_partition(&folds, corpus, FOLDS, options->seed, error));
    for (size_t f = 0; f < used; f++) {
        if (!split_rows(corpus, &folds, f, part)) continue;
        TRY((shared ? corpus_select_shared : corpus_select)(corpus, part, 0, &rest, error));
        TRY((shared ? corpus_select_whole : corpus_select)(corpus, part, 1, &judged, error));
        status = train(&rest, options, &model, error);
        if (status != FILM_OK && status != FILM_BAD_INPUT) goto done;
        if (status == FILM_OK)
            TRY(append_scores(model, &judged, corpus->comm, options, numbered, out, error));
        numbered += judged.sentences.count;
        model_free(model);
        model = NULL;
        corpus_free(&judged);
        status = FILM_OK;
    }
done:
    folds_free(&folds);
    corpus_free(&rest);
    corpus_free(&judged);
    model_free(model);
    mem_free(part);
    return status;
}
