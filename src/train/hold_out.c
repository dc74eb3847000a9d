/* Holds out a validation set when the user gave none: whole components of rows connected by
 * questions. Where all rows are connected (a FAQ with a negative pair between neighbouring
 * entries), only positive rows connect, and negative rows between the two parts are dropped. */
#include "train/hold_out.h"
#include "base/mem.h"
#include "learn/questions.h"

#include <string.h>

static int is_positive(const struct corpus *corpus, size_t row)
{
    return corpus->labels != FILM_LABELS_PAIRS || corpus->label[row] >= 0.5f;
}

/* The settings of the split. */
struct division {
    double train_share;
    uint64_t seed;
    uint32_t *number; /* question of each sentence */
    uint32_t questions;
};

/* PART[i] = 0 train, 1 dev, 2 neither. *LARGEST is the number of rows of the largest component. */
static film_status partition_rows(const struct corpus *corpus, const struct division *division,
                                  int positives_only, unsigned char *part, size_t *largest,
                                  film_error *error)
{
    film_status status = FILM_OK;
    const uint32_t *number = division->number;
    struct partition_result result;
    uint32_t(*row)[3] = mem_array(corpus->rows, sizeof *row);
    unsigned char *dev_question = mem_zeroed(division->questions, 1);
    TRY_ALLOC(row && dev_question, error);
    for (size_t i = 0; i < corpus->rows; i++) {
        uint32_t ids[3] = {corpus->a[i], corpus->b[i], corpus->c[i]};
        for (int j = 0; j < 3; j++) {
            int joins = ids[j] != STRTAB_NONE && (!positives_only || is_positive(corpus, i));
            row[i][j] = number[joins ? ids[j] : ids[0]];
        }
    }
    struct question_rows all = {(const uint32_t(*)[3])row, corpus->rows, division->questions};
    struct partition_shares shares = {&division->train_share, 2, division->seed};
    TRY(questions_partition(&all, &shares, part, &result, error));
    *largest = result.largest;
    if (!positives_only) goto done;
    for (size_t i = 0; i < corpus->rows; i++)
        if (part[i]) dev_question[number[corpus->a[i]]] = dev_question[row[i][1]] = 1;
    for (size_t i = 0; i < corpus->rows; i++) /* drop negative rows between the parts */
        if (!is_positive(corpus, i) &&
            dev_question[number[corpus->a[i]]] != dev_question[number[corpus->b[i]]])
            part[i] = 2;
done:
    mem_free(row);
    mem_free(dev_question);
    return status;
}

film_status hold_out(struct corpus *corpus, struct corpus *dev, double train_share, uint64_t seed,
                     struct held_out *held, film_error *error)
{
    film_status status = FILM_OK;
    struct corpus train = {0};
    struct division division = {.train_share = train_share, .seed = seed};
    size_t count = 0, dropped = 0, largest, positives[3] = {0};
    unsigned char *part = mem_zeroed(corpus->rows, 1);
    *held = (struct held_out){0};
    TRY_ALLOC(part, error);
    TRY(questions_number_all(corpus, &division.number, &division.questions, error));
    TRY(partition_rows(corpus, &division, 0, part, &largest, error));
    /* The largest component exceeds the training share: let only duplicates connect. */
    if ((double)largest > train_share * (double)corpus->rows && corpus->labels == FILM_LABELS_PAIRS)
        TRY(partition_rows(corpus, &division, 1, part, &largest, error));
    for (size_t i = 0; i < corpus->rows; i++) {
        count += part[i] == 1;
        dropped += part[i] == 2;
        positives[part[i]] += (size_t)is_positive(corpus, i);
    }
    /* The rows cannot be split, or the file is too small for both parts to have positives. */
    if (count == 0 || count + dropped == corpus->rows || !positives[0] || !positives[1]) goto done;
    TRY(corpus_select(corpus, part, 0, &train, error));
    TRY(corpus_select(corpus, part, 1, dev, error));
    corpus_free(corpus);
    *corpus = train;
    train = (struct corpus){0};
    *held = (struct held_out){count, dropped};
done:
    corpus_free(&train);
    mem_free(part);
    mem_free(division.number);
    return status;
}
