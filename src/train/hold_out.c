/* A validation part when the user gave none: whole components of rows connected by questions. Where all
 * rows are connected (a FAQ in which every entry is told apart from the next), only positive rows
 * connect, and negative rows between the two parts are dropped from both. */
#include "base/mem.h"
#include "learn/corpus_share.h"
#include "train/questions.h"
#include "train/run.h"

#include <string.h>

static int is_positive(const struct corpus *corpus, size_t row)
{
    return corpus->labels != FILM_LABELS_PAIRS || corpus->label[row] >= 0.5f;
}

/* PART[i]: 0 train, 1 dev, 2 neither. */
static film_status partition_rows(const struct run *run, const uint32_t *number, uint32_t questions,
                                  int positives_only, unsigned char *part,
                                  struct partition_result *result, film_error *error)
{
    film_status status = FILM_OK;
    const struct corpus *corpus = &run->corpus;
    uint32_t(*row)[3] = mem_array(corpus->rows, sizeof *row);
    unsigned char *dev_question = mem_zeroed(questions, 1);
    TRY_ALLOC(row && dev_question, error);
    for (size_t i = 0; i < corpus->rows; i++) {
        uint32_t ids[3] = {corpus->a[i], corpus->b[i], corpus->c[i]};
        for (int j = 0; j < 3; j++) {
            int joins = ids[j] != STRTAB_NONE && (!positives_only || is_positive(corpus, i));
            row[i][j] = number[joins ? ids[j] : ids[0]];
        }
    }
    TRY(questions_partition((const uint32_t(*)[3])row, corpus->rows, questions,
                            &run->options->train_share, 2, run->options->seed, part, result,
                            error));
    if (!positives_only) goto done;
    for (size_t i = 0; i < corpus->rows; i++)
        if (part[i]) dev_question[number[corpus->a[i]]] = dev_question[row[i][1]] = 1;
    for (size_t i = 0; i < corpus->rows; i++) /* a negative row with a foot in either part */
        if (!is_positive(corpus, i) &&
            dev_question[number[corpus->a[i]]] != dev_question[number[corpus->b[i]]])
            part[i] = 2;
done:
    mem_free(row);
    mem_free(dev_question);
    return status;
}

film_status run_hold_out(struct run *run, film_error *error)
{
    film_status status = FILM_OK;
    const struct corpus *corpus = &run->corpus;
    struct corpus train = {0};
    struct partition_result result;
    uint32_t *number = NULL, questions = 0;
    size_t held = 0, dropped = 0, positives[3] = {0};
    unsigned char *part = mem_zeroed(corpus->rows, 1);
    TRY_ALLOC(part, error);
    TRY(questions_number_all(corpus, &number, &questions, error));
    TRY(partition_rows(run, number, questions, 0, part, &result, error));
    /* Too large a component to keep the share: let only duplicates connect. */
    if ((double)result.largest > run->options->train_share * (double)corpus->rows &&
        corpus->labels == FILM_LABELS_PAIRS)
        TRY(partition_rows(run, number, questions, 1, part, &result, error));
    for (size_t i = 0; i < corpus->rows; i++) {
        held += part[i] == 1;
        dropped += part[i] == 2;
        positives[part[i]] += (size_t)is_positive(corpus, i);
    }
    /* Cannot be split, or in a file this small not so that both parts have what they need. */
    if (held == 0 || held + dropped == corpus->rows || !positives[0] || !positives[1]) goto done;
    int shared = corpus->comm->size > 1;
    TRY((shared ? corpus_select_shared : corpus_select)(corpus, part, 0, &train, error));
    TRY((shared ? corpus_select_whole : corpus_select)(corpus, part, 1, &run->dev, error));
    corpus_free(&run->corpus);
    run->corpus = train;
    train = (struct corpus){0};
    run->dev_name = "held out";
    run_note(run, "held_out_rows", json_integer((json_int_t)held));
    run_note(run, "dropped_rows", json_integer((json_int_t)dropped));
done:
    corpus_free(&train);
    mem_free(part);
    mem_free(number);
    return status;
}
