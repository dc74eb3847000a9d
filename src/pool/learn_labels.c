/* Reads the labels of a pool, and judges those that the model in service has not seen. It trains
 * and writes nothing (learn.c). */
#include "pool/learn_labels.h"
#include "base/checksum.h"
#include "base/mem.h"
#include "film.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void learn_labels_free(struct pool_learning *learning)
{
    batch_free(&learning->sentences);
    mem_free(learning->texts);
    mem_free(learning->labels);
    mem_free(learning->verdicts);
    history_free(&learning->history);
}

/* ---- Reading ---- */

struct learn_reading {
    struct batch *batch;
    film_status status;
    film_error *error;
};

static int keep_sentence(void *user, const struct store_sentence *sentence)
{
    struct learn_reading *reading = user;
    film_sentence kept = {.id = {"", 0}, .text = sentence->fields.text};
    reading->status = batch_add(reading->batch, &kept, (uint64_t)sentence->number, reading->error);
    return reading->status != FILM_OK;
}

/* The text of a sentence by its number; *FOUND is 0 where there is none, in a damaged pool. */
static film_text batch_text(const struct batch *batch, int64_t number, int *found)
{
    size_t low = 0, high = batch->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (batch->lines[middle] < (uint64_t)number)
            low = middle + 1;
        else
            high = middle;
    }
    *found = low < batch->count && batch->lines[low] == (uint64_t)number;
    return *found ? batch->rows[low].text : (film_text){NULL, 0};
}

/* The fold of a pair never changes, so that both models hold out the same labels. A pair is held
 * out, not its sentences: new pairs of a pool consist of sentences that have other labels. */
static unsigned char fold_of(int64_t a, int64_t b)
{
    int64_t pair[2] = {a, b};
    return (unsigned char)(checksum_bytes(pair, sizeof pair) % LEARN_FOLDS);
}

static film_status keep_label(void *user, const struct store_label_row *row, film_error *error)
{
    film_status status = FILM_OK;
    struct pool_learning *learning = user;
    void *labels = learning->labels;
    int has_a, has_b;
    if (!row->origin.length) return FILM_OK; /* it was removed */
    film_text a = batch_text(&learning->sentences, row->a, &has_a);
    film_text b = batch_text(&learning->sentences, row->b, &has_b);
    if (!has_a || !has_b) return FILM_OK;
    int grown =
        mem_grow(&labels, &learning->capacity, learning->count + 1, sizeof *learning->labels);
    learning->labels = labels;
    TRY_ALLOC(grown, error);
    learning->labels[learning->count++] =
        (struct learn_label){.a = row->a,
                             .b = row->b,
                             .pair = {a, b, row->same},
                             .random = review_is_random(row->origin),
                             .reviewed = review_is_answer(row->origin),
                             .change = row->change,
                             .fold = fold_of(row->a, row->b)};
done:
    return status;
}

film_status learn_labels_read(struct pool_learning *learning, struct db *db, film_error *error)
{
    film_status status = FILM_OK;
    struct learn_reading reading = {&learning->sentences, FILM_OK, error};
    TRY(store_changes(db, &learning->change, error));
    TRY(store_each(db, NULL, keep_sentence, &reading, error));
    TRY(reading.status);
    TRY(store_labels_since(db, 0, keep_label, learning, error));
    TRY(pool_learned(learning->pool, db, &learning->present, error));
    TRY(history_read(db, &learning->history, error));
    TRY(history_verdicts(db, learning->history.present.id, &learning->verdicts,
                         &learning->verdict_count, error));
done:
    return status;
}

/* ---- Judging ---- */

int label_judging_init(struct label_judging *judging, size_t room)
{
    *judging = (struct label_judging){.a = mem_array(room, sizeof(film_text)),
                                      .b = mem_array(room, sizeof(film_text)),
                                      .which = mem_array(room, sizeof(size_t)),
                                      .verdicts = mem_array(room, sizeof(film_verdict))};
    return judging->a && judging->b && judging->which && judging->verdicts;
}

void label_judging_free(struct label_judging *judging)
{
    mem_free(judging->a);
    mem_free(judging->b);
    mem_free(judging->which);
    mem_free(judging->verdicts);
}

void label_judging_add(struct label_judging *judging, const struct pool_learning *learning,
                       size_t label)
{
    judging->a[judging->count] = learning->labels[label].pair.a;
    judging->b[judging->count] = learning->labels[label].pair.b;
    judging->which[judging->count++] = label;
}

film_status label_judging_run(struct label_judging *judging, const struct pool_learning *learning,
                              const film_model *model, film_error *error)
{
    film_answer_options options = {.size = sizeof options, .threads = learning->options.threads};
    return film_match_batch(model, judging->a, judging->b, judging->count, &options,
                            judging->verdicts, error);
}

/* Finds the stored verdict on a label; both are sorted by (a, b). */
static const struct held_verdict *find_verdict(const struct pool_learning *learning,
                                               const struct learn_label *label)
{
    size_t low = 0, high = learning->verdict_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct held_verdict *held = &learning->verdicts[middle];
        if (held->a == label->a && held->b == label->b) return held;
        if (held->a < label->a || (held->a == label->a && held->b < label->b))
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* The verdicts of the model in service: stored ones for labels that it was trained on, its own for
 * later labels. */
film_status learn_labels_judge(struct pool_learning *learning, film_error *error)
{
    film_status status = FILM_OK;
    struct label_judging judging;
    TRY_ALLOC(label_judging_init(&judging, learning->count), error);
    for (size_t i = 0; i < learning->count; i++) {
        struct learn_label *label = &learning->labels[i];
        const struct held_verdict *held = find_verdict(learning, label);
        if (held) {
            label->old_judged = 1;
            label->old_same = held->same != 0;
            label->old_probability = (double)held->probability;
        } else if (label->change > learning->history.present.change) {
            label_judging_add(&judging, learning, i);
        }
    }
    TRY(label_judging_run(&judging, learning, learning->present->model, error));
    for (size_t i = 0; i < judging.count; i++) {
        struct learn_label *label = &learning->labels[judging.which[i]];
        label->old_judged = 1;
        label->old_same = judging.verdicts[i].same != 0;
        label->old_probability = judging.verdicts[i].probability;
    }
done:
    label_judging_free(&judging);
    return status;
}
