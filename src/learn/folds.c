/* Cross-validation folds by connected components. What is trained without a fold is decided in
 * out_of_fold.c. */
#include "learn/folds.h"
#include "base/mem.h"
#include "learn/questions.h"

#include <string.h>

/* A component larger than this multiple of a fold's share would leave the others too little. */
#define LARGEST_SHARE 1.5

static int connects(const struct corpus *corpus, size_t row, int positives_only)
{
    if (corpus->labels == FILM_LABELS_CATEGORIES || corpus->labels == FILM_LABELS_NONE) return 0;
    return !positives_only || corpus->labels != FILM_LABELS_PAIRS || corpus->label[row] >= 0.5f;
}

/* The question number of each sentence. */
struct numbering {
    uint32_t *number, questions;
    uint64_t seed; /* of the folds */
};

/* Assigns rows (or, where rows do not connect, sentences) to folds. *LARGEST is the number of rows
 * of the largest component. */
static film_status assign_folds(const struct corpus *corpus, const struct numbering *numbering,
                                int positives_only, struct folds *folds, size_t *largest,
                                film_error *error)
{
    const uint32_t *number = numbering->number;
    film_status status = FILM_OK;
    size_t sentences = corpus->sentences.count, count = sentences + corpus->rows, used = 0;
    double share[QUESTIONS_MOST_PARTS];
    struct partition_result result;
    uint32_t(*row)[3] = mem_array(count, sizeof *row);
    unsigned char *part = mem_array(count, 1);
    TRY_ALLOC(row && part, error);
    /* Every sentence is also a row by itself, so that all are assigned. */
    for (size_t i = 0; i < sentences; i++, used++)
        row[used][0] = row[used][1] = row[used][2] = number[i];
    for (size_t i = 0; i < corpus->rows; i++) {
        if (!connects(corpus, i, positives_only)) continue;
        uint32_t ids[3] = {corpus->a[i], corpus->b[i], corpus->c[i]};
        if (positives_only)
            ids[2] = ids[0]; /* a triplet's third sentence is a negative and does not connect */
        for (int j = 0; j < 3; j++) row[used][j] = number[ids[j] == STRTAB_NONE ? ids[0] : ids[j]];
        used++;
    }
    for (size_t f = 0; f < folds->count; f++) share[f] = 1.0 / (double)folds->count;
    struct question_rows rows = {(const uint32_t(*)[3])row, used, numbering->questions};
    struct partition_shares shares = {share, folds->count, numbering->seed};
    TRY(questions_partition(&rows, &shares, part, &result, error));
    memcpy(folds->of, part, sentences);
    *largest = used ? (size_t)((double)result.largest / (double)used * (double)corpus->rows) : 0;
done:
    mem_free(row);
    mem_free(part);
    return status;
}

film_status folds_partition(struct folds *folds, const struct corpus *corpus, size_t count,
                            uint64_t seed, film_error *error)
{
    film_status status = FILM_OK;
    struct numbering numbering = {.seed = seed};
    size_t largest = 0;
    *folds = (struct folds){.count = count};
    if (count < 1 || count > QUESTIONS_MOST_PARTS)
        TRY(status_set(error, FILM_USAGE, "%zu folds are not supported; choose 1 to %d", count,
                       QUESTIONS_MOST_PARTS));
    TRY_ALLOC(folds->of = mem_zeroed(corpus->sentences.count, 1), error);
    TRY(questions_number_all(corpus, &numbering.number, &numbering.questions, error));
    TRY(assign_folds(corpus, &numbering, 0, folds, &largest, error));
    int connected = (double)largest > LARGEST_SHARE * (double)corpus->rows / (double)count;
    folds->by_pair = connected && corpus->records && corpus->labels == FILM_LABELS_PAIRS;
    if (connected && !folds->by_pair)
        TRY(assign_folds(corpus, &numbering, 1, folds, &largest, error));
done:
    mem_free(numbering.number);
    if (status != FILM_OK) folds_free(folds);
    return status;
}

void folds_free(struct folds *folds)
{
    mem_free(folds->of);
    memset(folds, 0, sizeof *folds);
}

static int row_touches(const struct folds *folds, const struct corpus *corpus, size_t row,
                       size_t fold)
{
    uint32_t ids[3] = {corpus->a[row], corpus->b[row], corpus->c[row]};
    if (folds->by_pair) return folds_of_pair(folds, ids[0], ids[1]) == fold;
    for (int j = 0; j < 3; j++)
        if (ids[j] != STRTAB_NONE && folds->of[ids[j]] == fold) return 1;
    return 0;
}

film_status folds_rest(const struct folds *folds, const struct corpus *corpus, size_t fold,
                       struct corpus *rest, film_error *error)
{
    film_status status = FILM_OK;
    size_t rows = 0;
    *rest = (struct corpus){.labels = corpus->labels,
                            .sentences = corpus->sentences,
                            .categories = corpus->categories,
                            .records = corpus->records};
    TRY_ALLOC((rest->a = mem_array(corpus->rows, sizeof *rest->a)) &&
                  (rest->b = mem_array(corpus->rows, sizeof *rest->b)) &&
                  (rest->c = mem_array(corpus->rows, sizeof *rest->c)) &&
                  (rest->label = mem_array(corpus->rows, sizeof *rest->label)) &&
                  (rest->category = mem_array(corpus->rows, sizeof *rest->category)),
              error);
    for (size_t i = 0; i < corpus->rows; i++) {
        if (row_touches(folds, corpus, i, fold)) continue;
        rest->a[rows] = corpus->a[i];
        rest->b[rows] = corpus->b[i];
        rest->c[rows] = corpus->c[i];
        rest->label[rows] = corpus->label[i];
        rest->category[rows++] = corpus->category[i];
    }
    rest->rows = rows;
done:
    if (status != FILM_OK) folds_rest_free(rest);
    return status;
}

void folds_rest_free(struct corpus *rest)
{
    mem_free(rest->a);
    mem_free(rest->b);
    mem_free(rest->c);
    mem_free(rest->label);
    mem_free(rest->category);
    memset(rest, 0, sizeof *rest);
}
