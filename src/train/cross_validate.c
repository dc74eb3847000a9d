/* Cross-validation of a whole training. Folds share no question (learn/folds.c); each is scored by
 * the rule of film_match, memory included. */
#include "train/cross_validate.h"
#include "base/mem.h"
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
    mem_free(held->is_near);
    near_misses_free(&held->near);
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
    unsigned char *is_near = mem_resize(held->is_near, count, 1);
    if (is_near) held->is_near = is_near;
    return score && target && a && b && is_near;
}

/* The rows of a fold, to be scored by a model that was trained without them. */
struct fold_rows {
    struct corpus judged;
    unsigned char *seen; /* per sentence: whether training has it, though the fold's rows do not */
    size_t numbered;     /* sentences that have been numbered before */
    size_t near_most;    /* near misses to make up; 0: none are wanted */
};

static void fold_rows_free(struct fold_rows *fold)
{
    corpus_free(&fold->judged);
    mem_free(fold->seen);
    fold->seen = NULL;
}

/* Finds the sentences of the fold among those of REST. */
static film_status mark_seen(struct fold_rows *fold, const struct corpus *rest, film_error *error)
{
    const struct strtab *sentences = &fold->judged.sentences;
    fold->seen = mem_array(sentences->count, 1);
    if (!fold->seen) return status_no_memory(error);
    for (uint32_t i = 0; i < sentences->count; i++) {
        film_text text = strtab_get(sentences, i);
        fold->seen[i] = strtab_find(&rest->sentences, text.bytes, text.length) != STRTAB_NONE;
    }
    return FILM_OK;
}

/* Appends the pairs of the fold with their log-odds. */
static film_status append_scores(const film_model *model, const struct fold_rows *fold,
                                 const film_train_options *options, struct cross_validated *out,
                                 film_error *error)
{
    film_status status = FILM_OK;
    const struct corpus *judged = &fold->judged;
    struct labelled_pairs pairs = {0};
    struct match_rule rule = {.full = model->decision.full, .memory = 1, .identity = 1};
    struct labels_scorer scorer = {&model->decision, rule, options->threads, NULL};
    TRY(labels_to_pairs(judged, LABELS_DRAWN / FOLDS, options->seed, &pairs, error));
    TRY_ALLOC(reserve(out, out->count + pairs.count), error);
    float *score = out->score + out->count;
    struct near_judge judge = {&model->decision, rule,      options->seed, options->threads,
                               fold->near_most,  fold->seen};
    unsigned char *is_near = out->is_near + out->count;
    TRY(labels_score(judged, &pairs, &scorer, score, error));
    if (judge.most) TRY(near_misses_gather(&out->near, &judge, judged, &pairs, is_near, error));
    for (size_t i = 0; i < pairs.count; i++, out->count++) {
        out->target[out->count] = pairs.target[i];
        out->a[out->count] = (uint32_t)fold->numbered + pairs.a[i];
        out->b[out->count] = (uint32_t)fold->numbered + pairs.b[i];
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
    size_t used = corpus->rows < OUT_OF_FOLD_FEW ? FOLDS : 1;
    struct folds folds = {0};
    struct corpus rest = {0};
    struct fold_rows fold = {
        .near_most = near_misses_wanted(&options->operating, corpus) ? NEAR_MOST / used : 0};
    film_model *model = NULL;
    unsigned char *part = mem_array(corpus->rows, 1);
    *out = (struct cross_validated){0};
    TRY_ALLOC(part, error);
    TRY(folds_partition(&folds, corpus, FOLDS, options->seed, error));
    for (size_t f = 0; f < used; f++) {
        if (!split_rows(corpus, &folds, f, part)) continue;
        TRY(corpus_select(corpus, part, 0, &rest, error));
        TRY(corpus_select(corpus, part, 1, &fold.judged, error));
        TRY(mark_seen(&fold, &rest, error));
        status = train(&rest, options, &model, error);
        if (status != FILM_OK && status != FILM_BAD_INPUT) goto done;
        if (status == FILM_OK) TRY(append_scores(model, &fold, options, out, error));
        fold.numbered += fold.judged.sentences.count;
        model_free(model);
        model = NULL;
        fold_rows_free(&fold);
        status = FILM_OK;
    }
done:
    folds_free(&folds);
    corpus_free(&rest);
    fold_rows_free(&fold);
    model_free(model);
    mem_free(part);
    return status;
}
